/*
 * filter.h: what the user wants measured: kernels by name (--kernel) and
 * launches by number (--launches). Everything is traced in any case.
 */
#ifndef CADV_FILTER_H
#define CADV_FILTER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * filter_read(kernel, launches): read CUDADVISE_KERNEL, an extended regular
 * expression without back-references, and CUDADVISE_LAUNCHES, two numbers A:B;
 * NULL or "" for no limit. False: ${kernel} is not a valid expression, and no
 * kernel is excluded. Before the first kernel.
 */
bool filter_read(const char *kernel, const char *launches);

/* filter_takes(mangled): does a part of the kernel's name match: mangled,
 * qualified or plain (plain.h)? Called once per function; any thread, one at a
 * time. */
bool filter_takes(const char *mangled);

/* filter_counts(): is there a --launches range? One load. filter_before(n),
 * filter_after(n): is launch ${n} (1…) of a kernel before the range, or after
 * it? */
bool filter_counts(void);
bool filter_before(uint64_t n);
bool filter_after(uint64_t n);

#endif

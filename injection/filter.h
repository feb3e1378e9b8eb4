/*
 * filter.h: what the user wants measured: kernels by name (--kernel) and launches by
 * number (--launches). All launches are traced in any case.
 */
#ifndef CADV_FILTER_H
#define CADV_FILTER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * filter_read(kernel, launches): set the filter from CUDADVISE_KERNEL, an extended
 * regular expression without back-references, and CUDADVISE_LAUNCHES, two numbers A:B;
 * NULL or "": no limit. False if ${kernel} is not a valid expression: then no kernel is
 * excluded. Call this before the first kernel.
 */
bool filter_read(const char *kernel, const char *launches);

/* filter_takes(mangled): whether a part of the kernel's mangled, qualified or plain
 * name matches (plain.h). Called once per function; any thread, one at a time. */
bool filter_takes(const char *mangled);

/* filter_counts(): whether there is a --launches range. One load. filter_before(n),
 * filter_after(n): whether launch ${n} (1…) of a kernel is before, or after, that
 * range. */
bool filter_counts(void);
bool filter_before(uint64_t n);
bool filter_after(uint64_t n);

#endif

/*
 * filter.h: what is to be measured, by the person's word: kernels by name (--kernel)
 * and launches by number (--launches). All is traced whatever it says.
 */
#ifndef CADV_FILTER_H
#define CADV_FILTER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * filter_read(kernel, launches): CUDADVISE_KERNEL, an extended regular expression
 * without references to itself, and CUDADVISE_LAUNCHES, two numbers A:B; NULL or ""
 * for no limit. False: ${kernel} is none, and none is excluded. Before the first
 * kernel.
 */
bool filter_read(const char *kernel, const char *launches);

/* filter_takes(mangled): does a part of the kernel's name match: mangled, qualified
 * or plain (plain.h)? Once a function; any thread, one at a time. */
bool filter_takes(const char *mangled);

/* filter_counts(): are there launches that are not to be measured? A load.
 * filter_before(n), filter_after(n): is launch ${n} (1…) of a kernel among them, with
 * others to come, or with none? */
bool filter_counts(void);
bool filter_before(uint64_t n);
bool filter_after(uint64_t n);

#endif

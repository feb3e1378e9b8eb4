/*
 * family.h: a function with all shapes in which it is launched. A signature (a
 * function and one shape) belongs to one family.
 */
#ifndef CADV_FAMILY_H
#define CADV_FAMILY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct family {
	uint64_t hash;
	uint32_t id;			/* 1.. ; excluded families have 0 */
	char *name;			/* mangled, our copy */
	bool excluded;			/* --kernel matches none of its names */
	_Atomic uint64_t launches;	/* counted for --launches only */
	_Atomic uint64_t traced, gpu_ns;	/* by activity records */
	/* Guarded by the window (window.h): */
	uint32_t headlines;		/* shapes whose headline was
					 * collected */
	uint64_t next_ns;		/* gpu_ns from which on another shape's
					 * headline is collected */
};

#define FAMILY_LONG_NS 1000000u	/* a kernel that takes longer matters: about a
				 * window's own time, without the DRAM pass */
#define FAMILY_SHARE 20		/* or one that takes a 20th of all kernel
				 * time */

/* family_of(name): the family of this function, created if new. NULL without
 * memory. With the lock of the signatures held. */
struct family *family_of(const char *name);

/* family_ran(f, ns): an activity record has a launch that took ${ns}. Sender
 * thread only. family_total(): kernel time of all families so far. Any
 * thread. */
void family_ran(struct family *f, uint64_t ns);
uint64_t family_total(void);

/* family_matters(f): is its share of the kernel time large enough? Any
 * thread. */
bool family_matters(const struct family *f);

/* family_counted(f): the headline of one more of its shapes was collected. The
 * next one is collected when the function has taken twice its kernel time of
 * now: so shapes that grow, or are many, are measured where the time is. */
void family_counted(struct family *f);

#endif

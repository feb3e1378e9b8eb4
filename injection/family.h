/*
 * family.h: a family is a function with all the shapes in which it is launched. A
 * signature (a function with one shape) belongs to one family.
 */
#ifndef CADV_FAMILY_H
#define CADV_FAMILY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct signature;

struct family {
	uint64_t hash;
	uint32_t id;			/* from 1 on; 0 for excluded families */
	char *name;			/* mangled; owned */
	struct signature *first;	/* its first shape; guarded by the signatures' lock */
	bool excluded;			/* --kernel matches none of its names */
	_Atomic uint64_t launches;	/* counted for --launches only */
	_Atomic uint64_t traced, gpu_ns;	/* from activity records */
	/* Guarded by the window (window.h): */
	uint32_t headlines;		/* shapes whose headline was collected */
	uint64_t next_ns;		/* kernel time (gpu_ns) from which on the
					 * headline of another shape is collected */
};

#define FAMILY_LONG_NS 1000000u	/* a launch that takes so long matters: about as long
				 * as a window takes itself, without the DRAM pass */
#define FAMILY_SHARE 20		/* so does a kernel with this time in all, if that
				 * is a 20th of all kernel time */

/* family_of(name): the family of the function ${name} (mangled), created if new. NULL
 * without memory, and beyond SIGNATURE_MAX. Call with the lock of the signatures held. */
struct family *family_of(const char *name);

/* family_ran(f, ns): an activity record tells of a launch that took ${ns}. Sender
 * thread only. family_total(): kernel time of all families so far. Any thread. */
void family_ran(struct family *f, uint64_t ns);
uint64_t family_total(void);

/* family_matters(f): whether its kernel time is long enough, and a large enough share
 * of all. Any thread. */
bool family_matters(const struct family *f);

/* family_counted(f): the headline of one more shape was collected. The headline of the
 * next shape is collected when the function has taken twice its present kernel time: so
 * shapes that grow, or are many, are measured where the time is spent. */
void family_counted(struct family *f);

#endif

/*
 * family.h: a function with all shapes that it is launched in. A signature (a
 * function and one shape) belongs to one family.
 */
#ifndef CADV_FAMILY_H
#define CADV_FAMILY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct family {
	uint64_t hash;
	uint32_t id;			/* 1.. of those that are not excluded */
	char *name;			/* mangled, our copy */
	bool excluded;			/* --kernel has none of its names */
	_Atomic uint64_t launches;	/* counted for --launches only */
	_Atomic uint64_t traced, gpu_ns;	/* by activity records */
	/* Guarded by the window that counters.c holds: */
	uint32_t headlines;		/* of its shapes that were counted */
	uint64_t next_ns;		/* gpu_ns from which another one is */
};

#define FAMILY_LONG_NS 1000000u	/* what takes so long is no small matter: a
				 * window's own time, about, without DRAM */
#define FAMILY_SHARE 20		/* nor a 20th of all kernel time */

/* family_of(name): the one of that function, made where it is new. NULL without
 * memory or room. Under the lock of the signatures. */
struct family *family_of(const char *name);

/* family_ran(f, ns): an activity record says that a launch took ${ns}. Sender thread
 * only. family_total(): what all took so far. Any thread. */
void family_ran(struct family *f, uint64_t ns);
uint64_t family_total(void);

/* family_matters(f): does it take a part of the time that counts? Any thread. */
bool family_matters(const struct family *f);

/* family_counted(f): the headline of one more of its shapes was counted; the next
 * one is when the function has taken twice as long as by now, so that shapes that
 * grow, or are many, are measured where their time is. */
void family_counted(struct family *f);

#endif

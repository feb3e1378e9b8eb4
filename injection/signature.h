/*
 * signature.h: kernels by name and launch shape. The launch callback finds its
 * signature without a lock; the sender thread completes it from the activity
 * record and announces it.
 */
#ifndef CADV_SIGNATURE_H
#define CADV_SIGNATURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cupti_api.h"

#define SIGNATURE_MAX 16384		/* as PROTOCOL.md section 5 */

/* What tells one launch shape of a function from another. */
struct signature_shape {
	uint32_t grid[3], block[3];
	uint32_t dynamic;		/* shared bytes asked for at launch */
	uint32_t device;
};

struct signature {
	uint32_t id;			/* 1.. */
	struct signature_shape shape;
	char *name;			/* mangled, our copy */
	uint32_t skip;			/* enum wire_skip known from the launch */
	_Atomic bool announced;		/* SIGNATURE was sent */
	_Atomic uint64_t launches;	/* seen by the callback */
	/* Counters; guarded by the window that counters.c holds. */
	_Atomic bool measured;		/* nothing is left to measure */
	uint32_t passes;		/* bit p: pass p is in the image */
	uint32_t windows;		/* profiled launches that count */
	uint32_t tries;		/* and all that were tried */
	uint64_t cost_ns;
	uint8_t *image;			/* counter data, or NULL */
	double *value;			/* per metric, NaN unknown, or NULL */
	_Atomic bool dirty;		/* value has news to send */
	bool complete;
};

/* signature_init(): make the tables. -1 without memory. */
int signature_init(void);

/*
 * signature_of(key, name, shape): the signature of function ${key} (any pointer
 * that stands for the function: CUfunction, or CUPTI's name pointer) with
 * ${shape}; made when new from ${name} (mangled). NULL if the table is full.
 * Any thread; lock-free once known.
 */
struct signature *signature_of(const void *key, const char *name,
    const struct signature_shape *shape);

/* signature_forget_keys(): functions were unloaded, their pointers may come
 * back as others. The signatures themselves stay. */
void signature_forget_keys(void);

/* signature_announce(s, k): send SIGNATURE for ${s} from its first activity
 * record. Sender thread only. */
void signature_announce(struct signature *s, const CUpti_ActivityKernel10 *k);

/* signature_each(f): call ${f} for all signatures so far. */
void signature_each(void (*f)(struct signature *));

#endif

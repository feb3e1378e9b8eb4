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
#include "wire/record.h"

#define SIGNATURE_MAX 16384		/* as PROTOCOL.md section 5 */

/* What tells one launch shape of a function from another. */
struct signature_shape {
	uint32_t grid[3], block[3];
	uint32_t dynamic;		/* shared bytes asked for at launch */
	uint32_t device;
};

/* What a launch of the function takes, where no activity record says it. */
struct signature_resources {
	bool known;
	uint32_t regs, smem_static, local_per_thread;
	uint32_t carveout;		/* percent asked for, 255 none */
};

/* A launch that was measured with kernel tracing off. */
struct signature_launch {
	uint64_t launch_ns, start_ns, end_ns;
	uint32_t context, stream, correlation, tid;
};

#define SIGNATURE_UNTRACED 64	/* such launches kept a signature */

struct family;
struct metrics_config;
struct sass_counts;

struct signature {
	uint32_t id;			/* 1.. */
	struct signature_shape shape;
	struct family *family;		/* all shapes of its function */
	const char *name;		/* mangled, the family's */
	_Atomic uint32_t skip;		/* enum wire_skip known from the launch */
	_Atomic bool announced;		/* SIGNATURE was sent */
	_Atomic uint64_t launches;	/* seen by the callback */
	_Atomic uint32_t sampled;	/* while PC sampling was on */
	_Atomic uint64_t site_next;	/* launch whose call stack is taken */
	_Atomic uint32_t site_looks;	/* stacks taken */
	_Atomic uint64_t traced, gpu_ns;	/* by activity records */
	_Atomic bool matters;		/* worth the expensive counters */
	/* Counters; guarded by the window that counters.c holds. */
	_Atomic bool measured;		/* nothing is left to measure */
	uint32_t passes;		/* of the counters that are there, as bits, */
	uint32_t hopeless;		/* and of those that do not work out */
	uint32_t windows;		/* profiled launches that count */
	uint32_t tries;			/* and all that were tried */
	uint64_t window_ns;		/* its launch took in the latest window */
	uint64_t cost_ns;
	uint8_t *image;			/* counter data between passes, or NULL, */
	const struct metrics_config *config;	/* of this configuration */
	double *value;			/* per metric, NaN unknown, or NULL */
	_Atomic bool dirty;		/* value has news to send */
	_Atomic bool complete;
	_Atomic bool alone;		/* it ended while the host was held, */
	_Atomic bool waits;		/* or once it did not */
	bool stalls;			/* it takes longer than we may hold */
	uint32_t yields;		/* launches left to kernels that take more
					 * time and lacked something, too */
	bool late;			/* it came when the headline was over */
	_Atomic bool elsewhere;		/* another process measured that GPU */
	_Atomic bool beside;		/* it was to be measured, but other work
					 * was on the GPU */
	_Atomic bool counted;		/* by instruction; or it cannot be */
	uint32_t count_tries;
	uint64_t count_ns;		/* what that cost */
	struct sass_counts *counts;	/* to be sent */
	bool located;			/* FUNCTION was sent */
	struct signature_launch *launch;	/* that CUPTI did not trace */
	uint32_t untraced;
	struct signature_resources resources;
};

/* signature_time(s): nanoseconds that a launch of ${s} takes, as far as is known by
 * now; 0 if it is not. */
uint64_t signature_time(const struct signature *s);

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

/* signature_launched(s): one more launch. False if it is not one of those that are
 * to be measured. Any thread. */
bool signature_launched(struct signature *s);

/* signature_forget_keys(): functions were unloaded, their pointers may come
 * back as others. The signatures themselves stay. */
void signature_forget_keys(void);

/* signature_announce(s, k): send SIGNATURE for ${s} from its first activity
 * record; with ${k} NULL from what the window learned. Sender thread only. */
void signature_announce(struct signature *s, const cupti_kernel *k);

/*
 * signature_ran(s, ns): an activity record says that a launch took ${ns}.
 * Decides whether the signature matters: 8 launches of 20 us and more on average or
 * 5 % of all kernel time, or fewer of 1 ms. Sender thread only.
 */
void signature_ran(struct signature *s, uint64_t ns);

/* signature_count(): how many there are. signature_at(i): one of them, from 0. */
uint32_t signature_count(void);
struct signature *signature_at(uint32_t i);

/* signature_each(f): call ${f} for all signatures so far. */
void signature_each(void (*f)(struct signature *));

#endif

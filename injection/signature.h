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

/* The launch shape. */
struct signature_shape {
	uint32_t grid[3], block[3];
	uint32_t dynamic;		/* dynamic shared memory in bytes */
	uint32_t device;
};

/* Resources per launch, where no activity record has them. The thread that sets
 * ${asked} writes them, and ${known} when they are all there. */
struct signature_resources {
	_Atomic bool asked, known;
	uint32_t regs, smem_static, local_per_thread;
	uint32_t carveout;		/* percent requested, 255 none */
};

/* A launch that was measured with kernel tracing off. */
struct signature_launch {
	uint64_t launch_ns, start_ns, end_ns;
	uint32_t context, stream, correlation, tid;
};

#define SIGNATURE_UNTRACED 64	/* launches kept per signature */

struct family;
struct metrics_config;
struct sass_counts;

struct signature {
	uint32_t id;			/* 1.. */
	struct signature_shape shape;
	struct family *family;		/* its function, with all shapes */
	const char *name;		/* mangled, the family's */
	_Atomic uint32_t skip;		/* enum wire_skip, known at the
					 * launch */
	_Atomic bool announced;		/* SIGNATURE was sent */
	_Atomic uint64_t launches;	/* seen by the callback */
	_Atomic uint32_t sampled;	/* while PC sampling was on */
	_Atomic uint64_t site_next;	/* next launch to take a call stack
					 * of */
	_Atomic uint32_t site_looks;	/* stacks taken */
	_Atomic uint64_t traced, gpu_ns;	/* by activity records */
	_Atomic bool matters;		/* worth the expensive counters */
	/* Counters; guarded by the window (window.h). */
	_Atomic bool measured;		/* nothing is left to measure */
	uint32_t passes;		/* collected passes, a set, */
	uint32_t hopeless;		/* and those that are given up */
	uint32_t windows;		/* profiled launches that count */
	uint32_t tries;			/* all windows that were tried */
	uint64_t window_ns;		/* duration of its launch in the last
					 * window */
	uint64_t cost_ns;
	uint8_t *image;			/* counter-data image between passes, or
					 * NULL, */
	const struct metrics_config *config;	/* its configuration */
	double *value;			/* per metric, NaN unknown, or NULL */
	_Atomic bool dirty;		/* value has news to send */
	_Atomic bool complete;
	_Atomic bool alone;		/* it ended in a trial (counters.c), */
	_Atomic bool waits;		/* or did not */
	bool stalls;			/* it takes longer than a hold */
	uint64_t looked_launches;	/* launches at the last look, and the
					 * look before which the last of them
					 * came (plan.c) */
	uint64_t looked;
	uint32_t yields;		/* launches left to kernels that take more
					 * time and lacked something, too */
	bool late;			/* first launched after the profiler had
					 * left the headline's configuration */
	_Atomic bool elsewhere;		/* another process measured its GPU */
	_Atomic bool beside;		/* not measured because other work was
					 * on the GPU */
	_Atomic bool counted;		/* counted by instruction, or given
					 * up */
	uint32_t count_tries;
	uint64_t count_ns;		/* time spent on that */
	uint64_t patched_ns;		/* its launch with patched code took as
					 * long, or longer */
	struct sass_counts *counts;	/* to be sent */
	bool located;			/* FUNCTION was sent */
	struct signature_launch *launch;	/* launches not traced by
						 * CUPTI */
	uint32_t untraced;
	struct signature_resources resources;
};

/* signature_time(s): nanoseconds per launch of ${s}, as far as known; 0 if
 * unknown. */
uint64_t signature_time(const struct signature *s);

/* signature_init(): make the tables. -1 without memory. */
int signature_init(void);

/*
 * signature_of(key, name, shape): the signature of function ${key} (any pointer
 * that identifies the function: CUfunction, or CUPTI's name pointer) with
 * ${shape}; created from ${name} (mangled) if new. NULL if the table is full.
 * Any thread; lock-free for known keys.
 */
struct signature *signature_of(const void *key, const char *name,
    const struct signature_shape *shape);

/* signature_launched(s): count a launch. False if --launches excludes it from
 * measuring. Any thread. */
bool signature_launched(struct signature *s);

/* signature_forget_keys(): functions were unloaded, their pointers may be
 * reused. The signatures stay. */
void signature_forget_keys(void);

/* signature_announce(s, k): send SIGNATURE for ${s} from its first activity
 * record; with ${k} NULL from what the window measured. Sender thread only. */
void signature_announce(struct signature *s, const cupti_kernel *k);

/*
 * signature_ran(s, ns): an activity record has a launch that took ${ns}.
 * Decides whether the signature matters: after 8 launches with 20 us on average
 * or 5 % of all kernel time, or earlier with 1 ms. Sender thread only.
 */
void signature_ran(struct signature *s, uint64_t ns);

/* signature_count(): their number. signature_at(i): one of them, from 0. */
uint32_t signature_count(void);
struct signature *signature_at(uint32_t i);

/* signature_each(f): call ${f} for each signature. */
void signature_each(void (*f)(struct signature *));

#endif

/*
 * signature.h: a signature is a kernel with one launch shape. The launch callback finds
 * the signature of a launch without a lock; the sender thread completes it from the
 * activity record and announces it.
 */
#ifndef CADV_SIGNATURE_H
#define CADV_SIGNATURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cupti_api.h"
#include "wire/record.h"

#define SIGNATURE_MAX 16384		/* per stream, see PROTOCOL.md section 5 */

/* The launch shape. */
struct signature_shape {
	uint32_t grid[3], block[3];
	uint32_t dynamic;		/* dynamic shared memory in bytes */
	uint32_t device;
};

/* Resources of a launch, for signatures without an activity record. The thread that
 * sets ${asked} writes them, and sets ${known} when they are complete. */
struct signature_resources {
	_Atomic bool asked, known;
	uint32_t regs, smem_static, local_per_thread;
	uint32_t carveout;		/* requested percent; 255: none */
};

/* A launch that was measured while kernel tracing was off. */
struct signature_launch {
	uint64_t launch_ns, start_ns, end_ns;
	uint32_t context, stream, correlation, tid;
};

#define SIGNATURE_UNTRACED 64	/* launches kept per signature */

struct family;
struct metrics_config;
struct sass_counts;

struct signature {
	uint32_t id;			/* from 1 on */
	struct signature_shape shape;
	struct family *family;		/* the function with all its shapes */
	const char *name;		/* mangled; owned by the family */
	_Atomic bool rounded;		/* it stands for grids of about that size, too */
	_Atomic uint32_t skip;		/* enum wire_skip, known at the launch */
	_Atomic bool announced;		/* SIGNATURE was sent */
	_Atomic uint64_t launches;	/* counted by the callback */
	_Atomic uint32_t sampled;	/* launches while PC sampling was on */
	_Atomic uint64_t site_next;	/* the next launch to take a call stack of */
	_Atomic uint32_t site_looks;	/* call stacks taken */
	_Atomic uint64_t traced, gpu_ns;	/* from activity records, as is */
	_Atomic uint64_t shortest_ns;	/* the shortest launch; 0: unknown */
	_Atomic bool matters;		/* it is worth the expensive counters */
	/* Counters. Guarded by the window (window.h). */
	_Atomic bool measured;		/* nothing is left to measure */
	_Atomic uint64_t affordable_ns;	/* before this time the budget has nothing for
					 * what it lacks */
	uint32_t passes;		/* set of passes that were collected */
	uint32_t hopeless;		/* and of those that were given up */
	uint32_t windows;		/* profiled launches that count */
	uint32_t tries;			/* all windows that were tried */
	uint64_t window_ns;		/* duration of its launch in the last window */
	uint64_t cost_ns;
	uint8_t *image;		/* counter-data image between passes; NULL: none */
	const struct metrics_config *config;	/* configuration of that image */
	double *value;			/* one per metric, NaN: unknown; NULL: none yet */
	_Atomic bool dirty;		/* there is something new to send */
	_Atomic bool complete;
	_Atomic bool alone;		/* it ended in a trial (counters.c) */
	_Atomic bool waits;		/* it did not end in a trial */
	_Atomic uint32_t outlasted;	/* holds in a row that it outlasted */
	bool spared;			/* a launch was left to the trace, to tell how
					 * long it takes */
	bool stalls;			/* it takes longer than a hold */
	bool kept;			/* the profiler must stay as it is */
	uint64_t looked_launches;	/* launches at the last look of plan.c, and
					 * the look that noticed the last of them */
	uint64_t looked;
	uint32_t yields;		/* launches left to kernels that take more
					 * time and lacked something */
	bool late;			/* first launched after the profiler had left
					 * the headline's configuration */
	_Atomic bool elsewhere;		/* another process measured its GPU */
	_Atomic bool beside;	/* not measured, because other work was on the GPU */
	_Atomic bool counted;		/* counted by instruction, or given up */
	uint32_t count_tries;
	uint64_t count_ns;		/* time spent on counting */
	uint64_t patched_ns;	/* least time of its launch with patched code */
	struct sass_counts *counts;	/* to be sent */
	bool located;			/* FUNCTION was sent */
	struct signature_launch *launch;	/* launches that CUPTI did not trace */
	uint32_t untraced;
	struct signature_resources resources;
};

/* signature_time(s): nanoseconds per launch of ${s}, as far as known; 0: unknown. */
uint64_t signature_time(const struct signature *s);

/*
 * signature_awaits(s): whether ${s} is known to wait for what the host does after the
 * launch: it outlasted SIGNATURE_AWAITS holds, and otherwise takes a fraction of one.
 * signature_may_await(s): whether that is possible: it outlasted the last hold, and no
 * record tells that it takes long. Any thread.
 */
#define SIGNATURE_AWAITS 2	/* one may have been a slow first launch */
bool signature_awaits(const struct signature *s);
bool signature_may_await(const struct signature *s);

/* signature_init(): make the tables. 0; -1 without memory. */
int signature_init(void);

/*
 * signature_of(key, name, shape): the signature of function ${key} with ${shape};
 * created from ${name} (mangled) if it is new. ${key} is any pointer that identifies
 * the function: a CUfunction, or CUPTI's pointer to its name. Beyond SIGNATURE_MAX / 2
 * signatures a new one stands for grids of about its size, and in a full table the
 * function's first stands for all. NULL if the function has none. Any thread; lock-free for
 * known keys.
 */
struct signature *signature_of(const void *key, const char *name,
    const struct signature_shape *shape);

/* signature_launched(s): count a launch. False if --launches excludes the launch from
 * measuring. Any thread. */
bool signature_launched(struct signature *s);

/* signature_forget_keys(): functions were unloaded, and their pointers may be reused.
 * Signatures are kept. */
void signature_forget_keys(void);

/* signature_announce(s, k): send SIGNATURE for ${s}, from its first activity record
 * ${k}; with ${k} NULL from what the window learned. Sender thread only. */
void signature_announce(struct signature *s, const cupti_kernel *k);

/*
 * signature_ran(s, ns): an activity record tells of a launch that took ${ns}. Decides
 * whether the signature matters: after 8 launches with 20 us on average or 5 % of all
 * kernel time, or earlier with 1 ms. Sender thread only.
 */
void signature_ran(struct signature *s, uint64_t ns);

/* signature_count(): the number of signatures. signature_at(i): signature ${i}, counted
 * from 0. */
uint32_t signature_count(void);
struct signature *signature_at(uint32_t i);

/* signature_each(f): call ${f} for each signature. */
void signature_each(void (*f)(struct signature *));

#endif

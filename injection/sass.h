/*
 * sass.h: CUPTI's SASS metrics: exact counts per instruction of one launch. The
 * launch runs patched code; outside of windows nothing is patched.
 *
 * Measured on an H200: 1.3 ms a window for small kernels. The context needs the
 * range profiler or PC sampling enabled before the first use, otherwise only
 * the first function ever delivers; with kernel tracing on, every value is 0.
 */
#ifndef CADV_SASS_H_INJECTION
#define CADV_SASS_H_INJECTION

#include <stddef.h>
#include <stdint.h>

#include "cupti_api.h"
#include "metrics.h"

struct sass_value {
	uint32_t pc;
	uint32_t metric;		/* index into metrics_set.source */
	uint64_t value;			/* never 0 */
};

/* The counts of one function of a launch. */
struct sass_counts {
	struct sass_counts *next;	/* functions that it calls */
	uint64_t cubin;
	uint32_t symbol;
	uint32_t sent;			/* values sent so far */
	char *function;
	size_t count;
	struct sass_value value[];
};

/*
 * sass_configure(m, device, where): configure ${device} to count ${m}'s source
 * metrics; names that the chip does not have are dropped from ${m}. No-op if it
 * was configured before. CUPTI's error code. sass_forget(device): before a
 * context of that device is destroyed.
 */
int sass_configure(struct metrics *m, uint32_t device, const char **where);
void sass_forget(uint32_t device);

/* sass_begin(context, where): count launches from here on. */
int sass_begin(CUcontext context, const char **where);

/*
 * sass_end(context, counts, where): stop; *${counts} are the counts, or NULL if
 * there are none or no memory. The GPU has to be idle.
 */
int sass_end(CUcontext context, struct sass_counts **counts,
    const char **where);
void sass_free(struct sass_counts *c);

#endif

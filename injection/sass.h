/*
 * sass.h: CUPTI's SASS metrics: exact counts by instruction of one launch. The launch
 * runs patched code; outside of windows nothing is patched.
 *
 * Measured on an H200: 1.3 ms a window for small kernels. The range profiler or PC
 * sampling has to be enabled on the context before the first use; otherwise only the
 * first function ever gives counts. With kernel tracing on, every value is 0.
 */
#ifndef CADV_SASS_H_INJECTION
#define CADV_SASS_H_INJECTION

#include <stddef.h>
#include <stdint.h>

#include "cupti_api.h"
#include "metrics.h"

struct sass_value {
	uint32_t pc;
	uint32_t metric;		/* index into ${source} of struct metrics */
	uint64_t value;			/* never 0 */
};

/* The counts of one function in a launch. */
struct sass_counts {
	struct sass_counts *next;	/* another function of the launch */
	uint64_t cubin;
	uint32_t symbol;
	uint32_t sent;			/* values sent so far */
	char *function;
	size_t count;
	struct sass_value value[];
};

/*
 * sass_configure(m, device, where): configure ${device} to count the source metrics of
 * ${m}; names that CUPTI does not know for the chip are dropped from ${m}. Does nothing
 * if the device is configured already. Returns CUPTI's error code, with the call that
 * failed in *${where}. sass_forget(device): undo it, before a context of that device is
 * destroyed.
 */
int sass_configure(struct metrics *m, uint32_t device, const char **where);
void sass_forget(uint32_t device);

/* sass_begin(context, where): count launches from now on. Returns as sass_configure. */
int sass_begin(CUcontext context, const char **where);

/*
 * sass_end(context, counts, where): stop counting. *${counts} becomes the counts, or
 * NULL if there are none or no memory. The GPU has to be idle. Returns as
 * sass_configure. sass_free(c): free them; NULL is allowed.
 */
int sass_end(CUcontext context, struct sass_counts **counts,
    const char **where);
void sass_free(struct sass_counts *c);

#endif

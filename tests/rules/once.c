/*
 * rules/once.c: see once.h.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "rules/once.h"

/* The counters that a first launch gets: [headline] of config/metrics. */
static bool
is_of_first_launch(enum metric_id m)
{
	switch (m) {
	case METRIC_DURATION:
	case METRIC_SM_CYCLES_ACTIVE_AVG:
	case METRIC_SM_CYCLES_ACTIVE_MAX:
	case METRIC_SM_CYCLES_ELAPSED:
	case METRIC_OCCUPANCY:
	case METRIC_INST_EXECUTED:
	case METRIC_THREAD_INST:
	case METRIC_GLOBAL_LD_SECTORS:
	case METRIC_GLOBAL_ST_SECTORS:
	case METRIC_GLOBAL_LD_INST:
	case METRIC_GLOBAL_ST_INST:
	case METRIC_LSU_WAVEFRONTS:
	case METRIC_DRAM_READ:
	case METRIC_DRAM_WRITE:
	case METRIC_DRAM_PCT:
	case METRIC_L2_SECTORS:
	case METRIC_L2_PCT:
	case METRIC_L2_FROM_L1:
	case METRIC_L2_SYSMEM:
		return true;
	default:
		return false;
	}
}

void
once_mask(struct kernel *k)
{
	for (int m = 0; m < METRIC_COUNT; m++)
		if (!is_of_first_launch((enum metric_id)m))
			k->metric[m] = NAN;
}

struct advice *
once_advise(const struct analysed *x, struct kernel *kernel)
{
	struct run run = *x->run;

	memcpy(kernel, run.kernel, run.kernels * sizeof(*kernel));
	run.kernel = kernel;
	for (size_t i = 0; i < run.kernels; i++)
		once_mask(&kernel[i]);
	return advice_make(&run, NULL);
}

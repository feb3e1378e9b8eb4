/*
 * rules/engine/noise.c: the saving below which a change is not worth it.
 */
#include <math.h>

#include "rules/engine/rule.h"
#include "rules/evidence/offloaded.h"

#define NOISE_LEAST 10e-6	/* s: one launch and the wait for it, which vary
				 * by microseconds */
#define NOISE_SIGMAS 3		/* of the spread of repeated launches */

double
rank_work_s(const struct run *run)
{
	double busy = rule_wall_s(run) - (double)run->idle_total_ns * 1e-9;
	/* Copies of results that the host works through are in no finding. */
	double work = fmax(0, busy - (double)offloaded_results(run).copy_ns * 1e-9) +
	    (double)run->idle_near_ns * 1e-9;

	return fmin(rule_active_s(run), work);
}

double
rank_noise_s(const struct run *run)
{
	double wall = rule_wall_s(run), work = rank_work_s(run);
	double variance = 0;

	for (size_t i = 0; i < run->kernels; i++) {
		double d = run->kernel[i].noise_ns;

		if (isfinite(d))	/* of the sum over its launches */
			variance += d * d * (double)run->kernel[i].launches;
	}
	/* A run without GPU work is compared with its own length. */
	return fmin(wall, fmax(fmax(NOISE_LEAST, NOISE_SHARE *
	    (rule_active_s(run) > 0 ? work : wall)),
	    NOISE_SIGMAS * sqrt(variance) * 1e-9));
}

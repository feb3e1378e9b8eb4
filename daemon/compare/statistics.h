/*
 * compare/statistics.h: the difference between two sets of runs, with a confidence
 * interval. Pure arithmetic; NaN where nothing is known.
 *
 * The logarithms of times are compared: a difference of logarithms is a ratio of
 * times, and the noise between runs is a ratio, too. A run, not a launch, is one
 * observation: launches of one run share its clocks, its memory layout, its
 * temperature (Kalibera and Jones, "Rigorous benchmarking in reasonable time",
 * ISMM 2013).
 */
#ifndef CADV_STATISTICS_H
#define CADV_STATISTICS_H

#include <stddef.h>

/* A prior estimate of the variance between runs, which counts as ${freedom} degrees of
 * freedom. */
struct variance_prior {
	double variance, freedom;
};

struct difference {
	double about, low, high;	/* of logarithms; target - base */
	double deviation;		/* standard deviation of one run */
};

/* statistics_t(p, freedom): the ${p} quantile of Student's distribution, 0.5 <= p
 * < 1, freedom > 0. */
double statistics_t(double p, double freedom);

/*
 * statistics_difference(out, base, n, target, m, prior, error): the difference of
 * the means of ${n} and ${m} runs, with the interval that misses the true difference in
 * a fraction ${error} of all cases: Student's t for two samples of equal variance. The
 * variance is the mean of the samples' and the prior's, weighted by degrees of freedom
 * (Smyth, "Linear models and empirical Bayes methods", SAGMB 3(1) 2004, section 3). So
 * the prior decides for a single run per side, the samples for many runs; and a few
 * runs that agree by chance do not give too small an interval. All NaN if n or m is 0.
 */
void statistics_difference(struct difference *out, const double *base, size_t n,
    const double *target, size_t m, struct variance_prior prior, double error);

#endif

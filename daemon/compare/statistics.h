/*
 * compare/statistics.h: how far apart two sets of runs are, and how sure that is.
 * Pure arithmetic; NaN where nothing can be said.
 *
 * What is compared is the logarithm of a time: a difference of logarithms is a
 * ratio of times, and what runs differ by is a ratio too. A run, not a launch, is
 * one observation: launches of one run share its clocks, its memory layout, its
 * temperature (Kalibera and Jones, "Rigorous benchmarking in reasonable time",
 * ISMM 2013).
 */
#ifndef CADV_STATISTICS_H
#define CADV_STATISTICS_H

#include <stddef.h>

/* What is known of a variance before any run: it is as much worth as ${freedom}
 * degrees of freedom. */
struct variance_prior {
	double variance, freedom;
};

struct difference {
	double about, low, high;	/* of logarithms; target - base */
	double deviation;		/* of one run */
};

/* statistics_t(p, freedom): the ${p} quantile of Student's distribution, 0.5 <= p
 * < 1, freedom > 0. */
double statistics_t(double p, double freedom);

/*
 * statistics_difference(out, base, n, target, m, prior, error): the difference of
 * the means with the interval that misses the true one in ${error} of all cases,
 * by Student's t for two samples of one variance, where the variance is the
 * samples' and the prior's, each weighted by its degrees of freedom (Smyth, "Linear
 * models and empirical Bayes methods", SAGMB 3(1) 2004, section 3). So a single run
 * a side is judged by the prior, many by themselves, and a few that agree by chance
 * are not believed too much. All NaN if n or m is 0.
 */
void statistics_difference(struct difference *out, const double *base, size_t n,
    const double *target, size_t m, struct variance_prior prior, double error);

#endif

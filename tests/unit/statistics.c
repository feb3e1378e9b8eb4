/* Student's t, and how far apart two sets of runs are (compare/statistics.c). */
#include <math.h>

#include "compare/statistics.h"
#include "unit/test.h"

#define near(a, b, by) assert_true(fabs((a) - (b)) <= (by))

/* NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2. */
TEST(test_table)
{
	near(statistics_t(0.975, 1), 12.706, 5e-4);
	near(statistics_t(0.95, 2), 2.920, 5e-4);
	near(statistics_t(0.999, 4), 7.173, 5e-4);
	near(statistics_t(0.995, 9), 3.250, 5e-4);
	near(statistics_t(0.975, 30), 2.042, 5e-4);
	near(statistics_t(0.99, 100), 2.364, 5e-4);
	near(statistics_t(0.975, 1e9), 1.960, 5e-4);
	near(statistics_t(0.5, 7), 0, 1e-9);
	assert_true(isnan(statistics_t(1, 4)));
	assert_true(isnan(statistics_t(0.975, 0)));
}

/* Without a prior it is the two-sample t test: worked by hand. */
TEST(test_two_samples)
{
	static const double a[] = { 1, 2, 3 }, b[] = { 2, 4, 6 };
	struct variance_prior none = { 0, 0 };
	struct difference d;

	statistics_difference(&d, a, 3, b, 3, none, 0.05);
	near(d.about, 2, 1e-12);
	near(d.deviation, sqrt(2.5), 1e-12);
	/* t(0.975, 4) = 2.7764; sqrt(2.5 × 2/3) = 1.2910 */
	near(d.high - d.about, 2.7764 * 1.2910, 1e-3);
}

/* With one run a side only the prior decides. */
TEST(test_single)
{
	static const double a[] = { 1 }, b[] = { 1.5 };
	struct variance_prior prior = { 0.01, 4 };
	struct difference d;

	statistics_difference(&d, a, 1, b, 1, prior, 0.01);
	near(d.about, 0.5, 1e-12);
	near(d.high - d.low, 2 * 4.604 * 0.1 * sqrt(2), 1e-3);
	statistics_difference(&d, a, 0, b, 1, prior, 0.01);
	assert_true(isnan(d.about) && isnan(d.low));
}

/* Runs that agree by chance do not make the interval zero. */
TEST(test_agreement)
{
	static const double a[] = { 1, 1, 1 }, b[] = { 1.001, 1.001, 1.001 };
	struct variance_prior prior = { 1e-4, 4 };
	struct difference d;

	statistics_difference(&d, a, 3, b, 3, prior, 0.01);
	assert_true(d.low < 0 && d.high > 0.001);
}

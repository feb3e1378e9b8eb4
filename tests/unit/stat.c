/* Distributions: model/stat.c. */
#include <math.h>
#include <stdlib.h>

#include "model/model.h"
#include "unit/test.h"

TEST(test_empty)
{
	struct distribution s = { 0 };

	assert_true(isnan(stat_mean(&s)));
	assert_true(isnan(stat_quantile(&s, 0.5)));
	assert_true(isnan(stat_deviation(&s)));
}

TEST(test_moments)
{
	static const uint64_t value[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct distribution s = { 0 };
	size_t i;

	for (i = 0; i < 8; i++)
		stat_add(&s, value[i]);
	assert_int_equal(s.count, 8);
	assert_int_equal(s.sum, 40);
	assert_int_equal(s.min, 2);
	assert_int_equal(s.max, 9);
	assert_true(fabs(stat_mean(&s) - 5) < 1e-12);
	assert_true(fabs(stat_deviation(&s) - 2) < 1e-12);
}

/* Every bucket is a quarter octave: a value's own quantile is near it. */
TEST(test_buckets)
{
	uint64_t ns;
	double q;

	for (ns = 1; ns < 1ull << 31; ns = ns * 5 / 4 + 1) {
		struct distribution s = { 0 };
		unsigned i, filled = STAT_BUCKETS;

		stat_add(&s, ns);
		for (i = 0; i < STAT_BUCKETS; i++)
			if (s.bucket[i] != 0)
				filled = i;
		assert_int_equal(filled, (unsigned)(4 * log2((double)ns)));
		q = stat_quantile(&s, 0.5);
		assert_true(q == (double)ns);	/* clamped to min and max */
	}
}

TEST(test_quantiles)
{
	struct distribution s = { 0 };
	double q, p;
	int i;

	for (i = 1; i <= 100000; i++)
		stat_add(&s, (uint64_t)i);
	for (p = 0.05; p < 1; p += 0.05) {
		q = stat_quantile(&s, p);
		assert_true(fabs(q / (p * 100000) - 1) < 0.1);
	}
	assert_true(stat_quantile(&s, 0) == 1);
	assert_true(stat_quantile(&s, 1) == 100000);
	assert_true(isnan(stat_quantile(&s, NAN)));
}

TEST(test_merge)
{
	struct distribution a = { 0 }, b = { 0 }, both = { 0 }, empty = { 0 };
	uint64_t i;

	for (i = 1; i < 1000; i++) {
		stat_add(i % 3 == 0 ? &a : &b, i * i);
		stat_add(&both, i * i);
	}
	stat_merge(&a, &b);
	stat_merge(&a, &empty);
	assert_memory_equal(a.bucket, both.bucket, sizeof(a.bucket));
	assert_int_equal(a.count, both.count);
	assert_int_equal(a.sum, both.sum);
	assert_int_equal(a.min, both.min);
	assert_int_equal(a.max, both.max);
	assert_true(fabs(a.sum_squares / both.sum_squares - 1) < 1e-12);
	stat_merge(&empty, &both);
	assert_int_equal(empty.min, 1);
}

TEST(test_extremes)
{
	struct distribution s = { 0 };

	stat_add(&s, 0);
	stat_add(&s, UINT64_MAX);
	stat_add(&s, UINT64_MAX);
	assert_int_equal(s.min, 0);
	assert_true(s.max == UINT64_MAX);
	assert_true(s.sum == UINT64_MAX);	/* stopped, not wrapped */
	assert_true(stat_quantile(&s, 0.5) > 0);
}

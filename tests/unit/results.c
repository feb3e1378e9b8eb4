/* Results that the host reads once or a few times are separated from recurring work. */
#include "rules/engine/finding.h"
#include "unit/model_feed.h"

/* A kernel of ${kernel}, then a blocking copy back of ${copy}; returns its end. */
static uint64_t
variant(struct feed *f, uint64_t at, uint64_t kernel, uint64_t copy)
{
	uint64_t end = at + 10 * US + kernel + 10 * US;

	feed_kernel(f, 1, at, at + 10 * US, at + 10 * US + kernel);
	feed_copy(f, COPY_D2H, 1 << 30, false, at + 20 * US, end, end + copy);
	return end + copy;
}

/* Copied back at the speed of fresh pages, compared, and the program ends. */
KERNEL_TEST(test_at_the_end)
{
	const struct run *run;
	uint64_t end;

	end = variant(f, 0, 100 * MS, S);
	feed_bye(f, end + S);
	run = feed_settle(f);
	assert_int_equal(run->results.phases, 1);
	assert_int_equal(run->results.copies, 1);
	assert_int_equal(run->results.copy_ns, S);
	assert_int_equal(run->results.host_ns, S);
	assert_true(run->copy[0].exposed_ns == 0);
	assert_int_equal(run->copy[0].gpu_ns, S);
	assert_true(fabs(run->kernel[0].exposed_ns - 100e6) < 1e6);
	assert_true(run->gpu_exposed_ns < 102 * MS);
	/* Time after the last work is in no gap. */
	assert_int_equal(run->results.end_ns, S);
}

/* ${times} turns: a kernel of 100 ms; meanwhile the host works for ${own}, such as on
 * memory for the results, which it then copies. Returns the run. */
static const struct run *
preparing(struct feed *f, int times, uint64_t own)
{
	uint64_t at = 0;

	for (int i = 0; i < times; i++) {
		uint64_t end = at + 20 * US + 100 * MS, call = at + 10 * US + own;

		feed_kernel(f, 1, at, at + 20 * US, end);
		if (call > end)
			end = call + 10 * US;
		feed_copy(f, COPY_D2H, 1 << 30, false, call, end, end + MS);
		at = end + MS + 10 * US;
	}
	feed_bye(f, at);
	return feed_settle(f);
}

/* The host was busy for as long as the kernel; once, that is set apart. */
KERNEL_TEST(test_prepares)
{
	const struct run *run = preparing(f, 1, 200 * MS);

	assert_true(fabs(run->kernel[0].exposed_ns - 100e6) < 1e5);
	assert_true(fabs(run->kernel[0].hidden_ns - 100e6) < 1e5);
	assert_in_range(run->gpu_exposed_ns, 99 * MS, 103 * MS);
}

/* The rest of the kernel the host waited for. */
KERNEL_TEST(test_prepares_in_part)
{
	const struct run *run = preparing(f, 1, 60 * MS);

	assert_true(fabs(run->kernel[0].exposed_ns - 100e6) < 2e6);
	assert_true(fabs(run->kernel[0].hidden_ns - 60e6) < 2e6);
}

/* Twenty times: the host's work is the program's, and hides the kernels. */
KERNEL_TEST(test_works_beside)
{
	const struct run *run = preparing(f, 20, 200 * MS);

	assert_true(run->kernel[0].exposed_ns < 1e6);
	assert_true(run->kernel[0].hidden_ns == 0);
	assert_true(run->gpu_exposed_ns < 50 * MS);
}

/* Several variants, each compared with the same reference. */
KERNEL_TEST(test_variants)
{
	const struct run *run;
	struct advice *a;
	uint64_t at = 0;

	for (int i = 0; i < 6; i++)
		at = variant(f, at, 20 * MS, S) + 500 * MS;
	feed_bye(f, at);
	run = feed_settle(f);
	assert_int_equal(run->results.phases, 6);
	assert_true(run->copy[0].exposed_ns == 0);
	assert_int_equal(run->results.host_ns - run->results.end_ns,
	    5 * (500 * MS + 0));
	a = advice_make(run, NULL);
	assert_non_null(a);
	for (size_t i = 0; i < a->findings; i++)
		if (strcmp(a->finding[i].rule, "pageable-host-memory") == 0)
			assert_false(a->finding[i].worth_it);
	advice_free(a);
}

/* Fifty times: that is the program's normal work. */
KERNEL_TEST(test_pattern)
{
	const struct run *run;
	uint64_t at = 0;

	for (int i = 0; i < 50; i++)
		at = variant(f, at, 20 * MS, 100 * MS) + 50 * MS;
	feed_bye(f, at);
	run = feed_settle(f);
	assert_int_equal(run->results.phases, 0);
	assert_true(fabs(run->copy[0].exposed_ns - 5e9) < 1e6);
}

/* Each step reads four bytes; at the end everything is read and compared. */
KERNEL_TEST(test_pattern_and_end)
{
	const struct run *run;
	uint64_t at = 0, i;

	for (i = 0; i < 100; i++) {
		feed_kernel(f, 1, at, at + 10 * US, at + MS);
		feed_copy(f, COPY_D2H, 4, false, at + 20 * US, at + MS,
		    at + MS + 2 * US);
		at += MS + 20 * US;
	}
	feed_copy(f, COPY_D2H, 1 << 30, false, at, at, at + S);
	feed_bye(f, at + 3 * S);
	run = feed_settle(f);
	assert_int_equal(run->results.phases, 1);
	assert_int_equal(run->copies, 2);
	assert_true(run->copy[0].exposed_ns > 190e3);
	assert_true(run->copy[1].exposed_ns == 0);
}

/* Copied back and passed on: the copy itself is the time. */
KERNEL_TEST(test_handed_on)
{
	const struct run *run;
	uint64_t end;

	end = variant(f, 0, 100 * MS, S);
	feed_bye(f, end + 10 * MS);
	run = feed_settle(f);
	/* 10 ms of the host for 1 s of copying: 4 % are separated. */
	assert_true(fabs(run->copy[0].exposed_ns - 0.96e9) < 1e6);
}

/* A copy to the device is no result. */
KERNEL_TEST(test_upload)
{
	const struct run *run;

	feed_copy(f, COPY_H2D, 1 << 30, false, 10 * US, 20 * US, S);
	feed_kernel(f, 1, 3 * S, 3 * S + 10 * US, 3 * S + 100 * MS);
	feed_bye(f, 4 * S);
	run = feed_settle(f);
	assert_int_equal(run->results.phases, 0);
	assert_true(run->copy[0].exposed_ns > 0.99e9);
}

/* The threshold below which a saving is not worth a change: what is noise in a
 * run, and what is not. */
#include "rules/engine/rule.h"
#include "unit/model_feed.h"

static double
noise_of(struct feed *f)
{
	const struct run *run = model_settle(f->m, true);

	assert_non_null(run);
	return rank_noise_s(run);
}

/* Kernel ${id} ends; the next one starts at once. */
static void
run_for(struct feed *f, uint32_t id, uint64_t *now, uint64_t ns)
{

	feed_kernel(f, id, 5 * US, *now, *now + ns);
	*now += ns;
}

/* Approximately normal, standard deviation 1. */
static double
drawn(void)
{
	static uint64_t seed = 1;
	double sum = 0;

	for (int i = 0; i < 12; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		sum += (double)(seed >> 40) / (double)(1 << 24);
	}
	return sum - 6;
}

/* Random differences are noise, and the noise is estimated correctly. */
KERNEL_TEST(test_random)
{
	uint64_t now = 10 * US;

	for (int i = 0; i < 1000; i++)
		run_for(f, 1, &now, (uint64_t)(100e3 + 20e3 * drawn()));
	/* 3 times 20 us times the root of 1000. */
	assert_in_range((uint64_t)(noise_of(f) * 1e9), 1500 * US, 2300 * US);
}

/* Each of 1000 launches takes 0.1 % longer than the one before. */
KERNEL_TEST(test_trend)
{
	uint64_t now = 10 * US;

	for (uint64_t i = 0; i < 1000; i++)
		run_for(f, 1, &now, 100 * US + i * 100);
	assert_in_range((uint64_t)(noise_of(f) * 1e9), 1, 800 * US);
}

/* Some launches, at random, fetch pages. */
KERNEL_TEST(test_modes)
{
	uint64_t now = 10 * US, busy;

	for (int i = 0; i < 400; i++)
		run_for(f, 1, &now, drawn() > 0 ? 2 * MS :
		    (uint64_t)(20e3 + 200 * drawn()));
	busy = now - 10 * US;
	assert_true(noise_of(f) < 0.0051 * (double)busy * 1e-9);
}

/* Levels of a tree, repeated: launches of the same level are alike. */
FEED_TEST(test_levels)
{
	uint64_t now = 10 * US;

	feed_signature(f, 1, "level");
	feed_signature(f, 2, "clear");
	for (int i = 0; i < 40; i++) {
		for (uint64_t level = 0; level < 20; level++)
			run_for(f, 1, &now, 10 * US + level * level * 20 * US);
		run_for(f, 2, &now, 5 * US);
	}
	assert_true(noise_of(f) < 0.0051 * (double)now * 1e-9);
}

/* One slow launch and two normal ones: too few to tell. */
KERNEL_TEST(test_few)
{
	uint64_t now = 10 * US;

	run_for(f, 1, &now, 500 * MS);
	run_for(f, 1, &now, MS);
	run_for(f, 1, &now, MS);
	assert_true(fabs(noise_of(f) - 0.005 * 0.502) < 1e-9);
}

/* Results that are copied for half a second, and checked, are in no finding: the
 * noise is that of the kernel's 10 ms. */
KERNEL_TEST(test_results_apart)
{
	const struct run *run;

	feed_kernel(f, 1, 0, 10 * US, 10 * MS + 10 * US);
	feed_copy(f, COPY_D2H, 1 << 30, false, 20 * US, 10 * MS + 10 * US,
	    510 * MS + 10 * US);
	feed_bye(f, 3 * S);
	run = feed_settle(f);
	assert_int_equal(run->results.copy_ns, 500 * MS);
	assert_true(fabs(rank_work_s(run) - 0.010) < 1e-4);
	assert_true(fabs(rank_noise_s(run) - 50e-6) < 1e-6);
}

/* The host checks results for 18 s: the noise is still that of the GPU's 99 ms
 * of work, without copying them. */
KERNEL_TEST(test_floor)
{
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 99 * MS + 10 * US);
	feed_copy(f, COPY_D2H, 1 << 20, false, 18 * S, 18 * S,
	    18 * S + MS);
	feed_bye(f, 19 * S);
	run = model_settle(f->m, true);
	assert_non_null(run);
	/* The gap counts as one of 100 us. */
	assert_int_equal(run->idle_near_ns, 100 * US);
	assert_true(fabs(rank_work_s(run) - 0.0991) < 1e-9);
	assert_true(fabs(rank_noise_s(run) - 0.005 * 0.0991) < 1e-9);
}

/* Short gaps next to work count in full. */
KERNEL_TEST(test_near)
{
	const struct run *run;

	for (uint64_t i = 0; i < 100; i++)
		feed_kernel(f, 1, i * MS + 5 * US, i * MS + 10 * US,
		    i * MS + 960 * US);
	feed_bye(f, 100 * MS);
	run = model_settle(f->m, true);
	assert_non_null(run);
	assert_true(fabs(rank_work_s(run) - (0.095 + 99 * 50e-6)) < 1e-9);
}

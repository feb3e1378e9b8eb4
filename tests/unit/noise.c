/* Below what a saving is not worth a change: what is noise in a run, and what is
 * signal. */
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

/* About normal, standard deviation 1. */
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

/* What differs at random is noise, and told as what it is. */
KERNEL_TEST(test_random)
{
	uint64_t now = 10 * US;

	for (int i = 0; i < 1000; i++)
		run_for(f, 1, &now, (uint64_t)(100e3 + 20e3 * drawn()));
	/* 3 times 20 us times the root of 1000. */
	assert_in_range((uint64_t)(noise_of(f) * 1e9), 1500 * US, 2300 * US);
}

/* Of 1000 launches each one takes 0.1 % longer than the one before it. */
KERNEL_TEST(test_trend)
{
	uint64_t now = 10 * US;

	for (uint64_t i = 0; i < 1000; i++)
		run_for(f, 1, &now, 100 * US + i * 100);
	assert_in_range((uint64_t)(noise_of(f) * 1e9), 1, 800 * US);
}

/* Some launches, nobody knows which, have to fetch pages. */
KERNEL_TEST(test_modes)
{
	uint64_t now = 10 * US, busy;

	for (int i = 0; i < 400; i++)
		run_for(f, 1, &now, drawn() > 0 ? 2 * MS :
		    (uint64_t)(20e3 + 200 * drawn()));
	busy = now - 10 * US;
	assert_true(noise_of(f) < 0.0051 * (double)busy * 1e-9);
}

/* Levels of a tree, again and again: alike are those of one level. */
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

/* Of one launch that was slow and two that were not nobody knows why. */
KERNEL_TEST(test_few)
{
	uint64_t now = 10 * US;

	run_for(f, 1, &now, 500 * MS);
	run_for(f, 1, &now, MS);
	run_for(f, 1, &now, MS);
	assert_true(fabs(noise_of(f) - 0.005 * 0.502) < 1e-9);
}

/* For 18 s the host checks results: what the GPU did in 100 ms is still the
 * measure of what it could do faster. */
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
	assert_true(fabs(rank_work_s(run) - 0.1001) < 1e-9);
	assert_true(fabs(rank_noise_s(run) - 0.005 * 0.1001) < 1e-9);
}

/* Short gaps are beside the work, whole. */
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

/* The time that measuring took from the host is removed from the timeline again. */
#include "unit/model_feed.h"

static void
hold(struct feed *f, uint64_t start, uint64_t end)
{

	FEED(f, OVERHEAD, .kind = OVERHEAD_COUNTERS, .tid = 7,
	    .start_ns = T0 + start, .end_ns = T0 + end);
}

static bool
near(double ns, double us)
{

	return ns >= us * 0.97e3 && ns <= us * 1.03e3;
}

/* While the library held the host, the kernel ran; when the host came to wait
 * for it, it had ended. Without the hold the host would have waited. */
KERNEL_TEST(test_ran_while_held)
{
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 5010 * US);
	hold(f, 15 * US, 8015 * US);
	feed_sync(f, SYNC_STREAM, 8020 * US, 8021 * US);
	feed_kernel(f, 1, 8500 * US, 8505 * US, 8510 * US);
	feed_sync(f, SYNC_STREAM, 8507 * US, 8511 * US);
	run = feed_settle(f);
	assert_true(near(run->kernel[0].exposed_ns, 5005));
	/* After the wait the host is busy for 479 us. */
	assert_true(run->idle_ns[IDLE_HOST] + run->idle_ns[IDLE_AFTER_SYNC] <
	    500 * US);
	assert_int_equal(run->idle_overhead_ns + run->idle_ns[IDLE_HOST] +
	    run->idle_ns[IDLE_AFTER_SYNC] + run->idle_ns[IDLE_LAUNCH],
	    8505 * US - 5010 * US);
}

/* The host has 3 ms of its own work: without the hold it would be done 2 ms
 * before the end. */
KERNEL_TEST(test_host_busy_after_hold)
{
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 5010 * US);
	hold(f, 10 * US, 8010 * US);
	feed_sync(f, SYNC_STREAM, 11010 * US, 11011 * US);
	feed_kernel(f, 1, 11020 * US, 11025 * US, 11030 * US);
	feed_sync(f, SYNC_STREAM, 11022 * US, 11031 * US);
	run = feed_settle(f);
	assert_true(near(run->kernel[0].exposed_ns, 2005));
}

/* No wait: the next launch came late by the time of the hold, and the GPU's gap
 * is charged to measuring. */
KERNEL_TEST(test_gap_after_hold)
{
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 1010 * US);
	hold(f, 10 * US, 1000 * US);
	feed_kernel(f, 1, 1900 * US, 1905 * US, 2905 * US);
	run = feed_settle(f);
	assert_int_equal(run->idle_overhead_ns, 895 * US);
	assert_int_equal(run->idle_ns[IDLE_HOST], 0);
	/* The host worked for longer than the hold: the rest is its own time. */
	assert_true(near(run->kernel[0].exposed_ns, 2000));
}

KERNEL_TEST(test_longer_gap_after_hold)
{
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 1010 * US);
	hold(f, 10 * US, 1000 * US);
	feed_kernel(f, 1, 9000 * US, 9005 * US, 9010 * US);
	run = feed_settle(f);
	assert_int_equal(run->idle_overhead_ns, 990 * US);
	assert_int_equal(run->idle_ns[IDLE_HOST], (7990 - 990) * US);
	assert_int_equal(run->idle_ns[IDLE_LAUNCH], 5 * US);
}

/* A kernel that begins 2 ms after its launch, though nothing else runs, waits for a GPU
 * that is elsewhere; one that our measuring held, or whose code was loaded, does not. */
KERNEL_TEST(test_gpu_elsewhere)
{
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 1010 * US);
	feed_kernel(f, 1, 1050 * US, 3050 * US, 3060 * US);
	feed_kernel(f, 1, 3100 * US, 3400 * US, 3410 * US);
	feed_kernel(f, 1, 3500 * US, 5510 * US, 5520 * US);
	hold(f, 3600 * US, 5500 * US);
	run = feed_settle(f);
	assert_int_equal(run->idle_ns[IDLE_ELSEWHERE], 2000 * US);
	assert_true(run->idle_ns[IDLE_LAUNCH] < 500 * US);
}

/* The GPU is never idle, and the host, whose launches tracing slows down from
 * 4.1 to 8 us, waits at the end for only 2 us a kernel. */
KERNEL_TEST(test_back_to_back)
{
	const struct run *run;
	uint64_t i;

	for (i = 0; i < 400; i++)
		feed_kernel(f, 1, i * 8 * US, (10 + i * 10) * US,
		    (20 + i * 10) * US);
	feed_sync(f, SYNC_STREAM, 3200 * US, 4011 * US);
	feed_kernel(f, 1, 20000 * US, 20005 * US, 20006 * US);
	run = feed_settle(f);
	/* 811 us, and 3.9 for each launch but the first 64. */
	assert_in_range((uint64_t)run->kernel[0].exposed_ns, 2100 * US,
	    2200 * US);
}

/* Gaps of half a microsecond that tracing causes. */
KERNEL_TEST(test_small_gaps)
{
	const struct run *run;
	uint64_t i;

	for (i = 0; i < 900; i++)
		feed_kernel(f, 1, i * 7 * US + 9700, (10 + i * 7) * US,
		    (10 + i * 7) * US + 6500);
	feed_sync(f, SYNC_STREAM, 6302 * US, 6310 * US);
	feed_kernel(f, 1, 20000 * US, 20005 * US, 20006 * US);
	run = feed_settle(f);
	/* Of 900 times 6.5 us 2.9 - 0.5 for each launch but the first 64. */
	assert_in_range((uint64_t)run->kernel[0].exposed_ns, 1900 * US,
	    2100 * US);
}

/* Long gaps with some of our time in them are the program's; a gap is ours if
 * we caused most of it. */
KERNEL_TEST(test_ours_in_long_gaps)
{
	uint64_t at = 0, i, gaps = 0;
	const struct run *run;

	for (i = 0; i < 8; i++, at += 60000 * US) {
		feed_kernel(f, 1, at + 5 * US, at + 10 * US, at + 100 * US);
		hold(f, at + 20000 * US, at + (i < 4 ? 21000 : 55000) * US);
	}
	run = feed_settle(f);
	for (i = 0; i < GAP_CLASSES; i++)
		gaps += run->gap[i].count;
	assert_int_equal(gaps, 4);
}

/* The call for the 51st kernel returns when the GPU has done everything before it,
 * which the library had delayed, so that the gap is ours; but the host did wait. */
KERNEL_TEST(test_call_that_waits)
{
	const struct run *run;
	uint64_t i;

	for (i = 0; i < 50; i++)
		feed_kernel(f, 1, i * 8 * US, (10 + i * 1000) * US,
		    (1010 + i * 1000) * US);
	hold(f, 500 * US, 5000 * US);
	feed_kernel(f, 1, 5010 * US, 50010 * US, 51010 * US);
	feed_kernel(f, 1, 51100 * US, 51110 * US, 52110 * US);
	feed_sync(f, SYNC_STREAM, 52100 * US, 52111 * US);
	feed_kernel(f, 1, 60000 * US, 60005 * US, 60006 * US);
	run = feed_settle(f);
	assert_in_range((uint64_t)run->kernel[0].exposed_ns, 45000 * US,
	    52200 * US);
}

/* A loop of 5,000 kernels of 100 us that the host launches in 10 us each, until
 * the queue is full: from then on, waiting for room is waiting for the kernel a
 * thousand launches before. Only until the queue was full the host did not
 * wait, as far as launches took so long because they were traced. */
KERNEL_TEST(test_far_ahead)
{
	const uint64_t depth = 1000;
	const struct run *run;
	uint64_t i, at = 0;

	for (i = 0; i < 5000; i++) {
		at = i <= depth ? 10 * i : 10 * depth + 100 * (i - depth);
		feed_kernel(f, 1, at * US, (10 + i * 100) * US,
		    (110 + i * 100) * US);
	}
	feed_sync(f, SYNC_STREAM, (at + 10) * US, 500020 * US);
	run = feed_settle(f);
	assert_in_range((uint64_t)run->kernel[0].exposed_ns, 485000 * US,
	    500000 * US);
	assert_in_range(run->gpu_exposed_ns, 485000 * US, 500000 * US);
}

/* The 30 us that a framework takes for a launch are the host's own time. */
KERNEL_TEST(test_slow_host)
{
	const struct run *run;
	uint64_t i;

	for (i = 0; i < 900; i++)
		feed_kernel(f, 1, i * 30 * US, (5 + i * 30) * US,
		    (15 + i * 30) * US);
	run = feed_settle(f);
	assert_true(run->kernel[0].exposed_ns < 20e3);
	assert_int_equal(run->idle_ns[IDLE_HOST], 899 * 15 * US);
}

/* GPU gaps next to a measured launch are ours, not the program's pace. */
KERNEL_TEST(test_gaps_beside)
{
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 20 * US);
	hold(f, 25 * US, 2000 * US);
	feed_kernel(f, 1, 2030 * US, 2036 * US, 2046 * US);
	feed_kernel(f, 1, 2060 * US, 2066 * US, 2076 * US);
	feed_kernel(f, 1, 2300 * US, 2306 * US, 2316 * US);
	feed_kernel(f, 1, 2330 * US, 2336 * US, 2346 * US);
	run = feed_settle(f);
	/* 41 us around the hold and 20 after it; 230 and 20 are its own. */
	assert_int_equal(run->idle_overhead_ns, (1975 + 41 + 20) * US);
	assert_int_equal(run->idle_ns[IDLE_HOST] + run->idle_ns[IDLE_LAUNCH],
	    250 * US);
}

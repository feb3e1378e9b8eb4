/* Launches that were measured: which part of their time is the program's. */
#include <stdio.h>

#include "unit/model_feed.h"
#include "unit/source_feed.h"
#include "wire/le.h"

static void
feed_measured(struct feed *f, uint32_t id, uint64_t start, uint64_t end)
{

	FEED(f, KERNEL, .signature = id, .context = 1, .stream = f->queue,
	    .start_ns = T0 + start, .end_ns = T0 + end,
	    .flags = KERNEL_PROFILED, .tid = f->tid);
}

/* Feeds gpu__time_duration of signature ${id}. */
static void
feed_duration(struct feed *f, uint32_t id, double ns)
{
	uint8_t blob[16] = { 0 };
	uint64_t bits;

	memcpy(&bits, &ns, sizeof(bits));
	le32_put(blob, 5);
	le64_put(blob + 8, bits);
	FEED(f, METRIC, .id = 5, .name = wire_str_of("gpu__time_duration.sum"));
	FEED(f, COUNTERS, .signature = id, .mode = MODE_SPREAD, .launches = 1,
	    .complete = 1, .values = { blob, sizeof(blob) });
}

KERNEL_TEST(test_disturbed)
{
	const struct run *run;

	feed_signature(f, 2, "b");
	feed_kernel(f, 1, 5 * US, 10 * US, 20 * US);
	FEED(f, KERNEL, .signature = 1, .context = 1, .start_ns = T0 + 30 * US,
	    .end_ns = T0 + 90 * US, .flags = KERNEL_PROFILED, .tid = 7);
	FEED(f, KERNEL, .signature = 1, .flags = KERNEL_NO_TIME, .tid = 7);
	FEED(f, KERNEL, .signature = 2, .context = 1, .start_ns = T0 + 95 * US,
	    .end_ns = T0 + 99 * US, .flags = KERNEL_PROFILED, .tid = 7);
	run = feed_settle(f);
	assert_int_equal(run->kernel[0].launches, 3);
	assert_int_equal(run->kernel[0].time.count, 1);
	assert_int_equal(run->kernel[0].total_ns, 30 * US);
	assert_false(run->kernel[0].total_estimated);
	/* 4 us is the time of its window: the kernel's own time is unknown. */
	assert_int_equal(run->kernel[1].total_ns, US);
	assert_true(run->kernel[1].total_estimated);
	assert_true(run->kernel[1].total_least);
	assert_false(run->kernel[0].total_least);
	assert_int_equal(run->profiled_launches, 2);
	assert_int_equal(run->lost, 0);
}

/* The hold of a measured launch is not a gap of the program. */
KERNEL_TEST(test_held_launch)
{
	const struct run *run;

	feed_kernel(f, 1, 0, 10 * US, 20 * US);
	FEED(f, KERNEL, .signature = 1, .launch_ns = T0 + 25 * US,
	    .start_ns = T0 + 5000 * US, .end_ns = T0 + 5010 * US,
	    .flags = KERNEL_PROFILED, .tid = 7);
	/* If the time of the call is missing, or after the start, the hold is
	 * unknown. */
	FEED(f, KERNEL, .signature = 1, .start_ns = T0 + 5012 * US,
	    .end_ns = T0 + 5020 * US, .flags = KERNEL_PROFILED, .tid = 7);
	FEED(f, KERNEL, .signature = 1, .launch_ns = T0 + 5031 * US,
	    .start_ns = T0 + 5030 * US, .end_ns = T0 + 5040 * US,
	    .flags = KERNEL_PROFILED, .tid = 7);
	feed_bye(f, S);
	run = feed_settle(f);
	/* Neither are the 17 us in the gaps next to it. */
	assert_int_equal(run->idle_overhead_ns, 4992 * US);
	assert_int_equal(run->overhead_ns[OVERHEAD_COUNTERS], 4975 * US);
	assert_true(run->idle_ns[IDLE_LAUNCH] + run->idle_ns[IDLE_HOST] <
	    20 * US);
}

/* The time by which a measured launch is longer than others is our cost, and no
 * time in which the program kept the GPU busy. */
KERNEL_TEST(test_longer)
{
	const struct run *run;

	feed_signature(f, 2, "b");
	feed_measured(f, 1, 100 * US, 500 * US);
	feed_measured(f, 2, 500 * US, 600 * US);	/* the only launch */
	feed_kernel(f, 1, 590 * US, 600 * US, 610 * US);
	feed_kernel(f, 1, 590 * US, 610 * US, 640 * US);
	feed_bye(f, S);
	assert_non_null(model_settle(f->m, false));
	run = feed_settle(f);
	assert_int_equal(run->overhead_longer_ns, 479 * US);
	assert_int_equal(run->overhead_total_ns, 479 * US);
	assert_int_equal(run->device[0].busy_ns, 61 * US);
	assert_int_equal(run->device[0].kernel_ns, 61 * US);
	assert_int_equal(run->gpus_busy_ns, 61 * US);
	assert_int_equal(run->idle_overhead_ns, 479 * US);
	assert_int_equal(run->idle_total_ns, run->wall_ns - 61 * US);
	assert_int_equal(run->kernel[0].total_ns, 60 * US);
	assert_int_equal(run->kernel[1].total_ns, US);	/* unknown */
}

/* A launch that is not longer than others has no such cost. */
KERNEL_TEST(test_shorter)
{
	const struct run *run;

	feed_measured(f, 1, 100 * US, 110 * US);
	feed_kernel(f, 1, 110 * US, 120 * US, 140 * US);
	run = feed_settle(f);
	assert_int_equal(run->overhead_longer_ns, 0);
	assert_int_equal(run->device[0].busy_ns, 30 * US);
}

/* If all launches were measured, the counters tell how long one takes. */
KERNEL_TEST(test_longer_than_counted)
{
	const struct run *run;

	feed_measured(f, 1, 100 * US, 1100 * US);
	feed_measured(f, 1, 1100 * US, 1110 * US);
	feed_duration(f, 1, 10000);
	run = feed_settle(f);
	assert_int_equal(run->overhead_longer_ns, 990 * US);
	assert_int_equal(run->device[0].busy_ns, 20 * US);
	assert_int_equal(run->kernel[0].total_ns, 20 * US);
}

/* The first launch waits for its pages, whether measured or not. */
KERNEL_TEST(test_pages_of_measured)
{
	const struct run *run;

	FEED(f, UVM, .kind = UVM_GPU_FAULT, .flags = 1, .bytes = 12,
	    .start_ns = T0 + 100 * US, .end_ns = T0 + 400 * US);
	feed_measured(f, 1, 100 * US, 500 * US);
	feed_kernel(f, 1, 590 * US, 600 * US, 620 * US);
	run = feed_settle(f);
	assert_int_equal(run->overhead_longer_ns, 80 * US);
	assert_int_equal(run->device[0].busy_ns, 340 * US);
}

/* A GPU that issues four instructions a nanosecond, and a kernel whose only
 * launch was counted by instruction: 40,000. */
static const struct kernel *
feed_counted(struct feed *f, uint64_t end)
{
	struct record r = { 0 };
	const struct run *run;

	r.u.DEVICE = h200(1, "GPU-2");
	r.u.DEVICE.sms = 1;
	r.u.DEVICE.core_khz = 1000000;
	feed_record(f, RECORD_DEVICE, &r);
	FEED(f, CONTEXT, .id = 2, .device = 1);
	feed_metrics(f);
	FEED(f, STRING, .id = 1001, .text = wire_str_of("_Z1kv"));
	FEED(f, SIGNATURE, .id = 1, .device = 1, .name = 1001, .grid_x = 1,
	    .grid_y = 1, .grid_z = 1, .block_x = 32, .block_y = 1,
	    .block_z = 1, .carveout = 255);
	FEED(f, KERNEL, .signature = 1, .context = 2, .stream = 1,
	    .start_ns = T0 + 100 * US, .end_ns = T0 + end,
	    .flags = KERNEL_PROFILED, .tid = f->tid);
	feed_counts(f, 1, 0, 1, "_Z1kv", (struct cell3[]){
	    { 0x10, SOURCE_INST, 30000 }, { 0x10, SOURCE_GLOBAL_SECTORS, 77 },
	    { 0x20, SOURCE_INST, 10000 } }, 3);
	run = feed_settle(f);
	assert_int_equal(run->kernels, 1);
	return &run->kernel[0];
}

FEED_TEST(test_counted_only)
{
	const struct kernel *k = feed_counted(f, 1100 * US);
	const struct run *run;

	assert_true(k->total_estimated);
	assert_true(k->total_least);
	assert_int_equal(k->total_ns, 10 * US);
	run = feed_settle(f);
	assert_int_equal(run->overhead_longer_ns, 990 * US);
	assert_int_equal(run->device[1].busy_ns, 10 * US);
	/* The duration comes from another launch. */
	feed_duration(f, 1, 20000);
	k = &feed_settle(f)->kernel[0];
	assert_false(k->total_least);
	assert_int_equal(k->total_ns, 20 * US);
}

/* A launch that had nothing to do: its counters tell nothing about the launches
 * that take the time. */
KERNEL_TEST(test_unlike)
{
	const struct kernel *k;

	for (uint64_t i = 0; i < 10; i++)
		feed_kernel(f, 1, 0, i * 1000 * US, i * 1000 * US + 200 * US);
	feed_duration(f, 1, 25e3);
	k = &feed_settle(f)->kernel[0];
	assert_true(k->metric[METRIC_DURATION] == 25e3);
	assert_true(k->metric_complete);
	feed_duration(f, 1, 15e3);
	k = &feed_settle(f)->kernel[0];
	assert_true(isnan(k->metric[METRIC_DURATION]));
	assert_false(k->metric_complete);
	assert_int_equal(k->skip, SKIP_UNLIKE);
	/* As many short launches still do not take the time. */
	for (uint64_t i = 10; i < 20; i++)
		feed_kernel(f, 1, 0, i * 1000 * US, i * 1000 * US + 15 * US);
	assert_int_equal(feed_settle(f)->kernel[0].skip, SKIP_UNLIKE);
	/* These do. */
	for (uint64_t i = 20; i < 60; i++)
		feed_kernel(f, 1, 0, i * 1000 * US, i * 1000 * US + 15 * US);
	assert_true(feed_settle(f)->kernel[0].metric[METRIC_DURATION] == 15e3);
}

/* The result is not longer than the launch was. */
FEED_TEST(test_counted_short)
{
	const struct kernel *k = feed_counted(f, 108 * US);

	assert_false(k->total_least);
	assert_int_equal(k->total_ns, 8 * US);
}

/* A launch that waits for the host, which is held for up to 2 s to see whether
 * it does. */
static const struct run *
feed_waiting(struct feed *f, enum wire_skip skip, int others)
{
	int i;

	feed_signature(f, 1, "a");
	FEED(f, OVERHEAD, .kind = OVERHEAD_COUNTERS, .tid = 7,
	    .start_ns = T0 + 100 * US, .end_ns = T0 + 2 * S + 90 * US);
	feed_kernel(f, 1, 100 * US, 110 * US, 2 * S + 110 * US);
	for (i = 0; i < others; i++)
		feed_kernel(f, 1, 3 * S + 100 * i * US,
		    3 * S + 100 * i * US, 3 * S + (100 * i + 10) * US);
	FEED(f, SKIPPED, .signature = 1, .reason = skip);
	feed_bye(f, 4 * S);
	return feed_settle(f);
}

FEED_TEST(test_held_for_us)
{
	const struct run *run = feed_waiting(f, SKIP_WAITS, 3);

	assert_true(run->kernel[0].waits);
	assert_int_equal(run->kernel[0].time.count, 3);
	assert_int_equal(run->kernel[0].time.max, 10 * US);
	assert_int_equal(run->kernel[0].total_ns, 40 * US);
	assert_int_equal(run->kernel[0].launches, 4);
	assert_int_equal(run->device[0].busy_ns, 40 * US);
	assert_true(run->gpu_exposed_ns <= 40 * US);
	assert_int_equal(run->idle_overhead_ns, 2 * S);	/* from its begin on */
	/* 2 s minus 20 us of it are in the reported overhead. */
	assert_int_equal(run->overhead_longer_ns, 10 * US);
	assert_int_equal(run->overhead_total_ns, 2 * S);
}

/* A launch that was not held, or that always takes as long, keeps its duration. */
FEED_TEST(test_long_by_itself)
{
	const struct run *run = feed_waiting(f, SKIP_NONE, 3);

	assert_int_equal(run->kernel[0].time.count, 4);
	assert_int_equal(run->kernel[0].total_ns, 2 * S + 30 * US);
	assert_int_equal(run->device[0].busy_ns, 2 * S + 30 * US);
	assert_int_equal(run->overhead_longer_ns, 0);
}

FEED_TEST(test_long_each_time)
{
	const struct run *run = feed_waiting(f, SKIP_WAITS, 0);

	assert_int_equal(run->kernel[0].time.count, 1);
	assert_int_equal(run->kernel[0].total_ns, 2 * S);
	assert_false(run->kernel[0].waits);
	assert_false(run->kernel[0].total_estimated);
	assert_int_equal(run->device[0].busy_ns, 2 * S);
}

/* A step of a sequence does not take as long as its measured launches either. */
KERNEL_TEST(test_measured_in_sequence)
{
	const struct run *run;
	uint64_t i, at = 0;

	for (i = 0; i < 10; i++, at += 500 * US)
		feed_measured(f, 1, at + 10 * US, at + 400 * US);
	for (i = 0; i < 90; i++, at += 10 * US)
		feed_kernel(f, 1, at + 2 * US, at + 5 * US, at + 8 * US);
	run = feed_settle(f);
	assert_int_equal(run->sequences, 1);
	assert_int_equal(run->sequence[0].repeats, 100);
	assert_int_equal(run->sequence[0].kernel_ns, 300 * US);
}

/* Each record has the totals so far, so the last one of a process counts. */
FEED_TEST(test_held)
{
	struct feed other = { .m = f->m };
	const struct run *run = feed_settle(f);

	assert_false(run->held.known);
	FEED(f, HELD, .count = 40, .total_ns = 900, .longest_ns = 300,
	    .limit_ns = 100);
	FEED(f, HELD, .count = 42, .total_ns = 1000, .longest_ns = 300,
	    .setup_ns = 50, .setup_longest_ns = 50, .replay_ns = 7,
	    .replay_longest_ns = 4, .limit_ns = 200);
	run = feed_settle(f);
	assert_true(run->held.known);
	assert_int_equal(run->held.count, 42);
	assert_int_equal(run->held.total_ns, 1000);
	feed_process(&other, 43);
	FEED(&other, HELD, .count = 2, .total_ns = 450, .longest_ns = 440,
	    .setup_ns = 60, .setup_longest_ns = 40, .replay_ns = 3,
	    .replay_longest_ns = 3, .limit_ns = 500);
	model_settle(f->m, false);	/* sums are computed anew each time */
	run = feed_settle(f);
	assert_int_equal(run->held.count, 44);
	assert_int_equal(run->held.total_ns, 1450);
	assert_int_equal(run->held.longest_ns, 440);
	assert_int_equal(run->held.setup_ns, 110);
	assert_int_equal(run->held.setup_longest_ns, 50);
	assert_int_equal(run->held.replay_ns, 10);
	assert_int_equal(run->held.replay_longest_ns, 4);
	assert_int_equal(run->held.limit_ns, 500);	/* the limit of the longest hold, 440 */
	assert_int_equal(run->process[0].held.longest_ns, 300);
	/* Impossible values are clamped to their range. */
	FEED(&other, HELD, .count = UINT64_MAX, .total_ns = UINT64_MAX,
	    .longest_ns = UINT64_MAX, .setup_ns = UINT64_MAX,
	    .replay_ns = UINT64_MAX);
	run = feed_settle(f);
	assert_true(run->held.count == UINT64_MAX);
	assert_true(run->held.total_ns == UINT64_MAX);
	assert_true(run->held.setup_ns == UINT64_MAX);
	assert_true(run->held.replay_ns == UINT64_MAX);
	assert_int_equal(run->held.limit_ns, 0);
}

/* The wait of another thread's launch is our cost, not the host's time. */
KERNEL_TEST(test_other_thread_waits)
{
	const struct run *run;

	feed_kernel(f, 1, 0, 10 * US, 20 * US);
	FEED(f, OVERHEAD, .kind = OVERHEAD_WAIT, .tid = 8,
	    .start_ns = T0 + 20 * US, .end_ns = T0 + 60 * US);
	feed_kernel(f, 1, 60 * US, 60 * US, 70 * US);
	feed_bye(f, S);
	run = feed_settle(f);
	assert_int_equal(run->overhead_ns[OVERHEAD_WAIT], 40 * US);
	assert_int_equal(run->overhead_ns[OVERHEAD_UNKNOWN], 0);
	assert_int_equal(run->overhead_total_ns, 40 * US);
	assert_int_equal(run->idle_overhead_ns, 40 * US);
}

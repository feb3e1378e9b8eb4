/* The sweep over a device's timeline: unions, gaps and causes, exposure. */
#include "unit/model_feed.h"

static uint64_t
idle_sum(const struct device *d)
{
	uint64_t sum = d->idle_overhead_ns;
	int i;

	for (i = 0; i < IDLE_CAUSES; i++)
		sum += d->idle_ns[i];
	return sum;
}

static const struct sync_class *
sync_of(const struct run *run, enum wire_call call)
{
	size_t i;

	for (i = 0; i < run->syncs; i++)
		if (run->sync[i].call == call)
			return &run->sync[i];
	return NULL;
}

static const struct call_class *
call_of(const struct run *run, enum wire_call call)
{
	size_t i;

	for (i = 0; i < run->calls; i++)
		if (run->call[i].call == call)
			return &run->call[i];
	return NULL;
}

/* Kernels A [10,30) and B [20,50), copy [40,60), in any order of arrival. */
KERNEL_TEST(test_union)
{
	const struct run *run;

	feed_signature(f, 2, "b");
	feed_copy(f, COPY_H2D, 1 << 20, true, 5 * US, 40 * US, 60 * US);
	feed_kernel(f, 2, 6 * US, 20 * US, 50 * US);
	feed_kernel(f, 1, 5 * US, 10 * US, 30 * US);
	feed_bye(f, 100 * US);
	run = feed_settle(f);
	assert_int_equal(run->device[0].busy_ns, 50 * US);
	assert_int_equal(run->device[0].kernel_ns, 40 * US);
	assert_int_equal(run->device[0].copy_ns, 20 * US);
	assert_int_equal(run->device[0].copy_hidden_ns, 10 * US);
	assert_int_equal(run->device[0].first_ns, 10 * US);
	assert_int_equal(run->device[0].last_ns, 60 * US);
	assert_true(run->kernel[0].alone_ns == 10e3);
	assert_true(run->kernel[1].alone_ns == 20e3);
	assert_int_equal(run->wall_ns, 100 * US);
	assert_int_equal(run->idle_total_ns, 50 * US);
	assert_int_equal(run->idle_ns[IDLE_STARTUP], 10 * US);
	assert_int_equal(run->idle_ns[IDLE_SHUTDOWN], 40 * US);
	assert_int_equal(idle_sum(&run->device[0]), 50 * US);
	assert_int_equal(run->late, 0);
}

static uint64_t
gaps_counted(const struct run *run)
{
	uint64_t n = 0;

	for (int i = 0; i < GAP_CLASSES; i++)
		n += run->gap[i].count;
	return n;
}

/* The host called in time: the gap is launch latency. */
KERNEL_TEST(test_idle_launch)
{
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 30 * US);
	feed_kernel(f, 1, 6 * US, 32 * US, 50 * US);
	run = feed_settle(f);
	assert_int_equal(run->idle_ns[IDLE_LAUNCH], 2 * US);
	assert_int_equal(run->idle_ns[IDLE_HOST], 0);
	assert_int_equal(run->idle_gaps, 1);
	assert_int_equal(run->idle_longest_ns, 2 * US);
	assert_int_equal(run->kernel[0].gap_before_ns, 2 * US);
	assert_int_equal(run->kernel[0].gap_after_ns, 2 * US);
	assert_int_equal(gaps_counted(run), 0);
}

/* The host computed for 60 us, without having waited. */
KERNEL_TEST(test_idle_host)
{
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 30 * US);
	feed_kernel(f, 1, 90 * US, 95 * US, 100 * US);
	run = feed_settle(f);
	assert_int_equal(run->idle_ns[IDLE_HOST], 60 * US);
	assert_int_equal(run->idle_ns[IDLE_LAUNCH], 5 * US);
	assert_int_equal(run->kernel[0].gap_after_ns, 5 * US);
	/* The first kernel was hidden behind that, the last was not. */
	assert_true(run->kernel[0].exposed_ns == 5e3);
	/* A gap that does not recur is left out. */
	assert_int_equal(run->kernel[0].host_before_ns, 0);
	assert_int_equal(run->idle_longest_kernel, run->kernel[0].id);
}

/* The host's part of gaps that recur belongs to the kernel that ends them, from the
 * tenth gap on. A single longer phase does not count, nor what lies before a copy. */
KERNEL_TEST(test_host_before)
{
	const struct run *run;
	uint64_t at = 0, i;

	for (i = 0; i < 13; i++) {	/* in 12 gaps the host computes for 50 us */
		feed_kernel(f, 1, at + 5 * US, at + 10 * US, at + 30 * US);
		at += 75 * US;
	}
	at += 9 * MS;
	feed_kernel(f, 1, at + 5 * US, at + 10 * US, at + 30 * US);
	at += 300 * US;
	feed_copy(f, COPY_D2H, 4096, false, at, at + 5 * US, at + 10 * US);
	run = feed_settle(f);
	assert_int_equal(run->kernel[0].host_before_ns, 3 * 50 * US);
	assert_int_equal(run->idle_longest_kernel, run->kernel[0].id);
}

/* A launch of ${kernel} every millisecond from ${at} on. */
static uint64_t
launches_of(struct feed *f, uint32_t kernel, uint64_t at, int n)
{
	for (int i = 0; i < n; i++, at += 1000 * US)
		feed_kernel(f, kernel, at, at + 5 * US, at + 900 * US);
	return at;
}

static uint64_t
launches(struct feed *f, uint64_t at, int n)
{

	return launches_of(f, 1, at, n);
}

/* Compiles code for ${ns}, and loads it. */
static uint64_t
compiles(struct feed *f, uint64_t at, uint64_t ns)
{
	feed_api(f, CALL_MODULE_LOAD, at + ns - 200 * US, at + ns - 100 * US);
	return at + ns;
}

/* Compilation while the GPU waits counts, except for the first launches; two
 * modules of one function count once; loading machine code does not count. */
KERNEL_TEST(test_compiling)
{
	const struct compiling *c;
	uint64_t at;

	feed_signature(f, 2, "b");
	at = compiles(f, launches(f, 0, 3), 50000 * US);
	at = compiles(f, launches(f, at, 30), 40000 * US);
	at = compiles(f, launches(f, at, 2), 20000 * US);
	at = launches(f, launches_of(f, 2, at, 1), 29);
	at = compiles(f, at, 2000 * US);
	at = compiles(f, launches(f, at, 30), 80000 * US);
	launches(f, launches(f, at, 10) + 60000 * US, 10);
	c = &feed_settle(f)->compiling;
	assert_int_equal(c->times, 2);
	assert_int_equal(c->time[0].loads, 2);
	assert_int_equal(c->time[1].loads, 1);
	assert_int_equal(c->time[0].kernel, 2);
	assert_true(!c->time[0].known && c->time[1].known);
	assert_int_equal(c->time[0].at, 35);
	assert_int_equal(c->time[1].at, 95);
	assert_true(c->span_ns > 180000 * US && c->span_ns < 300000 * US);
	assert_true(c->time[0].idle_ns > 59000 * US &&
	    c->time[0].idle_ns < 61000 * US);
}

/* What is copied or cleared in front of the kernel that was compiled does not hide it. */
KERNEL_TEST(test_compiling_behind_copy)
{
	const struct compiling *c;
	uint64_t at;

	feed_signature(f, 2, "b");
	at = compiles(f, launches(f, 0, 30), 50000 * US);
	feed_copy(f, COPY_H2D, 4096, false, at, at + 5 * US, at + 10 * US);
	launches(f, launches_of(f, 2, at + 50 * US, 1), 30);
	c = &feed_settle(f)->compiling;
	assert_int_equal(c->times, 1);
	assert_int_equal(c->time[0].kernel, 2);
	assert_false(c->time[0].known);
}

/* A kernel that is compiled for each of its launches is recompiled each time;
 * compilations beyond the limit are added to the last one. */
KERNEL_TEST(test_compiling_again)
{
	const struct compiling *c;
	uint64_t at = launches(f, 0, 20);

	for (int i = 0; i < COMPILING_TIMES + 8; i++)
		at = launches(f, compiles(f, at, 50000 * US), 1);
	c = &feed_settle(f)->compiling;
	assert_int_equal(c->times, COMPILING_TIMES);
	assert_true(c->time[0].known && c->time[1].known);
	assert_int_equal(c->time[0].loads, 1);
	assert_int_equal(c->time[COMPILING_TIMES - 1].loads, 9);
	assert_int_equal(c->time[COMPILING_TIMES - 1].at, 20 +
	    COMPILING_TIMES + 7);
}

/* Gaps in which code is loaded, and those shortly before, are preparation; gaps
 * with many launches between them and any loading are recurring. */
KERNEL_TEST(test_gaps_of_code)
{
	const struct run *run;
	uint64_t at = 0;

	for (int i = 0; i < 12; i++)
		at = compiles(f, launches(f, at, 5) + 3000 * US, 7000 * US);
	at = launches(f, at, 50);
	for (int i = 0; i < 12; i++)
		at = launches(f, at, 2) + 7000 * US;
	run = feed_settle(f);
	/* Between launches there are 105 us. */
	assert_int_equal(run->gap[22].count, 11);
	assert_int_equal(run->gap[23].count, 0);
	assert_int_equal(gaps_counted(run), 11 + 49 + 12 + 1);
}

/* Nor are waits of the program those of a library that tries its code. */
KERNEL_TEST(test_waits_of_code)
{
	const struct sync_class *s;
	uint64_t at = 0;

	for (int i = 0; i < 60; i++, at += 1000 * US) {
		feed_kernel(f, 1, at, at + 5 * US, at + 900 * US);
		feed_sync(f, SYNC_CONTEXT, at + 6 * US, at + 901 * US);
		if (i < 10)
			feed_api(f, CALL_MODULE_LOAD, at + 910 * US,
			    at + 950 * US);
	}
	s = sync_of(feed_settle(f), CALL_DEVICE_SYNC);
	assert_int_equal(s->count, 60);
	assert_int_equal(s->followed, 49);
}

/* An asynchronous copy that the host waits for right after it counts as
 * synchronous; not if the host does not wait, or waits later. */
KERNEL_TEST(test_async_waited)
{
	const struct copy_class *c;
	uint64_t at = 0, i;

	for (i = 0; i < 4; i++, at += 1000 * US) {
		feed_kernel(f, 1, at + 2 * US, at + 5 * US, at + 50 * US);
		feed_copy(f, COPY_D2H, 8, true, at + 4 * US, at + 51 * US,
		    at + 53 * US);
		if (i < 2)
			feed_sync(f, SYNC_STREAM, at + 6 * US, at + 55 * US);
		if (i == 2)	/* it waits for the kernel */
			feed_sync(f, SYNC_STREAM, at + 150 * US, at + 160 * US);
		feed_kernel(f, 1, at + 75 * US, at + 80 * US, at + 140 * US);
	}
	c = &model_settle(f->m, true)->copy[0];
	assert_true(c->async);
	assert_int_equal(c->count, 4);
	assert_int_equal(c->waits, 2);
	assert_int_equal(c->waits_idle_ns, 2 * 27 * US);
}

/* Parameters that are copied one after another before the first kernel delay
 * nothing; batches do, and the host's work before such a copy is input. */
KERNEL_TEST(test_copies_of_input)
{
	const struct run *run;
	uint64_t at = 0, input = 0, fed = 0;

	for (int i = 0; i < 20; i++, at += 1000 * US) {
		feed_copy(f, COPY_H2D, 1 << 20, true, at + 5 * US, at + 10 * US,
		    at + 50 * US);
		feed_sync(f, SYNC_STREAM, at + 6 * US, at + 52 * US);
		if (i >= 15)
			feed_kernel(f, 1, at + 80 * US, at + 90 * US,
			    at + 200 * US);
	}
	run = model_settle(f->m, true);
	assert_int_equal(run->copy[0].count, 20);
	assert_int_equal(run->copy[0].waits, 4);	/* after the first kernel */
	for (int i = 0; i < GAP_CLASSES; i++)
		input += run->gap[i].input_ns, fed += run->gap[i].fed_ns;
	/* Behind a copy, until the next call. */
	assert_int_equal(fed, (15 * (1005 - 50) + 5 * (80 - 50)) * US);
	/* From 50 or 200 until the next call. */
	assert_int_equal(input, (15 * (1005 - 50) + 4 * (1005 - 200)) * US);
}

/* What precedes a recurring gap: a copy to the host and how much it moved, or other work
 * that the host waited for; and whether a copy within the device ends it. */
KERNEL_TEST(test_after_copies_and_waits)
{
	struct gap_class sum = { .count = 0 };
	const struct run *run;
	uint64_t at = 0;

	for (int i = 0; i < 20; i++, at += 1000 * US) {
		feed_kernel(f, 1, at + 5 * US, at + 10 * US, at + 100 * US);
		if (i < 12)
			feed_copy(f, COPY_D2H, 3 << 20, true, at + 20 * US,
			    at + 100 * US, at + 200 * US);
		feed_sync(f, SYNC_STREAM, at + 30 * US, at + 202 * US);
	}
	for (int i = 0; i < 11; i++, at += 1000 * US)
		feed_copy(f, COPY_D2D, 8, true, at + 5 * US, at + 10 * US,
		    at + 100 * US);
	run = model_settle(f->m, true);
	for (int i = 0; i < GAP_CLASSES; i++) {
		sum.output_ns += run->gap[i].output_ns;
		sum.outputs += run->gap[i].outputs;
		sum.output_bytes += run->gap[i].output_bytes;
		sum.waited_ns += run->gap[i].waited_ns;
		sum.waits += run->gap[i].waits;
		sum.moved_ns += run->gap[i].moved_ns;
	}
	assert_int_equal(sum.outputs, 12);
	assert_int_equal(sum.output_bytes, 12 * (3 << 20));
	assert_int_equal(sum.output_ns, 12 * (1005 - 200) * US);
	assert_int_equal(sum.waits, 8);
	assert_int_equal(sum.waited_ns, 8 * (1005 - 100) * US);
	assert_int_equal(sum.moved_ns, 11 * (1005 - 100) * US);
}

/* Blocked until 31, then 59 us of host work before the next launch. */
KERNEL_TEST(test_idle_after_sync)
{
	const struct sync_class *s;
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 30 * US);
	feed_sync(f, SYNC_CONTEXT, 8 * US, 31 * US);
	feed_kernel(f, 1, 90 * US, 95 * US, 100 * US);
	run = feed_settle(f);
	/* The wait from 8 to 30 could have hidden 22 of the 59. */
	assert_int_equal(run->idle_ns[IDLE_AFTER_SYNC], 23 * US);
	assert_int_equal(run->idle_ns[IDLE_HOST], 37 * US);
	assert_int_equal(run->idle_longest_by[IDLE_AFTER_SYNC], 23 * US);
	assert_int_equal(run->idle_longest_by[IDLE_HOST], 37 * US);
	assert_int_equal(run->idle_longest_by[IDLE_LAUNCH], 5 * US);
	assert_int_equal(run->idle_ns[IDLE_LAUNCH], 5 * US);
	/* The wait continued for 1 us. */
	assert_int_equal(run->kernel[0].gap_after_ns, 6 * US);
	/* The launch is not part of the 60 us. */
	assert_int_equal(gaps_counted(run), 1);
	assert_int_equal(run->gap[15].count, 1);
	assert_int_equal(run->gap[15].idle_ns[IDLE_HOST], 37 * US);
	assert_int_equal(run->gap[15].idle_ns[IDLE_AFTER_SYNC], 23 * US);
	assert_int_equal(run->gap[15].idle_ns[IDLE_LAUNCH], 0);
	s = sync_of(run, CALL_DEVICE_SYNC);
	assert_non_null(s);
	assert_int_equal(s->count, 1);
	assert_int_equal(s->wait_ns, 23 * US);
	assert_int_equal(s->followed, 1);
	assert_int_equal(s->idle_after_ns, 65 * US);
	assert_true(run->kernel[0].exposed_ns == 25e3);
}

/* A wait for a copy is not a wait for a kernel. */
KERNEL_TEST(test_idle_after_copy)
{
	const struct sync_class *s;
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 30 * US);
	feed_copy(f, COPY_D2H, 8, true, 6 * US, 31 * US, 32 * US);
	feed_sync(f, SYNC_STREAM, 8 * US, 33 * US);
	feed_kernel(f, 1, 40 * US, 45 * US, 50 * US);
	run = feed_settle(f);
	assert_int_equal(run->copy[0].waits, 1);
	s = sync_of(run, CALL_STREAM_SYNC);
	assert_non_null(s);
	assert_int_equal(s->count, 1);
	assert_int_equal(s->followed, 0);
	assert_int_equal(s->idle_after_ns, 0);
}

/* A wait in another thread is not the cause. */
KERNEL_TEST(test_other_thread)
{
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 30 * US);
	f->tid = 8;
	feed_sync(f, SYNC_CONTEXT, 8 * US, 31 * US);
	f->tid = 7;
	feed_kernel(f, 1, 90 * US, 95 * US, 100 * US);
	run = feed_settle(f);
	assert_int_equal(run->idle_ns[IDLE_AFTER_SYNC], 0);
	assert_int_equal(run->idle_ns[IDLE_HOST], 60 * US);
}

/* A stream that waits for an event does not block the host. */
KERNEL_TEST(test_stream_wait_event)
{
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 30 * US);
	feed_sync(f, SYNC_STREAM_WAIT_EVENT, 8 * US, 31 * US);
	feed_kernel(f, 1, 90 * US, 95 * US, 100 * US);
	run = feed_settle(f);
	assert_int_equal(run->syncs, 0);
	assert_int_equal(run->idle_ns[IDLE_HOST], 60 * US);
}

/* 20 us in cudaMalloc, 10 us in cuModuleLoad, 30 us of host work. */
KERNEL_TEST(test_idle_calls)
{
	const struct call_class *c;
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 30 * US);
	feed_api(f, CALL_MALLOC, 35 * US, 55 * US);
	feed_api(f, CALL_MODULE_LOAD, 60 * US, 70 * US);
	feed_kernel(f, 1, 90 * US, 95 * US, 100 * US);
	run = feed_settle(f);
	assert_int_equal(run->idle_ns[IDLE_ALLOCATION], 20 * US);
	assert_int_equal(run->idle_ns[IDLE_API], 10 * US);
	assert_int_equal(run->idle_ns[IDLE_HOST], 30 * US);
	assert_int_equal(run->idle_ns[IDLE_LAUNCH], 5 * US);
	c = call_of(run, CALL_MALLOC);
	assert_int_equal(c->count, 1);
	assert_int_equal(c->hot_count, 1);
	assert_int_equal(c->hot_ns, 20 * US);
	assert_int_equal(c->hot_idle_ns, 20 * US);
}

/* A runtime call, the driver call and the wait in it: counted once. */
KERNEL_TEST(test_nested_calls)
{
	const struct sync_class *s;
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 30 * US);
	feed_sync(f, SYNC_CONTEXT, 9 * US, 39 * US);
	feed_api(f, CALL_DEVICE_SYNC, 8 * US, 40 * US);
	feed_kernel(f, 1, 50 * US, 55 * US, 60 * US);
	run = feed_settle(f);
	assert_int_equal(run->idle_ns[IDLE_AFTER_SYNC], 20 * US);
	s = sync_of(run, CALL_DEVICE_SYNC);
	assert_int_equal(s->count, 1);
	assert_int_equal(s->followed, 1);
	assert_true(run->kernel[0].exposed_ns == 25e3);
}

/* The time of our own measuring is not charged to the program. */
KERNEL_TEST(test_overhead)
{
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 30 * US);
	FEED(f, OVERHEAD, .kind = OVERHEAD_COUNTERS, .tid = 7,
	    .start_ns = T0 + 25 * US, .end_ns = T0 + 80 * US);
	FEED(f, OVERHEAD, .kind = OVERHEAD_SETUP, .tid = 7,
	    .start_ns = T0 + 40 * US, .end_ns = T0 + 60 * US);
	feed_kernel(f, 1, 90 * US, 95 * US, 100 * US);
	feed_bye(f, 120 * US);
	run = feed_settle(f);
	/* Nor are the 15 us of the gap in which we did nothing: right after
	 * measuring every launch is slow. */
	assert_int_equal(run->idle_ns[IDLE_HOST], 0);
	assert_int_equal(run->idle_ns[IDLE_LAUNCH], 0);
	assert_int_equal(run->idle_overhead_ns, 65 * US);
	assert_int_equal(run->overhead_total_ns, 55 * US);
	assert_int_equal(run->overhead_ns[OVERHEAD_COUNTERS], 55 * US);
	assert_int_equal(run->overhead_ns[OVERHEAD_SETUP], 20 * US);
	assert_int_equal(gaps_counted(run), 0);	/* the only gap had our time in it */
	assert_int_equal(idle_sum(&run->device[0]), run->idle_total_ns);
}

/* Ten kernels queued at once, and one wait for all: the wait is exposed. */
KERNEL_TEST(test_exposed_burst)
{
	const struct run *run;
	uint64_t i;

	for (i = 0; i < 10; i++)
		feed_kernel(f, 1, i * US, (10 + 10 * i) * US,
		    (20 + 10 * i) * US);
	feed_sync(f, SYNC_STREAM, 60 * US, 110 * US);
	feed_kernel(f, 1, 200 * US, 205 * US, 210 * US);
	run = feed_settle(f);
	/* 50 of 100 us, 650 ns for each launch that we traced, and the last 5
	 * us, for which no wait was recorded. */
	assert_true(fabs(run->kernel[0].exposed_ns - 61.5e3) < 1);
}

/* Two kernels share a wait: each alone could save it, both together no more. */
KERNEL_TEST(test_exposed_together)
{
	const struct run *run;

	feed_signature(f, 2, "b");
	feed_kernel(f, 1, 1 * US, 10 * US, 50 * US);
	feed_kernel(f, 2, 2 * US, 50 * US, 90 * US);
	feed_sync(f, SYNC_STREAM, 60 * US, 91 * US);
	feed_kernel(f, 2, 200 * US, 205 * US, 210 * US);
	feed_sync(f, SYNC_STREAM, 201 * US, 211 * US);
	run = feed_settle(f);
	/* 30 us, and 1.3 for two launches that we traced; then 5. */
	assert_true(fabs(run->kernel[0].exposed_ns - 31.3e3) < 1);
	assert_true(fabs(run->kernel[1].exposed_ns - 36.3e3) < 1);
	assert_int_equal(run->gpu_exposed_ns, 36300);
}

/* The host launches kernels of 5 us every 20 us: nothing is exposed, except the
 * last launch. */
KERNEL_TEST(test_hidden_by_host)
{
	const struct run *run;
	uint64_t i;

	for (i = 0; i < 100; i++)
		feed_kernel(f, 1, i * 20 * US, (5 + i * 20) * US,
		    (10 + i * 20) * US);
	run = feed_settle(f);
	assert_true(fabs(run->kernel[0].exposed_ns - 5e3) < 1);
	assert_int_equal(run->idle_ns[IDLE_HOST], 99 * 10 * US);
	assert_int_equal(run->idle_ns[IDLE_LAUNCH], 99 * 5 * US);
}

/* Each launch is called ${after} after the end of the previous kernel, of 8 ms. */
static double
exposed_one_by_one(struct feed *f, uint64_t after)
{
	uint64_t at = 0;
	int i;

	feed_signature(f, 1, "a");
	for (i = 0; i < 10; i++) {
		feed_kernel(f, 1, at, at + 10 * US, at + 8010 * US);
		at += 8010 * US + after;
	}
	return feed_settle(f)->kernel[0].exposed_ns;
}

/* Ten times right after the end: the host was blocked in the call until then. */
FEED_TEST(test_launch_blocks)
{
	assert_true(fabs(exposed_one_by_one(f, 50 * US) - 80e6) < 1);
}

/* A while after the end: the host was busy with something else. */
FEED_TEST(test_launch_returns)
{
	assert_true(fabs(exposed_one_by_one(f, 2000 * US) - 8e6) < 1);
}

/* The host runs ${depth} launches ahead and is blocked by the full queue. */
static void
full_queue(struct feed *f, uint64_t depth)
{
	const struct run *run;
	const uint64_t n = 10000;
	uint64_t i, launch;

	feed_signature(f, 1, "a");
	for (i = 0; i < n; i++) {
		launch = i < depth ? 100 * i : (i - depth) * 10 * US + 150 * US;
		feed_kernel(f, 1, launch, (10 + i * 10) * US,
		    (20 + i * 10) * US);
	}
	run = feed_settle(f);
	assert_int_equal(run->device[0].busy_ns, n * 10 * US);
	assert_true(run->kernel[0].exposed_ns > 0.85 * 10e3 * (double)n);
	assert_true(run->kernel[0].exposed_ns <= 10e3 * (double)n + 1);
}

FEED_TEST(test_exposed_full_queue)
{
	full_queue(f, 1024);
}

/* Event records around each launch take half of the queue. */
FEED_TEST(test_exposed_queue_with_events)
{
	full_queue(f, 511);
}

/* A blocking copy waits for the kernel before it, with no record but its own. */
KERNEL_TEST(test_blocking_copy)
{
	const struct copy_class *c;
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 30 * US);
	feed_copy(f, COPY_D2H, 4096, false, 8 * US, 31 * US, 41 * US);
	feed_kernel(f, 1, 60 * US, 65 * US, 70 * US);
	run = feed_settle(f);
	assert_int_equal(run->copies, 1);
	c = &run->copy[0];
	assert_int_equal(c->kind, COPY_D2H);
	assert_int_equal(c->size_class, 12);
	assert_false(c->async);
	assert_int_equal(c->gpu_ns, 10 * US);
	assert_true(fabs(c->exposed_ns - 10e3) < 1);
	assert_int_equal(c->idle_before_ns, US);
	assert_int_equal(c->idle_after_ns, 24 * US);
	assert_int_equal(c->idle_waited_ns, 24 * US);
	assert_int_equal(run->idle_ns[IDLE_AFTER_SYNC], 19 * US);
	assert_true(fabs(run->kernel[0].exposed_ns - 25e3) < 1);
}

/* A copy during a kernel is hidden; the host waits for the kernel. */
KERNEL_TEST(test_copy_hidden)
{
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 50 * US);
	f->queue = 2;
	feed_copy(f, COPY_H2D, 1 << 20, true, 6 * US, 20 * US, 40 * US);
	feed_sync(f, SYNC_CONTEXT, 7 * US, 51 * US);
	run = feed_settle(f);
	assert_true(run->copy[0].exposed_ns == 0);
	assert_int_equal(run->device[0].copy_hidden_ns, 20 * US);
	assert_true(fabs(run->kernel[0].exposed_ns - 40e3) < 1);
	assert_true(run->kernel[0].alone_ns == 40e3);
}

/* Neither a copy nor a kernel covers the other: they share the overlap. */
KERNEL_TEST(test_copy_overlaps)
{
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 50 * US);
	f->queue = 2;
	feed_copy(f, COPY_H2D, 1 << 20, true, 6 * US, 30 * US, 80 * US);
	feed_sync(f, SYNC_CONTEXT, 7 * US, 81 * US);
	run = feed_settle(f);
	assert_true(fabs(run->kernel[0].exposed_ns - 30e3) < 1);
	assert_true(fabs(run->copy[0].exposed_ns - 40e3) < 1);
	assert_int_equal(run->gpu_exposed_ns, 70 * US);
}

/* Kernels of two streams at the same time, and a third for half of it. */
KERNEL_TEST(test_concurrent)
{
	const struct run *run;

	feed_signature(f, 2, "b");
	feed_signature(f, 3, "c");
	feed_kernel(f, 1, 1 * US, 10 * US, 130 * US);
	f->queue = 2;
	feed_kernel(f, 2, 2 * US, 10 * US, 130 * US);
	f->queue = 3;
	feed_kernel(f, 3, 3 * US, 70 * US, 130 * US);
	feed_sync(f, SYNC_CONTEXT, 5 * US, 131 * US);
	run = feed_settle(f);
	assert_true(fabs(run->kernel[0].exposed_ns - 50e3) < 1);
	assert_true(fabs(run->kernel[1].exposed_ns - 50e3) < 1);
	assert_true(fabs(run->kernel[2].exposed_ns - 20e3) < 1);
	assert_int_equal(run->gpu_exposed_ns, 120 * US);
}

/* More work than the buffer of pending operations holds, in two interleaved
 * queues, gives the same result as in order. */
KERNEL_TEST(test_many)
{
	const struct run *run;
	const uint64_t blocks = 1000, block = 300;
	uint64_t b, i, at;

	for (b = 0; b < blocks; b++) {
		f->queue = 1 + (uint32_t)(b % 2);
		for (i = 0; i < block; i++) {
			at = (b / 2 * block + i) * 2 + b % 2;
			feed_kernel(f, 1, at * 10 * US, (1 + at * 10) * US,
			    (7 + at * 10) * US);
		}
	}
	run = feed_settle(f);
	assert_int_equal(run->late, 0);
	assert_int_equal(run->launches, blocks * block);
	assert_int_equal(run->device[0].busy_ns, blocks * block * 6 * US);
	assert_int_equal(run->idle_gaps, blocks * block - 1);
	assert_int_equal(idle_sum(&run->device[0]), run->idle_total_ns);
}

/* A record that arrives long after its time counts as late, and is still included. */
KERNEL_TEST(test_late)
{
	const struct run *run;
	uint64_t i;

	for (i = 0; i < 300000; i++)
		feed_kernel(f, 1, 0, (10 + i * 10) * US, (15 + i * 10) * US);
	feed_kernel(f, 1, 0, 16 * US, 19 * US);
	run = feed_settle(f);
	assert_int_equal(run->late, 1);
	assert_int_equal(run->lost, 0);
	assert_int_equal(run->kernel[0].launches, 300001);
	assert_int_equal(run->kernel[0].time.count, 300001);
	assert_int_equal(run->device[0].busy_ns, 300000 * 5 * US);
}

/* A live view settles in between, and its numbers are still right at the end. */
KERNEL_TEST(test_live)
{
	struct feed other = { 0 };
	const struct run *run = NULL;
	double exposed;
	uint64_t i, busy;

	other.m = model_new();
	assert_non_null(other.m);
	feed_process(&other, 42);
	feed_signature(&other, 1, "a");
	for (i = 0; i < 2000; i++) {
		feed_kernel(f, 1, i * 10 * MS, i * 10 * MS + 5 * US,
		    i * 10 * MS + 3 * MS);
		feed_kernel(&other, 1, i * 10 * MS, i * 10 * MS + 5 * US,
		    i * 10 * MS + 3 * MS);
		if (i % 100 == 99) {
			run = model_settle(f->m, false);
			assert_non_null(run);
			assert_int_equal(run->state, RUN_LIVE);
			assert_int_equal(run->launches, i + 1);
		}
	}
	assert_true(run->device[0].busy_ns > 1400 * 2 * MS);
	run = feed_settle(f);
	busy = run->device[0].busy_ns;
	exposed = run->kernel[0].exposed_ns;
	run = feed_settle(&other);
	assert_int_equal(busy, run->device[0].busy_ns);
	assert_true(exposed == run->kernel[0].exposed_ns);
	model_free(other.m);
}

/* Two processes on one GPU share its timeline. */
KERNEL_TEST(test_two_processes)
{
	struct feed child = { .m = f->m };
	const struct run *run;

	feed_process(&child, 43);
	feed_signature(&child, 5, "a");
	feed_kernel(f, 1, 5 * US, 10 * US, 30 * US);
	feed_kernel(&child, 5, 5 * US, 20 * US, 40 * US);
	run = feed_settle(f);
	assert_int_equal(run->devices, 1);
	assert_int_equal(run->processes, 2);
	assert_int_equal(run->kernels, 1);
	assert_int_equal(run->kernel[0].launches, 2);
	assert_int_equal(run->device[0].busy_ns, 30 * US);
}

static double
row_sum(const struct timeline *t, enum timeline_row row, uint64_t *count)
{
	double sum = 0;
	uint32_t i;

	*count = 0;
	for (i = 0; i < TIMELINE_BINS; i++) {
		assert_true(t->busy_ns[row][i] <= (float)t->bin_ns);
		if (i >= t->bins)
			assert_true(t->busy_ns[row][i] == 0);
		sum += (double)t->busy_ns[row][i];
		*count += t->count[row][i];
	}
	return sum;
}

/* Bins contain everything, at its place, whatever their width. */
KERNEL_TEST(test_timeline)
{
	const struct timeline *t;
	const struct run *run;
	uint64_t count, at, bin;

	feed_kernel(f, 1, 5 * US, 10 * US, 30 * US);
	feed_kernel(f, 1, 1 * S, 1 * S + 5 * US, 2 * S);
	feed_copy(f, COPY_D2H, 100, true, 3 * S, 3 * S + US, 3 * S + 2 * US);
	feed_sync(f, SYNC_CONTEXT, 2 * S, 3 * S);
	feed_bye(f, 4 * S);
	run = feed_settle(f);
	assert_int_equal(run->timelines, 1);
	t = &run->timeline[0];
	assert_true(t->bins > TIMELINE_BINS / 4 && t->bins <= TIMELINE_BINS);
	assert_true(fabs(row_sum(t, ROW_KERNEL, &count) / 1000015e3 - 1) <
	    1e-5);
	assert_int_equal(count, 2);
	assert_true(fabs(row_sum(t, ROW_D2H, &count) - 1e3) < 1);
	assert_int_equal(count, 1);
	assert_true(fabs(row_sum(t, ROW_SYNC, &count) / 1e9 - 1) < 1e-5);
	row_sum(t, ROW_H2D, &count);
	assert_int_equal(count, 0);
	for (at = 1100 * MS; at < 1900 * MS; at += 50 * MS) {
		bin = at / t->bin_ns;
		assert_true(t->busy_ns[ROW_KERNEL][bin] == (float)t->bin_ns);
	}
	assert_true(t->busy_ns[ROW_KERNEL][500 * MS / t->bin_ns] == 0);
	/* The gaps are in the timeline, each with its cause: the last one
	 * begins with a wait of the host. */
	assert_true(t->busy_ns[ROW_IDLE_HOST][500 * MS / t->bin_ns] ==
	    (float)t->bin_ns);
	assert_true(t->busy_ns[ROW_IDLE_SYNC][2500 * MS / t->bin_ns] ==
	    (float)t->bin_ns);
	assert_true(t->busy_ns[ROW_IDLE_HOST][1500 * MS / t->bin_ns] == 0);
	for (at = bin = 0; at < IDLE_STARTUP; at++)
		bin += run->device[0].idle_ns[at];
	assert_true(fabs((row_sum(t, ROW_IDLE_HOST, &count) + row_sum(t,
	    ROW_IDLE_SYNC, &count) + row_sum(t, ROW_IDLE_LAUNCH, &count)) /
	    (double)bin - 1) < 1e-4);
	assert_true(t->busy_ns[ROW_SYNC][2500 * MS / t->bin_ns] ==
	    (float)t->bin_ns);
}

/* Times may arrive out of order. */
FEED_TEST(test_timeline_backwards)
{
	const struct run *run;
	uint64_t i, count;

	for (i = 0; i < 50; i++)
		feed_sync(f, SYNC_STREAM, (100 - i) * MS, (100 - i) * MS + US);
	run = feed_settle(f);
	assert_true(fabs(row_sum(&run->timeline[0], ROW_SYNC, &count) - 50e3) <
	    1);
	assert_int_equal(count, 50);
}

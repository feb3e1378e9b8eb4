/*
 * The model of data movement: both directions at once, ranges that are copied
 * again, copies between GPUs, managed memory, several GPUs at work.
 */
#include <math.h>

#include "unit/model_feed.h"

#define MIB (1ull << 20)
#define HOST 0x7f0000000000ull
#define DEV 0x7e0000000000ull

/* A copy of ${bytes} with addresses, from pinned memory by default. */
struct moved {
	enum wire_copy kind;
	uint64_t bytes, host, device;
	uint64_t launch, start, end;
	enum wire_memory memory;
	bool blocking;		/* its call lasts until ${called} */
	uint64_t called;
};

static void
move(struct feed *f, struct moved m)
{
	bool up = m.kind == COPY_H2D;
	uint8_t host = (uint8_t)(m.memory != 0 ? m.memory : MEMORY_PINNED);

	if (m.blocking)
		FEED(f, API, .call = CALL_MEMCPY, .tid = f->tid,
		    .correlation = f->correlation + 1,
		    .start_ns = T0 + m.launch, .end_ns = T0 + m.called);
	FEED(f, COPY, .context = 1, .stream = f->queue,
	    .correlation = ++f->correlation, .start_ns = T0 + m.start,
	    .end_ns = T0 + m.end, .launch_ns = T0 + m.launch,
	    .bytes = m.bytes, .kind = (uint8_t)m.kind,
	    .src = up ? host : MEMORY_DEVICE, .dst = up ? MEMORY_DEVICE : host,
	    .flags = m.blocking ? 0 : COPY_ASYNC, .tid = f->tid,
	    .src_address = up ? m.host : m.device,
	    .dst_address = up ? m.device : m.host);
}

static const struct resent *
resent(const struct run *run, enum resent_kind kind)
{
	size_t i;

	for (i = 0; i < run->resents; i++)
		if (run->resent[i].kind == kind)
			return &run->resent[i];
	return NULL;
}

/* Up 0-10, down 5-20, a kernel 18-30, up 40-50; small copies do not change the
 * direction. */
KERNEL_TEST(test_ways)
{
	const struct device *d;

	feed_copy(f, COPY_H2D, MIB, true, 0, 1 * US, 10 * US);
	f->queue = 2;
	feed_copy(f, COPY_D2H, MIB, true, 0, 5 * US, 20 * US);
	feed_kernel(f, 1, 0, 18 * US, 30 * US);
	feed_copy(f, COPY_D2H, 4096, true, 0, 32 * US, 33 * US);
	feed_copy(f, COPY_H2D, 4096, true, 0, 34 * US, 35 * US);
	feed_copy(f, COPY_H2D, MIB, true, 0, 40 * US, 50 * US);
	d = &feed_settle(f)->device[0];
	assert_int_equal(d->h2d_ns, 20 * US);
	assert_int_equal(d->d2h_ns, 16 * US);
	assert_int_equal(d->both_ns, 5 * US);
	assert_int_equal(d->h2d_bare_ns, 15 * US);
	assert_int_equal(d->d2h_bare_ns, 9 * US);
	assert_int_equal(d->turns, 2);
	assert_false(d->hidden);
}

/* Up 10, a kernel of 30 twice, down 5: 15 next to the first launch. Then up 40
 * and another kernel of 20: 20. A flag copied in between does not split a
 * cycle; a kernel after the copy back begins a new one. */
KERNEL_TEST(test_cycles)
{
	feed_signature(f, 2, "l");
	feed_copy(f, COPY_H2D, MIB, true, 0, 1 * US, 11 * US);
	feed_kernel(f, 1, 0, 20 * US, 50 * US);
	feed_copy(f, COPY_D2H, 4, true, 0, 51 * US, 52 * US);
	feed_kernel(f, 1, 0, 60 * US, 90 * US);
	feed_copy(f, COPY_D2H, MIB, true, 0, 100 * US, 105 * US);
	feed_copy(f, COPY_H2D, MIB, true, 109 * US, 110 * US, 150 * US);
	feed_kernel(f, 2, 0, 160 * US, 180 * US);
	assert_int_equal(feed_settle(f)->device[0].cycle_ns, 35 * US);
	feed_copy(f, COPY_D2H, MIB, true, 0, 190 * US, 200 * US);
	feed_kernel(f, 2, 0, 210 * US, 240 * US);
	assert_int_equal(feed_settle(f)->device[0].cycle_ns, 35 * US);
	feed_copy(f, COPY_D2H, MIB, true, 0, 250 * US, 257 * US);
	assert_int_equal(feed_settle(f)->device[0].cycle_ns, 42 * US);
	/* Whether a measured launch would have run beside a copy is unknown. */
	feed_copy(f, COPY_H2D, MIB, true, 259 * US, 260 * US, 290 * US);
	FEED(f, KERNEL, .signature = 2, .context = 1, .stream = f->queue,
	    .start_ns = T0 + 300 * US, .end_ns = T0 + 330 * US, .tid = f->tid,
	    .flags = KERNEL_PROFILED);
	assert_int_equal(feed_settle(f)->device[0].cycle_ns, 42 * US);
}

/* Four pieces up, and three launches of 10 us of a kernel on each, behind a kernel on no
 * copied data. The second was called before all of them: 30 us beside the launches on the
 * first. The third when half of those on the second had run, and is as long as the rest; the
 * fourth behind those on the third. In chunks each has 10 us beside its kernel. */
KERNEL_TEST(test_early_copies)
{
	static const uint64_t called[] = { 1, 1, 255, 371 };
	const struct device *d;

	feed_kernel(f, 1, 0, 1 * US, 81 * US);
	for (uint64_t i = 0; i < 4; i++) {
		uint64_t at = (100 * i + 100) * US;

		feed_copy(f, COPY_H2D, MIB, true, called[i] * US, at,
		    at + (i == 2 ? 15 : 30) * US);
		for (uint64_t k = 0; k < 3; k++)
			feed_kernel(f, 1, 0, at + (40 + 10 * k) * US,
			    at + (50 + 10 * k) * US);
	}
	d = &feed_settle(f)->device[0];
	assert_int_equal(d->cycle_ns, (30 + 15) * US);
	assert_int_equal(d->early_ns, (30 + 15 - 4 * 10) * US);
}

/* Two buffers up, one of them again and then down: one more range in each direction. */
FEED_TEST(test_copied_ranges)
{
	const struct run *run;
	size_t i;

	for (i = 0; i < 3; i++)
		move(f, (struct moved){ COPY_H2D, MIB, HOST + i / 2 * MIB, DEV,
		    0, (10 * i + 1) * US, (10 * i + 5) * US, 0, 0, 0 });
	move(f, (struct moved){ COPY_D2H, MIB, HOST, DEV, 0, 41 * US, 45 * US,
	    0, 0, 0 });
	feed_copy(f, COPY_H2D, MIB, true, 0, 50 * US, 55 * US);
	run = feed_settle(f);
	assert_int_equal(run->copies, 3);
	for (i = 0; i < 2; i++) {
		bool up = run->copy[i].kind == COPY_H2D;

		assert_int_equal(run->copy[i].ranges, up ? 2 : 1);
		assert_int_equal(run->copy[i].located, up ? 3 : 1);
	}
	assert_int_equal(run->copy[2].located, 0);	/* no address */
}

/* Down and up again: enqueued at once; soon after; when many cores could have
 * written the megabyte, which takes one core 65 us; much later. */
FEED_TEST(test_round_trips)
{
	static const uint64_t called[] = { 5, 115, 125, 900 };
	const struct resent *r;
	const struct run *run;
	uint64_t at = 1000 * US;
	size_t i;

	for (i = 0; i < 4; i++, at += 2000 * US) {
		move(f, (struct moved){ COPY_D2H, MIB, HOST, DEV, at,
		    at + 10 * US, at + 100 * US, 0, 0, 0 });
		move(f, (struct moved){ COPY_H2D, MIB, HOST, DEV + MIB,
		    at + called[i] * US, at + 1000 * US, at + 1020 * US,
		    0, 0, 0 });
	}
	run = feed_settle(f);
	assert_int_equal(run->copies_located, 8);
	assert_int_equal(run->copies_unlocated, 0);
	assert_int_equal(run->resents, 1);
	r = resent(run, RESENT_ROUND);
	assert_int_equal(r->count, 4);
	assert_int_equal(r->ranges, 1);
	assert_int_equal(r->bytes, 4 * MIB);
	assert_int_equal(r->gpu_ns, 80 * US);
	assert_int_equal(r->down_ns, 360 * US);
	assert_int_equal(r->quick_count, 2);
	assert_int_equal(r->quick_ns, 40 * US);
	assert_int_equal(r->quick_down_ns, 180 * US);
	/* 15 and 25 us were hardly enough: 20 are the minimum. */
	assert_true(fabs(r->likely_count - 2 - 55.0 / 60) < 1e-9);
	assert_true(fabs(r->likely_bytes - r->likely_count * MIB) < 1);
	assert_true(fabs(r->likely_ns - r->likely_count * 20 * US) < 1);
	assert_true(fabs(r->likely_down_ns - r->likely_count * 90 * US) < 1);
}

/* For a large range the time to start many cores does not matter. */
FEED_TEST(test_round_trip_large)
{
	static const uint64_t called[] = { 140, 190 };
	uint64_t at = 1000 * US;
	size_t i;

	/* 32 MiB: 84 us for all cores. */
	for (i = 0; i < 2; i++, at += 9000 * US) {
		move(f, (struct moved){ COPY_D2H, 32 * MIB, HOST, DEV, at,
		    at + 10 * US, at + 100 * US, 0, 0, 0 });
		move(f, (struct moved){ COPY_H2D, 32 * MIB, HOST, DEV,
		    at + called[i] * US, at + 1000 * US, at + 1020 * US,
		    0, 0, 0 });
	}
	assert_int_equal(resent(feed_settle(f), RESENT_ROUND)->count, 2);
	assert_int_equal(resent(feed_settle(f), RESENT_ROUND)->quick_count, 1);
}

/* A blocking call gives the host the memory when it returns, not before. */
FEED_TEST(test_round_trip_blocking)
{
	const struct resent *r;

	move(f, (struct moved){ COPY_D2H, MIB, HOST, DEV, 10 * US, 20 * US,
	    100 * US, MEMORY_PAGEABLE, true, 400 * US });
	move(f, (struct moved){ COPY_H2D, MIB, HOST, DEV, 410 * US,
	    420 * US, 500 * US, MEMORY_PAGEABLE, true, 510 * US });
	/* From pageable memory: after the call's end, which is known … */
	move(f, (struct moved){ COPY_H2D, MIB, HOST, DEV, 520 * US,
	    530 * US, 600 * US, MEMORY_PAGEABLE, true, 590 * US });
	/* … or unknown. */
	move(f, (struct moved){ COPY_H2D, MIB, HOST + MIB, DEV, 700 * US,
	    710 * US, 800 * US, MEMORY_PAGEABLE, false, 0 });
	move(f, (struct moved){ COPY_H2D, MIB, HOST + MIB, DEV, 750 * US,
	    810 * US, 900 * US, MEMORY_PAGEABLE, false, 0 });
	r = resent(feed_settle(f), RESENT_ROUND);
	assert_int_equal(r->count, 1);
	assert_int_equal(r->quick_count, 1);
	r = resent(feed_settle(f), RESENT_AGAIN);
	assert_int_equal(r->count, 2);
	assert_int_equal(r->ranges, 2);
	assert_int_equal(r->quick_count, 1);
	assert_true(r->likely_count == 1);
}

/* Two ranges down, then both up again: the thread could not write the first while
 * it waited for the second; but in a millisecond another thread could have. */
FEED_TEST(test_round_trip_waiting)
{
	static const uint64_t waited[] = { 100, 1500 };
	uint64_t at = 1000 * US, end;
	size_t i;

	for (i = 0; i < 2; i++, at = end + 1000 * US) {
		end = at + (50 + waited[i]) * US;
		move(f, (struct moved){ COPY_D2H, MIB, HOST, DEV, at,
		    at + 5 * US, at + 40 * US, MEMORY_PAGEABLE, true,
		    at + 45 * US });
		move(f, (struct moved){ COPY_D2H, MIB, HOST + MIB, DEV + MIB,
		    at + 50 * US, at + 55 * US, end - 5 * US,
		    MEMORY_PAGEABLE, true, end });
		move(f, (struct moved){ COPY_H2D, MIB, HOST, DEV, end + 5 * US,
		    end + 6 * US, end + 20 * US, MEMORY_PAGEABLE, true,
		    end + 21 * US });
	}
	assert_int_equal(resent(feed_settle(f), RESENT_ROUND)->count, 2);
	assert_int_equal(resent(feed_settle(f), RESENT_ROUND)->quick_count, 1);
}

static void
compared(struct feed *f, uint64_t host, uint32_t pages, uint32_t changed)
{

	FEED(f, COMPARED, .src_address = host, .dst_address = DEV, .bytes = MIB,
	    .compared = pages * 4096, .pages = pages, .changed = changed,
	    .apart = 1);
}

/* Three ranges are sent five times; of the copies in time only the third's are too soon.
 * What was compared decides, whether its record comes before the copies or after. */
FEED_TEST(test_compared)
{
	static const uint64_t turn[] = { 10000, 20000, 30 };
	struct moved m = { COPY_H2D, MIB, HOST, DEV, 0, 0, 0, MEMORY_PAGEABLE,
	    true, 0 };
	uint64_t at = 1000 * US;
	const struct resent *r;
	const struct run *run;
	size_t i;

	compared(f, HOST, 256, 0);
	for (i = 0; i < 15; at += turn[i / 5] * US, i++) {
		m.host = HOST + i / 5 * MIB;
		m.launch = at;
		m.start = at + 1 * US;
		m.end = at + 11 * US;
		m.called = at + 12 * US;
		move(f, m);
	}
	assert_int_equal(resent(feed_settle(f), RESENT_AGAIN)->count, 8);
	compared(f, HOST, 256, 0);
	compared(f, HOST + MIB, 256, 3);
	compared(f, HOST + MIB, 256, 0);
	compared(f, HOST + 9 * MIB, 256, 0);	/* no copy of it */
	run = feed_settle(f);
	assert_int_equal(run->resents, 3);
	r = resent(run, RESENT_SAME);
	assert_int_equal(r->count, 4);
	assert_int_equal(r->ranges, 1);
	assert_int_equal(r->comparisons, 2);
	assert_int_equal(r->pages, 512);
	assert_int_equal(r->equal_pages, 512);
	assert_int_equal(r->quick_count, 0);
	assert_true(fabs(r->equal_ns - 4 * 10 * US) < 1);
	r = resent(run, RESENT_PART);
	assert_int_equal(r->count, 4);
	assert_int_equal(r->equal_pages, 509);
	assert_true(fabs(r->equal_ns - 40 * US * 509.0 / 512) < 1);
	r = resent(run, RESENT_AGAIN);
	assert_int_equal(r->count, 4);
	assert_int_equal(r->quick_count, 4);
	assert_int_equal(r->comparisons, 0);
	/* Most of it changes, even if the host had no time: left out. */
	compared(f, HOST + 2 * MIB, 256, 128);
	run = feed_settle(f);
	assert_int_equal(run->resents, 2);
	assert_null(resent(run, RESENT_AGAIN));
	assert_int_equal(resent(run, RESENT_SAME)->count, 4);
}

/* What is called while the copy before is under way stands for other data, also if its
 * bytes are the same. */
FEED_TEST(test_compared_queued)
{
	const struct resent *r;
	size_t i;

	for (i = 0; i < 4; i++)
		move(f, (struct moved){ COPY_H2D, MIB, HOST, DEV, (10 + i) * US,
		    (20 + 20 * i) * US, (40 + 20 * i) * US, 0, 0, 0 });
	move(f, (struct moved){ COPY_H2D, MIB, HOST, DEV, 300 * US, 310 * US,
	    320 * US, 0, 0, 0 });
	compared(f, HOST, 256, 0);
	r = resent(feed_settle(f), RESENT_SAME);
	assert_int_equal(r->count, 4);
	assert_int_equal(r->queued_count, 3);
	assert_int_equal(r->queued_bytes, 3 * MIB);
	assert_true(fabs(r->equal_ns - 10 * US) < 1);
}

/* Copies of a megabyte from one of seven buffers to one of three, each blocking, which takes
 * 12 us. */
static void
move_elsewhere(struct feed *f, uint64_t from, unsigned n)
{
	struct moved m = { COPY_H2D, MIB, HOST, DEV, 0, 0, 0, MEMORY_PAGEABLE,
	    true, 0 };
	unsigned i;

	for (i = 0; i < n; i++) {
		m.launch = from + i * 100 * US;
		m.start = m.launch + 1 * US;
		m.end = m.launch + 11 * US;
		m.called = m.launch + 12 * US;
		m.host = HOST + i % 7 * 4 * MIB;
		m.device = DEV + i % 3 * MIB;
		move(f, m);
	}
}

static void
compared_size(struct feed *f, uint32_t pages, uint32_t changed, uint32_t sampled,
    uint32_t alike)
{

	FEED(f, COMPARED, .bytes = MIB, .compared = pages * 4096, .pages = pages,
	    .changed = changed, .zeros = pages - changed, .sampled = sampled,
	    .alike = alike);
}

/* The same content from other addresses: those to a place and from a range that were there
 * before; once is no comparison. */
FEED_TEST(test_alike)
{
	const struct resent *r;
	const struct run *run;

	move_elsewhere(f, 1000 * US, 84);
	assert_int_equal(feed_settle(f)->resents, 0);
	compared_size(f, 256, 0, 8, 8);
	assert_int_equal(feed_settle(f)->resents, 0);
	compared_size(f, 256, 0, 40, 40);
	run = feed_settle(f);
	assert_int_equal(run->resents, 1);
	r = resent(run, RESENT_ALIKE);
	assert_int_equal(r->count, 84 - 7);
	assert_int_equal(r->bytes, 77 * MIB);
	assert_int_equal(r->gpu_ns, 770 * US);
	assert_int_equal(r->ranges, 7);
	assert_int_equal(r->queued_count, 0);
	assert_int_equal(r->comparisons, 2);
	assert_int_equal(r->pages, 512);
	assert_int_equal(r->zero_pages, 512);
	assert_int_equal(r->size, MIB);
	assert_true(fabs(r->equal_ns - 770 * US) < 1);
	/* Three in four are alike; then most are not. */
	compared_size(f, 0, 0, 80, 60);
	assert_true(fabs(resent(feed_settle(f), RESENT_ALIKE)->equal_ns -
	    0.75 * 770 * US) < 1);
	compared_size(f, 0, 0, 400, 60);
	assert_int_equal(feed_settle(f)->resents, 0);
	compared_size(f, 0, 0, 4000, 4000);
	assert_int_equal(feed_settle(f)->resents, 1);
	/* Most lines were alike, but a page was not: other data. */
	compared_size(f, 256, 1, 4001, 4001);
	assert_int_equal(feed_settle(f)->resents, 0);
}

/* Nothing is counted twice: a pair of that size whose bytes were compared, too, and one that
 * comes again soon, are of the kind; one that changes is not. */
FEED_TEST(test_alike_and_same)
{
	struct moved m = { COPY_H2D, MIB, HOST + 64 * MIB, DEV + 8 * MIB, 0, 0, 0,
	    MEMORY_PAGEABLE, true, 0 };
	const struct run *run;
	unsigned i;

	move_elsewhere(f, 1000 * US, 84);
	for (i = 0; i < 21; i++) {
		m.launch = (20000 + 100 * i) * US;
		m.start = m.launch + 1 * US;
		m.end = m.launch + 11 * US;
		m.called = m.launch + 12 * US;
		move(f, m);
	}
	FEED(f, COMPARED, .src_address = m.host, .dst_address = m.device, .bytes = MIB,
	    .compared = MIB, .pages = 256, .apart = 1);
	run = feed_settle(f);
	assert_int_equal(resent(run, RESENT_SAME)->count, 20);
	compared_size(f, 256, 0, 8, 8);
	compared_size(f, 256, 0, 40, 40);
	run = feed_settle(f);
	assert_null(resent(run, RESENT_SAME));
	assert_int_equal(run->resents, 1);
	assert_int_equal(run->resent[0].kind, RESENT_ALIKE);
	assert_int_equal(run->resent[0].count, 97);
	assert_true(fabs(run->resent[0].equal_ns - 970 * US) < 1);
	/* If a fifth is alike, that may be the pair. */
	compared_size(f, 0, 0, 100, 20);
	run = feed_settle(f);
	assert_null(resent(run, RESENT_ALIKE));
	assert_int_equal(resent(run, RESENT_SAME)->count, 20);
	/* The pair's bytes change; the others are alike. */
	compared_size(f, 0, 0, 1000, 900);
	FEED(f, COMPARED, .src_address = m.host, .dst_address = m.device, .bytes = MIB,
	    .compared = MIB, .pages = 256, .changed = 200, .apart = 1);
	run = feed_settle(f);
	assert_int_equal(run->resents, 1);
	assert_int_equal(resent(run, RESENT_ALIKE)->count, 77);
}

/* Pairs that take turns, of which two were compared: the others are alike, too, or are not known
 * to be; where all were compared, there is nothing else to say of them. */
FEED_TEST(test_alike_pairs)
{
	struct moved m = { COPY_H2D, MIB, 0, 0, 0, 0, 0, MEMORY_PAGEABLE, true, 0 };
	const struct resent *r;
	const struct run *run;
	uint64_t i;

	for (i = 0; i < 60; i++) {
		m.host = HOST + i % 6 * 4 * MIB;
		m.device = DEV + i % 6 * 4 * MIB;
		m.launch = i * 1000 * US;
		m.start = m.launch + 1 * US;
		m.end = m.launch + 11 * US;
		m.called = m.launch + 12 * US;
		move(f, m);
	}
	for (i = 0; i < 2; i++)
		FEED(f, COMPARED, .src_address = HOST + i * 4 * MIB, .dst_address = DEV +
		    i * 4 * MIB, .bytes = MIB, .compared = MIB, .pages = 256, .apart = 1);
	run = feed_settle(f);
	assert_int_equal(resent(run, RESENT_SAME)->count, 18);
	assert_int_equal(resent(run, RESENT_AGAIN)->count, 36);
	compared_size(f, 256, 0, 8, 8);
	compared_size(f, 256, 0, 40, 40);
	run = feed_settle(f);
	assert_int_equal(run->resents, 1);
	r = resent(run, RESENT_ALIKE);
	assert_int_equal(r->count, 54);
	assert_int_equal(r->ranges, 6);
	assert_true(fabs(r->equal_ns - 540 * US) < 1);
	/* Two in five may be those that were compared. */
	compared_size(f, 0, 0, 100, 40);
	run = feed_settle(f);
	assert_int_equal(resent(run, RESENT_SAME)->count, 18);
	assert_null(resent(run, RESENT_ALIKE));
	compared_size(f, 0, 0, 1000, 1000);
	for (i = 2; i < 6; i++)
		FEED(f, COMPARED, .src_address = HOST + i * 4 * MIB, .dst_address = DEV +
		    i * 4 * MIB, .bytes = MIB, .compared = MIB, .pages = 256, .apart = 1);
	run = feed_settle(f);
	assert_int_equal(run->resents, 1);
	assert_int_equal(resent(run, RESENT_SAME)->count, 54);
}

/* Copies that are called before the one before is over promise nothing; those to places that
 * had none yet set up what stays. */
FEED_TEST(test_alike_silent)
{
	struct moved m = { COPY_H2D, MIB, HOST, DEV, 0, 0, 0, 0, 0, 0 };
	const struct resent *r;
	unsigned i;

	compared_size(f, 256, 0, 8, 8);
	compared_size(f, 256, 0, 40, 40);
	for (i = 0; i < 50; i++) {
		m.launch = (10 + i) * US;
		m.start = (1000 + 20 * i) * US;
		m.end = m.start + 10 * US;
		m.host = HOST + i % 7 * 4 * MIB;
		m.device = DEV + i * MIB;
		move(f, m);
	}
	assert_int_equal(feed_settle(f)->resents, 0);
	for (; i < 100; i++) {
		m.launch = (10 + i) * US;
		m.start = (1000 + 20 * i) * US;
		m.end = m.start + 10 * US;
		m.host = HOST + i % 7 * 4 * MIB;
		m.device = DEV + (i - 50) * MIB;
		move(f, m);
	}
	r = resent(feed_settle(f), RESENT_ALIKE);
	assert_int_equal(r->count, 50);
	assert_int_equal(r->queued_count, 50);
	assert_true(r->equal_ns == 0);
}

/* A window of a megabyte slides on by an eighth at a time, to two buffers in turn; each
 * copy is called while the one before is under way, the last one a millisecond later. Ranges
 * that have less than half in common are pieces; one that goes back begins a new row. */
FEED_TEST(test_slid)
{
	static const uint64_t at[] = { 0, 0, 1, 1, 2, 2, 3, 3, 4 };
	struct moved m = { COPY_H2D, MIB, 0, 0, 0, 0, 0, 0, 0, 0 };
	const struct resent *r;
	size_t i;

	for (i = 0; i < 9; i++) {
		m.host = HOST + at[i] * (MIB / 8) + (i % 2) * 64 * MIB;
		m.device = DEV + (i % 2) * MIB;
		m.launch = i < 8 ? (10 + i) * US : 2000 * US;
		m.start = i < 8 ? (20 + 20 * i) * US : 2010 * US;
		m.end = m.start + 16 * US;
		move(f, m);
	}
	r = resent(feed_settle(f), RESENT_SLID);
	assert_int_equal(r->count, 5);
	assert_int_equal(r->ranges, 5);
	assert_int_equal(r->bytes, 5 * (MIB / 8 * 7));
	assert_int_equal(r->gpu_ns, 5 * 14 * US);
	assert_int_equal(r->quick_count, 4);
	assert_int_equal(r->quick_ns, 4 * 14 * US);
	assert_true(r->likely_count == 4);
	for (i = 0; i < 9; i++) {
		m.host = i < 5 ? HOST + 128 * MIB + i * (MIB / 2) : i < 7 ?
		    HOST + 256 * MIB - i * (MIB / 8) :
		    HOST + 512 * MIB + i * (MIB / 8);
		m.start += 1000 * US;
		m.end += 1000 * US;
		move(f, m);
	}
	assert_int_equal(resent(feed_settle(f), RESENT_SLID)->count, 5);
	assert_int_equal(feed_settle(f)->resents, 1);
}

/* The same range to another place, with another length, or in another process: new. */
FEED_TEST(test_not_again)
{
	struct moved m = { COPY_H2D, MIB, HOST, DEV, 10 * US, 20 * US,
	    30 * US, 0, 0, 0 };
	const struct run *run;

	move(f, m);
	m.device = DEV + 8 * MIB;
	move(f, m);
	m.bytes = MIB / 2;
	move(f, m);
	feed_process(f, 43);
	m.bytes = MIB;
	move(f, m);
	/* A graph's copies, and copies without an address. */
	FEED(f, COPY, .context = 1, .kind = COPY_H2D, .bytes = MIB,
	    .src_address = HOST, .dst_address = DEV, .graph = 3,
	    .start_ns = T0 + 50 * US, .end_ns = T0 + 60 * US);
	FEED(f, COPY, .context = 1, .kind = COPY_H2D, .bytes = MIB,
	    .start_ns = T0 + 70 * US, .end_ns = T0 + 80 * US);
	run = feed_settle(f);
	assert_int_equal(run->resents, 0);
	assert_int_equal(run->copies_located, 4);
	assert_int_equal(run->copies_unlocated, 1);
}

FEED_TEST(test_ranges_bounded)
{
	struct moved m = { COPY_H2D, 4096, HOST, DEV, 0, 0, 0, 0, 0, 0 };
	const struct run *run;
	unsigned i;

	for (i = 0; i < 40000; i++, m.host += 4096) {
		m.launch = m.start = i * US;
		m.end = m.start + 500;
		move(f, m);
	}
	run = feed_settle(f);
	assert_int_equal(run->copies_located, 40000);
	assert_true(run->copies_untracked > 20000);
	assert_true(run->copies_untracked < 40000);
	assert_int_equal(run->copy[0].count, 40000);
}

static void
feed_second(struct feed *f, uint32_t flags)
{
	struct record r = { 0 };

	r.u.DEVICE = h200(1, "GPU-2");
	r.u.DEVICE.flags = flags;
	feed_record(f, RECORD_DEVICE, &r);
	FEED(f, CONTEXT, .id = 2, .device = 1);
}

static void
half(struct feed *f, enum wire_copy kind, uint32_t correlation,
    uint32_t device, uint64_t start, uint64_t end)
{

	FEED(f, COPY, .device = device, .context = device + 1, .stream = 9,
	    .correlation = correlation, .kind = (uint8_t)kind, .bytes = MIB,
	    .src_device = device, .dst_device = device,
	    .start_ns = T0 + start, .end_ns = T0 + end);
}

/* One call, two devices, one record each: a copy through the host. */
FEED_TEST(test_staged)
{
	const struct run *run;
	const struct peer *p;

	feed_second(f, 0);
	FEED(f, PEER, .device = 0, .peer = 1, .flags = PEER_CAN);
	FEED(f, PEER, .device = 1, .peer = 0, .flags = 0);
	FEED(f, PEER, .device = 0, .peer = 7, .flags = PEER_CAN);
	FEED(f, PEER, .device = 1, .peer = 1, .flags = PEER_CAN);
	half(f, COPY_D2H, 500, 0, 10 * US, 30 * US);
	half(f, COPY_H2D, 500, 1, 30 * US, 45 * US);
	half(f, COPY_D2H, 500, 0, 50 * US, 60 * US);	/* its second part */
	half(f, COPY_H2D, 500, 1, 60 * US, 65 * US);
	half(f, COPY_D2H, 501, 0, 70 * US, 90 * US);	/* only down */
	half(f, COPY_H2D, 502, 0, 91 * US, 92 * US);	/* one device */
	half(f, COPY_D2H, 502, 0, 93 * US, 94 * US);
	FEED(f, COPY, .device = 0, .context = 1, .kind = COPY_P2P,
	    .bytes = 4 * MIB, .src_device = 0, .dst_device = 1,
	    .start_ns = T0 + 100 * US, .end_ns = T0 + 140 * US);
	run = feed_settle(f);
	assert_int_equal(run->devices, 2);
	assert_int_equal(run->peers, 2);
	p = &run->peer[0];
	assert_true(p->known && p->can && !p->enabled);
	assert_int_equal(p->staged, 1);
	assert_int_equal(p->staged_bytes, 2 * MIB);
	assert_int_equal(p->down_ns, 30 * US);
	assert_int_equal(p->up_ns, 20 * US);
	assert_int_equal(p->copies, 1);
	assert_int_equal(p->bytes, 4 * MIB);
	assert_int_equal(p->gpu_ns, 40 * US);
	assert_true(run->peer[1].known && !run->peer[1].can);
	FEED(f, PEER, .device = 0, .peer = 1,
	    .flags = PEER_CAN | PEER_ENABLED);
	assert_true(feed_settle(f)->peer[0].enabled);
}

/* Hidden if no process can see it. */
FEED_TEST(test_hidden)
{
	feed_second(f, DEVICE_HIDDEN);
	assert_true(feed_settle(f)->device[1].hidden);
	feed_process(f, 43);
	feed_second(f, 0);
	assert_int_equal(feed_settle(f)->devices, 2);
	assert_false(feed_settle(f)->device[1].hidden);
}

static void
kernel_on(struct feed *f, uint32_t device, uint64_t start, uint64_t end)
{

	FEED(f, KERNEL, .signature = 1 + device, .context = device + 1,
	    .stream = 7, .start_ns = T0 + start, .end_ns = T0 + end);
}

/* Kernels of two GPUs: 0-10, 5-20 together, 30-40 alone; copies do not count. */
FEED_TEST(test_gpus_busy)
{
	const struct run *run;

	feed_second(f, 0);
	feed_signature(f, 1, "k");
	FEED(f, SIGNATURE, .id = 2, .device = 1, .name = 1001, .grid_x = 1,
	    .grid_y = 1, .grid_z = 1, .block_x = 32, .block_y = 1,
	    .block_z = 1);
	kernel_on(f, 0, 1 * US, 10 * US);
	kernel_on(f, 1, 5 * US, 20 * US);
	kernel_on(f, 0, 30 * US, 40 * US);
	kernel_on(f, 1, 32 * US, 34 * US);
	half(f, COPY_H2D, 600, 1, 50 * US, 90 * US);
	run = feed_settle(f);
	assert_int_equal(run->gpus_busy_ns, 29 * US);
	assert_int_equal(run->device[0].kernel_ns, 19 * US);
	assert_int_equal(run->device[1].kernel_ns, 17 * US);
}

static void
uvm(struct feed *f, enum wire_uvm kind, enum wire_uvm_cause cause,
    uint64_t bytes, uint64_t start, uint64_t end)
{

	FEED(f, UVM, .kind = kind, .flags = cause, .bytes = bytes,
	    .start_ns = T0 + start, .end_ns = end == 0 ? 0 : T0 + end);
}

FEED_TEST(test_unified)
{
	const struct unified *u;
	const struct run *run;

	u = &feed_settle(f)->unified;
	assert_false(u->used || u->watched);
	feed_api(f, CALL_MALLOC_MANAGED, 1 * US, 2 * US);
	assert_true(feed_settle(f)->unified.used && !u->watched);
	FEED(f, UVM, .kind = UVM_WATCHED, .flags = 38, .start_ns = T0);
	assert_true(!feed_settle(f)->unified.watched && u->refused == 38);
	FEED(f, UVM, .kind = UVM_WATCHED, .start_ns = T0);
	assert_true(feed_settle(f)->unified.watched);
	/* Two faults at the same time, pages for them meanwhile, a third fault
	 * later. */
	uvm(f, UVM_GPU_FAULT, 1, 12, 10 * US, 50 * US);
	uvm(f, UVM_GPU_FAULT, 2, 1, 20 * US, 60 * US);
	uvm(f, UVM_H2D, UVM_COHERENCE, 65536, 30 * US, 70 * US);
	uvm(f, UVM_H2D, UVM_PREFETCH, 65536, 75 * US, 80 * US);
	uvm(f, UVM_GPU_FAULT, 1, 0, 100 * US, 110 * US);
	uvm(f, UVM_D2H, UVM_COHERENCE, 4096, 200 * US, 210 * US);
	uvm(f, UVM_D2H, UVM_EVICTION, 8192, 220 * US, 230 * US);
	/* Its value is an address, and its end must be ignored. */
	uvm(f, UVM_CPU_FAULT, 1, 0x564b11112222ull, 240 * US, 0);
	uvm(f, UVM_THRASHING, 0, 65536, 250 * US, 0);
	uvm(f, UVM_THROTTLING, 0, 0, 260 * US, 265 * US);
	uvm(f, UVM_REMOTE_MAP, 0, 65536, 270 * US, 0);
	FEED(f, UVM, .kind = 77, .bytes = UINT64_MAX);
	run = feed_settle(f);
	u = &run->unified;
	assert_int_equal(u->gpu_faults, 14);
	assert_int_equal(u->cpu_faults, 1);
	assert_int_equal(u->up_bytes, 131072);
	assert_int_equal(u->down_bytes, 4096);
	assert_int_equal(u->host_ns, 0);	/* no GPU waited */
	assert_int_equal(u->evicted_bytes, 8192);
	assert_int_equal(u->fault_ns, 75 * US);
	assert_int_equal(u->thrashing, 1);
	assert_int_equal(u->throttled_ns, 5 * US);
	assert_int_equal(u->remote_maps, 1);
	assert_int_equal(u->asked_bytes, 0);
	assert_int_equal(run->copies, 0);
}

/* The host touches pages between two kernels: it waits for each from the fault
 * to the mapping, and the time in between is its own computation. */
KERNEL_TEST(test_unified_host)
{
	const struct run *run;

	feed_kernel(f, 1, 5 * US, 10 * US, 100 * US);
	feed_sync(f, SYNC_CONTEXT, 8 * US, 101 * US);
	uvm(f, UVM_D2H, UVM_COHERENCE, 4096, 200 * US, 202 * US);
	uvm(f, UVM_D2H, UVM_PREFETCH, 120000, 202 * US, 210 * US);
	uvm(f, UVM_D2H, UVM_EVICTION, 4096, 400 * US, 402 * US);
	uvm(f, UVM_D2H, UVM_COHERENCE, 12000, 500 * US, 502 * US);
	feed_kernel(f, 1, 900 * US, 905 * US, 950 * US);
	/* A host fault while a kernel runs does not delay the GPU. */
	uvm(f, UVM_D2H, UVM_COHERENCE, 12000, 920 * US, 922 * US);
	run = feed_settle(f);
	assert_int_equal(run->unified.host_ns,
	    (10 + 10 + 25 + 10 + 10 + 2 + 25 + 1) * US);
}

/* The first of two launches waits for its pages for three quarters of its time. */
KERNEL_TEST(test_unified_in_kernel)
{
	uvm(f, UVM_GPU_FAULT, 1, 12, 12 * US, 42 * US);
	feed_kernel(f, 1, 5 * US, 10 * US, 50 * US);
	feed_kernel(f, 1, 55 * US, 60 * US, 80 * US);
	assert_true(feed_settle(f)->kernel[0].fault_part == 0.5);
}

/* A driver that reports no faults: two batches of copies 80 us apart, during
 * one kernel, and a third much later. */
FEED_TEST(test_unified_untold)
{
	const struct unified *u;

	FEED(f, UVM, .kind = UVM_WATCHED, .start_ns = T0);
	uvm(f, UVM_H2D, UVM_COHERENCE, 4096, 1000 * US, 1003 * US);
	uvm(f, UVM_H2D, UVM_PREFETCH, 61440, 1003 * US, 1010 * US);
	uvm(f, UVM_H2D, UVM_COHERENCE, 4096, 1090 * US, 1100 * US);
	uvm(f, UVM_H2D, UVM_USER, 4096, 1500 * US, 1600 * US);
	uvm(f, UVM_H2D, UVM_COHERENCE, 4096, 2000 * US, 2010 * US);
	u = &feed_settle(f)->unified;
	assert_int_equal(u->gpu_faults, 0);
	assert_int_equal(u->up_batches, 3);
	assert_int_equal(u->up_bytes, 73728);
	assert_int_equal(u->fault_ns, (200 + 110) * US);
	/* Once faults are reported, they are used. */
	uvm(f, UVM_GPU_FAULT, 1, 1, 2000 * US, 2030 * US);
	u = &feed_settle(f)->unified;
	assert_int_equal(u->fault_ns, (20 + 30) * US);
}

/* A prefetch is a copy: the GPU is not idle during it. */
FEED_TEST(test_prefetched)
{
	const struct run *run;

	FEED(f, UVM, .kind = UVM_H2D, .flags = UVM_USER, .bytes = 2 * MIB,
	    .src_device = UINT32_MAX, .start_ns = T0 + 10 * US,
	    .end_ns = T0 + 50 * US);
	FEED(f, UVM, .kind = UVM_D2H, .flags = UVM_USER, .bytes = 2 * MIB,
	    .dst_device = UINT32_MAX, .start_ns = T0 + 60 * US,
	    .end_ns = T0 + 90 * US);
	/* Of an unknown device. */
	FEED(f, UVM, .kind = UVM_H2D, .flags = UVM_USER, .bytes = MIB,
	    .dst_device = 5, .start_ns = T0 + 10 * US, .end_ns = T0 + 50 * US);
	run = feed_settle(f);
	assert_int_equal(run->unified.asked_bytes, 5 * MIB);
	assert_int_equal(run->unified.fault_ns, 0);
	assert_int_equal(run->devices, 1);
	assert_int_equal(run->copies, 2);
	assert_int_equal(run->copy[0].src, MEMORY_MANAGED);
	assert_int_equal(run->device[0].busy_ns, 70 * US);
	assert_int_equal(run->device[0].h2d_ns, 40 * US);
	/* They have no addresses, and need none. */
	assert_int_equal(run->copies_unlocated, 0);
}

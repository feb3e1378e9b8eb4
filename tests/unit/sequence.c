/* Repeating launch sequences: model/sequence.c. */
#include <stdio.h>

#include "base/hash.h"
#include "unit/model_feed.h"

#define KERNELS 64u

static void
define(struct feed *f)
{
	char name[32];
	uint32_t i;

	for (i = 1; i <= KERNELS; i++) {
		snprintf(name, sizeof(name), "k%u", i);
		feed_signature(f, i, name);
	}
}

/* One launch of 3 us every 10 us, called just before. */
static void
step(struct feed *f, uint64_t *at, uint32_t kernel)
{

	feed_kernel(f, kernel, *at + 2 * US, *at + 5 * US, *at + 8 * US);
	*at += 10 * US;
}

static const struct sequence *
longest(const struct run *run)
{
	const struct sequence *s = NULL;
	size_t i;

	for (i = 0; i < run->sequences; i++)
		if (s == NULL || run->sequence[i].repeats *
		    run->sequence[i].length > s->repeats * s->length)
			s = &run->sequence[i];
	return s;
}

/* The tables in which sequences are looked for forget. So that a capture has the same
 * sequences whenever it is read, the functions' numbers are those of their names, not of
 * addresses, and without the seed of a process. */
TEST(test_number_of_name)
{
	assert_true(hash_text("_Z3addPf") == 0x05b6fcdae1b089d0ull);
}

/* The same kernel repeated is a sequence of one. */
FEED_TEST(test_single)
{
	const struct run *run;
	const struct sequence *s;
	uint64_t at = 0, i;

	define(f);
	for (i = 0; i < 1000; i++)
		step(f, &at, 7);
	run = feed_settle(f);
	assert_int_equal(run->sequences, 1);
	s = &run->sequence[0];
	assert_int_equal(s->length, 1);
	assert_int_equal(s->repeats, 1000);
	assert_int_equal(s->kernel[0], 7);
	assert_int_equal(s->kernel_ns, 1000 * 3 * US);
	assert_int_equal(s->idle_ns, 999 * 7 * US);
	assert_int_equal(s->gaps, 999);
	assert_int_equal(s->syncs, 0);
	assert_false(s->in_graph);
}

/* Long host work and our measuring are not launch gaps; nor are gaps in the 100
 * us after them. */
FEED_TEST(test_other_gaps)
{
	const struct run *run;
	uint64_t at = 0, i;

	define(f);
	for (i = 0; i < 100; i++) {
		step(f, &at, 7);
		if (i == 30)
			at += 1000 * US;
		if (i == 60) {
			FEED(f, OVERHEAD, .kind = OVERHEAD_COUNTERS,
			    .start_ns = T0 + at, .end_ns = T0 + at + 20 * US);
			at += 30 * US;
		}
	}
	run = feed_settle(f);
	assert_int_equal(run->sequences, 1);
	assert_int_equal(run->sequence[0].repeats, 100);
	assert_int_equal(run->sequence[0].gaps, 88);
	assert_int_equal(run->sequence[0].idle_ns, 88 * 7 * US);
}

/* Launches that are queued long before their turn do not wait for the host: the
 * gap between them is the GPU's own. */
FEED_TEST(test_queued)
{
	const struct run *run;
	uint64_t at = 0, i;

	define(f);
	for (i = 0; i < 100; i++, at += 10 * US)
		feed_kernel(f, 7, i * US, 1000 * US + at,
		    1000 * US + at + 8 * US);
	run = feed_settle(f);
	assert_int_equal(run->sequences, 1);
	assert_int_equal(run->sequence[0].repeats, 100);
	assert_int_equal(run->sequence[0].gaps, 0);
	assert_int_equal(run->sequence[0].idle_ns, 0);
}

/* Four different kernels, 38 in a row, after something else. */
FEED_TEST(test_period)
{
	const struct run *run;
	const struct sequence *s;
	uint64_t at = 0, i, j;

	define(f);
	for (i = 0; i < 5; i++)
		step(f, &at, 50 + (uint32_t)i);
	for (i = 0; i < 500; i++)
		for (j = 0; j < 38; j++)
			step(f, &at, 1 + (uint32_t)j);
	run = feed_settle(f);
	assert_int_equal(run->sequences, 1);
	s = &run->sequence[0];
	assert_int_equal(s->length, 38);
	assert_int_equal(s->repeats, 500);
	for (j = 0; j < 38; j++)
		assert_int_equal(s->kernel[j], j + 1);
	assert_int_equal(s->kernel_ns, 500 * 38 * 3 * US);
	assert_int_equal(s->idle_ns, (500 * 38 - 1) * 7 * US);
}

/* Nine repetitions are too few, ten are enough. */
FEED_TEST(test_threshold)
{
	uint64_t at = 0, i, j;

	define(f);
	for (i = 0; i < 9; i++)
		for (j = 0; j < 6; j++)
			step(f, &at, 1 + (uint32_t)j);
	assert_int_equal(feed_settle(f)->sequences, 0);
	for (j = 0; j < 6; j++)
		step(f, &at, 1 + (uint32_t)j);
	assert_int_equal(feed_settle(f)->sequences, 1);
}

/* An iteration with repeated layers in it: the whole iteration is found. */
FEED_TEST(test_nested)
{
	const struct run *run;
	const struct sequence *s;
	uint64_t at = 0, i, j, k;

	define(f);
	for (i = 0; i < 200; i++) {
		step(f, &at, 40);
		for (j = 0; j < 12; j++)
			for (k = 0; k < 6; k++)
				step(f, &at, 1 + (uint32_t)k);
		step(f, &at, 41);
	}
	run = feed_settle(f);
	s = longest(run);
	assert_non_null(s);
	assert_int_equal(s->length, 74);
	assert_true(s->repeats >= 195);
}

/* Interrupted and continued elsewhere in the period: still one sequence. */
FEED_TEST(test_merged)
{
	const struct run *run;
	uint64_t at = 0, i, round;

	define(f);
	for (round = 0; round < 5; round++) {
		for (i = 0; i < 100 + round; i++)
			step(f, &at, 1 + (uint32_t)((i + round) % 5));
		step(f, &at, 30 + (uint32_t)round);
	}
	run = feed_settle(f);
	assert_int_equal(run->sequences, 1);
	assert_int_equal(run->sequence[0].length, 5);
	assert_true(run->sequence[0].repeats >= 95);
	assert_true(run->sequence[0].repeats <= 102);
}

/* A graph would not close gaps that contain a synchronisation. */
FEED_TEST(test_syncs)
{
	const struct run *run;
	const struct sequence *s;
	uint64_t at = 0, i;

	define(f);
	for (i = 0; i < 100; i++) {
		step(f, &at, 1);
		step(f, &at, 2);
		feed_sync(f, SYNC_STREAM, at - 4 * US, at - US);
	}
	run = feed_settle(f);
	assert_int_equal(run->sequences, 1);
	s = &run->sequence[0];
	assert_int_equal(s->length, 2);
	assert_int_equal(s->repeats, 100);
	assert_int_equal(s->gaps, 100);
	assert_int_equal(s->idle_ns, 100 * 7 * US);
	assert_int_equal(s->syncs, 99);
}

/* Nor gaps in which the host frees memory, which cannot be captured. Their time
 * belongs to the allocator. */
FEED_TEST(test_allocations)
{
	const struct run *run;
	const struct sequence *s;
	uint64_t at = 0, i;

	define(f);
	for (i = 0; i < 100; i++) {
		step(f, &at, 1);
		step(f, &at, 2);
		feed_api(f, CALL_FREE, at - 4 * US, at - US);
	}
	run = feed_settle(f);
	assert_int_equal(run->sequences, 1);
	s = &run->sequence[0];
	assert_int_equal(s->repeats, 100);
	assert_int_equal(s->gaps, 100);
	assert_int_equal(s->idle_ns, 100 * 7 * US);
	assert_int_equal(s->syncs, 0);
	assert_int_equal(s->allocations, 99);
}

/* A graph does not close the gap before a copy: two of three gaps in a step count. */
FEED_TEST(test_gap_of_copy)
{
	const struct run *run;
	uint64_t at = 0, i;

	define(f);
	for (i = 0; i < 100; i++) {
		step(f, &at, 1);
		step(f, &at, 2);
		feed_copy(f, COPY_D2H, 8, true, at - US, at + 5 * US,
		    at + 8 * US);
		at += 10 * US;
	}
	run = feed_settle(f);
	assert_int_equal(run->sequences, 1);
	assert_int_equal(run->sequence[0].repeats, 100);
	assert_int_equal(run->sequence[0].gaps, 199);
	assert_int_equal(run->sequence[0].idle_ns, 199 * 7 * US);
}

/* But a copy of a single number is launched like a kernel, of which 3.7 us are
 * latency, also in a stream of its own. A larger copy is input, which may be late. */
FEED_TEST(test_gap_of_number)
{
	const struct run *run;
	uint64_t at = 0, i;

	define(f);
	for (i = 0; i < 200; i++) {
		step(f, &at, i < 100 ? 1 : 3);
		step(f, &at, i < 100 ? 2 : 4);
		f->queue = i % 2 ? 1 : 8;
		feed_copy(f, COPY_H2D, i < 100 ? 4 : 1 << 20, true,
		    at + 4 * US, at + 5 * US, at + 8 * US);
		f->queue = 1;
		at += 10 * US;
	}
	run = feed_settle(f);
	assert_int_equal(run->sequences, 2);
	assert_int_equal(run->sequence[0].repeats, 100);
	assert_int_equal(run->sequence[0].gaps, 298);
	assert_int_equal(run->sequence[0].idle_ns, 199 * 7 * US +
	    99 * 3300);
	assert_int_equal(run->sequence[1].gaps, 199);
	assert_int_equal(run->sequence[1].idle_ns, 199 * 7 * US);
}

/* Two streams at once are two queues. */
FEED_TEST(test_streams)
{
	const struct run *run;
	uint64_t at = 0, i;

	define(f);
	for (i = 0; i < 100; i++) {
		f->queue = 1;
		step(f, &at, 1);
		step(f, &at, 2);
		f->queue = 2;
		step(f, &at, 3);
	}
	run = feed_settle(f);
	assert_int_equal(run->sequences, 2);
	assert_int_equal(run->sequence[0].stream +
	    run->sequence[1].stream, 3);
}

FEED_TEST(test_graph)
{
	const struct run *run;
	uint64_t i;

	define(f);
	for (i = 0; i < 100; i++)
		FEED(f, KERNEL, .signature = 1 + (uint32_t)(i % 2),
		    .context = 1, .stream = 1, .graph = 5,
		    .start_ns = T0 + i * 10 * US,
		    .end_ns = T0 + i * 10 * US + 5 * US, .launch_ns = T0,
		    .tid = 7);
	run = feed_settle(f);
	assert_int_equal(run->sequences, 1);
	assert_true(run->sequence[0].in_graph);
	assert_int_equal(run->kernel[0].graph_launches, 50);
}

/* A graph of a part of what repeats leaves the other launches as they are, whichever is last. */
FEED_TEST(test_graph_of_part)
{
	const struct run *run;
	uint64_t i;

	define(f);
	for (i = 0; i < 100; i++)
		FEED(f, KERNEL, .signature = 1 + (uint32_t)(i % 2),
		    .context = 1, .stream = 1, .graph = i % 2 == 1 ? 5 : 0,
		    .start_ns = T0 + i * 10 * US,
		    .end_ns = T0 + i * 10 * US + 5 * US, .launch_ns = T0,
		    .tid = 7);
	run = feed_settle(f);
	assert_int_equal(run->sequences, 1);
	assert_false(run->sequence[0].in_graph);
}

/* Longer than the longest that is detected, and no repetition at all. */
FEED_TEST(test_long_and_none)
{
	const struct run *run;
	uint64_t at = 0, i, x = 1;

	define(f);
	for (i = 0; i < 20000; i++) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		step(f, &at, 1 + (uint32_t)(x >> 33) % KERNELS);
	}
	assert_int_equal(feed_settle(f)->sequences, 0);
	for (i = 0; i < 20 * 200; i++)
		step(f, &at, 1 + (uint32_t)(i % 200 * i % 200 * 7 % KERNELS));
	run = feed_settle(f);
	assert_non_null(longest(run));
	assert_true(longest(run)->length <= 200);
}

/* The counts grow in a live view, and are available at once. */
FEED_TEST(test_live)
{
	const struct run *run;
	uint64_t at = 0, i;

	define(f);
	for (i = 0; i < 50; i++)
		step(f, &at, 1);
	at += 20 * S;
	step(f, &at, 2);
	run = model_settle(f->m, false);
	assert_int_equal(run->sequences, 1);
	assert_int_equal(run->sequence[0].repeats, 50);
}

/* A step of a network for images: 3,000 launches, with layers in it that repeat. */
FEED_TEST(test_long)
{
	const struct run *run;
	const struct sequence *s;
	uint64_t at = 0, i, j;

	define(f);
	for (i = 0; i < 16; i++)
		for (j = 0; j < 3000; j++)
			step(f, &at, 1 + (uint32_t)(j % 100 < 60 ? j % 6 :
			    j * j / 7 % 58 + 6));
	run = feed_settle(f);
	s = longest(run);
	assert_non_null(s);
	assert_int_equal(s->length, 3000);
	assert_true(s->repeats >= 14);
	assert_int_equal(s->kernel_ns, s->repeats * 3000 * 3 * US);
	assert_int_equal(s->idle_ns, s->repeats * 3000 * 7 * US);
	assert_int_equal(run->alikes, 0);
}

/* The memory for it is bounded: a period of 40,000 is not found, and nothing else. */
FEED_TEST(test_too_long)
{
	uint64_t at = 0, i, x = 1;

	define(f);
	for (i = 0; i < 12 * 40000; i++) {
		if (i % 40000 == 0)
			x = 1;
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		step(f, &at, 1 + (uint32_t)(x >> 33) % KERNELS);
	}
	assert_int_equal(feed_settle(f)->sequences, 0);
	assert_int_equal(feed_settle(f)->alikes, 0);
}

/* The grids of every other of three functions grow from step to step: no sequence of
 * the same kernels, but one of the same functions. */
FEED_TEST(test_alike)
{
	static const char *const name[] = { "f", "g", "h" };
	const struct run *run;
	const struct sequence *s;
	uint64_t at = 0, i, j;

	for (j = 0; j < 3; j++)
		FEED(f, STRING, .id = 1000 + (uint32_t)j,
		    .text = wire_str_of(name[j]));
	for (i = 0; i < 60; i++)
		FEED(f, SIGNATURE, .id = 1 + (uint32_t)i, .name = 1000 +
		    (uint32_t)(i % 3), .grid_x = i % 3 == 1 ? 7 :
		    1 + (uint32_t)(i / 3), .grid_y = 1, .grid_z = 1,
		    .block_x = 32, .block_y = 1, .block_z = 1, .regs = 32,
		    .carveout = 255);
	for (i = 0; i < 20; i++)
		for (j = 0; j < 3; j++)
			step(f, &at, (uint32_t)(1 + 3 * i + j));
	run = feed_settle(f);
	assert_int_equal(run->sequences, 0);
	assert_int_equal(run->alikes, 1);
	s = &run->alike[0];
	assert_int_equal(s->length, 3);
	assert_true(s->repeats >= 16);
	assert_int_equal(s->grown, 2 * s->repeats);
	assert_int_equal(s->shrunk, 0);
	assert_int_equal(s->idle_ns, s->repeats * 3 * 7 * US);
}

/* What lies between the first and the last repeat counts in its span. */
FEED_TEST(test_span)
{
	const struct run *run;
	const struct sequence *s;
	uint64_t at = 0, i;

	define(f);
	for (i = 0; i < 60; i++)
		step(f, &at, 1 + (uint32_t)(i % 3));
	for (i = 0; i < 5; i++)
		step(f, &at, 20 + (uint32_t)i);
	for (i = 0; i < 60; i++)
		step(f, &at, 1 + (uint32_t)(i % 3));
	run = feed_settle(f);
	s = longest(run);
	assert_int_equal(s->repeats, 40);
	assert_int_equal(s->span_launches, 125);
	assert_int_equal(s->span_kernel_ns, 125 * 3 * US);
	assert_int_equal(s->span_gaps, 124);
	assert_int_equal(s->last_ns, T0 + at - 2 * US);
	assert_true(s->first_ns > T0 && s->first_ns < T0 + 80 * US);
}

/* What the legacy default stream serialises: model/legacy.c. */
#include "unit/model_feed.h"

#define NULL_STREAM 7u
#define SIDE 13u

static void
streams(struct feed *f, uint32_t flags)
{

	FEED(f, CONTEXT, .id = 1, .device = 0, .null_stream = NULL_STREAM);
	FEED(f, STREAM, .context = 1, .id = SIDE, .flags = flags);
	feed_signature(f, 1, "k");
}

/* ${n} iterations of a kernel of 100 us in the default stream and a copy of 60 us
 * in the other stream, which starts ${gap} after it; both were called long before. */
static void
turns(struct feed *f, uint64_t n, uint64_t gap)
{
	uint64_t at = S, i;

	for (i = 0; i < n; i++) {
		f->queue = NULL_STREAM;
		feed_kernel(f, 1, at - 500 * MS, at, at + 100 * US);
		at += 100 * US + gap;
		f->queue = SIDE;
		feed_copy(f, COPY_H2D, 1 << 20, true, at - 500 * MS, at,
		    at + 60 * US);
		at += 60 * US + gap;
	}
}

static const struct device *
settle(struct feed *f)
{
	return &feed_settle(f)->device[0];
}

/* Each waits for the other: all copies could have run beside kernels. */
FEED_TEST(test_turns)
{
	const struct device *d;

	streams(f, 1);
	turns(f, 100, 2 * US);
	d = settle(f);
	assert_int_equal(d->legacy_waits, 199);
	assert_int_equal(d->legacy_wait_ns, 100 * 100 * US + 99 * 60 * US);
	assert_true(fabs(d->legacy_copies_ns - 100.0 * 60 * US) < 1);
	assert_true(d->legacy_kernels_ns == 0);
}

/* A non-blocking stream, a stream of unknown kind, and work that starts later
 * than directly after: no wait. */
FEED_TEST(test_non_blocking)
{
	streams(f, 2);
	turns(f, 100, 2 * US);
	assert_int_equal(settle(f)->legacy_waits, 0);
}

FEED_TEST(test_unknown)
{
	streams(f, 0);
	turns(f, 100, 2 * US);
	assert_int_equal(settle(f)->legacy_waits, 0);
}

FEED_TEST(test_later)
{
	streams(f, 1);
	turns(f, 100, 30 * US);
	assert_int_equal(settle(f)->legacy_waits, 0);
}

/* The host waits for a blocking copy anyway. */
FEED_TEST(test_blocking_copy)
{
	uint64_t at = S, i;

	streams(f, 1);
	for (i = 0; i < 50; i++) {
		f->queue = SIDE;
		feed_kernel(f, 1, at - 500 * MS, at, at + 100 * US);
		f->queue = NULL_STREAM;
		feed_copy(f, COPY_D2H, 1 << 20, false, at - 500 * MS,
		    at + 102 * US, at + 160 * US);
		at += S;
	}
	assert_int_equal(settle(f)->legacy_waits, 0);
}

/* The stream's record arrives after its first work. */
KERNEL_TEST(test_told_late)
{
	f->queue = SIDE;
	feed_kernel(f, 1, MS, 2 * MS, 3 * MS);
	streams(f, 1);
	turns(f, 10, 2 * US);
	assert_int_equal(settle(f)->legacy_waits, 19);
}

/* Kernels that fill the GPU leave no room for others; kernels of a quarter of it do. */
FEED_TEST(test_kernels)
{
	const struct device *d;
	uint64_t at = S, i;

	streams(f, 1);
	FEED(f, STRING, .id = 5, .text = wire_str_of("small"));
	FEED(f, SIGNATURE, .id = 2, .name = 5, .grid_x = 264, .grid_y = 1,
	    .grid_z = 1, .block_x = 256, .block_y = 1, .block_z = 1,
	    .regs = 32, .carveout = 255);
	for (i = 0; i < 20; i++) {
		f->queue = i % 2 == 0 ? NULL_STREAM : SIDE;
		feed_kernel(f, 2, at - 500 * MS, at, at + 100 * US);
		at += 101 * US;
	}
	d = settle(f);
	assert_int_equal(d->legacy_waits, 19);
	assert_true(fabs(d->legacy_kernels_ns - 10.0 * 100 * US) < 1);
	assert_true(d->legacy_copies_ns == 0);
}

/* Three streams whose kernels run one at a time because of short work in the
 * default stream after each: if they ran at the same time it would take a third. */
FEED_TEST(test_turns_of_streams)
{
	const struct device *d;
	uint64_t at = S, i;

	streams(f, 1);
	FEED(f, STREAM, .context = 1, .id = SIDE + 1, .flags = 1);
	FEED(f, STREAM, .context = 1, .id = SIDE + 2, .flags = 1);
	FEED(f, STRING, .id = 5, .text = wire_str_of("small"));
	FEED(f, SIGNATURE, .id = 2, .name = 5, .grid_x = 264, .grid_y = 1,
	    .grid_z = 1, .block_x = 256, .block_y = 1, .block_z = 1,
	    .regs = 32, .carveout = 255);
	for (i = 0; i < 300; i++) {
		f->queue = SIDE + i % 3;
		feed_kernel(f, 2, at - 500 * MS, at, at + 100 * US);
		f->queue = NULL_STREAM;
		feed_kernel(f, 1, at - 500 * MS, at + 101 * US, at + 103 * US);
		at += 104 * US;
	}
	d = settle(f);
	assert_true(d->legacy_waits > 550);
	assert_true(d->legacy_kernels_ns > 0.6 * 300 * 100 * US);
	assert_true(d->legacy_kernels_ns < 0.75 * 300 * 100 * US);
}

FEED_TEST(test_full)
{
	const struct device *d;
	uint64_t at = S, i;

	streams(f, 1);
	FEED(f, STRING, .id = 5, .text = wire_str_of("large"));
	FEED(f, SIGNATURE, .id = 2, .name = 5, .grid_x = 100000, .grid_y = 1,
	    .grid_z = 1, .block_x = 256, .block_y = 1, .block_z = 1,
	    .regs = 32, .carveout = 255);
	for (i = 0; i < 20; i++) {
		f->queue = i % 2 == 0 ? NULL_STREAM : SIDE;
		feed_kernel(f, 2, at - 500 * MS, at, at + 100 * US);
		at += 101 * US;
	}
	d = settle(f);
	assert_int_equal(d->legacy_waits, 19);
	assert_true(d->legacy_kernels_ns == 0);
}

/* Work that was called only after the other had ended had nothing to wait for. */
FEED_TEST(test_called_later)
{
	uint64_t at = S, i;

	streams(f, 1);
	for (i = 0; i < 20; i++) {
		f->queue = i % 2 == 0 ? NULL_STREAM : SIDE;
		feed_kernel(f, 1, at - 2 * US, at, at + 100 * US);
		at += 105 * US;
	}
	assert_int_equal(settle(f)->legacy_waits, 0);
}

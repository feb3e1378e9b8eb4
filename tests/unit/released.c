/* Streams that take turns because memory is released in between: model/released.c. */
#include "unit/model_feed.h"

/* ${n} kernels of 100 us of ${blocks} blocks, one after the other, in ${streams} streams
 * in turn; behind each the host is in ${call} until ${late} after its end. */
static const struct device *
jobs(struct feed *f, uint64_t n, uint32_t blocks, uint32_t streams,
    enum wire_call call, uint64_t late)
{
	uint64_t at = S, i;

	FEED(f, STRING, .id = 5, .text = wire_str_of("job"));
	FEED(f, SIGNATURE, .id = 2, .name = 5, .grid_x = blocks, .grid_y = 1,
	    .grid_z = 1, .block_x = 256, .block_y = 1, .block_z = 1, .regs = 32,
	    .carveout = 255);
	for (i = 0; i < n; i++) {
		f->queue = 10 + (uint32_t)(i % streams);
		feed_kernel(f, 2, at, at + 5 * US, at + 105 * US);
		feed_api(f, call, at + 3 * US, at + 105 * US + late);
		at += 120 * US;
	}
	feed_bye(f, at);
	return &feed_settle(f)->device[0];
}

/* 264 of them fit on the GPU at once: as many overlap as there are streams. */
FEED_TEST(test_streams)
{
	const struct device *d = jobs(f, 101, 4, 8, CALL_FREE, 5 * US);

	assert_int_equal(d->released_streams, 8);
	assert_true(fabs(d->released_ns - 100 * 100e3 * 7 / 8) < 1);
}

/* Half of the GPU each: two, whatever the number of streams. */
FEED_TEST(test_half_full)
{
	const struct device *d = jobs(f, 101, 4 * 132, 8, CALL_FREE, 5 * US);

	assert_true(fabs(d->released_ns - 100 * 100e3 / 2) < 1);
}

FEED_TEST(test_full)
{
	assert_true(jobs(f, 101, 8 * 132, 8, CALL_FREE, 5 * US)->released_ns
	    == 0);
}

/* One stream has its order. */
FEED_TEST(test_one_stream)
{
	assert_true(jobs(f, 101, 4, 1, CALL_FREE, 5 * US)->released_ns == 0);
}

/* The call returned before the kernel ended, or it is another call. */
FEED_TEST(test_not_inside)
{
	const struct device *d = jobs(f, 101, 4, 8, CALL_FREE, -(50 * US));

	assert_true(d->released_ns == 0);
}

FEED_TEST(test_other_call)
{
	assert_true(jobs(f, 101, 4, 8, CALL_DEVICE_SYNC, 5 * US)->released_ns
	    == 0);
}

/* What follows in the same stream belongs to the job. */
FEED_TEST(test_behind)
{
	const struct device *d;
	uint64_t at = S;

	feed_signature(f, 1, "k");
	FEED(f, STRING, .id = 5, .text = wire_str_of("job"));
	FEED(f, SIGNATURE, .id = 2, .name = 5, .grid_x = 4, .grid_y = 1,
	    .grid_z = 1, .block_x = 256, .block_y = 1, .block_z = 1, .regs = 32,
	    .carveout = 255);
	for (int i = 0; i < 3; i++) {
		f->queue = 10 + (uint32_t)i;
		feed_kernel(f, 2, at, at + 5 * US, at + 105 * US);
		feed_kernel(f, 2, at + US, at + 106 * US, at + 206 * US);
		feed_api(f, CALL_FREE, at + 3 * US, at + 210 * US);
		at += 220 * US;
	}
	feed_bye(f, at);
	d = &feed_settle(f)->device[0];
	assert_int_equal(d->released_streams, 2);
	assert_true(fabs(d->released_ns - 4 * 100e3 / 2) < 1);
}

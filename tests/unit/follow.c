/* Which kernel follows which: model/follow.c. */
#include "unit/model_feed.h"

/* One launch of 3 us every 10 us. */
static void
step(struct feed *f, uint64_t *at, uint32_t kernel)
{

	feed_kernel(f, kernel, *at + 2 * US, *at + 5 * US, *at + 8 * US);
	*at += 10 * US;
}

static const struct kernel *
settle(struct feed *f, uint32_t id)
{
	const struct run *run = feed_settle(f);

	assert_true(id <= run->kernels);
	return &run->kernel[id - 1];
}

static void
define(struct feed *f)
{

	feed_signature(f, 1, "k1");
	feed_signature(f, 2, "k2");
	feed_signature(f, 3, "k3");
}

/* Three kernels in turn; the last one has no successor. */
FEED_TEST(test_turns)
{
	uint64_t at = 0, i;

	define(f);
	for (i = 0; i < 300; i++)
		step(f, &at, (uint32_t)(i % 3) + 1);
	assert_int_equal(settle(f, 1)->next, 2);
	assert_int_equal(settle(f, 1)->next_count, 100);
	assert_int_equal(settle(f, 1)->next_idle_ns, 100 * 7 * US);
	assert_int_equal(settle(f, 2)->next, 3);
	assert_int_equal(settle(f, 3)->next, 1);
	assert_int_equal(settle(f, 3)->next_count, 99);
	assert_false(settle(f, 1)->next_null);
}

FEED_TEST(test_default_stream)
{
	uint64_t at = 0, i;

	define(f);
	FEED(f, STREAM, .context = 1, .id = f->queue, .flags = 3);
	for (i = 0; i < 20; i++)
		step(f, &at, (uint32_t)(i % 2) + 1);
	assert_true(settle(f, 1)->next_null);
}

/* After a copy, a memset or a wait of the host nothing counts as following. */
FEED_TEST(test_between)
{
	uint64_t at = 0, i;

	define(f);
	for (i = 0; i < 100; i++) {
		step(f, &at, 1);
		feed_copy(f, COPY_D2D, 4096, true, at, at + US, at + 2 * US);
		at += 10 * US;
		step(f, &at, 2);
		feed_sync(f, SYNC_STREAM, at - 4 * US, at + US);
		at += 10 * US;
	}
	assert_int_equal(settle(f, 1)->next, 0);
	assert_int_equal(settle(f, 2)->next, 0);
	assert_int_equal(settle(f, 2)->next_count, 0);
}

/* Each queue is separate; of several successors the most frequent counts. */
FEED_TEST(test_queues)
{
	uint64_t at = 0, i;

	define(f);
	for (i = 0; i < 100; i++) {
		f->queue = 1;
		step(f, &at, 1);
		f->queue = 2;
		step(f, &at, 3);
		f->queue = 1;
		step(f, &at, i % 10 == 0 ? 3 : 2);
	}
	assert_int_equal(settle(f, 1)->next, 2);
	assert_in_range(settle(f, 1)->next_count, 85, 90);
	assert_int_equal(settle(f, 2)->next, 1);
}

/* In one queue, only kernels that cannot overlap follow each other. */
FEED_TEST(test_overlap)
{
	uint64_t i;

	define(f);
	for (i = 0; i < 50; i++) {
		feed_kernel(f, 1, i * 20 * US, i * 20 * US, (i * 20 + 10) * US);
		feed_kernel(f, 2, i * 20 * US, (i * 20 + 5) * US,
		    (i * 20 + 15) * US);
	}
	assert_int_equal(settle(f, 1)->next, 0);
}

/*
 * unit/model_feed.h: short forms of records, for the tests of the model. Times
 * are nanoseconds after T0.
 */
#ifndef CADV_TEST_MODEL_FEED_H
#define CADV_TEST_MODEL_FEED_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "h200.h"
#include "model/model.h"
#include "unit/test.h"

#define T0 1700000000000000000ull
#define US 1000ull
#define MS 1000000ull
#define S 1000000000ull

struct feed {
	struct model *m;
	uint64_t stream, sequence;
	uint32_t correlation;
	uint32_t tid, queue;		/* for the following records */
};

static inline void
feed_record(struct feed *f, uint16_t type, struct record *r)
{

	r->type = type;
	assert_int_equal(model_feed(f->m, f->stream, f->sequence++, r), 0);
}

#define FEED(f, name, ...) do {						\
	struct record record_ = { .u.name = { __VA_ARGS__ } };		\
	feed_record((f), RECORD_##name, &record_);			\
} while (0)

static inline struct record_DEVICE
h200(uint32_t id, const char *uuid)
{

	return (struct record_DEVICE){ .id = id, H200_LIMITS,
	    .name = wire_str_of("NVIDIA H200"), .chip = wire_str_of("gh100"),
	    .uuid = wire_str_of(uuid) };
}

/* A process that sends HELLO at T0 and has one GPU (ordinal 0), context 1. */
static inline void
feed_process(struct feed *f, uint64_t stream)
{
	struct record r = { 0 };

	f->stream = stream;
	f->sequence = 0;
	f->tid = 7;
	f->queue = 1;
	FEED(f, HELLO, .protocol = WIRE_PROTOCOL, .level = LEVEL_COUNTERS,
	    .pid = 100, .start_ns = T0, .now_ns = T0,
	    .run = wire_str_of("0123456789abcdef0123456789abcdef"),
	    .exe = wire_str_of("/bin/app"), .command = wire_str_of("app"));
	r.u.DEVICE = h200(0, "GPU-1");
	feed_record(f, RECORD_DEVICE, &r);
	FEED(f, CONTEXT, .id = 1, .device = 0);
}

/* Signature ${id} named ${mangled}, 256 threads in 1024 blocks. */
static inline void
feed_signature(struct feed *f, uint32_t id, const char *mangled)
{

	FEED(f, STRING, .id = 1000 + id, .text = wire_str_of(mangled));
	FEED(f, SIGNATURE, .id = id, .name = 1000 + id, .grid_x = 1024,
	    .grid_y = 1, .grid_z = 1, .block_x = 256, .block_y = 1,
	    .block_z = 1, .regs = 32, .carveout = 255);
}

static inline void
feed_kernel(struct feed *f, uint32_t id, uint64_t launch, uint64_t start,
    uint64_t end)
{

	FEED(f, KERNEL, .signature = id, .context = 1, .stream = f->queue,
	    .correlation = ++f->correlation, .start_ns = T0 + start,
	    .end_ns = T0 + end, .launch_ns = T0 + launch, .tid = f->tid);
}

static inline void
feed_copy(struct feed *f, enum wire_copy kind, uint64_t bytes, bool async,
    uint64_t launch, uint64_t start, uint64_t end)
{

	FEED(f, COPY, .context = 1, .stream = f->queue,
	    .correlation = ++f->correlation, .start_ns = T0 + start,
	    .end_ns = T0 + end, .launch_ns = T0 + launch, .bytes = bytes,
	    .kind = (uint8_t)kind,
	    .src = kind == COPY_H2D ? MEMORY_PAGEABLE : MEMORY_DEVICE,
	    .dst = kind == COPY_D2H ? MEMORY_PAGEABLE : MEMORY_DEVICE,
	    .flags = async ? COPY_ASYNC : 0, .tid = f->tid);
}

static inline void
feed_sync(struct feed *f, enum wire_sync kind, uint64_t start, uint64_t end)
{

	FEED(f, SYNC, .kind = kind, .context = 1, .tid = f->tid,
	    .start_ns = T0 + start, .end_ns = T0 + end);
}

static inline void
feed_api(struct feed *f, enum wire_call call, uint64_t start, uint64_t end)
{

	FEED(f, API, .call = (uint16_t)call, .tid = f->tid,
	    .start_ns = T0 + start, .end_ns = T0 + end);
}

static inline void
feed_bye(struct feed *f, uint64_t at)
{

	FEED(f, BYE, .now_ns = T0 + at, .reason = BYE_EXIT);
}

static inline int
feed_setup(void **state)
{
	struct feed *f = calloc(1, sizeof(*f));

	if (f == NULL || (f->m = model_new()) == NULL)
		return -1;
	feed_process(f, 42);
	*state = f;
	return 0;
}

static inline int
feed_setup_kernel(void **state)
{

	if (feed_setup(state) != 0)
		return -1;
	feed_signature(*state, 1, "a");
	return 0;
}

static inline int
feed_teardown(void **state)
{
	struct feed *f = *state;

	model_free(f->m);
	free(f);
	return 0;
}

/* A test that feeds a model: its body has `struct feed *f`, whose process has
 * sent HELLO; KERNEL_TEST: which also has signature 1, of a kernel named "a". */
#define FEED_TEST(name) FEED_TEST_WITH(name, feed_setup)
#define KERNEL_TEST(name) FEED_TEST_WITH(name, feed_setup_kernel)
#define FEED_TEST_WITH(name, setup)					\
	static void name##_fed(struct feed *f);				\
	TEST_WITH(name, setup, feed_teardown)				\
	{								\
		name##_fed(*state);					\
	}								\
	static void							\
	name##_fed(struct feed *f)

/* The run at the end of everything that was fed. */
static inline const struct run *
feed_settle(struct feed *f)
{
	const struct run *run = model_settle(f->m, true);

	assert_non_null(run);
	return run;
}

#endif

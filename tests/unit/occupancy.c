/* Theoretical occupancy: known shapes, and our calculator against NVIDIA's. */
#include <string.h>

#include "model/occupancy.h"
#include "unit/model_feed.h"

static struct record_SIGNATURE
shape(uint32_t threads, uint32_t blocks, uint32_t regs, uint32_t smem)
{

	return (struct record_SIGNATURE){ .grid_x = blocks, .grid_y = 1,
	    .grid_z = 1, .block_x = threads, .block_y = 1, .block_z = 1,
	    .regs = regs, .smem_static = smem, .carveout = 255 };
}

TEST(test_register_limited)
{
	struct record_DEVICE d = h200(0, "");
	struct record_SIGNATURE s = shape(256, 132 * 6, 72, 0);
	struct occupancy o;

	occupancy_of(&o, &d, &s);
	assert_true(o.known);
	assert_int_equal(o.blocks_per_sm, 3);
	assert_int_equal(o.limiter, LIMITER_REGISTERS);
	assert_int_equal(o.limit_blocks[LIMITER_REGISTERS], 3);
	assert_int_equal(o.limit_blocks[LIMITER_WARPS], 8);
	assert_true(fabs(o.ratio - 24.0 / 64) < 1e-12);
	assert_true(fabs(o.waves - 2) < 1e-12);
}

/* 16 KiB of shared memory must not be read as "as much L1 as possible". */
TEST(test_shared_memory)
{
	struct record_DEVICE d = h200(0, "");
	struct record_SIGNATURE s = shape(128, 1000, 32, 48 * 1024);
	struct occupancy o;

	occupancy_of(&o, &d, &s);
	assert_int_equal(o.limiter, LIMITER_SHARED);
	assert_int_equal(o.blocks_per_sm, 4);	/* 228 / 49 */
	s.smem_static = 0;
	s.smem_dynamic = 100 * 1024;		/* over 48 KiB, opted in */
	s.smem_optin = 1;
	occupancy_of(&o, &d, &s);
	assert_true(o.known);
	assert_int_equal(o.blocks_per_sm, 2);
}

TEST(test_small_blocks)
{
	struct record_DEVICE d = h200(0, "");
	struct record_SIGNATURE s = shape(32, 10000, 16, 0);
	struct occupancy o;

	occupancy_of(&o, &d, &s);
	assert_int_equal(o.limiter, LIMITER_BLOCKS);
	assert_int_equal(o.blocks_per_sm, 32);
	assert_true(fabs(o.ratio - 0.5) < 1e-12);
	assert_int_equal(o.best_block, 256);
	assert_true(fabs(o.best_ratio - 1) < 1e-12);
	assert_int_equal(o.best_min_grid, 8 * 132);
	/* A shape that is already best is not changed. */
	s = shape(64, 10000, 16, 0);
	occupancy_of(&o, &d, &s);
	assert_int_equal(o.best_block, 64);
	assert_int_equal(o.limiter, LIMITER_NONE);
}

TEST(test_clusters)
{
	struct record_DEVICE d = h200(0, "");
	struct record_SIGNATURE s = shape(256, 1024, 32, 0);
	struct occupancy o;

	s.cluster_x = 8;
	s.cluster_y = s.cluster_z = 1;
	s.max_active_clusters = 33;		/* 264 blocks: 2 an SM */
	occupancy_of(&o, &d, &s);
	assert_int_equal(o.limiter, LIMITER_CLUSTER);
	assert_int_equal(o.blocks_per_sm, 2);
}

/* Values from the wire must not break the arithmetic. */
TEST(test_nonsense)
{
	struct record_DEVICE d = h200(0, ""), zero = { 0 };
	struct record_SIGNATURE s = shape(256, 1, 32, 0);
	struct occupancy o;

	occupancy_of(&o, &zero, &s);
	assert_false(o.known);
	s = shape(UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX);
	s.block_y = s.block_z = s.grid_y = s.grid_z = UINT32_MAX;
	occupancy_of(&o, &d, &s);
	assert_false(o.known);
	s = shape(0, 0, 0, 0);
	occupancy_of(&o, &d, &s);
	assert_false(o.known);
	memset(&d, 0xff, sizeof(d));
	s = shape(256, 1, 32, 0);
	occupancy_of(&o, &d, &s);
	assert_false(o.known);
}

#ifdef HAVE_CUDA_OCCUPANCY
static const struct chip {
	uint32_t major, minor, threads, blocks, smem_sm, smem_optin, reserved;
} chips[] = {
	{ 7, 0, 2048, 32, 98304, 98304, 0 },
	{ 7, 5, 1024, 16, 65536, 65536, 0 },
	{ 8, 0, 2048, 32, 167936, 166912, 1024 },
	{ 8, 6, 1536, 16, 102400, 101376, 1024 },
	{ 8, 9, 1536, 24, 102400, 101376, 1024 },
	{ 9, 0, 2048, 32, 233472, 232448, 1024 },
	{ 10, 0, 2048, 32, 233472, 232448, 1024 },
	{ 12, 0, 1536, 24, 102400, 101376, 1024 },
};

static struct record_DEVICE
chip_device(const struct chip *c)
{
	struct record_DEVICE d = h200(0, "");

	d.cc_major = c->major;
	d.cc_minor = c->minor;
	d.max_threads_per_sm = c->threads;
	d.max_blocks_per_sm = c->blocks;
	d.smem_per_sm = c->smem_sm;
	d.smem_per_block_optin = c->smem_optin;
	d.smem_reserved = c->reserved;
	return d;
}

static uint32_t
compare(const struct record_DEVICE *d, const struct record_SIGNATURE *s)
{
	struct occupancy own, cuda;

	occupancy_with(&own, d, s, occupancy_own);
	occupancy_with(&cuda, d, s, occupancy_cuda);
	if (own.known != cuda.known ||
	    own.blocks_per_sm != cuda.blocks_per_sm ||
	    own.limiter != cuda.limiter || own.best_block != cuda.best_block)
		fail_msg("cc %u.%u, %u threads, %u registers, %u + %u B, "
		    "carveout %u: %u blocks (%s, best %u), NVIDIA says %u "
		    "(%s, best %u)", d->cc_major, d->cc_minor, s->block_x,
		    s->regs, s->smem_static, s->smem_dynamic, s->carveout,
		    own.blocks_per_sm, limiter_name[own.limiter],
		    own.best_block, cuda.blocks_per_sm,
		    limiter_name[cuda.limiter], cuda.best_block);
	return own.known;
}

TEST(test_against_cuda)
{
	static const uint32_t threads[] = { 1, 32, 33, 64, 96, 128, 192, 256,
	    320, 512, 640, 768, 1000, 1024 };
	static const uint32_t regs[] = { 0, 1, 16, 24, 32, 33, 40, 64, 72, 96,
	    128, 168, 255 };
	static const uint32_t smem[] = { 0, 16, 1024, 4096, 16384, 33000,
	    49152 };
	static const uint32_t dynamic[] = { 0, 2048, 65536 };
	static const uint32_t carveout[] = { 255, 0, 25, 50, 100 };
	uint32_t known = 0, compared = 0;
	size_t c, t, r, m, y, k;

	/* clang-format off */
	for (c = 0; c < sizeof(chips) / sizeof(chips[0]); c++)
	for (t = 0; t < sizeof(threads) / sizeof(threads[0]); t++)
	for (r = 0; r < sizeof(regs) / sizeof(regs[0]); r++)
	for (m = 0; m < sizeof(smem) / sizeof(smem[0]); m++)
	for (y = 0; y < sizeof(dynamic) / sizeof(dynamic[0]); y++)
	for (k = 0; k < sizeof(carveout) / sizeof(carveout[0]); k++) {
		struct record_DEVICE d = chip_device(&chips[c]);
		struct record_SIGNATURE s = shape(threads[t], 1000, regs[r],
		    smem[m]);

		s.smem_dynamic = dynamic[y];
		s.smem_optin = dynamic[y] > 49152;
		s.carveout = carveout[k];
		known += compare(&d, &s);
		compared++;
	}
	/* clang-format on */
	assert_true(known > compared / 2);
}
#endif

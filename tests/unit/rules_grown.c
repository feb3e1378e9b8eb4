/*
 * unit/rules_grown.c: a step whose arrays grow each time, as a cache of tokens does, is launched in
 * sequences of their own: no graph of one fits the next, unless the size is fixed.
 */
#include "unit/advise.h"

#define MS 1000000ull
#define SIZES 12u		/* of the cache, one after the other */
#define LAYERS 300u		/* repeats of a sequence: layers, and texts */

static struct site_frame frame[] = {
	{ .file = "/x/site-packages/transformers/models/bloom/modeling_bloom.py",
	  .function = "forward", .line = 257, .python = true },
	{ .file = "/home/me/run.py", .function = "sample", .line = 19, .python = true },
	{ .function = "at::_ops::mul_Tensor::call(int)", .module = "libtorch_cpu.so" } };
static struct site site[2 + SIZES];
static struct site_frame engine[] = { { .module = "libtorch_cpu.so",
	.function = "torch::autograd::Engine::evaluate_function(int)" } };
static struct process python = { .python = true };
static struct kernel kernel[2 + SIZES];
static struct sequence sequence[SIZES + 1];

/* ${grid}: blocks of the third kernel in the sequence of each size, of three launches. The period
 * begins anywhere. */
static void
made_grown(struct made *m, const uint32_t grid[SIZES])
{
	made_again(m);
	made_kernel(m, "gemvx", SIZES * LAYERS, 2000);
	made_kernel(m, "layer_norm", SIZES * LAYERS, 2000);
	made_kernel(m, "elementwise", LAYERS, 2000);
	kernel[0] = m->kernel[0];
	kernel[1] = m->kernel[1];
	for (uint32_t i = 0; i < SIZES; i++) {
		struct sequence *s = &sequence[i];

		kernel[2 + i] = m->kernel[2];
		kernel[2 + i].id = 3 + i;
		kernel[2 + i].shape.grid_x = grid[i];
		*s = (struct sequence){ .length = 3, .repeats = LAYERS, .gaps = 3 * LAYERS,
		    .kernel_ns = 3 * LAYERS * 2000, .idle_ns = 3 * LAYERS * 20000,
		    .first_ns = (100 + i) * MS, .last_ns = (2000 + i) * MS };
		s->kernel[i % 3] = 1;
		s->kernel[(i + 1) % 3] = 2;
		s->kernel[(i + 2) % 3] = 3 + i;
	}
	for (uint32_t i = 0; i < 2 + SIZES; i++)
		site[i] = (struct site){ .call = CALL_LAUNCH, .count = 1, .kernel = i + 1,
		    .frame = frame, .frames = 3, .first = 1 };
	m->run.kernel = kernel;
	m->run.kernels = 2 + SIZES;
	m->run.sequence = sequence;
	m->run.sequences = SIZES;
	m->run.idle_ns[IDLE_LAUNCH] = m->run.idle_total_ns = 220 * MS;
	m->run.site = site;
	m->run.sites = 2 + SIZES;
	m->run.process = &python;
	m->run.processes = 1;
}

static const uint32_t growing[SIZES] = { 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

/* In a package's model with a cache, the package has one of a fixed size; elsewhere the program
 * makes its own. In a training that is not what grows. */
MADE_TEST(test_grown)
{
	const struct finding *f;

	made_grown(m, growing);
	f = made_found(m, "launch-bound-graph-candidate");
	assert_has(f->advice, "cache_implementation=");
	assert_has(f->good_code, "StaticCache(");
	assert_has(f->summary, "with ever larger grids");
	frame[0].file = "/home/me/model.py";
	f = made_found(m, "launch-bound-graph-candidate");
	assert_lacks(f->advice, "cache_implementation=");
	assert_has(f->advice, "the sequence grows with each step");
	frame[0].file = "/x/site-packages/transformers/models/bloom/modeling_bloom.py";
	site[1 + SIZES].frame = engine;
	site[1 + SIZES].frames = 1;
	f = made_found(m, "launch-bound-graph-candidate");
	assert_lacks(f->advice, "cache_implementation=");
}

/* A loop that ends in the first half of the run is of a phase, and the finding says so. */
MADE_TEST(test_until)
{
	made_grown(m, growing);
	m->run.origin_ns = 50 * MS;
	assert_has(made_found(m, "launch-bound-graph-candidate")->summary,
	    "; until 1.96 s of the run, and not later");
	for (uint32_t i = 0; i < SIZES; i++)
		sequence[i].last_ns += m->run.wall_ns / 2;
	assert_lacks(made_found(m, "launch-bound-graph-candidate")->summary, "until");
}

static void
no_growth(struct made *m)
{
	const struct finding *f = made_found(m, "launch-bound-graph-candidate");

	assert_lacks(f->summary, "larger grids");
	assert_lacks(f->advice, "grows");
	assert_lacks(f->advice, "cache");
}

/* Sizes by chance, a few, or of a part of the loop do not grow. */
MADE_TEST(test_not_grown)
{
	static const uint32_t chance[SIZES] = { 4, 9, 6, 12, 8, 5, 15, 11, 13, 14, 7, 10 };
	static const uint32_t few[SIZES] = { 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9 };

	made_grown(m, chance);
	no_growth(m);
	made_grown(m, few);
	no_growth(m);
	/* The longest part of the loop is one that repeats. */
	made_grown(m, growing);
	sequence[SIZES] = sequence[0];
	sequence[SIZES].length = 2;
	sequence[SIZES].repeats = sequence[SIZES].gaps = 40 * LAYERS;
	sequence[SIZES].gaps *= 2;
	sequence[SIZES].idle_ns = 80 * LAYERS * 20000ull;
	m->run.sequences = SIZES + 1;
	m->run.idle_ns[IDLE_LAUNCH] = m->run.idle_total_ns = 1000 * MS;
	no_growth(m);
}

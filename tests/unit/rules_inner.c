/*
 * unit/rules_inner.c: a compiled loop of few turns within another, which the host runs launch by
 * launch, is unrolled: its turns fuse.
 */
#include <math.h>
#include <string.h>

#include "unit/advise.h"

#define MS 1000000ull
#define STEPS 20000u
#define WHILE { .function = "xla::gpu::WhileThunk::ExecuteOnStream",			\
	.module = "xla_cuda_plugin.so" }

static struct site_frame frame[] = {
	{ .file = "/home/me/run.py", .function = "run", .line = 7, .python = true },
	WHILE, WHILE };
static struct site site = { .call = CALL_LAUNCH, .count = 1, .frame = frame, .frames = 3 };
static struct process python = { .python = true };

/* A step of 20 launches of 2 us, 18 of them ${turns} turns of the first kernels; 1.2 s of gaps
 * in front of them, and 0.8 s of kernels. */
static void
made_inner(struct made *m, size_t turns, const char *middle)
{
	const char *name[] = { "loop_dynamic_slice_fusion", middle, "loop_add_fusion",
		"loop_multiply_fusion", "loop_exponential_fusion", "loop_subtract_fusion",
		"input_reduce_fusion" };
	size_t body = 18 / turns;
	struct sequence *s = &m->sequence[0];

	made_again(m);
	for (size_t i = 0; i < 7; i++)
		made_kernel(m, name[i], STEPS * (i == 6 ? 2 : i < body ? turns : 1), 2000);
	*s = (struct sequence){ .length = 20, .repeats = STEPS, .kernel_ns = 800 * MS,
	    .idle_ns = 1200 * MS, .gaps = 20 * STEPS };
	s->kernel[0] = s->kernel[19] = 7;
	for (size_t i = 0; i < 18; i++)
		s->kernel[1 + i] = (uint32_t)(i % body) + 1;
	m->run.sequences = 1;
	m->run.idle_ns[IDLE_LAUNCH] = m->run.idle_total_ns = 1200 * MS;
	site.kernel = 1;
	m->run.site = &site;
	m->run.sites = 1;
	m->run.process = &python;
	m->run.processes = 1;
}

/* Of six turns one is left: 15 of 20 launches go, 0.9 of their gaps and half of their time. */
MADE_TEST(test_unrolled)
{
	const struct finding *f;

	made_inner(m, 6, "loop_power_fusion");
	f = made_found(m, "launch-bound-graph-candidate");
	assert_has(f->advice, "unroll the inner loop");
	assert_has(f->summary, "a compiled loop of 6 turns, 3 launches each, is in the step");
	assert_has(f->summary, "with 90 % of its launches");
	assert_has(f->gain_note, "75 % of the step's go");
	assert_true(f->saves_s > 0.9 * 0.75 * 1.2 && f->saves_s < 0.75 * (1.2 + 0.8));

	/* Two loops, one after the other, are one finding, and what both save. */
	m->sequence[1] = m->sequence[0];
	m->sequence[0].last_ns = m->sequence[1].first_ns = 500 * MS;
	m->sequence[1].last_ns = 1000 * MS;
	m->sequence[0].idle_ns = m->sequence[1].idle_ns = 600 * MS;
	m->sequence[0].kernel_ns = m->sequence[1].kernel_ns = 400 * MS;
	m->sequence[0].repeats = m->sequence[1].repeats = STEPS / 2;
	m->sequence[0].gaps = m->sequence[1].gaps = 10 * STEPS;
	m->run.sequences = 2;
	f = made_found(m, "launch-bound-graph-candidate");
	assert_has(f->location, "likewise in 1 other loop");
	assert_true(f->saves_s > 0.9 * 0.75 * 1.2);
}

/* What is no loop of few turns that fuse stays as it is: the loop around it is. */
MADE_TEST(test_not_unrolled)
{
	made_inner(m, 1, "loop_power_fusion");
	assert_has(made_found(m, "launch-bound-graph-candidate")->advice,
	    "unroll the loop that is compiled already");
	made_inner(m, 2, "loop_power_fusion");
	assert_has(made_found(m, "launch-bound-graph-candidate")->advice,
	    "unroll the loop that is compiled already");
	/* Layers that the program's Python unrolled already. */
	made_inner(m, 6, "loop_power_fusion");
	site.frames = 2;
	assert_has(made_found(m, "launch-bound-graph-candidate")->advice,
	    "unroll the loop that is compiled already");
	site.frames = 3;
	assert_has(made_found(m, "launch-bound-graph-candidate")->advice,
	    "unroll the inner loop");
	/* A reduction and another kernel that is no loop over elements. */
	made_inner(m, 6, "input_reduce_fusion_2");
	m->kernel[2].short_name = m->kernel[2].name = m->kernel[2].mangled = "gemm_fusion_dot_1";
	assert_has(made_found(m, "launch-bound-graph-candidate")->advice,
	    "unroll the loop that is compiled already");
}

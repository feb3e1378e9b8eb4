/*
 * unit/rules_repeated.c: a step that is launched again and again: where in the program that is,
 * and the lines at which it waits.
 */
#include "unit/advise.h"

#define MS 1000000ull
#define TURNS 6000u
#define PY(of, in, at) { .file = (of), .function = (in), .line = (at), .python = true }
#define RHO PY("/a/flow.py", "rho", 159)
#define REPORT PY("/a/report.py", "report", 40)
#define STEP(at) PY("/a/step.py", "step", at)
#define RUN(at) PY("/a/run.py", "run", at)
#define NUMPY PY("/a/context.py", "numpy", 120)
#define TORCH { .function = "at::_ops::mul_Tensor::call(int)", .module = "libtorch_cpu.so" }
#define READ { .function = "cuMemcpyDtoHAsync_v2", .module = "libcuda.so.1" }

/* A run calls step() in each turn (18), and report() in few (15). Both call rho(), and read. */
static struct site_frame reported[] = { RHO, REPORT, RUN(15) };
static struct site_frame stepped[] = { RHO, STEP(85), RUN(18), TORCH };
static struct site_frame second[] = { STEP(90), RUN(18) };
static struct site_frame both[] = { PY("/a/flow.py", "u", 182), REPORT, RUN(15) };
static struct site_frame read_step[] = { NUMPY, STEP(82), RUN(18), READ };
static struct site_frame read_too[] = { PY("/a/context.py", "other", 121), STEP(82), RUN(18),
	READ };
static struct site_frame read_next[] = { STEP(83), RUN(18), READ };
static struct site_frame read_report[] = { NUMPY, REPORT, RUN(15), READ };
static struct site site[6];
static struct process python = { .python = true };

static void
made_repeated(struct made *m)
{
	made_again(m);
	made_kernel(m, "reduce", TURNS, 2000);
	made_kernel(m, "product", TURNS, 2000);
	m->sequence[0] = (struct sequence){ .length = 2, .kernel = { 1, 2 },
	    .repeats = TURNS, .syncs = TURNS, .gaps = 2 * TURNS,
	    .kernel_ns = 2 * TURNS * 2000, .idle_ns = 2 * TURNS * 20000,
	    .first_ns = 100 * MS, .last_ns = 2000 * MS };
	m->run.sequence = m->sequence;
	m->run.sequences = 1;
	m->run.idle_ns[IDLE_LAUNCH] = m->run.idle_total_ns = 2 * TURNS * 20000;
	site[0] = (struct site){ .call = CALL_LAUNCH, .kernel = 1, .count = 2,
	    .frame = reported, .frames = 3 };
	site[1] = (struct site){ .call = CALL_LAUNCH, .kernel = 1, .count = 1,
	    .frame = stepped, .frames = 4 };
	site[2] = (struct site){ .call = CALL_LAUNCH, .kernel = 2, .count = 1,
	    .frame = second, .frames = 2 };
	site[3] = (struct site){ .call = CALL_MEMCPY_ASYNC, .count = 50,
	    .frame = read_step, .frames = 4 };
	site[4] = (struct site){ .call = CALL_MEMCPY_ASYNC, .count = 1,
	    .frame = read_report, .frames = 4 };
	m->run.site = site;
	m->run.sites = 5;
	m->run.process = &python;
	m->run.processes = 1;
}

static uint32_t
line_of_caller(struct made *m)
{
	return made_found(m, "launch-bound-graph-candidate")->site->frame[1].line;
}

/* Of the places that launch the first kernel it is the one with which all launches are, and
 * more calls, though stacks of launches were taken more often elsewhere. */
MADE_TEST(test_place)
{
	made_repeated(m);
	assert_int_equal(line_of_caller(m), 85);
	/* More calls are with the other: */
	made_repeated(m);
	site[4].count = 60;
	assert_int_equal(line_of_caller(m), 40);
	/* All launches are there, too: */
	made_repeated(m);
	site[5] = (struct site){ .call = CALL_LAUNCH, .kernel = 2, .count = 1,
	    .frame = both, .frames = 3 };
	m->run.sites = 6;
	assert_int_equal(line_of_caller(m), 40);
	/* No call but launches has a stack: */
	made_repeated(m);
	m->run.sites = 3;
	assert_int_equal(line_of_caller(m), 40);
}

/* A helper that several lines call is named with the one that calls it in the loop. */
MADE_TEST(test_caller)
{
	made_repeated(m);
	assert_has(made_found(m, "launch-bound-graph-candidate")->summary,
	    "with waits at context.py:120 (called from step.py:82);");
	m->run.sites = 4;
	assert_has(made_found(m, "launch-bound-graph-candidate")->summary,
	    "with waits at context.py:120;");
	/* Beside others: */
	made_repeated(m);
	site[5] = site[3];
	site[5].count = TURNS / 2;
	site[5].frame = read_too;
	site[3].count = TURNS;
	m->run.sites = 6;
	assert_has(made_found(m, "launch-bound-graph-candidate")->summary,
	    "with waits at context.py:120 (called from step.py:82), :121;");
	site[5].frame = read_next;
	site[5].frames = 3;
	assert_has(made_found(m, "launch-bound-graph-candidate")->summary,
	    "with waits at context.py:120 (called from step.py:82), step.py:83;");
}

#define SIZES 12u

static struct kernel shape[SIZES + 1];
static struct site_frame forward[] = { RHO, PY("/a/model.py", "forward", 9), STEP(85), RUN(18),
	TORCH };
static struct site_frame script[] = { PY("/a/main.py", "<module>", 3), TORCH };
static struct site_frame script_too[] = { PY("/a/main.py", "<module>", 4) };

/* The second kernel comes in twelve sizes, all of them from the first second to the last. */
static void
made_sizes(struct made *m)
{
	made_repeated(m);
	m->sequence[0].grown = m->sequence[0].shrunk = TURNS / 2;
	m->run.alike = m->sequence;
	m->run.alikes = 1;
	m->run.sequences = 0;
	m->run.site[0] = m->run.site[1];
	shape[0] = m->kernel[0];
	for (uint32_t i = 1; i <= SIZES; i++) {
		shape[i] = m->kernel[1];
		shape[i].id = 1 + i;
		shape[i].shape.grid_x = i;
		shape[i].launches = TURNS / SIZES;
		shape[i].first_ns = 100 * MS;
		shape[i].last_ns = 2000 * MS;
	}
	m->run.kernel = shape;
	m->run.kernels = SIZES + 1;
}

/* Where each turn has other sizes its waits are said, too, and that none fits into a graph. */
MADE_TEST(test_waits_of_sizes)
{
	const struct finding *f;

	made_sizes(m);
	f = made_found(m, "launch-bound-graph-candidate");
	assert_has(f->summary, " with waits at context.py:120 (called from step.py:82);");
	assert_has(f->advice, "no graph contains the waits at context.py:120");
	made_sizes(m);
	m->sequence[0].syncs = 0;
	f = made_found(m, "launch-bound-graph-candidate");
	assert_lacks(f->summary, "waits");
	assert_lacks(f->advice, "no graph contains");
}

/* Sizes that come again and again may have a graph each; those that come for a while, or
 * seldom, may not. */
MADE_TEST(test_sizes_again)
{
	const struct finding *f;

	made_sizes(m);
	f = made_found(m, "launch-bound-graph-candidate");
	assert_has(f->summary, "in other sizes each time (the same 12 again and again) with");
	assert_has(f->advice, "a graph for each of them");
	for (int i = 0; i < 3; i++) {
		made_sizes(m);
		for (uint32_t k = 1; i == 0 && k <= SIZES; k++)
			shape[k].last_ns = 200 * MS;
		for (uint32_t k = 1; i == 1 && k <= SIZES; k++)
			shape[k].launches = 9;
		/* or are launched mostly elsewhere: */
		for (uint32_t k = 1; i == 2 && k <= SIZES; k++)
			shape[k].launches *= 3;
		f = made_found(m, "launch-bound-graph-candidate");
		assert_has(f->summary, "in other sizes each time with");
		assert_lacks(f->advice, "a graph for each of them");
	}
}

/* Without a model there is none to compile: the words name the function, of the program's,
 * within which all launches are; at the top of a script there is none. */
MADE_TEST(test_without_model)
{
	const struct finding *f;

	made_repeated(m);
	f = made_found(m, "launch-bound-graph-candidate");
	assert_has(f->advice, "the function that launches the sequence (step at step.py:85)");
	assert_lacks(f->advice, "model");
	assert_lacks(f->good_code, "model");
	made_sizes(m);
	f = made_found(m, "launch-bound-graph-candidate");
	assert_has(f->advice, "(step at step.py:85)");
	assert_lacks(f->advice, "larger batches");
	made_repeated(m);
	m->sequence[0].syncs = 0;
	assert_has(made_found(m, "launch-bound-graph-candidate")->advice, "(step at step.py:85)");
	/* A model is called in the step: */
	made_repeated(m);
	site[1].frame = forward;
	site[1].frames = 5;
	assert_has(made_found(m, "launch-bound-graph-candidate")->advice, "torch.compile(model");
	/* or what a script does itself, in a loop: */
	made_repeated(m);
	site[1].frame = script;
	site[2].frame = script_too;
	site[1].frames = 2;
	site[2].frames = 1;
	m->run.site[0] = site[1];
	assert_has(made_found(m, "launch-bound-graph-candidate")->advice,
	    "a function with what the loop at main.py:3 does in a turn");
}

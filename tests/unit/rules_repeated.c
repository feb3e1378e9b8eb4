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
#define READ { .function = "cuMemcpyDtoHAsync_v2", .module = "libcuda.so.1" }

/* A run calls step() in each turn (18), and report() in few (15). Both call rho(), and read. */
static struct site_frame reported[] = { RHO, REPORT, RUN(15) };
static struct site_frame stepped[] = { RHO, STEP(85), RUN(18) };
static struct site_frame second[] = { STEP(90), RUN(18) };
static struct site_frame both[] = { PY("/a/flow.py", "u", 182), REPORT, RUN(15) };
static struct site_frame read_step[] = { NUMPY, STEP(82), RUN(18), READ };
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
	    .frame = stepped, .frames = 3 };
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
}

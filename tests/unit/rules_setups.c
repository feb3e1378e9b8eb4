/*
 * unit/rules_setups.c: code that is compiled in a few set-up phases, each in front of a long
 * loop, is not compiled in the loop.
 */
#include "unit/advise.h"

#define MS 1000000ull
#define JAX "/x/site-packages/jax/_src/"

#define PY(f, n, l) { .file = f, .function = n, .line = l, .python = true }
#define CALLED PY(JAX "pjit.py", "cache_miss", 2)
#define APPLIED PY(JAX "dispatch.py", "apply_primitive", 1)
#define PROGRAM PY("/home/me/run.py", "<module>", 60)

static struct site_frame single[] = { CALLED, APPLIED, PY("/home/me/shape.py", "points", 9),
	PROGRAM };
static struct site_frame jitted[] = { CALLED, PROGRAM };
static struct site_frame loop[] = { CALLED, APPLIED,
	PY(JAX "lax/control_flow/loops.py", "fori_loop", 4), PROGRAM };
static struct site sites[] = {
	{ .call = CALL_MODULE_LOAD, .count = 60, .frame = single, .frames = 4, .first = 2 },
	{ .call = CALL_MODULE_LOAD, .count = 40, .frame = jitted, .frames = 2, .first = 1 },
	{ .call = CALL_MODULE_LOAD, .count = 100, .frame = loop, .frames = 4, .first = 3 } };
static struct xla_module module[] = { { "jit_multiply", 22, 900, 100 } };
static struct process python = { .python = true };

/* Eight compilations of 400 ms, ${each} in a phase, ${apart} launches apart there. */
static void
made_phases(struct made *m, size_t each, uint64_t apart)
{
	struct compiling *c = &m->run.compiling;
	uint64_t phases = 8 / each;
	uint32_t id;

	made_again(m);
	id = made_kernel(m, "loop_add_fusion", 100000, 200000)->id;
	made_gaps(m, IDLE_HOST, 8, 400 * MS);
	for (c->times = 0; c->times < 8; c->times++)
		c->time[c->times] = (struct compiled){ .kernel = id, .loads = 12,
		    .idle_ns = 400 * MS, .at = 100 + c->times % each * apart +
		    c->times / each * (100000 / phases) };
	m->run.xla_module = module;
	m->run.xla_modules = 1;
	m->run.site = sites;
	m->run.sites = 3;
	m->run.process = &python;
	m->run.processes = 1;
}

/* Two set-ups, a loop behind each: what jit around them saves in this run, of the part that is
 * outside of jit; loops are compiled as one function wherever they are called. */
MADE_TEST(test_two_setups)
{
	const struct finding *f;

	made_phases(m, 4, 50);
	f = made_found(m, "recompilation");
	assert_has(f->summary, "JAX compiles in 2 set-up phases, and nothing in the loops");
	assert_has(f->advice, "put jax.jit around what runs outside of it in front");
	assert_has(f->location, "8 times in 2 set-up phases");
	assert_has(f->gain_note, "saves nothing in the first run");
	assert_int_equal(f->site->frame[f->site->first].line, 9);
	/* 60 of 100 modules, 3.2 s, half of it. */
	assert_true(f->saves_s > 0.9 && f->saves_s < 1);
	assert_true(f->saves_high_s < 2);
	sites[2].count = 300;
	assert_has(made_found(m, "recompilation")->summary, "2 set-up phases");
	sites[2].count = 100;
}

/* What comes again all along is compiled in the loop; so is a function that is compiled for
 * a few shapes, one at a time, and what is not outside of jit. */
MADE_TEST(test_no_setups)
{
	made_phases(m, 1, 0);
	assert_has(made_found(m, "recompilation")->advice, "pad to a few shapes");
	made_phases(m, 2, 50);
	assert_has(made_found(m, "recompilation")->advice, "pad to a few shapes");
	made_phases(m, 4, 900);
	m->run.compiling.time[4].at = 90000;
	assert_has(made_found(m, "recompilation")->advice, "pad to a few shapes");
	made_phases(m, 4, 50);
	sites[0].count = 5;
	assert_has(made_found(m, "recompilation")->advice, "pad to a few shapes");
	sites[0].count = 60;
	assert_has(made_found(m, "recompilation")->summary, "2 set-up phases");
}

/* Most of the run is told as such. */
MADE_TEST(test_setups_of_most)
{
	made_phases(m, 4, 50);
	m->run.compiling.time[0].idle_ns = m->run.wall_ns * 3 / 5;
	m->run.idle_ns[IDLE_HOST] = m->run.wall_ns * 3 / 5;
	assert_lacks(made_found(m, "recompilation")->summary, "set-up");
}

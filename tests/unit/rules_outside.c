/*
 * unit/rules_outside.c: JAX's functions that a loop calls outside of jit.
 */
#include <math.h>
#include <string.h>

#include "unit/advise.h"

#define MS 1000000ull
#define LOOKS 120
#define PY(f, n, l) { .file = f, .function = n, .line = l, .python = true }
#define JAX "/x/site-packages/jax/_src/"
#define COMPILES PY(JAX "compiler.py", "backend_compile_and_load", 334)
#define CARRIES PY(JAX "pjit.py", "_pjit_call_impl", 1183)
#define APPLIES PY(JAX "dispatch.py", "apply_primitive", 81)
#define BATCHES PY(JAX "interpreters/batching.py", "process_primitive", 253)
#define TRACES PY(JAX "interpreters/partial_eval.py", "process_primitive", 1736)
#define LOSS PY("/a/run.py", "loss", 129)
#define TRAIN(l) PY("/a/run.py", "train", l)
#define PROGRAM PY("/a/run.py", "<module>", 90)

/* Of a loop with a jitted step (176) and a loss outside of jit (182), made at 40. */
static struct site_frame carried[] = { CARRIES, BATCHES, LOSS, TRAIN(182), PROGRAM };
static struct site_frame applied[] = { APPLIES, LOSS, TRAIN(182), PROGRAM };
static struct site_frame traced[] = { TRACES, BATCHES, LOSS, TRAIN(182), PROGRAM };
static struct site_frame jitted[] = { TRAIN(176), PROGRAM };
static struct site_frame compiled[] = { COMPILES, APPLIES, LOSS, TRAIN(182), PROGRAM };
static struct site_frame made_once[] = { COMPILES, APPLIES, PY("/a/run.py", "init", 40),
	PROGRAM };
static struct site_frame scanned[] = { APPLIES, PY(JAX "lax/control_flow/loops.py", "scan", 4),
	LOSS, TRAIN(182), PROGRAM };
static struct site_frame staged[] = { APPLIES, BATCHES, LOSS,
	PY(JAX "pjit.py", "_infer_params", 9), TRAIN(176), PROGRAM };

enum { CARRIED, APPLIED, TRACED, JITTED, COMPILED, ONCE, STACKS };
static struct site stack[STACKS];
static struct process python = { .python = true };
static struct look look[LOOKS];

/* The first hundred looks alternate, as in a loop: the ${i}th of them. */
static struct look *
nth(size_t i)
{
	return &look[i < 100 ? i * 37 % 100 : i];
}

static void
set(size_t from, size_t to, size_t which)
{
	for (; from < to; from++)
		nth(from)->site = &stack[which];
}

static void
set_stack(size_t which, struct site_frame *frame, size_t frames)
{
	stack[which] = (struct site){ .call = CALL_NONE, .frame = frame, .frames = frames };
}

/* 1,000 gaps of 3 ms, in which the host is outside of jit for half of 100 looks, and twenty
 * looks at the compiler, half of them for what is called there; it takes 1 s of the GPU's. */
static void
made_outside(struct made *m)
{
	set_stack(CARRIED, carried, 5);
	set_stack(APPLIED, applied, 4);
	set_stack(TRACED, traced, 5);
	set_stack(JITTED, jitted, 2);
	set_stack(COMPILED, compiled, 5);
	set_stack(ONCE, made_once, 4);
	fault_waiting(m);
	m->run.process = &python;
	m->run.processes = 1;
	for (size_t i = 0; i < LOOKS; i++)
		look[i] = (struct look){ .at_ns = i * 30 * MS, .s = 0.03,
		    .gap = i < 100 ? LOOK_GAP + 21 : 0 };
	set(0, 15, CARRIED);
	set(15, 20, APPLIED);
	set(20, 50, TRACED);
	set(50, 100, JITTED);
	set(100, 110, COMPILED);
	set(110, 120, ONCE);
	m->run.look = look;
	m->run.looks = LOOKS;
	m->run.idle_total_ns = m->run.wall_ns - 500 * MS;
	m->run.compiling.times = 1;
	m->run.compiling.time[0] = (struct compiled){ .kernel = 1, .loads = 10,
	    .idle_ns = 1000 * MS };
	m->run.idle_ns[IDLE_HOST] += 1000 * MS;
}

/* The finding about it; NULL: none. */
static const struct finding *
outside(struct made *m)
{
	const struct advice *a = made_advised(m);

	for (size_t i = 0; i < a->findings; i++)
		if (strstr(a->finding[i].summary, "outside of jit") != NULL)
			return &a->finding[i];
	return NULL;
}

/* Both prices, and the place; what is compiled once, in front of the loop, is not of it. */
MADE_TEST(test_outside)
{
	const struct finding *f;

	made_outside(m);
	f = outside(m);
	assert_non_null(f);
	assert_has(f->summary, "loss() calls functions of JAX's outside of jit: the GPU waits "
	    "1.5 s while their operators are launched one by one, and 300 ms while each of "
	    "them is compiled");
	assert_int_equal(f->site->frame[f->site->first].line, 129);
	assert_has(f->location, "most of it in this function");
	assert_has(f->advice, "put @jax.jit on loss() of run.py:129");
	assert_has(f->advice, "put jax.jit around what this line calls");
	assert_true(fabs(f->saves_s - (0.9 * 1.5 + 0.5 * 0.3)) < 0.01);
	assert_true(fabs(f->saves_low_s - (0.5 * 1.5 + 0.25 * 0.3)) < 0.01);
	/* What comes later, again and again, is recompilation's. */
	m->run.compiling.time[0].at = m->run.launches / 2;
	f = outside(m);
	assert_non_null(f);
	assert_lacks(f->summary, "is compiled");
	assert_true(fabs(f->saves_s - 0.9 * 1.5) < 0.01);
	/* The compiler's looks count for no more than the GPU's wait for it. */
	m->run.compiling.time[0].at = 0;
	m->run.compiling.time[0].idle_ns = 100 * MS;
	assert_has(outside(m)->summary, "100 ms while each of them is compiled");
}

/* A function that is jitted anew is only traced; a loop of JAX's is compiled as a whole
 * wherever it is called; and where all is one jitted step there is nothing of it. */
MADE_TEST(test_within)
{
	made_outside(m);
	set(0, 20, TRACED);
	assert_null(outside(m));
	set(0, 50, JITTED);
	assert_null(outside(m));
	set_stack(CARRIED, scanned, 5);
	set(0, 50, CARRIED);
	assert_null(outside(m));
	set_stack(CARRIED, staged, 6);
	assert_null(outside(m));
	set_stack(CARRIED, carried, 5);
	assert_non_null(outside(m));
}

/* Few operators, and few looks, tell nothing. */
MADE_TEST(test_few)
{
	made_outside(m);
	set(0, 76, JITTED);
	set(76, 100, CARRIED);
	assert_null(outside(m));
	set(75, 76, CARRIED);
	assert_non_null(outside(m));
	for (size_t i = 0; i < 75; i++)
		nth(i)->s = 1;		/* 1 % of the time */
	assert_null(outside(m));
}

/* The array functions that a line calls count with what they do in Python, a loop's own line
 * that calls a jitted step does not; and the function that has the loop is not to be jitted. */
MADE_TEST(test_function)
{
	struct site_frame gets[] = { PY(JAX "indexing.py", "_index_to_gather", 7),
	    PY(JAX "array.py", "__getitem__", 333), LOSS, TRAIN(182), PROGRAM };
	struct site_frame sums[] = { PY(JAX "numpy/reductions.py", "sum", 242),
	    PY(JAX "traceback_util.py", "reraise_with_filtered_traceback", 194), TRAIN(183),
	    PROGRAM };
	const struct finding *f;

	made_outside(m);
	set_stack(TRACED, gets, 5);
	set(20, 60, TRACED);
	f = outside(m);
	assert_non_null(f);
	assert_has(f->summary, "the GPU waits 1.8 s");
	assert_has(f->advice, "put @jax.jit on loss()");
	set_stack(TRACED, sums, 4);
	f = outside(m);
	assert_non_null(f);
	assert_has(f->summary, "train() calls");
	assert_lacks(f->advice, "@jax.jit on");
	assert_has(f->location, "within what this line calls");
}

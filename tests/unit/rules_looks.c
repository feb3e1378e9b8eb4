/*
 * unit/rules_looks.c: gaps of the GPU, judged by what the program's Python was found in
 * meanwhile.
 */
#include <math.h>
#include <string.h>

#include "unit/advise.h"

#define MS 1000000ull
#define S (1000 * MS)
#define LOOKS 100
#define PY(f, n, l) { .file = f, .function = n, .line = l, .python = true }
#define FETCH "/x/site-packages/torch/utils/data/_utils/fetch.py"
#define NEXT "/x/site-packages/torch/utils/data/dataloader.py"

static struct process python = { .python = true };
static struct look look[LOOKS];

/* 1,000 gaps of 3 ms, in which ${n} stacks were found, each for so many of 100 looks. */
static void
made_looks(struct made *m, struct site *stack, const int *share, int n)
{
	int at = 0;

	fault_waiting(m);
	m->run.process = &python;
	m->run.processes = 1;
	for (int i = 0; i < n; i++) {
		stack[i].call = CALL_NONE;
		for (int k = 0; k < share[i]; k++, at++)
			look[at] = (struct look){ .at_ns = (uint64_t)at * 30 * MS, .s = 0.03,
			    .gap = LOOK_GAP + 21, .site = &stack[i] };
	}
	assert_int_equal(at, LOOKS);
	m->run.look = look;
	m->run.looks = LOOKS;
	/* The GPU works for half a second in all. */
	m->run.idle_total_ns = m->run.wall_ns - 500 * MS;
}

/* Of the callers of the function's line those are shown that most of its time is of. */
MADE_TEST(test_callers)
{
	struct site_frame frame[][3] = {
		{ PY("/a/policy.py", "act", 12), PY("/a/train.py", "main", 7) },
		{ PY("/a/policy.py", "act", 12), PY("/a/eval.py", "run", 14),
		    PY("/a/train.py", "main", 9) },
		{ PY("/a/policy.py", "act", 12), PY("/a/eval.py", "run", 14),
		    PY("/a/train.py", "main", 20) },
		{ PY("/a/policy.py", "act", 13), PY("/a/train.py", "main", 7) },
	};
	static const int share[] = { 35, 20, 25, 20 };
	struct site stack[4], launch = { .call = CALL_LAUNCH, .count = 9, .frames = 1,
	    .frame = &(struct site_frame){ .module = "libtorch_python.so" } };
	const struct finding *f;

	for (int i = 0; i < 4; i++)
		stack[i] = (struct site){ .frame = frame[i], .frames = i % 3 == 0 ? 2 : 3 };
	made_looks(m, stack, share, 4);
	m->run.site = &launch;
	m->run.sites = 1;
	f = made_found(m, "gpu-idle-gaps");
	assert_int_equal(f->site->frame[f->site->first].line, 12);
	assert_string_equal(f->site->frame[f->site->first + 1].file, "/a/eval.py");
	assert_int_equal(f->site->frame[f->site->first + 2].line, 20);
}

/* One function of the program's own with a third of it: it is the place, at its line with
 * most, and in words of its own; half of what the GPU's work cannot hide may go. */
MADE_TEST(test_own)
{
	struct site_frame frame[][3] = {
		{ PY("/a/graph.py", "edges", 27), PY("/a/run.py", "step", 7),
		    PY("/a/run.py", "<module>", 90) },
		{ PY("/a/graph.py", "edges", 29), PY("/a/run.py", "step", 7),
		    PY("/a/run.py", "<module>", 90) },
		{ PY("/a/run.py", "step", 8), PY("/a/run.py", "<module>", 90) },
		{ PY("/a/run.py", "load", 40), PY("/a/run.py", "<module>", 91) },
	};
	struct site stack[4], launch = { .call = CALL_LAUNCH, .count = 9, .frames = 1,
	    .frame = &(struct site_frame){ .module = "libtorch_python.so" } };
	static const int share[] = { 16, 20, 34, 30 };
	const struct finding *f;

	for (int i = 0; i < 4; i++)
		stack[i] = (struct site){ .frame = frame[i], .frames = i < 2 ? 3 : 2 };
	made_looks(m, stack, share, 4);
	m->run.site = &launch;
	m->run.sites = 1;
	f = made_found(m, "gpu-idle-gaps");
	assert_int_equal(f->site->frame[f->site->first].line, 29);
	assert_has(f->location, "in this function more than in any other of the program's");
	assert_has(f->limiter, "meanwhile the host is in edges() at graph.py:29 (36 %), "
	    "step() at run.py:8 (34 %), load() at run.py:40 (30 %)");
	assert_has(f->advice, "what this function does on the CPU");	/* PyTorch's words */
	assert_true(f->saves_s > 1.4 && f->saves_high_s > 2.9);
	/* Without one that has a third, the line that most of it is within. */
	frame[0][0].function = "nodes";
	frame[2][0].function = "again";
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->advice, "what this function does");
	frame[1][0].function = "others";
	look[99].site = look[98].site = look[97].site = look[96].site = &stack[0];
	for (int i = 36; i < 46; i++)
		look[i].site = &stack[0];
	f = made_found(m, "gpu-idle-gaps");
	assert_lacks(f->advice, "what this function does");
	/* Too few looks tell nothing. */
	m->run.looks = 24;
	f = made_found(m, "gpu-idle-gaps");
	assert_lacks(f->limiter, "meanwhile");
	assert_true(f->saves_s < 0.5);
}

/* A line that most of it is within, though no function of its own has a third. */
MADE_TEST(test_within_line)
{
	struct site_frame frame[4][3];
	static const char *const name[] = { "a", "b", "c", "d" };
	static const int share[] = { 25, 25, 25, 25 };
	struct site stack[4];
	const struct finding *f;

	for (unsigned i = 0; i < 4; i++) {
		struct site_frame made[] = { PY("/a/m.py", name[i], 5 + i),
		    PY("/a/run.py", "epoch", i == 3 ? 9 : 7), PY("/a/run.py", "main", 90) };

		memcpy(frame[i], made, sizeof(made));
		stack[i] = (struct site){ .frame = frame[i], .frames = 3 };
	}
	made_looks(m, stack, share, 4);
	f = made_found(m, "gpu-idle-gaps");
	assert_int_equal(f->site->frame[f->site->first].line, 7);
	assert_has(f->location, "the host is mostly in what this line does");
	assert_has(f->limiter, "a() at m.py:5 (25 %)");
	/* Looks while the GPU worked do not count. */
	for (int i = 0; i < LOOKS; i++)
		look[i].gap = 0;
	assert_lacks(made_found(m, "gpu-idle-gaps")->limiter, "meanwhile");
}

/* Where larger batches are the advice, a run that trains is told what else they change. */
MADE_TEST(test_larger)
{
	struct site_frame frame[4][1], step[] = { PY("/a/run.py", "epoch", 7),
	    { .module = "libtorch_cuda.so" } };
	struct site_frame back[] = { { .module = "libtorch_cpu.so",
	    .function = "torch::autograd::Engine::thread_main(int)" } };
	static const char *const name[] = { "a", "b", "c", "d" };
	static const int share[] = { 25, 25, 25, 25 };
	struct site stack[4], sites[] = { { .call = CALL_LAUNCH, .kernel = 1, .count = 9,
	    .frame = step, .frames = 2 }, { .call = CALL_LAUNCH, .kernel = 1, .count = 1,
	    .frame = back, .frames = 1 } };

	for (unsigned i = 0; i < 4; i++) {
		frame[i][0] = (struct site_frame)PY("/a/m.py", name[i], 5 + i);
		stack[i] = (struct site){ .frame = frame[i], .frames = 1 };
	}
	made_looks(m, stack, share, 4);
	m->run.site = sites;
	m->run.sites = 1;
	assert_has(made_found(m, "gpu-idle-gaps")->advice, "with larger batches");
	assert_lacks(made_found(m, "gpu-idle-gaps")->advice, "adapt the learning rate");
	m->run.sites = 2;
	assert_has(made_found(m, "gpu-idle-gaps")->advice, "adapt the learning rate");
}

/* A loader that is waited for, or works in the program's own process, is the cause, whatever
 * the program copies; and it is not, where little of the time is its. */
MADE_TEST(test_loader)
{
	struct site_frame wait[] = { PY("/lib/python3.12/multiprocessing/connection.py", "poll",
	    253), PY(NEXT, "_try_get_data", 1270), PY(NEXT, "__next__", 725),
	    PY("/a/run.py", "epoch", 30), PY("/a/run.py", "main", 90) };
	struct site_frame work[] = { PY("/a/images.py", "__getitem__", 17),
	    PY(FETCH, "fetch", 50), PY(NEXT, "__next__", 725), PY("/a/run.py", "epoch", 30),
	    PY("/a/run.py", "main", 90) };
	struct site_frame other[] = { PY("/a/run.py", "epoch", 33),
	    PY("/a/run.py", "main", 90) };
	struct site stack[] = { { .frame = wait, .frames = 5 },
	    { .frame = other, .frames = 2 } };
	static const int share[] = { 70, 30 };
	struct site_frame made[] = { PY("/a/run.py", "epoch", 31),
	    { .function = "cuMemcpyHtoDAsync_v2", .module = "libcuda.so.1" },
	    { .module = "libtorch_cuda.so" } };
	struct site copy = { .call = CALL_MEMCPY_ASYNC, .count = 900, .workers = 4,
	    .processors = 16, .frame = made, .frames = 3 };
	const struct finding *f;

	made_looks(m, stack, share, 2);
	m->run.site = &copy;
	m->run.sites = 1;
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->advice, "raise num_workers");
	assert_int_equal(f->site->frame[f->site->first].line, 30);
	assert_has(f->location, "the host is in the loader, here, with 4 worker processes");
	assert_has(f->limiter, "the loader that epoch() at run.py:30 waits for (70 %)");
	/* The longest phase, as a program's start is, says nothing of the loop. */
	for (int i = 90; i < LOOKS; i++)
		look[i].gap = LOOK_GAP + 33;
	assert_has(made_found(m, "gpu-idle-gaps")->limiter, "waits for (70 %)");
	for (int i = 90; i < LOOKS; i++)
		look[i].at_ns = 5;
	m->run.pause[0] = (struct pause){ .start_ns = 1, .end_ns = 9, .host_ns = 10 * S };
	m->run.pauses = 1;
	assert_has(made_found(m, "gpu-idle-gaps")->limiter, "waits for (78 %)");
	m->run.pauses = 0;
	for (int i = 90; i < LOOKS; i++)
		look[i].gap = look[0].gap;
	/* Workers that are started, and ended, again and again. */
	wait[1] = (struct site_frame)PY(NEXT, "_shutdown_workers", 1625);
	assert_has(made_found(m, "gpu-idle-gaps")->advice, "keep the loader's workers");
	wait[1] = (struct site_frame)PY(NEXT, "_try_get_data", 1270);
	/* In this process: the line of the data set. */
	stack[0].frame = work;
	f = made_found(m, "gpu-idle-gaps");
	assert_int_equal(f->site->frame[f->site->first].line, 17);
	assert_has(f->limiter, "__getitem__() at images.py:17, which the loader calls (70 %)");
	/* Copies that come late are no loader's, if the host is elsewhere. */
	for (int i = 0; i < GAP_CLASSES; i++)
		m->run.gap[i].input_ns = m->run.gap[i].idle_ns[IDLE_HOST];
	made[0] = (struct site_frame)PY(NEXT, "__next__", 725);
	assert_has(made_found(m, "gpu-idle-gaps")->advice, "num_workers of the loader");
	for (int i = 15; i < 70; i++)
		look[i].site = &stack[1];
	f = made_found(m, "gpu-idle-gaps");
	assert_lacks(f->advice, "num_workers of the loader");
	assert_int_equal(f->site->frame[f->site->first].line, 33);
}

/* The finding that says ${text} in its summary; NULL: none does. */
static const struct finding *
found_saying(const struct made *m, const char *text)
{
	const struct advice *a = made_advised(m);

	for (size_t i = 0; i < a->findings; i++)
		if (strstr(a->finding[i].summary, text) != NULL)
			return &a->finding[i];
	return NULL;
}

/* A loader that the loop waits for less than half of the gaps' time, but whose workers work all
 * of theirs: a finding of its own, next to what takes the rest. */
MADE_TEST(test_waited)
{
	struct site_frame wait[] = { PY(NEXT, "_try_get_data", 1270), PY(NEXT, "__next__", 725),
	    PY("/a/run.py", "main", 30), PY("/a/run.py", "<module>", 90) };
	struct site_frame other[] = { PY("/a/run.py", "step", 33), PY("/a/run.py", "main", 31),
	    PY("/a/run.py", "<module>", 90) };
	struct site stack[] = { { .frame = wait, .frames = 4 },
	    { .frame = other, .frames = 3 } };
	static const int share[] = { 30, 70 };
	struct site_frame made[] = { PY("/a/run.py", "main", 31),
	    { .function = "cuMemcpyHtoDAsync_v2", .module = "libcuda.so.1" },
	    { .module = "libtorch_cuda.so" } };
	struct site copy = { .call = CALL_MEMCPY_ASYNC, .count = 900, .workers = 2,
	    .processors = 16, .frame = made, .frames = 3 };
	struct working_time worked = { .ns = 10 };
	const struct finding *f;

	made_looks(m, stack, share, 2);
	m->run.site = &copy;
	m->run.sites = 1;
	assert_null(found_saying(m, "waits for its loader"));
	worked.from_ns = m->run.origin_ns;
	worked.to_ns = m->run.origin_ns + m->run.wall_ns;
	worked.used_ns = 9;
	worked.there_ns = 10;
	m->run.worked = &worked;
	m->run.workeds = 1;
	m->run.working = 0.9;
	f = found_saying(m, "the loop waits for its loader again and again, 900 ms");
	assert_non_null(f);
	assert_has(f->advice, "raise num_workers");
	assert_int_equal(f->site->frame[f->site->first].line, 30);
	/* One of them is there, whatever another loader has. */
	assert_has(f->location, "with 1 worker process for 16 processors");
	assert_true(f->saves_s > 0.6 && f->saves_high_s < 0.91);
	/* They have time left: the loop does not wait for their work. */
	worked.used_ns = 5;
	assert_null(found_saying(m, "waits for its loader"));
	/* Too little. */
	worked.used_ns = 9;
	for (int i = 0; i < 30; i++)
		look[i].s = 0.003;
	assert_null(found_saying(m, "waits for its loader"));
}

/* A run that a signal ends while the program has been at work on the host for long, without
 * any work for the GPU: the place is the loop that is not left. */
MADE_TEST(test_silence)
{
	struct site_frame frame[][4] = {
		{ PY("/a/tree.py", "find", 74), PY("/a/memory.py", "draw", 130),
		    PY("/a/run.py", "learn", 63), PY("/a/run.py", "<module>", 90) },
		{ PY("/a/tree.py", "find", 75), PY("/a/memory.py", "draw", 130),
		    PY("/a/run.py", "learn", 63), PY("/a/run.py", "<module>", 90) },
		{ PY("/a/tree.py", "find", 76), PY("/a/memory.py", "draw", 130),
		    PY("/a/run.py", "learn", 63), PY("/a/run.py", "<module>", 90) },
		{ PY("/lib/site-packages/numpy/_core/fromnumeric.py", "all", 9),
		    PY("/a/memory.py", "draw", 131),
		    PY("/a/run.py", "learn", 63), PY("/a/run.py", "<module>", 90) },
	};
	static const int share[] = { 40, 30, 20, 10 };
	struct site stack[4];
	const struct finding *f;

	for (int i = 0; i < 4; i++)
		stack[i] = (struct site){ .frame = frame[i], .frames = 4 };
	made_looks(m, stack, share, 4);
	m->run.site = stack;
	m->run.sites = 4;
	m->run.device[0].last_ns = m->run.wall_ns;
	m->run.idle_ns[IDLE_SHUTDOWN] = 4 * S;
	m->run.wall_ns += 4 * S;
	m->run.idle_total_ns += 4 * S;
	for (int i = 0; i < LOOKS; i++)
		look[i] = (struct look){ .at_ns = m->run.device[0].last_ns +
		    (uint64_t)i * 40 * MS, .s = 0.04, .site = look[i].site };
	assert_null(found_saying(m, "no more work"));
	m->run.signal = 15;
	m->run.state = RUN_KILLED;
	f = found_saying(m, "gave the GPU no more work for 4 s, until signal 15 ended it");
	assert_non_null(f);
	assert_has(f->limiter, "find() at tree.py:74 (90 %)");
	assert_string_equal(f->site->frame[f->site->first].file, "/a/memory.py");
	assert_int_equal(f->site->frame[f->site->first].line, 130);
	assert_true(fabs(f->saves_s - 2) < 0.01 && f->saves_low_s == 0 &&
	    fabs(f->saves_high_s - 4) < 0.01);
	assert_int_equal(f->severity, SEV_LOW);
	/* In one place, or two, it may have waited for a kernel. */
	for (int i = 0; i < LOOKS; i++)
		look[i].site = &stack[i % 2];
	assert_null(found_saying(m, "no more work"));
	for (int i = 0; i < LOOKS; i++)
		look[i].site = &stack[i % 4];
	assert_non_null(found_saying(m, "no more work"));
	/* A compiler is another matter. */
	m->run.xla_unfinished.idle_ns = S;
	assert_null(found_saying(m, "no more work"));
	m->run.xla_unfinished.idle_ns = 0;
	/* Looks at less than half of it do not tell. */
	for (int i = 0; i < LOOKS; i++)
		look[i].s = 0.01;
	assert_null(found_saying(m, "no more work"));
}

/* Waits for a loader that are longer than the others, and too few to be alike: all but the
 * longest count. */
MADE_TEST(test_loader_apart)
{
	struct site_frame wait[] = { PY(NEXT, "__next__", 725), PY("/a/run.py", "epoch", 30),
	    PY("/a/run.py", "main", 90) };
	struct site_frame other[] = { PY("/a/run.py", "epoch", 33),
	    PY("/a/run.py", "main", 90) };
	struct site stack[] = { { .frame = other, .frames = 2 },
	    { .frame = wait, .frames = 3 } };
	static const int share[] = { 28, 72 };
	const struct finding *f;

	made_looks(m, stack, share, 2);
	/* Waits of 32 looks, and four of 10, with the other between. */
	for (int i = 28; i < LOOKS; i++) {
		look[i].gap = LOOK_GAP + 30;
		look[i].s = 0.1;
	}
	for (int i = 60; i < LOOKS; i += 10)
		look[i].site = &stack[0];
	made_gaps(m, IDLE_HOST, 5, 1200 * MS);
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->summary, "again and again, 6.6 s in all");	/* 3 and 4 times 0.9 */
	assert_has(f->advice, "num_workers");
	/* Two, of which one is left, do not come again. */
	for (int i = 70; i < LOOKS; i++)
		look[i].site = &stack[0];
	assert_has(made_found(m, "gpu-idle-gaps")->summary, "again and again, 3 s in all");
}

/* What a compiler takes is no work of the loop's: by the looks, not by the stacks of
 * launches, most of which are taken of each kernel's first. */
MADE_TEST(test_compiler)
{
	struct site_frame compile[] = { PY("/x/site-packages/jax/_src/compiler.py",
	    "backend_compile_and_load", 300), PY("/a/run.py", "update", 12),
	    PY("/a/run.py", "main", 90) };
	struct site_frame own[] = { PY("/a/run.py", "update", 12), PY("/a/run.py", "main", 90) };
	struct site stack[] = { { .frame = compile, .frames = 3 },
	    { .frame = own, .frames = 2 } };
	static const int share[] = { 20, 80 };
	struct site_frame tuned[] = { { .function = "xla::Autotuner::Profile",
	    .module = "xla_cuda_plugin.so" }, PY("/a/run.py", "update", 12) };
	struct site launch[] = { { .call = CALL_LAUNCH, .count = 8, .frame = tuned, .frames = 2 },
	    { .call = CALL_LAUNCH, .count = 8, .frame = tuned + 1, .frames = 1 } };

	made_looks(m, stack, share, 2);
	launch[0].kernel = launch[1].kernel = m->kernel[0].id;
	m->kernel[0].host_before_ns = 2900 * MS;
	m->run.site = launch;
	m->run.sites = 2;
	m->run.xla_module = &(struct xla_module){ .name = "jit_step", .times = 1 };
	m->run.xla_modules = 1;
	assert_has(made_found(m, "gpu-idle-gaps")->summary, "2.4 s in all");
	/* Short gaps are what the calls take; in longer ones is other work. */
	assert_has(made_found(m, "gpu-idle-gaps")->advice, "jitted functions less often");
	made_gaps(m, IDLE_HOST, 20, 20 * MS);
	for (int i = 0; i < 90; i++)
		look[i].gap = LOOK_GAP + 24;
	assert_has(made_found(m, "gpu-idle-gaps")->advice, "inside of what is jitted");
	made_gaps(m, IDLE_HOST, (uint64_t)-20, 20 * MS);
	m->run.looks = 0;		/* as the stacks say, half of the 2.9 s */
	assert_has(made_found(m, "gpu-idle-gaps")->summary, "1.55 s in all");
}

/* A line that calls a model, or starts a backward pass, does no work of its own that could be
 * vectorised: neither is the place of such work. */
MADE_TEST(test_framework_calls)
{
	struct site_frame model[] = { PY("/x/site-packages/torchvision/models/resnet.py",
	    "forward", 200), PY("/x/site-packages/torch/nn/modules/module.py", "_call_impl",
	    1700), PY("/a/net.py", "forward", 73), PY("/a/run.py", "epoch", 30),
	    PY("/a/run.py", "main", 90) };
	struct site_frame back[] = { PY("/x/site-packages/torch/autograd/graph.py",
	    "_engine_run_backward", 800), PY("/x/site-packages/torch/_tensor.py", "backward",
	    500), PY("/a/run.py", "epoch", 31), PY("/a/run.py", "main", 90) };
	struct site_frame own[] = { PY("/a/boxes.py", "match", 12), PY("/a/run.py", "epoch", 32),
	    PY("/a/run.py", "main", 90) };
	struct site stack[] = { { .frame = model, .frames = 5 }, { .frame = back, .frames = 4 },
	    { .frame = own, .frames = 3 } };
	static const int share[] = { 40, 40, 20 };
	const struct finding *f;

	made_looks(m, stack, share, 3);
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->limiter, "modules that forward() at net.py:73 calls (40 %), the backward "
	    "pass that epoch() at run.py:31 starts (40 %), match() at boxes.py:12 (20 %)");
	assert_lacks(f->location, "in this function more than in any other");
	/* The line of 40 of the 60 that are no backward pass. */
	assert_int_equal(f->site->frame[f->site->first].line, 73);
	for (int i = 5; i < 40; i++)
		look[i].site = &stack[2];
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->location, "in this function more than in any other");
	assert_int_equal(f->site->frame[f->site->first].line, 12);
}

/* Compilers that Python is in for most of the run are the first finding, though they load
 * code once, at the start, and the GPU waits in one long gap for them. */
MADE_TEST(test_compiling_for_most)
{
	struct site_frame compile[] = { PY("/x/site-packages/jax/_src/compiler.py",
	    "backend_compile_and_load", 300), PY("/a/run.py", "update", 12),
	    PY("/a/run.py", "main", 90) };
	struct site stack = { .frame = compile, .frames = 3 };
	static const int share[] = { 100 };
	double s;

	made_looks(m, &stack, share, 1);
	for (int i = 0; i < LOOKS; i++) {
		look[i].gap = 0;
		look[i].s = 0.45e-11 * (double)m->run.wall_ns;
	}
	made_quiet(m, "recompilation");
	for (int i = 0; i < LOOKS; i++)
		look[i].s = 0.6e-11 * (double)m->run.wall_ns;
	s = 0.6e-9 * (double)m->run.wall_ns;
	m->run.idle_ns[IDLE_HOST] = m->run.idle_longest_ns =
	    m->run.idle_longest_by[IDLE_HOST] = (uint64_t)(s * 1e9);
	assert_true(fabs(made_found(m, "recompilation")->saves_s - 0.9 * s) < 0.01 * s);
	assert_int_equal(made_found(m, "recompilation")->site->frame[1].line, 12);
}

/* That steps differ is said only where the same functions were seen to repeat in other shapes;
 * a unit that repeats the same launches is named. */
MADE_TEST(test_whether_steps_differ)
{
	struct site_frame frame[] = { { .file = "/home/me/run.py", .line = 7, .python = true },
	    { .module = "libtorch_cpu.so" } };
	struct site site = { .call = CALL_LAUNCH, .count = 1, .frame = frame, .frames = 2 };
	const char *advice;

	fault_launch_bound(m);
	m->kernel[0].name = "void at::native::vectorized_elementwise_kernel<4, int>(int)";
	m->run.process = &python;
	m->run.processes = 1;
	made_gaps(m, IDLE_HOST, 20000, 65536);
	m->run.launches *= 20;
	site.kernel = m->sequence[0].kernel[0];
	m->run.site = &site;
	m->run.sites = 1;
	advice = made_found(m, "gpu-idle-gaps")->advice;
	assert_has(advice, "one batched operator");
	assert_lacks(advice, "in other shapes");
	assert_lacks(advice, "no step");
	assert_lacks(advice, "a unit of");
	m->run.alike = m->run.sequence;
	m->run.alikes = m->run.sequences;
	m->run.sequences = 0;
	m->run.launches = 2 * m->sequence[0].length * m->sequence[0].repeats;
	advice = made_found(m, "gpu-idle-gaps")->advice;
	assert_has(advice, "in other shapes each time");
	m->run.sequences = m->run.alikes;
	m->run.launches = 5 * m->sequence[0].length * m->sequence[0].repeats;
	m->run.alikes = 0;
	advice = made_found(m, "gpu-idle-gaps")->advice;
	assert_has(advice, "launches, beginning at run.py:7, repeats");
}

/* A function that launches while the GPU waits, and reads values from it one by one: its loop
 * is what to change. One that reads few, or elsewhere, is not. */
MADE_TEST(test_elements)
{
	struct site_frame frame[] = { PY("/a/modules.py", "expand", 186),
	    PY("/a/train.py", "main", 90), { .module = "libtorch_cpu.so" } };
	struct site_frame read[] = { PY("/a/modules.py", "expand", 184),
	    { .function = "cuMemcpyDtoHAsync_v2", .module = "libcuda.so.1" } };
	struct site stack = { .call = CALL_NONE, .frame = frame, .frames = 3 }, site[] = {
		{ .call = CALL_LAUNCH, .count = 9, .frame = frame, .frames = 3 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 9, .frame = read, .frames = 2 } };

	fault_launch_bound(m);
	m->kernel[0].name = "void at::native::vectorized_elementwise_kernel<4, int>(int)";
	m->run.process = &python;
	m->run.processes = 1;
	made_gaps(m, IDLE_HOST, 20000, 65536);
	m->run.sequences = 0;
	for (int i = 0; i < LOOKS; i++)
		look[i] = (struct look){ .at_ns = (uint64_t)i * 30 * MS, .s = 0.03,
		    .gap = LOOK_GAP + 16, .site = &stack };
	m->run.look = look;
	m->run.looks = LOOKS;
	m->run.site = site;
	m->run.sites = 2;
	m->small[0] = (struct small_copies){ .kind = COPY_D2H, .host = MEMORY_PAGEABLE,
	    .groups = m->run.launches / 100, .copies = m->run.launches / 100 * 16 };
	m->run.smalls = 1;
	assert_has(made_found(m, "gpu-idle-gaps")->advice, "the loop over values of the GPU");
	m->small[0].groups++;		/* not so many in a row */
	assert_lacks(made_found(m, "gpu-idle-gaps")->advice, "the loop over values");
	m->small[0].groups = m->small[0].copies = m->run.launches / 20;	/* seldom */
	m->small[0].groups /= 16;
	assert_lacks(made_found(m, "gpu-idle-gaps")->advice, "the loop over values");
	m->small[0].copies *= 3;
	assert_has(made_found(m, "gpu-idle-gaps")->advice, "the loop over values of the GPU");
	read[0].function = "forward";
	assert_lacks(made_found(m, "gpu-idle-gaps")->advice, "the loop over values");
}

/* A loader without processes that has less of it than is a cause is a finding beside that; with
 * processes these are what there is to say. */
MADE_TEST(test_loader_in_loop)
{
	struct site_frame work[] = { PY("/a/images.py", "__getitem__", 17),
	    PY(FETCH, "fetch", 50), PY(NEXT, "__next__", 725), PY("/a/run.py", "epoch", 30),
	    PY("/a/run.py", "main", 90) };
	struct site_frame other[] = { PY("/a/run.py", "epoch", 33),
	    PY("/a/run.py", "main", 90) };
	struct site stack[] = { { .frame = work, .frames = 5 },
	    { .frame = other, .frames = 2 } };
	static const int share[] = { 30, 70 };
	struct site_frame made[] = { PY("/a/run.py", "epoch", 31),
	    { .function = "cuMemcpyHtoDAsync_v2", .module = "libcuda.so.1" },
	    { .module = "libtorch_cuda.so" } };
	struct site copy = { .call = CALL_MEMCPY_ASYNC, .count = 900, .frame = made,
	    .frames = 3 };
	const struct advice *a;
	size_t n = 0, i;

	made_looks(m, stack, share, 2);
	m->run.site = &copy;
	m->run.sites = 1;
	a = made_advised(m);
	for (i = 0; i < a->findings; i++)
		n += strstr(a->finding[i].summary, "in the loop's own thread") != NULL;
	assert_int_equal(n, 1);
	for (i = 0; strstr(a->finding[i].summary, "own thread") == NULL;)
		i++;
	assert_has(a->finding[i].advice, "raise num_workers");
	assert_int_equal(a->finding[i].site->frame[a->finding[i].site->first].line, 17);
	assert_true(a->finding[i].saves_high_s > 0.89 && a->finding[i].saves_high_s < 0.91);
	copy.workers = 4;
	copy.processors = 16;
	a = made_advised(m);
	for (i = 0; i < a->findings; i++)
		assert_lacks(a->finding[i].summary, "own thread");
}

/* Of what an interpreter launches the place is the line with most launches, of all its stacks; if
 * the line has few of all, there is none. */
MADE_TEST(test_launching_line)
{
	struct site_frame frame[12][2];
	struct site site[12];

	fault_launch_bound(m);
	m->kernel[0].name = "void at::native::vectorized_elementwise_kernel<4, int>(int)";
	m->run.process = &python;
	m->run.processes = 1;
	made_gaps(m, IDLE_HOST, 20000, 65536);
	m->run.sequences = 0;
	for (unsigned i = 0; i < 12; i++) {
		struct site_frame made[] = { PY("/a/model.py", "forward", i < 2 ? 40 : i),
		    { .module = "libtorch_cpu.so" } };

		memcpy(frame[i], made, sizeof(made));
		site[i] = (struct site){ .call = CALL_LAUNCH, .frame = frame[i],
		    .frames = 2, .count = i == 5 ? 7 : i < 2 ? 5 : 4 };
	}
	m->run.site = site;
	m->run.sites = 12;
	assert_int_equal(made_found(m, "gpu-idle-gaps")->site->frame[0].line, 40);
	assert_has(made_found(m, "gpu-idle-gaps")->location, "this line launches most");
	frame[1][0].line = 41;
	site[5].count = site[0].count = site[1].count = 4;
	assert_null(made_found(m, "gpu-idle-gaps")->site);
}

/*
 * unit/rules_counters.c: an optimizer of PyTorch that reads its step counters from the GPU.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/counters.h"
#include "unit/advise.h"

#define MS 1000000ull
#define S (1000 * MS)
#define STEPS 300
#define LOOKS 100
#define OPTIM "/x/site-packages/torch/optim/"
#define PY(f, n, l) { .file = f, .function = n, .line = l, .python = true }
#define DOWN { .module = "libcuda.so.1", .function = "cuMemcpyDtoHAsync_v2" }
#define VALUE { .module = "libtorch_cpu.so",				\
	.function = "at::_ops::_local_scalar_dense::call(at::Tensor const&)" }

static struct process python = { .python = true };
static struct look look[LOOKS];
static struct site_frame counter[6], loss[] = { PY("/a/train.py", "main", 60), DOWN, VALUE };
static struct site_frame launch[] = { PY("/a/train.py", "main", 50),
	{ .module = "libtorch_cuda.so" } };
static struct site site[3], at[2];

/* STEPS steps of 10 launches of 4 ms in all, each with 170 counters in a row that take 2 ms, and
 * one loss. The optimizer's file is ${file}; a fifth of the looks is in its reads. */
static void
made_counting(struct made *m, const char *file)
{
	static const struct site_frame made[] = { PY(OPTIM "optimizer.py", "_get_value", 96),
	    PY(NULL, "step", 700), PY(OPTIM "optimizer.py", "wrapper", 533),
	    PY("/a/train.py", "main", 61), DOWN, VALUE };

	made_again(m);
	made_kernel(m, "void at::native::vectorized_elementwise_kernel<4, int>(int)",
	    STEPS * 10, 400000);
	made_gaps(m, IDLE_LAUNCH, STEPS * 10, 100000);
	memcpy(counter, made, sizeof(made));
	counter[1].file = file;
	m->run.wall_ns = 5 * S;
	m->run.process = &python;
	m->run.processes = 1;
	m->copy[0] = (struct copy_class){ .kind = COPY_D2H, .src = MEMORY_DEVICE,
	    .dst = MEMORY_PINNED, .async = true, .size_class = 2, .count = STEPS * 171,
	    .bytes = STEPS * 171 * 4, .gpu_ns = 120 * MS, .exposed_ns = 120e6,
	    .waits = STEPS * 171, .waits_idle_ns = 480 * MS, .idle_after_ns = 480 * MS };
	m->run.copies = 1;
	m->run.small[0] = (struct small_copies){ .kind = COPY_D2H, .host = MEMORY_PINNED,
	    .groups = STEPS, .copies = STEPS * 171, .bytes = STEPS * 171 * 4,
	    .gpu_ns = 120 * MS, .span_ns = 600 * MS };
	m->run.smalls = 1;
	site[0] = (struct site){ .call = CALL_MEMCPY_ASYNC, .count = 17000, .frame = counter,
	    .frames = 6, .first = 3 };
	site[1] = (struct site){ .call = CALL_MEMCPY_ASYNC, .count = 100, .frame = loss,
	    .frames = 3 };
	site[2] = (struct site){ .call = CALL_LAUNCH, .kernel = 1, .count = STEPS * 10,
	    .frame = launch, .frames = 2 };
	m->run.site = site;
	m->run.sites = 3;
	at[0] = (struct site){ .call = CALL_NONE, .frame = counter, .frames = 4, .first = 3 };
	at[1] = (struct site){ .call = CALL_NONE, .frame = launch, .frames = 1 };
	for (uint64_t i = 0; i < LOOKS; i++)
		look[i] = (struct look){ .at_ns = i * 50 * MS, .s = 0.05, .site =
		    &at[i % 5 != 0] };
	m->run.look = look;
	m->run.looks = LOOKS;
}

/* The reads are the optimizer's finding, with what they take and how long they wait; others do
 * not list them as theirs. */
MADE_TEST(test_counters)
{
	const struct finding *f;
	struct counters c;

	made_counting(m, OPTIM "adam.py");
	c = counters_of(&m->run);
	assert_true(fabs(c.copies - 170 * STEPS) < 0.01 * 170 * STEPS);
	assert_true(fabs(c.copy_s + c.gap_s - 0.6) < 0.01 && fabs(c.wait_s - 0.4) < 0.02);
	f = made_found(m, "unfused-optimizer");
	assert_has(f->advice, "give the optimizer fused=True (or capturable=True): its step "
	    "counters are on the GPU");
	assert_has(f->summary, "step counters from the GPU, 170 in a row");
	assert_int_equal(f->site->frame[f->site->first].line, 61);
	assert_true(f->saves_s > 0.4 && f->saves_s < 1 && f->saves_high_s > f->saves_s);
	made_quiet(m, "many-small-copies");
	made_quiet(m, "synchronous-copies");
	/* What is read besides is found where it is. */
	m->copy[0].count = m->copy[0].waits = 3 * STEPS * 171;
	m->copy[0].waits_idle_ns = 2 * S;
	made_gaps(m, IDLE_AFTER_SYNC, 30000, 65536);
	f = made_found(m, "synchronous-copies");
	assert_int_equal(f->site->frame[f->site->first].line, 60);
}

/* Whatever else keeps the GPU waiting, this comes first. */
MADE_TEST(test_ahead)
{
	made_counting(m, OPTIM "adam.py");
	made_gaps(m, IDLE_HOST, 40000, 65536);
	assert_int_equal(strncmp(made_found(m, "gpu-idle-gaps")->advice,
	    "give the optimizer fused=True", 29), 0);
	counter[1].file = OPTIM "sgd.py";
	assert_lacks(made_found(m, "gpu-idle-gaps")->advice, "fused=True");
}

/* Without a fused form; none that counts; a closure of the program's, and an optimizer of its
 * own: these read what they ask for. */
MADE_TEST(test_others)
{
	made_counting(m, OPTIM "nadam.py");
	assert_has(made_found(m, "unfused-optimizer")->advice, "give the optimizer "
	    "capturable=True:");
	made_counting(m, OPTIM "lbfgs.py");
	made_quiet(m, "unfused-optimizer");
	made_found(m, "many-small-copies");
	made_counting(m, OPTIM "adam.py");
	counter[0] = (struct site_frame)PY("/a/train.py", "closure", 20);
	made_quiet(m, "unfused-optimizer");
	made_found(m, "many-small-copies");
	/* So few that it is no training. */
	made_counting(m, OPTIM "adam.py");
	m->run.small[0].groups = 2;
	m->run.small[0].copies = 342;
	m->run.small[0].bytes = 4 * 342;
	made_quiet(m, "unfused-optimizer");
}

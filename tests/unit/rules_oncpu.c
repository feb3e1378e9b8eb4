/*
 * unit/rules_oncpu.c: what a model makes on the CPU within its calls, beside other late input:
 * the line that makes a tensor and copies it, and results that come back from the host.
 */
#include <math.h>
#include <string.h>

#include "unit/advise.h"

#define LOOKS 100
#define PY(of, in, at) { .file = (of), .function = (in), .line = (at), .python = true }
#define UP { .module = "libcuda.so.1", .function = "cuMemcpyHtoDAsync_v2" }
#define DOWN { .module = "libcuda.so.1", .function = "cuMemcpyDtoHAsync_v2" }
#define TORCH(name) { .module = "libtorch_cpu.so", .function = (name) }
#define COPY TORCH("at::_ops::copy_::call(int)")
#define FORWARD PY("/a/trainer.py", "forward", 132)
#define STEP PY("/a/trainer.py", "step", 169)

/* A trainer's forward that is called by that name, with a loss that makes zeros (250) and
 * targets that NumPy makes (425); the loop copies batches (78). */
static struct site_frame zeros[] = { PY("/a/trainer.py", "loss", 250), FORWARD, STEP, UP, COPY };
static struct site_frame targets[] = { PY("/a/tool.py", "targets", 425), FORWARD, STEP, UP,
	COPY };
static struct site_frame results[] = { PY("/a/tool.py", "numpy", 12), FORWARD, STEP, DOWN,
	COPY };
static struct site_frame batch[] = { PY("/a/train.py", "train", 78), UP, COPY };
static struct site_frame launch[] = { PY("/a/trainer.py", "loss", 257), FORWARD, STEP,
	TORCH("at::_ops::div_Tensor::call(int)") };
static struct site_frame chosen[] = { PY("/a/tool.py", "overlap", 176), FORWARD, STEP };

enum { ZEROS, TARGETS, RESULTS, BATCH, LAUNCH, SITES };
static struct site sites[SITES], at_zeros, at_targets;
static struct look look[LOOKS];
static struct process python;

static struct site
copies(struct site_frame *frame, size_t frames, uint64_t n, double idle_s)
{
	return (struct site){ .call = CALL_MEMCPY_ASYNC, .count = n, .frame = frame,
	    .frames = frames, .idle_ns = idle_s * 1e9, .idle_gaps = n };
}

/* 1,000 gaps of 3 ms in front of copies to the GPU. The loop's batches have most of it as far
 * as calls tell; looks find the host at the line of the zeros for half of the time. */
static void
made_training(struct made *m)
{
	made_again(m);
	fault_waiting(m);
	sites[ZEROS] = copies(zeros, 5, 500, 0.3);
	sites[TARGETS] = copies(targets, 5, 500, 1);
	sites[RESULTS] = copies(results, 5, 500, 0);
	sites[BATCH] = copies(batch, 3, 1000, 1.5);
	sites[LAUNCH] = (struct site){ .call = CALL_LAUNCH, .count = 9, .frame = launch,
	    .frames = 4, .kernel = m->kernel[0].id };
	sites[ZEROS].after = sites[TARGETS].after = m->kernel[0].id;
	m->run.site = sites;
	m->run.sites = SITES;
	python = (struct process){ .python = true };
	m->run.process = &python;
	m->run.processes = 1;
	for (int i = 0; i < GAP_CLASSES; i++)
		m->run.gap[i].input_ns = m->run.gap[i].idle_ns[IDLE_HOST];
	at_zeros = (struct site){ .call = CALL_NONE, .frame = zeros, .frames = 3 };
	at_targets = (struct site){ .call = CALL_NONE, .frame = chosen, .frames = 3 };
	for (size_t i = 0; i < LOOKS; i++)
		look[i] = (struct look){ .s = 0.03, .gap = LOOK_GAP + 21,
		    .site = i < LOOKS / 2 ? &at_zeros : &at_targets };
	m->run.look = look;
	m->run.looks = LOOKS;
}

/* The finding with that in its summary; NULL. */
static const struct finding *
said(struct made *m, const char *what)
{
	const struct advice *a = made_advised(m);

	for (size_t i = 0; i < a->findings; i++)
		if (strstr(a->finding[i].summary, what) != NULL)
			return &a->finding[i];
	return NULL;
}

#define LINE "makes a tensor on the CPU"
#define RETURNED "works on them there"

/* The line has what the looks say, not the other gaps, and is first. */
MADE_TEST(test_line)
{
	const struct finding *f;

	made_training(m);
	f = said(m, LINE);
	assert_non_null(f);
	assert_has(made_advised(m)->finding[0].summary, LINE);
	assert_int_equal(f->site->frame[f->site->first].line, 250);
	assert_has(f->advice, "device=x.device");
	assert_true(fabs(f->saves_high_s - 1.5) < 0.01 && fabs(f->saves_s - 1.35) < 0.01);
}

/* A copy takes no such time; a function that the line calls is another's work; and a forward
 * that copies the batch itself waits for the loader there. */
MADE_TEST(test_no_line)
{
	made_training(m);
	sites[ZEROS].count = 10000;
	assert_null(said(m, LINE));
	made_training(m);
	at_zeros.frame = chosen;
	assert_null(said(m, LINE));
	made_training(m);
	sites[BATCH].count = 5;
	assert_null(said(m, LINE));
	made_training(m);
	zeros[1].function = targets[1].function = launch[1].function = "train";
	assert_null(said(m, LINE));
	zeros[1].function = targets[1].function = launch[1].function = "forward";
	/* Not within a framework that is not PyTorch, whose forward is any function. */
	made_training(m);
	sites[ZEROS].frames = 4;
	assert_null(said(m, LINE));
}

/* What becomes of results on the host has the rest of what is late within the model. */
MADE_TEST(test_returned)
{
	const struct finding *f;

	made_training(m);
	f = said(m, RETURNED);
	assert_non_null(f);
	assert_int_equal(f->site->frame[f->site->first].line, 425);
	assert_has(f->advice, "NumPy");
	assert_true(fabs(f->saves_high_s - 1) < 0.01 && fabs(f->saves_s - 0.67) < 0.01);
	/* A value that is read is no result to work on. */
	results[4].function = "at::_ops::_local_scalar_dense::call(int)";
	assert_null(said(m, RETURNED));
	results[4].function = "at::_ops::copy_::call(int)";
}

/* If the model has most of the late input, that is the cause, as it was. */
MADE_TEST(test_cause)
{
	const struct finding *f;

	made_training(m);
	sites[BATCH].idle_ns = 1e8;
	sites[TARGETS].idle_ns = 16e8;
	assert_null(said(m, LINE));
	assert_null(said(m, RETURNED));
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->location, "within calls of modules");
}

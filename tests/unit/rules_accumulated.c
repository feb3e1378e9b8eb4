/*
 * unit/rules_accumulated.c: gradients of several batches that are added up for each step of
 * the optimizer, where one larger batch needs a part of the launches.
 */
#include <math.h>
#include <string.h>

#include "unit/advise.h"

#define MS 1000000ull
#define S (1000 * MS)
#define STEPS 100
#define GAPS 100000		/* of 65.5 µs: nearly all of the time */
#define BATCHES (4 * STEPS)
#define POINTWISE "void at::native::vectorized_elementwise_kernel<4, int>(int)"

#define TRAIN { .file = "/a/train.py", .function = "train", .line = 30, .python = true }
#define NATIVE { .module = "libtorch_cuda.so" }

/* The lines of a model, the start and an addition of its backward pass, and the optimizer. */
static struct site_frame embedding[] = { { .file = "/a/model.py", .function = "forward",
    .line = 60, .python = true }, TRAIN, NATIVE };
static struct site_frame layers[] = { { .file = "/a/model.py", .function = "forward",
    .line = 61, .python = true }, TRAIN, NATIVE };
static struct site_frame head[] = { { .file = "/a/model.py", .function = "forward",
    .line = 62, .python = true }, TRAIN, NATIVE };
static struct site_frame loss[] = { { .file = "/a/train.py", .function = "train",
    .line = 31, .python = true }, NATIVE };
static struct site_frame backward[] = {
    { .file = "/x/site-packages/torch/autograd/__init__.py", .line = 231,
      .function = "_make_grads", .python = true },
    { .file = "/x/site-packages/torch/_tensor.py", .line = 631, .function = "backward",
      .python = true }, { .file = "/a/train.py", .function = "train", .line = 32,
      .python = true }, NATIVE };
static struct site_frame addition[] = { { .module = "libtorch_cpu.so",
    .function = "at::_ops::add__Tensor::call(at::Tensor&, int)" }, { .module = "libtorch_cpu.so",
    .function = "void torch::autograd::AccumulateGrad::accumulateGrad<int>(int)" } };
static struct site_frame adam[] = {
    { .file = "/x/site-packages/torch/optim/adam.py", .line = 705,
      .function = "_multi_tensor_adam", .python = true },
    { .file = "/x/site-packages/torch/optim/adam.py", .line = 247, .function = "step",
      .python = true }, { .file = "/a/train.py", .function = "train", .line = 35,
      .python = true }, NATIVE };

#define KERNELS 7
static const struct {
	struct site_frame *frame;
	size_t frames, first;
	uint64_t launches;
} launched[KERNELS] = {
	{ embedding, 3, 0, BATCHES }, { layers, 3, 0, 12 * BATCHES },
	{ head, 3, 0, BATCHES + 2 }, { loss, 2, 0, BATCHES + 1 },
	{ backward, 4, 2, BATCHES }, { addition, 2, 0, 3 * STEPS }, { adam, 4, 2, STEPS },
};
static struct site sites[KERNELS + 1];
static struct process process;

static void
made_training(struct made *m)
{
	made_again(m);
	for (uint32_t i = 0; i < KERNELS; i++) {
		struct kernel *k = made_kernel(m, POINTWISE, launched[i].launches, 5000);

		k->first_ns = 1 * S;
		k->last_ns = 9 * S;
		k->gap_before_ns = k->launches * 100000;
		sites[i] = (struct site){ .call = CALL_LAUNCH, .kernel = i + 1, .count = 4,
		    .frame = launched[i].frame, .frames = launched[i].frames,
		    .first = launched[i].first };
	}
	process = (struct process){ .python = true };
	m->run.process = &process;
	m->run.processes = 1;
	m->run.site = sites;
	m->run.sites = KERNELS;
	m->copy[0] = (struct copy_class){ .kind = COPY_H2D, .count = BATCHES + 20,
	    .bytes = BATCHES * 4096 };
	m->run.copies = 1;
	m->run.copy = m->copy;
	m->device[0].limits.memory_bytes = 140ull << 30;
	m->run.peak_memory_bytes = 10ull << 30;
	made_gaps(m, IDLE_HOST, GAPS, 65536);
}

static bool
says(struct made *m)
{
	return strstr(made_found(m, "gpu-idle-gaps")->advice, "raise the batch size") != NULL;
}

/* It is the first thing to do, and three quarters of the gaps go, but for the optimizer's. */
MADE_TEST(test_accumulated)
{
	const struct finding *f;
	double idle = GAPS * 65.536e-6, goes = 0.75 * (1 - 100 / 6900.0);

	made_training(m);
	f = made_found(m, "gpu-idle-gaps");
	assert_int_equal(strncmp(f->advice, "raise the batch size 4-fold and accumulate "
	    "gradients over 1 in place of 4: the same training", 86), 0);
	assert_has(f->advice, "1/4 of the launches");
	assert_has(f->advice, "torch.compile");		/* PyTorch's words go on */
	assert_true(f->saves_s >= goes * idle * 0.999 && f->saves_s < goes * idle + 0.01);
	/* A larger batch must fit. */
	m->run.peak_memory_bytes = 60ull << 30;
	assert_has(made_found(m, "gpu-idle-gaps")->advice, "raise the batch size 2-fold and "
	    "accumulate gradients over 2 in place of 4");
	m->run.peak_memory_bytes = 100ull << 30;
	assert_false(says(m));
}

/* Gradients that are set to zero, and not dropped, are added to for each batch. */
MADE_TEST(test_zeroed)
{
	made_training(m);
	m->kernel[5].launches = BATCHES;
	assert_true(says(m));
	/* So they are where each batch has a step, whatever the model does four times. */
	m->kernel[4].launches = m->kernel[5].launches = STEPS;
	assert_false(says(m));
}

/* A gradient that is only copied there, as it cannot be kept as it is, counts for nothing. */
MADE_TEST(test_copied)
{
	struct site_frame copy[2];

	made_training(m);
	memcpy(copy, addition, sizeof(copy));
	copy[0].function = "at::_ops::clone::call(at::Tensor const&, int)";
	sites[7] = sites[5];
	sites[7].kernel = KERNELS + 1;
	sites[7].frame = copy;
	made_kernel(m, POINTWISE, STEPS, 5000);
	m->run.sites = KERNELS + 1;
	assert_true(says(m));
	m->run.sites = KERNELS;
	sites[5].frame = copy;
	assert_false(says(m));
}

/* Nothing is added up: other parameters have each backward pass's gradients. */
MADE_TEST(test_not_added)
{
	made_training(m);
	m->run.sites = KERNELS - 1;
	sites[5] = sites[6];
	assert_false(says(m));
}

/* Two lines start backward passes, as of a generator and its critic; an optimizer that
 * evaluates several times in a step starts them; more is evaluated than trained on. */
MADE_TEST(test_other_trainings)
{
	struct site_frame other[4], within[5];

	made_training(m);
	assert_true(says(m));
	memcpy(other, backward, sizeof(other));
	other[2].line = 40;
	sites[7] = sites[4];
	sites[7].kernel = 0;
	sites[7].call = CALL_NONE;
	sites[7].frame = other;
	m->run.sites = KERNELS + 1;
	assert_false(says(m));
	m->run.sites = KERNELS;
	memcpy(within, backward, sizeof(backward));
	within[3] = adam[1];
	within[4] = backward[3];
	sites[4].frame = within;
	sites[4].frames = 5;
	assert_false(says(m));
	made_training(m);
	m->kernel[5].launches = m->kernel[4].launches = m->kernel[3].launches = STEPS;
	assert_false(says(m));
}

/* A search for an input takes the same batch several times: there is no other to add to it. */
MADE_TEST(test_same_input)
{
	made_training(m);
	m->copy[0].count = 2 * STEPS;
	assert_false(says(m));
}

/* A number that is not whole is not of batches; and the lines of a model that come once for a
 * step have to be few. */
MADE_TEST(test_no_whole_number)
{
	made_training(m);
	m->kernel[6].launches = 115;
	assert_false(says(m));
	made_training(m);
	m->kernel[1].launches = STEPS;
	m->kernel[1].gap_before_ns = 1;
	assert_true(says(m));			/* 100 of 1,303 */
	m->kernel[1].launches = 2 * STEPS;
	assert_false(says(m));
}

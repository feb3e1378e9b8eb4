/*
 * unit/rules_detour.c: tensors of a model's graph that are made on the CPU, whose gradients
 * each backward pass copies back there.
 */
#include <string.h>

#include "unit/advise.h"

#define MS 1000000ull
#define S (1000 * MS)
#define STEPS 1000
#define PARTS (6 * STEPS)
#define GAPS 100000		/* of 65.5 µs: 6.5 s */
#define SIZE 196608ull

#define PY(of, in, at) { .file = (of), .function = (in), .line = (at), .python = true }
#define CUDART { .module = "libcudart.so.13", .function = "cudaMemcpyAsync" }
#define UP { .module = "libcuda.so.1", .function = "cuMemcpyHtoDAsync_v2" }
#define DOWN { .module = "libcuda.so.1", .function = "cuMemcpyDtoHAsync_v2" }
#define TORCH(name) { .module = "libtorch_cpu.so", .function = (name) }
#define ENGINE TORCH("torch::autograd::Engine::thread_main(int)")
#define TRAIN PY("/a/train.py", "<module>", 186)

static struct site_frame batch[] = { PY("/a/train.py", "<module>", 183), UP, CUDART,
    TORCH("at::_ops::_to_copy::call(int)") };
static struct site_frame filled[] = { PY("/a/parts.py", "embed", 14), TRAIN, DOWN, CUDART,
    TORCH("torch::autograd::VariableType::(anonymous namespace)::copy_(int)") };
static struct site_frame sent[] = { PY("/a/parts.py", "embed", 19), TRAIN, UP, CUDART,
    TORCH("at::_ops::_to_copy::call(int)") };
static struct site_frame gradient[] = { DOWN, CUDART,
    TORCH("torch::autograd::generated::ToCopyBackward0::apply(int)"), ENGINE };
static struct site_frame parts[] = {
    PY("/x/site-packages/torch/autograd/graph.py", "_engine_run_backward", 869),
    PY("/a/train.py", "<module>", 196), UP, CUDART,
    TORCH("torch::autograd::CopyBackwards::apply(int)"), ENGINE };
static struct site_frame launch[] = { TRAIN, TORCH("at::_ops::add::call(int)") };

#define SITES 6
enum { BATCH, FILLED, SENT, GRADIENT, BACK, LAUNCH };
static struct site sites[SITES];
static struct process process;

static struct copy_class
made_copies(enum wire_copy kind, unsigned class, uint64_t n, uint64_t bytes, uint64_t idle_ns)
{
	bool up = kind == COPY_H2D;

	return (struct copy_class){ .kind = kind, .size_class = class, .count = n,
	    .bytes = n * bytes, .src = up ? MEMORY_PAGEABLE : MEMORY_DEVICE,
	    .dst = up ? MEMORY_DEVICE : MEMORY_PAGEABLE, .idle_after_ns = idle_ns };
}

#define SITE(of, n) (struct site){ .call = CALL_MEMCPY_ASYNC, .count = (n), .frame = (of),	\
	    .frames = sizeof(of) / sizeof((of)[0]) }

/* Parts that the GPU computes are put together on the CPU and copied to the GPU. */
static void
made_training(struct made *m)
{
	struct kernel *k;

	made_again(m);
	k = made_kernel(m, "void at::native::vectorized_elementwise_kernel<4, int>(int)",
	    60 * STEPS, 5000);
	k->first_ns = 1 * S;
	k->last_ns = 9 * S;
	sites[BATCH] = SITE(batch, 3 * STEPS);
	sites[FILLED] = SITE(filled, PARTS / 3);
	sites[SENT] = SITE(sent, STEPS / 3);
	sites[GRADIENT] = SITE(gradient, STEPS / 2);
	sites[BACK] = SITE(parts, PARTS / 2);
	sites[BACK].first = 1;
	sites[LAUNCH] = SITE(launch, 40);
	sites[LAUNCH].call = CALL_LAUNCH;
	sites[LAUNCH].kernel = 1;
	process = (struct process){ .python = true };
	m->run.process = &process;
	m->run.processes = 1;
	m->run.site = sites;
	m->run.sites = SITES;
	m->copy[0] = made_copies(COPY_H2D, 17, STEPS + 100, SIZE, 50 * MS);
	m->copy[1] = made_copies(COPY_D2H, 17, STEPS, SIZE, 50 * MS);
	m->copy[2] = made_copies(COPY_H2D, 15, PARTS, SIZE / 6, 2 * S);
	m->copy[3] = made_copies(COPY_D2H, 15, PARTS + 600, SIZE / 6, 400 * MS);
	m->run.copies = 4;
	m->run.copy = m->copy;
	made_gaps(m, IDLE_HOST, GAPS, 65536);
}

/* The finding about it; NULL. */
static const struct finding *
detour(struct made *m)
{
	const struct finding *f = made_finding(made_advised(m), "gpu-idle-gaps");

	return f != NULL && strstr(f->summary, "goes through the CPU") != NULL ? f : NULL;
}

/* It comes first, at the line that copies the tensor, with the gaps of both passes. */
MADE_TEST(test_detour)
{
	const struct finding *f;

	made_training(m);
	f = detour(m);
	assert_non_null(f);
	assert_non_null(f->site);
	assert_string_equal(f->site->frame[f->site->first].file, "/a/parts.py");
	assert_int_equal(f->site->frame[f->site->first].line, 19);
	assert_has(f->advice, "device=x.device");
	assert_true(f->saves_high_s > 2.4 && f->saves_high_s < 2.5);
	assert_true(f->saves_s > 2.0 && f->saves_s < f->saves_high_s);
	/* What the gradients' copies themselves take goes as well. */
	made_training(m);
	m->copy[1].exposed_ns = m->copy[1].gpu_ns = 1 * S;
	f = detour(m);
	assert_non_null(f);
	assert_true(f->saves_high_s > 3.4 && f->saves_high_s < 3.5);
}

/* A loop's copies that no backward pass makes by itself: what a hook reads, an optimizer on
 * the CPU, activations that are kept there. */
MADE_TEST(test_other_copies)
{
	struct site_frame hook[] = { PY("/a/train.py", "hook", 50), DOWN, CUDART,
	    TORCH("at::_ops::item::call(int)"), TORCH("torch::autograd::PyNode::apply(int)"),
	    ENGINE };
	struct site_frame offloaded[] = { PY("/a/adam.py", "step", 60), DOWN, CUDART };

	made_training(m);
	sites[GRADIENT] = SITE(hook, STEPS);
	assert_null(detour(m));
	sites[GRADIENT] = SITE(offloaded, STEPS);
	assert_null(detour(m));
	/* A loss that is computed on the CPU gives its gradient to the GPU only. */
	made_training(m);
	gradient[0] = (struct site_frame)UP;
	assert_null(detour(m));
	gradient[0] = (struct site_frame)DOWN;
	assert_non_null(detour(m));
	/* A few are no loop's. */
	sites[GRADIENT].count = 5;
	assert_null(detour(m));
}

/* Copies of another size, of pinned memory, or many more of one direction are others. */
MADE_TEST(test_unlike)
{
	made_training(m);
	m->copy[2].bytes += m->copy[2].bytes / 50;
	assert_null(detour(m));
	made_training(m);
	m->copy[2].src = MEMORY_PINNED;
	assert_null(detour(m));
	made_training(m);
	m->copy[3].count *= 3;
	m->copy[3].bytes *= 3;
	assert_null(detour(m));
}

/* Without such a function, a copy within a module's call is the place; a batch's is not, and
 * what is saved, or filled behind the copy, tells nothing. */
MADE_TEST(test_place)
{
	struct site_frame within[] = { PY("/a/model.py", "forward", 30),
	    PY("/x/site-packages/torch/nn/modules/module.py", "_call_impl", 1790), TRAIN, UP,
	    CUDART };
	struct site_frame saved[] = {
	    PY("/x/site-packages/torch/storage.py", "cpu", 264),
	    PY("/a/train.py", "<module>", 170), DOWN, CUDART,
	    TORCH("torch::autograd::VariableType::(anonymous namespace)::copy_(int)") };
	const struct finding *f;

	made_training(m);
	sites[FILLED] = SITE(saved, STEPS);
	sites[FILLED].first = 1;
	sites[SENT] = SITE(within, STEPS);
	f = detour(m);
	assert_non_null(f);
	assert_string_equal(f->site->frame[f->site->first].file, "/a/model.py");
	sites[SENT] = SITE(sent, STEPS);
	f = detour(m);
	assert_non_null(f);
	assert_true(f->site == NULL || f->site->frame[f->site->first].line != 19);
}

/* Leaves that a function makes anew for each step, where nothing else is copied; not results
 * that a program works on and copies back, beside a gradient of something else. */
MADE_TEST(test_drawn)
{
	struct site_frame drawn[] = { PY("/a/points.py", "draw", 12), TRAIN, UP, CUDART };
	const struct finding *f;

	made_training(m);
	sites[FILLED] = sites[BACK] = sites[LAUNCH];
	assert_null(detour(m));
	sites[BATCH] = SITE(drawn, 2 * STEPS);
	sites[SENT] = SITE(drawn, STEPS);
	f = detour(m);
	assert_non_null(f);
	assert_string_equal(f->site->frame[f->site->first].file, "/a/points.py");
}

/* What is copied once, and its gradient each time: no gap of its own, but no graph holds it. */
MADE_TEST(test_leaves)
{
	struct site_frame leaf[] = { PY("/a/train.py", "<module>", 33), UP, CUDART };
	struct site_frame other[] = { PY("/a/train.py", "<module>", 31), UP, CUDART };
	const struct finding *f;

	made_training(m);
	sites[BATCH] = SITE(leaf, 1);
	sites[SENT] = SITE(other, 1);
	sites[FILLED] = SITE(leaf, 1);
	sites[BACK] = sites[LAUNCH];
	m->copy[0].count = 1;
	m->copy[0].bytes = SIZE;
	m->run.copies = 2;
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->advice, "(train.py:31, 33) each backward pass copies the gradient");
	assert_null(detour(m));
	sites[GRADIENT].count = 0;
	assert_null(strstr(made_found(m, "gpu-idle-gaps")->advice, "each backward pass"));
}

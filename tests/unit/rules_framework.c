/*
 * Advice for programs of frameworks: in the framework's words, and faults that
 * only such programs can have.
 */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "report/kin.h"
#include "rules/evidence/closure.h"
#include "rules/evidence/offloaded.h"
#include "unit/advise.h"

#define MS 1000000ull
#define POINTWISE_ADD "void at::native::vectorized_elementwise_kernel<4, " \
    "at::native::CUDAFunctor_add<float>, std::array<char*, 3>>(int, float)"
#define S (1000 * MS)

/* The advice on a launch-bound sequence that is launched from ${file}. */
static const char *
said_of(struct made *m, const char *file, const char *module)
{
	static struct site_frame frame[2];
	static struct site site;
	const struct finding *f;

	frame[0] = (struct site_frame){ .file = "/home/me/run.py", .line = 7,
	    .python = true };
	frame[1] = (struct site_frame){ .file = file, .module = module };
	site = (struct site){ .call = CALL_LAUNCH, .count = 1, .frame = frame,
	    .frames = 2 };
	fault_launch_bound(m);
	site.kernel = m->sequence[0].kernel[0];
	m->run.site = &site;
	m->run.sites = 1;
	f = made_found(m, "launch-bound-graph-candidate");
	/* The cure is the advice's: it is not always a graph. */
	assert_null(strstr(f->title, "graph"));
	return f->advice;
}

/* Each framework has its own words. */
MADE_TEST(test_words)
{
	assert_has(said_of(m, NULL, "libtorch_python.so"), "reduce-overhead");
	made_again(m);
	assert_has(said_of(m, NULL, "xla_extension.so"), "jax.lax.fori_loop");
	made_again(m);
	assert_has(said_of(m,
	    "/usr/lib/python3/dist-packages/cupy/_core/core.py", NULL),
	    "cupy.fuse");
	made_again(m);
	assert_has(said_of(m, NULL, "a.out"), "PyTorch");
}

/* Where each step has a batch of its own, and its kernels are small, the batch may be larger. */
MADE_TEST(test_words_of_batches)
{
	struct site_frame in[] = { { .file = "/home/me/run.py", .line = 9, .python = true },
	    { .function = "cuMemcpyHtoDAsync_v2", .module = "libcuda.so.1" },
	    { .module = "libtorch_cuda.so" } };
	struct site copy = { .call = CALL_MEMCPY_ASYNC, .frame = in, .frames = 3 };
	const struct finding *f;
	double high;

	assert_lacks(said_of(m, NULL, "libtorch_python.so"), "needs no graph");
	high = made_found(m, "launch-bound-graph-candidate")->saves_high_s;
	copy.count = m->sequence[0].repeats;
	m->kernel[0].shape.grid_x = 20;
	m->run.site = (struct site[]){ copy, m->run.site[0] };
	m->run.sites = 2;
	f = made_found(m, "launch-bound-graph-candidate");
	assert_has(f->advice, "reduce-overhead");
	assert_has(f->advice, "where the batch may be larger");
	assert_true(f->saves_high_s >= high);
	m->kernel[0].shape.grid_x = 4000;	/* it fills the GPU */
	assert_lacks(made_found(m, "launch-bound-graph-candidate")->advice,
	    "needs no graph");
}

/* What L-BFGS calls again and again is its closure: a graph of that fits, whatever waits the
 * optimizer has. */
MADE_TEST(test_words_of_closure)
{
	struct site_frame in[] = { { .file = "/home/me/run.py", .line = 9, .python = true },
	    { .file = "/x/site-packages/torch/optim/lbfgs.py", .python = true },
	    { .module = "libtorch_python.so" } };
	struct site launch = { .call = CALL_LAUNCH, .count = 90, .frame = in, .frames = 3 };

	said_of(m, NULL, "libtorch_python.so");
	m->sequence[0].syncs = m->sequence[0].repeats;
	launch.kernel = m->sequence[0].kernel[0];
	m->run.site = &launch;
	assert_has(made_found(m, "launch-bound-graph-candidate")->advice, "closure");
	in[1].file = "/x/site-packages/torch/optim/adam.py";
	assert_has(made_found(m, "launch-bound-graph-candidate")->advice,
	    "take the host's waits out");
}

/* L-BFGS's own launches are due to its history, for which it has no fused form; what its
 * closure launches is the program's, and what it reads is none of the program's waits. */
MADE_TEST(test_history)
{
	struct site_frame own[] = { { .file = "/x/site-packages/torch/optim/lbfgs.py",
	    .line = 400, .python = true },
	    { .file = "/home/me/run.py", .line = 9, .python = true },
	    { .module = "libtorch_python.so" } };
	struct site_frame read[] = { own[0], own[1],
	    { .function = "cuMemcpyDtoHAsync_v2", .module = "libcuda.so.1" } };
	struct site site[] = {
		{ .call = CALL_MEMCPY_ASYNC, .count = 900, .frame = read, .frames = 3,
		    .first = 1 },
		{ .call = CALL_LAUNCH, .count = 90, .frame = own, .frames = 3,
		    .first = 1 } };
	const struct finding *f;

	made_kernel(m, POINTWISE_ADD, 40000, 2000)->gap_before_ns = 800 * MS;
	m->run.idle_ns[IDLE_LAUNCH] = 800 * MS;
	m->run.idle_total_ns += 800 * MS;
	site[1].kernel = m->kernel[0].id;
	m->run.site = site;
	m->run.sites = 2;
	f = made_found(m, "unfused-optimizer");
	assert_has(f->advice, "history_size=10");
	assert_lacks(f->good_code, "fused");
	assert_true(closure_reads(&m->run) == 1);
	own[0] = (struct site_frame){ .file = "/home/me/run.py", .line = 5, .python = true };
	own[1] = (struct site_frame){ .file = "/x/site-packages/torch/optim/lbfgs.py",
	    .line = 300, .python = true };
	made_quiet(m, "unfused-optimizer");
}

/* A loop that XLA has compiled, and launches kernel by kernel, is in the compiler already; and
 * unrolling it takes little of the launches. */
MADE_TEST(test_words_of_looping)
{
	struct site_frame in[] = { { .function = "xla::gpu::WhileThunk::Initialize",
	    .module = "xla_cuda_plugin.so" } };
	struct site site = { .call = CALL_MALLOC, .count = 1, .frame = in, .frames = 1 };
	const struct finding *f;
	double without;

	assert_has(said_of(m, NULL, "xla_extension.so"), "with jax.jit around the whole step");
	without = made_found(m, "launch-bound-graph-candidate")->saves_s;
	m->run.site = (struct site[]){ site, m->run.site[0] };
	m->run.sites = 2;
	f = made_found(m, "launch-bound-graph-candidate");
	assert_has(f->advice, "unroll the loop that is compiled already");
	assert_true(fabs(f->saves_s - 0.25 * without) < 0.01 * without);
}

/* cupy.fuse takes no function that does anything else. */
MADE_TEST(test_words_of_fuse)
{
	const struct finding *f;

	fault_pointwise(m);
	for (size_t i = 0; i < m->run.kernels; i++)
		m->kernel[i].name = m->kernel[i].mangled =
		    "cupy_multiply__float64_float64_float64";
	f = made_found(m, "eager-pointwise-chain");
	assert_has(f->advice, "a function of its own with @cupy.fuse()");
	assert_has(f->good_code, "@cp.fuse()");
}

/* A batch is better sent from pinned memory; of few numbers the way takes the time. */
MADE_TEST(test_words_by_size)
{
	static const struct { uint64_t each; bool pinned; } cases[] = {
		{ 1 << 20, true }, { 4096, true }, { 68, false },
	};
	struct site_frame frame[] = {
		{ .file = "/home/me/run.py", .line = 7, .python = true },
		{ .function = "cuMemcpyHtoD_v2", .module = "libtorch_cpu.so" },
	};
	struct site site = { .call = CALL_MEMCPY, .count = 9, .frame = frame,
	    .frames = 2 };

	fault_blocking(m);
	m->copy[0].kind = COPY_H2D;
	m->copy[0].count = 10000;
	m->run.site = &site;
	m->run.sites = 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *advice;

		m->copy[0].bytes = m->copy[0].count * cases[i].each;
		advice = made_found(m, "synchronous-copies")->advice;
		if ((strstr(advice, "non_blocking") != NULL) != cases[i].pinned)
			fail_msg("%" PRIu64 " bytes: %s", cases[i].each, advice);
	}
}

/* What asks for the value decides what to do instead: it is on the stack of the call. */
MADE_TEST(test_words_by_frame)
{
	static const struct {
		const char *function, *file, *said;
	} cases[] = {
		{ "at::_ops::nonzero::call(at::Tensor const&)", NULL,
		    "torch.where(mask" },
		{ "at::_ops::masked_select::call(at::Tensor const&)", NULL,
		    "torch.where(mask" },
		{ "__init__", "/dist-packages/torch/distributions/distribution.py",
		    "validate_args=False" },
		{ "at::_ops::repeat_interleave_Tensor::call(at::Tensor const&)", NULL,
		    "output_size" },
		/* .item(), and an if of a tensor. */
		{ "at::_ops::_local_scalar_dense::call(at::Tensor const&)", NULL,
		    ".item()" },
		{ "at::_ops::is_nonzero::call(at::Tensor const&)", NULL, ".item()" },
	};

	fault_blocking(m);
	m->copy[0].kind = COPY_D2H;
	m->copy[0].src = MEMORY_DEVICE;
	m->copy[0].count = 10000;
	m->copy[0].bytes = m->copy[0].count * 8;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct site_frame frame[] = {
			{ .file = "/home/me/run.py", .line = 7, .python = true },
			{ .function = "cuMemcpyDtoH_v2", .module = "libcuda.so.1" },
			{ .function = cases[i].function, .file = cases[i].file,
			    .module = "libtorch_cpu.so" },
		};
		struct site site = { .call = CALL_MEMCPY, .count = 9,
		    .frame = frame, .frames = 3 };

		m->run.site = &site;
		m->run.sites = 1;
		assert_has(made_found(m, "synchronous-copies")->advice,
		    cases[i].said);
	}
}

/* Late input has advice of its own. */
MADE_TEST(test_words_of_input)
{
	const struct finding *f;

	fault_waiting(m);
	m->kernel[0].name = "void at::native::vectorized_elementwise_kernel<4, int>(int)";
	f = made_found(m, "gpu-idle-gaps");
	assert_lacks(f->good_code, "num_workers");
	for (int i = 0; i < GAP_CLASSES; i++)
		m->run.gap[i].input_ns = m->run.gap[i].idle_ns[IDLE_HOST] / 4;
	f = made_found(m, "gpu-idle-gaps");
	assert_lacks(f->good_code, "num_workers");
	assert_has(f->location, "25 % of it in front of copies to the GPU");
	for (int i = 0; i < GAP_CLASSES; i++)
		m->run.gap[i].input_ns = m->run.gap[i].idle_ns[IDLE_HOST];
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->good_code, "num_workers");
	assert_has(f->location, "in front of copies to the GPU");
}

/* Long work of the host on results hides behind the next step's, at most as much as there
 * is; what Python does between launches can go with the launches. */
MADE_TEST(test_words_of_work)
{
	struct process python = { .python = true };
	struct site_frame frame[] = { { .file = "/home/me/run.py", .line = 7,
	    .python = true }, { .module = "xla_extension.so" } };
	struct site site = { .call = CALL_LAUNCH, .kernel = 1, .count = 1,
	    .frame = frame, .frames = 2 };
	const struct finding *f;

	for (int brief = 0; brief < 2; brief++) {
		made_again(m);
		made_kernel(m, "loop_fusion", 10000, 200000);
		made_gaps(m, IDLE_HOST, brief ? 20000 : 500, brief ? 100000 :
		    4000000);
		m->run.idle_total_ns = m->run.wall_ns - 500000000;
		m->run.process = &python;
		m->run.processes = 1;
		m->run.site = &site;
		m->run.sites = 1;
		f = made_found(m, "gpu-idle-gaps");
		if (brief) {
			assert_true(f->saves_s > 0.6 && f->saves_high_s > 1.9);
			continue;
		}
		assert_has(f->advice, "before the host uses this one's results");
		assert_true(f->saves_s < 0.43 && f->saves_high_s < 0.501);
	}
}

/* Its place is a line that copies input, if there is one, rather than a thread; else the
 * line that launches most, since the steps that it launches are fed. */
MADE_TEST(test_line_of_input)
{
	struct site_frame line[] = { { .file = "/a/run.py", .line = 7, .python = true },
	    { .function = "cuMemcpyHtoDAsync_v2", .module = "libcuda.so.1" } };
	struct site site[] = {
		{ .call = CALL_MEMCPY_ASYNC, .count = 9, .frame = line + 1, .frames = 1 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 2, .frame = line, .frames = 2 },
		{ .call = CALL_LAUNCH, .count = 5, .frame = line + 1, .frames = 1 },
		{ .call = CALL_LAUNCH, .count = 2, .frame = line, .frames = 1 },
		{ .call = CALL_GRAPH_LAUNCH, .count = 3, .frame = line, .frames = 1 },
	};

	fault_waiting(m);
	for (int i = 0; i < GAP_CLASSES; i++)
		m->run.gap[i].input_ns = m->run.gap[i].idle_ns[IDLE_HOST];
	m->run.site = site;
	m->run.sites = 2;
	assert_ptr_equal(made_found(m, "gpu-idle-gaps")->site, &site[1]);
	m->run.sites = 1;
	assert_ptr_equal(made_found(m, "gpu-idle-gaps")->site, &site[0]);
	site[1] = site[2];
	m->run.sites = 2;
	assert_ptr_equal(made_found(m, "gpu-idle-gaps")->site, &site[0]);
	m->run.sites = 5;
	assert_ptr_equal(made_found(m, "gpu-idle-gaps")->site, &site[4]);
	assert_has(made_found(m, "gpu-idle-gaps")->location, "that this line launches");
}

/* Gaps from a copy to the host to the next one to the GPU: what the host does to results is
 * in them, as is what prepares input, and both ends are named. */
MADE_TEST(test_line_between)
{
	struct site_frame out[] = { { .file = "/a/demo.py", .function = "show", .line = 27,
	    .python = true }, { .function = "cuMemcpyDtoHAsync_v2",
	    .module = "libcuda.so.1" } };
	struct site_frame in[] = { { .file = "/a/demo.py", .function = "load", .line = 23,
	    .python = true }, { .function = "cuMemcpyHtoDAsync_v2",
	    .module = "libcuda.so.1" }, { .module = "libtorch_cuda.so" } };
	struct site site[] = {
		{ .call = CALL_MEMCPY_ASYNC, .count = 9, .frame = out, .frames = 2 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 9, .frame = in, .frames = 3 } };
	const struct finding *f;

	fault_waiting(m);
	for (int i = 0; i < GAP_CLASSES; i++) {
		struct gap_class *c = &m->run.gap[i];

		c->output_ns = c->input_ns = c->idle_ns[IDLE_HOST] / 10 * 8;
		c->outputs = c->count;
		c->output_bytes = 1000000 * c->count;
	}
	m->run.site = site;
	m->run.sites = 2;
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->location, "most of it between copies to the host at demo.py:27 in "
	    "show() and copies to the GPU");
	assert_int_equal(f->site->frame[f->site->first].line, 23);
	assert_has(f->advice, "both ends");
	/* Without a line of the one end, the other one is named. */
	out[0] = (struct site_frame){ .function = "show()", .module = "app" };
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->location, "between copies to the host");
	out[0] = (struct site_frame){ .file = "/a/demo.py", .function = "show", .line = 27,
	    .python = true };
	for (int i = 0; i < GAP_CLASSES; i++)	/* which have 0.4 in common, or less */
		m->run.gap[i].output_ns = m->run.gap[i].idle_ns[IDLE_HOST] / 10 * 6;
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->location, "most of it in front of copies to the GPU");
	assert_has(f->advice, "prepare input ahead");
}

/* Results that the framework's threads copy have no line: its place is the line that starts
 * the next step, which begins with a copy on the device. */
MADE_TEST(test_line_after_output)
{
	struct site_frame thread[] = { { .function = "cuMemcpyDtoHAsync_v2" },
	    { .module = "xla_extension.so" } };
	struct site_frame step[] = { { .file = "/a/run.py", .line = 7, .python = true },
	    { .function = "cuMemcpyDtoDAsync_v2", .module = "libcuda.so.1" } };
	struct site_frame moves[] = { { .function = "cuMemcpyDtoDAsync_v2",
	    .module = "libcuda.so.1" } };
	struct site site[] = {
		{ .call = CALL_MEMCPY_ASYNC, .count = 9, .frame = thread, .frames = 2 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 9, .frame = moves, .frames = 1 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 5, .frame = step, .frames = 2 },
	};
	const struct finding *f;

	fault_waiting(m);
	for (int i = 0; i < GAP_CLASSES; i++) {
		struct gap_class *c = &m->run.gap[i];

		c->output_ns = c->moved_ns = c->idle_ns[IDLE_HOST];
		c->outputs = c->count;
		c->output_bytes = 1000000 * c->count;
	}
	m->run.site = site;
	m->run.sites = 3;
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->summary,
	    "copies to the host (1 MB) by the framework's own threads");
	assert_has(f->location, "in front of the work that this line starts");
	assert_non_null(f->site);
	assert_ptr_equal(f->site->frame, step);
	for (int i = 0; i < GAP_CLASSES; i++)
		m->run.gap[i].moved_ns /= 4;
	assert_null(made_found(m, "gpu-idle-gaps")->site);
}

/* So have short gaps, one in front of each launch: a graph where steps repeat, larger
 * operators where they do not. Half of that time may be in longer gaps. */
MADE_TEST(test_words_of_short_gaps)
{
	struct process python = { .python = true };
	const struct finding *f;

	fault_launch_bound(m);
	m->kernel[0].name = "void at::native::vectorized_elementwise_kernel<4, int>(int)";
	m->run.process = &python;
	m->run.processes = 1;
	made_gaps(m, IDLE_HOST, 20000, 65536);
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->advice, "launch a step at once");
	m->run.launches *= 10;
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->advice, "one batched operator");
	made_gaps(m, IDLE_HOST, 20, 131072 * 1024);
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->advice, "let Python do less");
}

/* What launches much of all in steps that do not repeat: a solver may take fewer of its
 * steps, a sparse matrix is coalesced once. */
MADE_TEST(test_words_of_launchers)
{
	static const struct {
		const char *function, *file, *said;
		uint64_t others;
	} cases[] = {
		{ "_runge_kutta_step", "/x/-packages/torchdiffeq/_impl/rk_common.py",
		    "looser tolerances", 2 },
		{ "_runge_kutta_step", "/x/-packages/torchdiffeq/_impl/rk_common.py",
		    "one batched operator", 4 },
		{ "at::_ops::_coalesce::call(at::Tensor const&)", NULL,
		    "adj.coalesce()", 2 },
		{ "at::_ops::addmm::call(at::Tensor const&)", NULL,
		    "one batched operator", 2 },
	};
	struct process python = { .python = true };

	fault_launch_bound(m);
	m->kernel[0].name = "void at::native::vectorized_elementwise_kernel<4, int>(int)";
	m->run.process = &python;
	m->run.processes = 1;
	made_gaps(m, IDLE_HOST, 20000, 65536);
	m->run.launches *= 10;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct site_frame frame[] = {
			{ .function = cases[i].function, .file = cases[i].file },
			{ .file = "/home/me/run.py", .line = 7, .python = true },
			{ .module = "libtorch_cpu.so" },
		};
		struct site site[] = {
			{ .call = CALL_LAUNCH, .kernel = m->kernel[0].id, .count = 1,
			    .frame = frame, .frames = 3 },
			{ .call = CALL_LAUNCH, .kernel = m->kernel[0].id,
			    .count = cases[i].others, .frame = frame + 1, .frames = 2 },
		};
		const struct finding *f;

		m->run.site = site;
		m->run.sites = 2;
		f = made_found(m, "gpu-idle-gaps");
		assert_has(f->advice, cases[i].said);
		if (strstr(cases[i].said, "looser") == NULL)
			assert_lacks(f->advice, "tolerances");
	}
}

/* An operator that waits by itself is named: the program calls no synchronize(). */
MADE_TEST(test_words_of_waiting_operators)
{
	static const struct {
		const char *function, *said, *place;
	} cases[] = {
		{ "c10::cuda::device_synchronize()", "leave torch.cuda.synchronize()",
		    NULL },
		{ "at::_ops::_coalesce::call(at::Tensor const&)", "adj.coalesce()",
		    "here by aten::_coalesce itself" },
		{ "at::_ops::_unique2::call(at::Tensor const&, bool, bool, bool)",
		    "make what this operator returns once",
		    "here by aten::_unique2 itself" },
	};

	fault_syncing(m);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct site_frame frame[] = {
			{ .file = "/home/me/run.py", .line = 7, .python = true },
			{ .function = cases[i].function, .module = "libtorch_cuda.so" },
		};
		struct site site = { .call = CALL_DEVICE_SYNC, .count = 9,
		    .frame = frame, .frames = 2 };
		const struct finding *f;

		m->run.site = &site;
		m->run.sites = 1;
		f = made_found(m, "device-sync-overuse");
		assert_has(f->advice, cases[i].said);
		if (cases[i].place != NULL)
			assert_has(f->location, cases[i].place);
		else
			assert_lacks(f->location, "itself");
	}
}

#define MODULE "/x/site-packages/torch/nn/modules/module.py"

/* Models that are moved off the GPU and back stay there: all of that time goes, also what
 * looked like results that the host checks. Moved to the GPU only, they are loaded. */
MADE_TEST(test_words_of_models)
{
	struct process python = { .python = true };
	struct site_frame out[] = {
		{ .function = "_apply", .file = MODULE, .line = 9, .python = true },
		{ .file = "/a/run.py", .line = 31, .python = true },
		{ .function = "cuMemcpyDtoHAsync_v2", .module = "libcuda.so.1" },
		{ .module = "libtorch_cuda.so" } };
	struct site_frame in[] = { out[0], out[1],
		{ .function = "cuMemcpyHtoDAsync_v2", .module = "libcuda.so.1" }, out[3] };
	struct site site[] = {
		{ .call = CALL_MEMCPY_ASYNC, .count = 400, .first = 1, .frame = out,
		    .frames = 4 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 400, .first = 1, .frame = in,
		    .frames = 4 },
	};
	struct copy_class copy[] = {
		{ .kind = COPY_D2H, .src = MEMORY_DEVICE, .dst = MEMORY_PAGEABLE,
		    .async = true, .size_class = 23, .count = 400, .bytes = 4000 * MS,
		    .gpu_ns = 2500 * MS, .exposed_ns = 1000e6 },
		{ .kind = COPY_H2D, .src = MEMORY_PAGEABLE, .dst = MEMORY_DEVICE,
		    .async = true, .size_class = 23, .count = 400, .bytes = 4000 * MS,
		    .gpu_ns = 500 * MS, .exposed_ns = 500e6 },
	};
	struct resent round = { .kind = RESENT_ROUND, .count = 400, .ranges = 400,
	    .bytes = 4000 * MS, .gpu_ns = 500 * MS, .down_ns = 2500 * MS };
	const struct finding *f;

	fault_pageable(m);
	m->run.wall_ns = 20 * S;
	m->run.process = &python;
	m->run.processes = 1;
	m->run.copy = copy;
	m->run.copies = 2;
	m->run.site = site;
	m->run.sites = 2;
	m->run.resent = &round;
	m->run.resents = 1;
	m->run.results = (struct results){ .phases = 5, .copies = 300,
	    .copy_ns = 1500 * MS };
	f = made_found(m, "pageable-host-memory");
	assert_has(f->advice, "leave the models on the GPU");
	assert_has(f->summary, "leave the GPU and come back");
	assert_string_equal(f->where, "model weights");
	assert_true(fabs(f->saves_s - 3) < 0.01);
	assert_int_equal(offloaded_results(&m->run).copies, 0);
	/* Results that are sent back. */
	out[0].function = in[0].function = "step";
	f = made_found(m, "pageable-host-memory");
	assert_lacks(f->advice, "leave the models");
	assert_true(f->saves_s < 2);
	assert_int_equal(offloaded_results(&m->run).copies, 300);
	/* Loaded. */
	in[0].function = "_apply";
	m->run.resents = 0;
	copy[0].bytes = 4000;
	f = made_found(m, "pageable-host-memory");
	assert_has(f->advice, "make the model on the GPU");
	site[0].frame = in + 1;			/* batches beside it */
	site[0].frames = 3;
	site[0].first = 0;
	site[0].count = 20;
	assert_has(made_found(m, "pageable-host-memory")->advice, "DataLoader");
	m->run.site = site + 1;
	m->run.sites = 1;
	in[0].file = "/a/mine.py";		/* no framework's */
	assert_has(made_found(m, "pageable-host-memory")->advice, "DataLoader");
}

/* The GPU works for half a second, and waits for 3 s, for what ${site} copies. */
static void
made_waiting(struct made *m, struct site *site)
{

	fault_waiting(m);
	m->run.idle_total_ns = m->run.wall_ns - 500 * 1000000ull;
	m->run.site = site;
	m->run.sites = 1;
}

#define LOADER "/x/site-packages/accelerate/data_loader.py"

/* Gaps behind the copies of a loader, which fetches the next batch before the step. More
 * workers shorten its own time: the GPU's work is no limit. */
MADE_TEST(test_words_of_loader)
{
	struct site_frame frame[] = {
		{ .file = LOADER, .line = 9, .python = true },
		{ .file = "/a/cv.py", .line = 149, .python = true },
		{ .function = "cuMemcpyHtoDAsync_v2", .module = "libcuda.so.1" },
		{ .module = "libtorch_cuda.so" } };
	struct site site = { .call = CALL_MEMCPY_ASYNC, .count = 40, .first = 1,
	    .frame = frame, .frames = 4 };
	const struct finding *f;

	made_waiting(m, &site);
	for (int i = 0; i < GAP_CLASSES; i++)
		m->run.gap[i].fed_ns = m->run.gap[i].idle_ns[IDLE_HOST];
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->advice, "raise num_workers");
	assert_has(f->location, "that the loader makes");
	assert_ptr_equal(f->site, &site);
	assert_true(fabs(f->saves_s - 0.75 * 3) < 0.01 && f->saves_low_s > 0.9);
	frame[0].file = "/a/mine.py";	/* no loader's */
	f = made_found(m, "gpu-idle-gaps");
	assert_lacks(f->advice, "raise num_workers");
	assert_true(f->saves_s < 0.5);
	frame[0].file = LOADER;
	site.count = 9;			/* few: a model's parameters */
	assert_lacks(made_found(m, "gpu-idle-gaps")->advice, "raise num_workers");
}

/* Where other processes prepare the input already, more of them may help, or not. Their
 * work is not limited by the GPU's, either. */
MADE_TEST(test_words_of_workers)
{
	struct site_frame frame[] = {
		{ .file = "/a/train.py", .line = 30, .python = true },
		{ .function = "cuMemcpyHtoDAsync_v2", .module = "libcuda.so.1" },
		{ .module = "libtorch_cuda.so" } };
	struct site site = { .call = CALL_MEMCPY_ASYNC, .count = 900,
	    .idle_gaps = 900, .idle_ns = 2e9, .workers = 2, .processors = 16,
	    .frame = frame, .frames = 3 };
	const struct finding *f;

	made_waiting(m, &site);
	for (int i = 0; i < GAP_CLASSES; i++)
		m->run.gap[i].input_ns = m->run.gap[i].idle_ns[IDLE_HOST];
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->advice, "raise num_workers");
	assert_has(f->location, "with 2 worker processes for 16 processors");
	assert_true(fabs(f->saves_s - 0.95 * 3) < 0.01);
	m->run.working = 0.97;		/* not bound by themselves */
	f = made_found(m, "gpu-idle-gaps");
	assert_true(fabs(f->saves_s - 0.95 * 3) < 0.01);
	m->run.working = 0.3;		/* they have batches in time, which nothing pins */
	m->copy[0] = (struct copy_class){ .kind = COPY_H2D, .src = MEMORY_PAGEABLE,
	    .dst = MEMORY_DEVICE, .count = 900, .bytes = 900 << 10, .size_class = 10 };
	m->run.copies = 1;
	assert_has(made_found(m, "gpu-idle-gaps")->advice, "more of them bring nothing");
	m->copy[0].src = MEMORY_PINNED;
	assert_has(made_found(m, "gpu-idle-gaps")->advice, "raise num_workers");
	m->run.copies = 0;
	m->run.working = 0.97;
	site.workers = 8;	/* a quarter less for each batch: of the loop, 9.1 s */
	f = made_found(m, "gpu-idle-gaps");
	assert_true(f->saves_s > 2.2 && f->saves_s < 2.4);
	site.workers = 11;
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->advice, "less work of each sample");
	assert_lacks(f->advice, "num_workers");
	assert_true(fabs(f->saves_s - 0.75 * 3) < 0.01);
	site.processors = 0;		/* not known: a mask of more than 1,024 */
	assert_lacks(made_found(m, "gpu-idle-gaps")->location, "worker process");
	site.processors = 16;
	site.workers = 0;		/* none, or not known */
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->good_code, "num_workers=8");
	assert_lacks(f->location, "worker process");
}

#define MODULE "/x/site-packages/torch/nn/modules/module.py"

/* What a model makes on the CPU within its calls is no loader's batch; where its forward
 * copies the batch itself, it is, and a loader's copies stay one's. */
MADE_TEST(test_words_of_within)
{
	struct site_frame in[] = {
		{ .file = "/a/losses.py", .line = 65, .python = true },
		{ .file = MODULE, .function = "_call_impl", .line = 9, .python = true },
		{ .file = "/a/train.py", .line = 30, .python = true },
		{ .function = "cuMemcpyHtoDAsync_v2", .module = "libcuda.so.1" },
		{ .module = "libtorch_cuda.so" } };
	struct site_frame batch[] = {
		{ .file = "/a/train.py", .line = 29, .python = true },
		{ .function = "cuMemcpyHtoDAsync_v2", .module = "libcuda.so.1" },
		{ .module = "libtorch_cuda.so" } };
	struct site_frame launch[] = {
		{ .file = "/a/losses.py", .line = 64, .python = true },
		{ .file = MODULE, .line = 9, .python = true },
		{ .module = "libtorch_cuda.so" } };
	struct site site[] = {
		{ .call = CALL_MEMCPY_ASYNC, .count = 900, .idle_gaps = 900,
		    .idle_ns = 2e9, .frame = in, .frames = 5 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 40, .idle_gaps = 40,
		    .idle_ns = 5e8, .workers = 2, .processors = 16, .frame = batch,
		    .frames = 3 },
		{ .call = CALL_LAUNCH, .count = 9, .frame = launch, .frames = 3 } };
	struct site_frame fetch[] = { { .file = LOADER, .line = 9, .python = true },
	    { .file = "/a/train.py", .line = 28, .python = true } };
	struct site seen = { .frames = 2 };
	struct look look[30];
	const struct finding *f;

	made_waiting(m, site);
	m->run.sites = 3;
	site[0].after = site[2].kernel = m->kernel[0].id;
	for (int i = 0; i < GAP_CLASSES; i++)
		m->run.gap[i].input_ns = m->run.gap[i].idle_ns[IDLE_HOST];
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->advice, "make the tensors of this line on the GPU");
	assert_has(f->good_code, "ones_like");
	assert_has(f->location, "within calls of modules, in front of copies to the GPU");
	assert_int_equal(f->site->frame[f->site->first].line, 65);
	assert_true(fabs(f->saves_s - 0.9 * 2) < 0.01 && f->saves_low_s > 0.99);
	in[1].file = "/x/site-packages/torch/autograd/function.py";
	assert_has(made_found(m, "gpu-idle-gaps")->good_code, "ones_like");
	in[1].file = MODULE;
	/* What the host was seen in says more than what it did next, if that is a loader. */
	for (size_t i = 0; i < 30; i++)
		look[i] = (struct look){ .s = 0.1, .site = &seen, .gap = LOOK_LAUNCH };
	m->run.look = look;
	m->run.looks = 30;
	seen.frame = in;
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->good_code, "ones_like");
	assert_lacks(f->location, "meanwhile");
	seen.frame = fetch;
	assert_lacks(made_found(m, "gpu-idle-gaps")->good_code, "ones_like");
	m->run.looks = 0;
	/* Most of it is in front of batches. */
	site[1].idle_ns = 22e8;
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->advice, "raise num_workers");
	assert_int_equal(f->site->frame[f->site->first].line, 29);
	site[1].idle_ns = 5e8;
	/* A forward that copies the batch: behind an optimizer's kernels, ... */
	launch[1].file = "/x/site-packages/torch/optim/adam.py";
	assert_lacks(made_found(m, "gpu-idle-gaps")->good_code, "ones_like");
	launch[1].file = MODULE;
	/* ... or no batch is copied elsewhere. */
	site[1].count = 9;
	assert_lacks(made_found(m, "gpu-idle-gaps")->good_code, "ones_like");
	site[1].count = 40;
	/* Copied by a data set, or by the framework from the program's batch. */
	in[0].file = "/x/site-packages/torch/utils/data/_utils/pin_memory.py";
	assert_lacks(made_found(m, "gpu-idle-gaps")->good_code, "ones_like");
	in[0].file = "/x/site-packages/torch/nn/parallel/scatter_gather.py";
	assert_lacks(made_found(m, "gpu-idle-gaps")->good_code, "ones_like");
}

/* What a model makes on the CPU in its forward is neither to be pinned nor a wait that one
 * leaves out: it is made on the GPU. */
MADE_TEST(test_words_of_made)
{
	struct site_frame in[] = {
		{ .file = "/a/model.py", .line = 65, .python = true },
		{ .file = MODULE, .function = "_call_impl", .line = 9, .python = true },
		{ .file = "/a/train.py", .line = 30, .python = true },
		{ .function = "cuMemcpyHtoDAsync_v2", .module = "libcuda.so.1" },
		{ .module = "libtorch_cuda.so" } };
	struct site_frame batch[] = {
		{ .file = "/a/train.py", .line = 29, .python = true },
		{ .function = "cuMemcpyHtoDAsync_v2", .module = "libcuda.so.1" },
		{ .module = "libtorch_cuda.so" } };
	struct site_frame launch[] = {
		{ .file = "/a/model.py", .line = 64, .python = true },
		{ .file = MODULE, .line = 9, .python = true },
		{ .module = "libtorch_cuda.so" } };
	struct site site[] = {
		{ .call = CALL_MEMCPY_ASYNC, .count = 900, .frame = in, .frames = 5 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 100, .frame = batch, .frames = 3 },
		{ .call = CALL_LAUNCH, .count = 9, .frame = launch, .frames = 3 } };
	const struct finding *f;

	fault_pageable(m);
	site[0].after = site[2].kernel = m->kernel[0].id;
	m->run.site = site;
	m->run.sites = 3;
	f = made_found(m, "pageable-host-memory");
	assert_has(f->advice, "make on the GPU what the model's forward makes");
	assert_int_equal(f->site->frame[f->site->first].line, 65);
	/* Nine tenths of the copies, and of these nine tenths go. */
	assert_true(fabs(f->saves_s - 0.81 * 0.762) < 0.01);
	site[1].count = 9;		/* the forward copies the batch */
	assert_has(made_found(m, "pageable-host-memory")->advice, "pinned memory");
	site[1].count = 1000;		/* most are batches */
	assert_has(made_found(m, "pageable-host-memory")->advice, "pinned memory");
	/* A graph needs it, too. */
	site[1].count = 100;
	made_again(m);
	fault_launch_bound(m);
	m->sequence[0].syncs = m->sequence[0].repeats;
	site[0].after = site[2].kernel = m->sequence[0].kernel[0];
	m->run.site = site;
	m->run.sites = 3;
	f = made_found(m, "launch-bound-graph-candidate");
	assert_has(f->advice, "make on the GPU what the model's forward makes");
	assert_has(f->summary, "with waits at model.py:65");
	site[1].count = 1000;
	assert_has(made_found(m, "launch-bound-graph-candidate")->advice,
	    "take the host's waits out");
}

/* A model that a data set calls makes no loader's copies. */
MADE_TEST(test_loader_of_module)
{
	struct site_frame frame[] = {
		{ .file = "/a/model.py", .line = 65, .python = true },
		{ .file = "/x/site-packages/torch/nn/modules/activation.py", .line = 9,
		    .python = true },
		{ .file = LOADER, .line = 9, .python = true },
		{ .function = "cuMemcpyHtoDAsync_v2", .module = "libcuda.so.1" },
		{ .module = "libtorch_cuda.so" } };
	struct site site = { .call = CALL_MEMCPY_ASYNC, .count = 40, .frame = frame,
	    .frames = 5 };

	made_waiting(m, &site);
	for (int i = 0; i < GAP_CLASSES; i++)
		m->run.gap[i].fed_ns = m->run.gap[i].idle_ns[IDLE_HOST];
	assert_has(made_found(m, "gpu-idle-gaps")->advice, "raise num_workers");
	frame[1].file = MODULE;
	assert_lacks(made_found(m, "gpu-idle-gaps")->advice, "raise num_workers");
}

/* What the loop does to a batch between its copies is none of a loader's, either. */
MADE_TEST(test_words_of_convert)
{
	struct site_frame frame[3][3];
	struct site site[3];
	const struct finding *f;

	for (unsigned i = 0; i < 3; i++) {
		frame[i][0] = (struct site_frame){ .file = "/a/train.py",
		    .line = 10 + i, .python = true };
		frame[i][1] = (struct site_frame){ .module = "libcuda.so.1",
		    .function = "cuMemcpyHtoDAsync_v2" };
		frame[i][2] = (struct site_frame){ .module = "libtorch_cuda.so" };
		site[i] = (struct site){ .call = CALL_MEMCPY_ASYNC, .count = 300,
		    .idle_gaps = 300, .idle_ns = 7e8 + 1e8 * i, .workers = 4,
		    .processors = 16, .frame = frame[i], .frames = 3 };
		site[i].behind_ns = i == 0 ? 0 : site[i].idle_ns;
	}
	made_waiting(m, site);
	m->run.sites = 3;
	for (int i = 0; i < GAP_CLASSES; i++)
		m->run.gap[i].input_ns = m->run.gap[i].idle_ns[IDLE_HOST];
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->advice, "from between its copies");
	assert_has(f->good_code, ".to(device, non_blocking=True).float()");
	assert_has(f->location, "most of it between a batch's copies to the GPU");
	assert_int_equal(f->site->frame[f->site->first].line, 12);
	assert_true(fabs(f->saves_s - 0.9 * 1.7) < 0.01);
	/* Lists whose elements are loaded and copied one after the other. */
	site[2].behind_ns = 0.875 * site[2].idle_ns;
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->advice, "raise num_workers");
	site[2].behind_ns = site[2].idle_ns;
	site[0].idle_ns = 18e8;		/* most in front of the first copy */
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->advice, "raise num_workers");
	assert_int_equal(f->site->frame[f->site->first].line, 10);
}

/* What the host makes and copies in each step is there already: it is made once, and all
 * of its time goes. Without a comparison of bytes it is input like any other. */
MADE_TEST(test_words_of_kept)
{
	struct process python = { .python = true };
	struct copy_class copy = { .kind = COPY_H2D, .count = 100, .bytes = 100 << 20 };
	struct resent same = { .kind = RESENT_PART, .count = 90, .bytes = 90 << 20 };
	const struct finding *f;

	fault_waiting(m);		/* 3 s */
	m->run.idle_total_ns = m->run.wall_ns - 500 * 1000000ull;
	m->run.process = &python;
	m->run.processes = 1;
	m->run.copy = &copy;
	m->run.copies = 1;
	m->run.resent = &same;
	m->kernel[0].name = "void at::native::vectorized_elementwise_kernel<4, int>(int)";
	for (int i = 0; i < GAP_CLASSES; i++)
		m->run.gap[i].input_ns = m->run.gap[i].idle_ns[IDLE_HOST];
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->advice, "prepare input ahead");
	m->run.resents = 1;
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->advice, "keep it on the GPU");
	assert_true(f->saves_s > 0.89 * 3 && f->saves_low_s > 1.4);
	same.bytes = 40 << 20;
	assert_has(made_found(m, "gpu-idle-gaps")->advice, "prepare input ahead");
}

/* What an interpreter takes from launch to launch counts, though no gap is long; in other
 * programs such launches are another rule's. */
MADE_TEST(test_late_launches)
{
	struct process python = { .python = true };
	const struct finding *f;

	made_kernel(m, "void at::native::vectorized_elementwise_kernel<4, int>(int)",
	    100000, 2000);
	made_gaps(m, IDLE_HOST, 20, 65536);
	made_gaps(m, IDLE_LAUNCH, 99000, 16384);
	made_quiet(m, "gpu-idle-gaps");
	m->run.process = &python;
	m->run.processes = 1;
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->advice, "larger batches");
	assert_has(f->summary, "1.62 s in all");
	assert_true(f->saves_s > 1 && f->saves_s < 1.2 && f->saves_low_s > 0.4);
}

/* In front of trials of a library's algorithms, once for each shape, the GPU waits only
 * once. Of stacks that count for none each stands for as much. */
MADE_TEST(test_gaps_of_trials)
{
	struct process python = { .python = true };
	struct site_frame tried[] = { { .file = "/home/me/run.py", .line = 7,
	    .python = true }, { .function = "cudnn_frontend::time_sorted_plan<1>()",
	    .module = "libtorch_cuda.so" } };
	struct site_frame work[] = { { .file = "/home/me/run.py", .line = 9,
	    .python = true }, { .module = "libtorch_cuda.so" } };
	struct site site[] = {
		{ .call = CALL_LAUNCH, .kernel = 1, .frame = tried, .frames = 2 },
		{ .call = CALL_LAUNCH, .kernel = 1, .frame = tried, .frames = 2 },
		{ .call = CALL_LAUNCH, .kernel = 1, .frame = work, .frames = 2 } };
	const struct finding *f;

	made_kernel(m, "void at::native::vectorized_elementwise_kernel<4, int>(int)",
	    30000, 2000)->host_before_ns = 20000 * 65536ull;
	m->run.launches = 30000;
	m->run.process = &python;
	m->run.processes = 1;
	made_gaps(m, IDLE_HOST, 20000, 65536);		/* 1.31 s */
	made_gaps(m, IDLE_LAUNCH, 9000, 65536);		/* 590 ms */
	m->run.idle_total_ns = m->run.wall_ns - 500 * 1000000ull;
	m->run.site = site;
	m->run.sites = 2;
	made_quiet(m, "gpu-idle-gaps");
	m->run.sites = 3;
	site[2].count = 1;		/* that is half of them */
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->summary, "950 ms in all");
	assert_has(f->limiter, "longer than the launch's work");
	assert_ptr_equal(f->site->frame, work);
	m->run.idle_total_ns = m->run.wall_ns - 2000 * 1000000ull;
	assert_has(made_found(m, "gpu-idle-gaps")->limiter, "short work is done");
}

/* Where a compiler is at work throughout, what is in front of its launches is no part of the
 * loop, nor of the time that the loop's gaps are held against. */
MADE_TEST(test_gaps_of_compilers)
{
	struct process python = { .python = true };
	struct site_frame bench[] = { { .file = "/a/run.py", .line = 7, .python = true },
	    { .file = "/x/site-packages/triton/runtime/autotuner.py",
	    .function = "_bench", .line = 9, .python = true } };
	struct site site[] = {
		{ .call = CALL_LAUNCH, .kernel = 1, .count = 1, .frame = bench,
		    .frames = 2 },
		{ .call = CALL_LAUNCH, .kernel = 1, .count = 1, .frame = bench,
		    .frames = 1 } };
	const struct finding *f;

	fault_waiting(m);			/* 3 s of 9 s */
	for (size_t i = 0; i < m->run.kernels; i++)
		m->kernel[i].host_before_ns = i == 0 ? 3000 * 1000000ull : 0;
	site[0].kernel = site[1].kernel = m->kernel[0].id;
	m->run.process = &python;
	m->run.processes = 1;
	m->run.site = site;
	m->run.sites = 2;
	m->run.compiling = (struct compiling){ .times = 1, .span_ns = UINT64_MAX / 2 };
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->summary, "1.5 s in all (20 % of GPU work");
}

/* If most launches are trials and no step repeats, the run was too short to say anything of its
 * loop; a sequence that repeats, even in other sizes, is one. */
MADE_TEST(test_unsteady)
{
	struct process python = { .python = true };
	struct site_frame tried[] = { { .file = "/home/me/run.py", .line = 7,
	    .python = true }, { .function = "cudnn_frontend::time_sorted_plan<1>()",
	    .module = "libtorch_cuda.so" } };
	struct site_frame work[] = { { .file = "/home/me/run.py", .line = 9,
	    .python = true }, { .module = "libtorch_cuda.so" } };
	struct site site[] = {
		{ .call = CALL_LAUNCH, .kernel = 1, .count = 6, .frame = tried,
		    .frames = 2 },
		{ .call = CALL_LAUNCH, .kernel = 1, .count = 4, .frame = work,
		    .frames = 2 } };
	const struct verdict *v;

	made_kernel(m, "void at::native::vectorized_elementwise_kernel<4, int>(int)",
	    30000, 2000)->host_before_ns = 20000 * 65536ull;
	m->run.launches = 30000;
	m->run.process = &python;
	m->run.processes = 1;
	made_gaps(m, IDLE_HOST, 20000, 65536);		/* 1.31 s */
	made_gaps(m, IDLE_HOST, 1, 3000 * 1000000ull);	/* a phase */
	m->run.site = site;
	m->run.sites = 2;
	v = made_verdict(made_advised(m), "gpu-idle-gaps");
	assert_int_equal(v->state, RULE_NOT_MEASURED);
	assert_int_equal(v->reason->code, REASON_UNSTEADY);
	assert_has(v->reason->text, "one-off phases are 3.79 s of the 9 s");
	assert_has(v->reason->text, "run it longer");
	m->sequence[0] = (struct sequence){ .length = 20, .kernel = { 1 }, .repeats = 600 };
	m->run.alike = m->sequence;
	m->run.alikes = 1;
	made_found(m, "gpu-idle-gaps");
	m->run.alikes = 0;
	site[0].count = 4;
	made_found(m, "gpu-idle-gaps");
}

/* A loader that stacks tensors on the GPU, one element at a time. */
MADE_TEST(test_collating)
{
	struct site_frame frame[] = {
		{ .file = "/x/site-packages/torch/utils/data/_utils/collate.py",
		    .function = "collate_tensor_fn", .line = 275, .python = true },
		{ .file = "/a/svgp.py", .line = 95, .python = true },
		{ .module = "libtorch_cuda.so" } };
	struct site site = { .call = CALL_LAUNCH, .count = 3, .first = 1,
	    .frame = frame, .frames = 3 };
	const struct finding *f;

	fault_waiting(m);
	site.kernel = m->kernel[0].id;
	m->run.site = &site;
	m->run.sites = 1;
	m->kernel[0].host_before_ns = 2000 * 1000000ull;
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->summary, "one element at a time");
	assert_has(f->advice, "index whole batches");
	assert_ptr_equal(f->site, &site);
	assert_true(fabs(f->saves_s - 0.95 * 2) < 0.01);
	frame[0].file = "/x/site-packages/torch/nn/functional.py";
	assert_lacks(made_found(m, "gpu-idle-gaps")->summary, "one element");
}

/* The GPU waits for a function on the host that its program calls: the function's work goes,
 * though there is little of the GPU's to hide it behind. */
MADE_TEST(test_callbacks)
{
	struct site_frame frame[] = {
		{ .file = "/a/ppo.py", .line = 297, .python = true },
		{ .function = "cudaStreamSynchronize", .module = "libcudart.so.13" },
		{ .function = "jax::cuda::XlaFfiPythonGpuCallback(CUstream_st*)",
		    .module = "cuda_plugin_extension.so" },
		{ .module = "xla_cuda_plugin.so" } };
	struct site site = { .call = CALL_STREAM_SYNC, .count = 900, .idle_gaps = 900,
	    .idle_ns = 2800 * 1000000ull, .frame = frame, .frames = 4 };
	const struct finding *f;

	made_waiting(m, &site);
	f = &made_advised(m)->finding[0];
	assert_string_equal(f->rule, "gpu-idle-gaps");
	assert_has(f->summary, "calls functions on the host and waits for them, 2.8 s");
	assert_has(f->advice, "jax.debug.callback");
	assert_has(f->location, "900 gaps, in callbacks");
	assert_int_equal(f->site->frame[f->site->first].line, 297);
	assert_true(fabs(f->saves_s - 0.95 * 2.8) < 0.01 && f->saves_low_s > 1.3);
	frame[2].function = "xla::gpu::GpuExecutable::ExecuteThunks()";
	f = made_found(m, "gpu-idle-gaps");
	assert_lacks(f->advice, "jax.debug.callback");
	assert_true(f->saves_s < 0.5);
	frame[2].function = "XlaPythonGpuCallback";
	site.idle_gaps = 9;		/* few */
	assert_lacks(made_found(m, "gpu-idle-gaps")->advice, "jax.debug.callback");
}

/* Where the GPU is busy for most of what recurs, larger batches and graphs are no cure: the
 * launches are late behind waits, and hide behind the GPU's work without them. */
MADE_TEST(test_words_of_busy)
{
	struct process python = { .python = true };
	const struct finding *f;

	for (int c = 0; c < 3; c++) {
		bool busy = c == 0;

		made_again(m);
		made_kernel(m, "void at::native::vectorized_elementwise_kernel"
		    "<4, int>(int)", 100000, 70000);
		made_gaps(m, IDLE_HOST, 3000, 131072);		/* 393 ms */
		made_gaps(m, IDLE_LAUNCH, 30000, 32768);	/* 983 ms */
		m->device[0].busy_ns = c == 1 ? 5000 * 1000000ull : 7000 * 1000000ull;
		for (int i = 0; i < GAP_CLASSES; i++)
			m->run.gap[i].output_ns = c < 2 ? m->run.gap[i].idle_ns[IDLE_HOST] :
			    0;
		m->run.process = &python;
		m->run.processes = 1;
		f = made_found(m, "gpu-idle-gaps");
		assert_true((strstr(f->advice, "larger batches, or") != NULL ||
		    strstr(f->advice, "one batched operator") != NULL) == !busy);
		assert_has(f->summary, "1.38 s in all");
		if (!busy)
			continue;
		assert_has(f->advice, "let the host run ahead");
		assert_has(f->limiter, "falls behind where it waits");
		assert_true(fabs(f->saves_s - 0.85 * 0.393) < 0.01);
		assert_true(f->saves_high_s > 1.3);
	}
}

/* Short kernels with few blocks and a wait every few launches: too little work, unless
 * one graph would do, kernels are longer, or the host waits for little. */
MADE_TEST(test_little_work)
{
	struct process python = { .python = true };
	const struct finding *f;

	for (int c = 0; c < 5; c++) {
		struct kernel *k;

		made_again(m);
		k = made_kernel(m, "void at::native::vectorized_elementwise_kernel"
		    "<4, int>(int)", 50000, c == 1 ? 20000 : 2000);
		k->shape.grid_x = c == 2 ? 5000 : 3;
		m->run.process = &python;
		m->run.processes = 1;
		m->copy[0] = (struct copy_class){ .kind = COPY_D2H, .bytes = 80000,
		    .count = c == 3 ? 100 : 10000 };
		m->run.copies = 1;
		m->sequence[0] = (struct sequence){ .length = 20, .kernel = { k->id },
		    .repeats = 1000 };
		m->run.sequences = c == 4;
		made_gaps(m, IDLE_HOST, 40000, 65536);
		f = made_found(m, "gpu-idle-gaps");
		assert_true((strstr(f->summary, "too little work") != NULL) ==
		    (c == 0));
		if (c > 0)
			continue;
		assert_has(f->advice, "larger batches");
		assert_true(fabs(f->saves_s - 0.5 * 40000 * 65536e-9) < 0.01);
	}
}

/* And so have results that are read one by one. */
MADE_TEST(test_words_of_results)
{
	const struct finding *f;

	fault_small_copies(m);
	m->kernel[0].name = "void at::native::vectorized_elementwise_kernel<4, "
	    "int>(int)";
	m->run.small[0].kind = COPY_H2D;
	f = made_found(m, "many-small-copies");
	assert_has(f->good_code, "unbind");
	m->run.small[0].kind = COPY_D2H;
	f = made_found(m, "many-small-copies");
	assert_has(f->good_code, "tolist");
}

/* If the launch site is unknown, the kernels' names tell the framework. */
MADE_TEST(test_words_by_kernels)
{
	const struct finding *f;

	fault_launch_bound(m);
	m->kernel[0].name = "cupy_sqrt__float32_float32";
	f = made_found(m, "launch-bound-graph-candidate");
	assert_has(f->good_code, "cupy.fuse");
}

/* Is the rule's own example one for PyTorch? Without such a one it is CUDA C++. */
static bool
has_example(const char *id)
{
	return strcmp(id, "low-precision-unused") == 0 ||
	    strcmp(id, "tensor-cores-unused") == 0;
}

/* All rules in frameworks.json exist, and have words, or words for their cases; and what has
 * words of its own has an example of its own. */
TEST(test_words_of_rules)
{
	json_t *root = json_load_file(FRAMEWORKS_JSON, 0, NULL);
	const json_t *framework, *words;
	const char *id;
	size_t i;

	assert_non_null(root);
	json_array_foreach(json_object_get(root, "frameworks"), i, framework)
		json_object_foreach(json_object_get(framework, "words"), id,
		    words) {
			bool said = json_is_string(json_object_get(words, "advice"));

			assert_non_null(rule_find(id));
			assert_true(said || json_object_size(json_object_get(words,
			    "variants")) > 0);
			assert_true(!said || has_example(id) ||
			    (json_object_get(words, "bad") != NULL &&
			    json_object_get(words, "good") != NULL));
		}
	json_decref(root);
}

/* A report shows little more than the change, which ends at the first colon, semicolon or
 * full stop: it says by itself what to do, in so many bytes ("make few launches of many"
 * has 25), or with code. */
#define CHANGE_LEAST 30

static void
check_changes(const char *id, const json_t *words)
{
	const char *advice = json_string_value(json_object_get(words, "advice")), *name;
	size_t n = advice != NULL ? kin_change_length(advice) : 0;
	const json_t *v;
	bool code = false;

	for (size_t i = 0; i < n; i++)
		code |= strchr("_=(@.", advice[i]) != NULL;
	if (advice != NULL && n < CHANGE_LEAST && !code)
		fail_msg("%s: \"%.*s\" does not say what to do", id, (int)n, advice);
	json_object_foreach(json_object_get(words, "variants"), name, v)
		check_changes(id, v);
}

TEST(test_changes)
{
	json_t *root = json_load_file(FRAMEWORKS_JSON, 0, NULL);
	const json_t *framework, *words;
	const char *id;
	size_t i;

	assert_non_null(root);
	json_array_foreach(json_object_get(root, "frameworks"), i, framework)
		json_object_foreach(json_object_get(framework, "words"), id, words)
			check_changes(id, words);
	json_decref(root);
}

/* Memory that a caching allocator keeps for later tensors is no leak, however the frames
 * name it; what others allocate is. */
MADE_TEST(test_pool_of_tensors)
{
	static const struct site_frame pools[] = {
		{ .module = "libc10_cuda.so" }, { .module = "xla_cuda_plugin.so" },
		{ .module = "cupy/cuda/memory.cpython-312-x86_64-linux-gnu.so" },
		{ .module = "memory.cpython-312-x86_64-linux-gnu.so",
		  .function = "__pyx_f_4cupy_4cuda_6memory__malloc" },
		{ .module = "memory.cpython-312-x86_64-linux-gnu.so",
		  .file = "/build/cupy/cupy/cuda/memory.cpp" },
	};
	struct site_frame frame[] = { { .file = "/home/me/run.py", .line = 7,
	    .python = true }, { .module = NULL } };
	struct site site[] = { { .call = CALL_MALLOC, .count = 41, .frame = frame,
	    .frames = 2 }, { .call = CALL_MALLOC, .count = 3, .frame = frame,
	    .frames = 1 } };
	const struct finding *f;

	fault_leaking(m);
	m->run.site = site;
	m->run.sites = 2;
	for (size_t i = 0; i < sizeof(pools) / sizeof(pools[0]); i++) {
		frame[1] = pools[i];
		made_quiet(m, "device-memory-leak");
	}
	site[1].count = 42;
	f = made_found(m, "device-memory-leak");
	assert_ptr_equal(f->site, &site[1]);
	frame[1] = (struct site_frame){ .module = "a.out" };
	f = made_found(m, "device-memory-leak");
	assert_true(f->worth_it);
	assert_has(f->advice, "cudaFree");
	/* Where nobody knows who allocated it, its words tell the two apart. */
	m->run.sites = 0;
	m->kernel[0].name = "void at::native::vectorized_elementwise_kernel<4, int>(int)";
	f = made_found(m, "device-memory-leak");
	assert_has(f->advice, "torch.cuda.empty_cache()");
}

/* A Python program's leak is told in its framework's words; what an extension, or the
 * program by hand, allocates is not a tensor. */
MADE_TEST(test_leak_of_arrays)
{
	static const struct {
		const char *module, *file, *says;
	} cases[] = {
		{ "runtime.cpython-312-x86_64-linux-gnu.so",
		  "/usr/lib/python3/dist-packages/cupy/_core/core.py",
		  "cupy.cuda.alloc(bytes)" },
		{ "_ctypes.so", "/usr/lib/python3/dist-packages/numba/cuda/"
		  "cudadrv/driver.py", "deallocations.clear()" },
		{ "mine.so", "/usr/lib/python3/dist-packages/torch/_ops.py",
		  "torch::empty" },
	};
	struct site_frame frame[] = { { .module = NULL },
	    { .line = 7, .python = true } };
	struct site site = { .call = CALL_MALLOC, .count = 1, .frame = frame,
	    .frames = 2 };
	size_t i;

	fault_leaking(m);
	m->run.site = &site;
	m->run.sites = 1;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		frame[0].module = cases[i].module;
		frame[1].file = cases[i].file;
		assert_has(made_found(m, "device-memory-leak")->advice,
		    cases[i].says);
	}
}

/* Misaligned rows cost a product most of its time; the advice gives the padding
 * in elements. */
MADE_TEST(test_padding)
{
	const struct finding *f;

	fault_unaligned(m);
	f = made_found(m, "library-misaligned");
	assert_has(f->advice, "a multiple of 8 elements");
	assert_true(f->kernel_speedup > 3 && f->kernel_speedup < 6);
}

/* Additions to few places are limited by one line of L2; with PyTorch's words. */
MADE_TEST(test_few_places)
{
	const struct finding *f;

	fault_few_places(m);
	f = made_found(m, "scatter-contention");
	assert_has(f->advice, "segment_reduce");
	assert_true(f->kernel_speedup > 4 && f->kernel_speedup < 8);
	m->kernel[0].metric[METRIC_L2_PCT] = 80;
	made_quiet(m, "scatter-contention");
}

/* Half of the time, by rate and by bytes, though conversions may cost all of that. */
MADE_TEST(test_half_the_bits)
{
	const struct finding *f;

	fault_training_tf32(m);
	f = made_found(m, "low-precision-unused");
	assert_true(f->saves_low_s < 1e-9);
	assert_true(f->saves_s > 0.199 && f->saves_s < 0.201);
	assert_int_equal(f->severity <= SEV_MEDIUM, 1);
}

#define REFLECT "void at::native::(anonymous namespace)::reflection_pad2d_out_" \
	"kernel<float>(int)"
#define INSTANCE "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true>(int)"

/* A step of a conversion, a convolution and another conversion, with ${name} behind. */
static void
padded(struct made *m, const char *name)
{
	fault_converting(m);
	m->sequence[0].kernel[3] = made_kernel(m, name, m->kernel[0].launches,
	    10000)->id;
	m->sequence[0].length = 4;
}

/* Beside an operator that works with the channels first only, conversions stay. Where the
 * steps do not repeat, as many as there are such operators for each convolution. */
MADE_TEST(test_channels_first_only)
{
	static struct site_frame frame[] = {
		{ .function = "instance_norm", .file = "/x/torch/nn/functional.py",
		  .line = 1, .python = true },
		{ .module = "libtorch_cuda.so" } };
	struct site site = { .call = CALL_LAUNCH, .count = 1000, .frame = frame,
	    .frames = 2, .first = 2 };
	const struct finding *f;
	double all;

	fault_converting(m);
	all = made_found(m, "layout-conversions")->saves_s;
	made_again(m);
	padded(m, REFLECT);
	made_quiet(m, "layout-conversions");
	m->run.sequences = 0;
	made_quiet(m, "layout-conversions");
	m->kernel[3].launches /= 4;
	f = made_found(m, "layout-conversions");
	assert_true(fabs(f->saves_s - 0.75 * all) < 0.01 * all);
	assert_has(f->gain_note, "25 % of the conversions stay: reflection padding");
	assert_lacks(f->advice, "works with either");
	/* A step of two convolutions, with one such operator between them. */
	made_again(m);
	padded(m, REFLECT);
	for (int i = 0; i < 3; i++)
		m->sequence[0].kernel[4 + i] = made_kernel(m, m->kernel[i].name,
		    m->kernel[i].launches, 100000)->id;
	m->sequence[0].length = 7;
	f = made_found(m, "layout-conversions");
	assert_has(f->gain_note, "50 % of the conversions stay");
	/* cuDNN's batch normalisation is an instance's by what calls it. */
	made_again(m);
	padded(m, INSTANCE);
	assert_non_null(made_found(m, "layout-conversions"));
	site.kernel = m->kernel[3].id;
	m->run.site = &site;
	m->run.sites = 1;
	made_quiet(m, "layout-conversions");
}

/* The first kernel of ${fault}, launched by Triton. */
static void
in_triton(struct made *m, void (*fault)(struct made *m))
{
	static struct site_frame frame[] = {
		{ .file = "/x/site-packages/triton/runtime/jit.py", .function = "run",
		  .line = 700, .python = true },
		{ .file = "/a/product.py", .function = "main", .line = 40,
		  .python = true } };
	static struct site site = { .call = CALL_LAUNCH, .count = 10000,
	    .frame = frame, .frames = 2, .first = 1 };

	made_again(m);
	fault(m);
	site.kernel = m->kernel[0].id;
	m->run.site = &site;
	m->run.sites = 1;
}

/* A kernel in Triton that multiplies in TF32, in a run that trains nothing. In C++ its
 * author has asked for TF32; a library's kernel is left to the rest of the rule. */
MADE_TEST(test_tiles_of_triton)
{
	const struct finding *f;

	in_triton(m, fault_tensors_in_tf32);
	f = made_found(m, "low-precision-unused");
	assert_has(f->advice, "tl.dot 16-bit operands");
	assert_has(f->title, "32-bit operands");
	/* 2 s with the tensor pipe busy for 0.8 of them: half of that at best. */
	assert_true(f->saves_s > 0.5 && f->saves_s < 1);
	assert_int_equal(f->confidence, CONF_MEDIUM);
	m->run.sites = 0;
	made_quiet(m, "low-precision-unused");
	in_triton(m, fault_tensors_in_tf32);
	m->kernel[0].name = m->kernel[0].mangled = "triton_tem_fused_mm_0";
	made_quiet(m, "low-precision-unused");
	/* A grid that leaves SMs idle, and a small part of the run. */
	in_triton(m, fault_tensors_in_tf32);
	m->kernel[0].shape.grid_x = 40;
	made_quiet(m, "low-precision-unused");
	in_triton(m, fault_tensors_in_tf32);
	made_kernel(m, "other", 10000, 900000);
	made_quiet(m, "low-precision-unused");
	in_triton(m, fault_tensors_in_16_bits);
	made_quiet(m, "low-precision-unused");
}

/* Three operators become one, 0.5 s become 0.2 s. If the host waits for less
 * time than is saved, its launches limit instead, and two of four launches are
 * saved as well; but not if the others are launched far more often. */
MADE_TEST(test_launched_less)
{
	static const double saved_s[] = { 0.3, 0.3, 0.3, 0.27 };
	static const uint64_t exposed_ms[] = { 1000, 500, 200, 200 };

	for (int i = 0; i < 4; i++) {
		made_again(m);
		fault_pointwise(m);
		m->run.gpu_exposed_ns = exposed_ms[i] * 1000000;
		m->kernel[3].launches *= i == 3 ? 20 : 1;
		assert_true(fabs(made_found(m, "eager-pointwise-chain")->saves_s -
		    saved_s[i]) < 0.001);
	}
}

#define CAT "void at::native::(anonymous namespace)::CatArrayBatchedCopy<int>(int)"

/* A compiler makes a concatenation between two operators a part of their kernel; one at
 * either end, or two in a row, as a loader stacks a batch, it does not. */
MADE_TEST(test_concatenation)
{
	static const struct { bool cat[3], found; } cases[] = {
		{ { false, true, false }, true }, { { true, false, false }, false },
		{ { false, false, true }, false }, { { true, true, true }, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		made_again(m);
		fault_pointwise(m);
		for (int k = 0; k < 3; k++)
			m->kernel[k].name = cases[i].cat[k] ? CAT :
			    m->kernel[k].name;
		assert_true((made_finding(made_advised(m), "eager-pointwise-chain")
		    != NULL) == cases[i].found);
	}
}

#define SUM "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::" \
	"native::sum_functor<float>>>(int)"

/* A compiler computes what a reduction reads in its kernel: it counts behind one that takes
 * about as long, not two in a row, and not of something larger. */
MADE_TEST(test_reductions_in_chain)
{
	static const struct { bool sum[3]; uint64_t times; bool found; } cases[] = {
		{ { false, false, true }, 1, true }, { { false, true, false }, 1, true },
		{ { true, false, false }, 1, false }, { { false, true, true }, 1, false },
		{ { false, false, true }, 10, false }, { { false, true, false }, 10, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct finding *f;

		made_again(m);
		fault_pointwise(m);
		for (int k = 0; k < 3; k++)
			if (cases[i].sum[k]) {
				m->kernel[k].name = SUM;
				m->kernel[k].total_ns *= cases[i].times;
			}
		f = made_finding(made_advised(m), "eager-pointwise-chain");
		assert_true((f != NULL) == cases[i].found);
		if (f != NULL)
			assert_has(f->summary, "3 pointwise kernels and reductions");
	}
}

/* Chains in functions of packages: the program compiles what it calls. The place is its
 * own line, with the package's; which functions have how much is said. */
MADE_TEST(test_chains_of_packages)
{
#define LINE(path, name, n) { .file = path, .function = name, .line = n, .python = true }
	struct site_frame frame[][3] = {
		{ LINE("/x/site-packages/t/llama.py", "rotate", 134),
		  LINE("/a/train.py", "main", 141), { .module = "libtorch_cuda.so" } },
		{ LINE("/x/site-packages/t/norm.py", "forward", 60),
		  LINE("/a/train.py", "main", 141), { .module = "libtorch_cuda.so" } },
		{ LINE("/x/site-packages/p/layer.py", "forward", 9),
		  LINE("/a/train.py", "main", 141), { .module = "libtorch_cuda.so" } },
	};
	struct site site[3];
	const struct finding *f;

	fault_pointwise(m);		/* 200, 200 and 100 us */
	for (uint32_t i = 0; i < 3; i++)
		site[i] = (struct site){ .call = CALL_LAUNCH, .count = 1,
		    .frame = frame[i], .frames = 3, .first = 1,
		    .kernel = m->kernel[i].id };
	m->run.site = site;
	m->run.sites = 3;
	f = made_found(m, "eager-pointwise-chain");
	assert_has(f->advice,
	    "compile the model as a whole");
	assert_has(f->location, "in rotate() at llama.py:134");
	assert_has(f->summary, "they lie in 3 functions");
	assert_has(f->summary, "rotate() of llama.py 40 %");
	assert_has(f->limiter, "through memory");
	for (int i = 0; i < 3; i++)
		frame[i][0].file = "/a/train.py", site[i].first = 0;
	f = made_found(m, "eager-pointwise-chain");
	assert_has(f->advice, "@torch.compile on the function");
	assert_lacks(f->location, " at ");
	/* What is as short as a launch waits for no memory. */
	for (int i = 0; i < 4; i++)
		m->kernel[i].total_ns = m->kernel[i].launches * 2000;
	assert_has(made_found(m, "eager-pointwise-chain")->limiter, "the launches");
#undef LINE
}

#define COPY(casts) "void at::native::unrolled_elementwise_kernel<at::native::" \
	"direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}, " \
	"std::array<char*, 2ul>, " casts ">(int)"
#define ADD(casts) "void at::native::unrolled_elementwise_kernel<at::native::" \
	"CUDAFunctor_add<float>, std::array<char*, 3ul>, " casts ">(int)"
#define CASTS "at::native::memory::LoadWithCast<1>, " \
	"at::native::memory::StoreWithCast<1> "
#define NO_CASTS "at::native::memory::LoadWithoutCast "

/* A thread of a vectorized kernel takes more elements than one of another: arrays of one size
 * differ in threads. */
MADE_TEST(test_sizes_of_chain)
{
	fault_pointwise(m);
	for (int k = 0; k < 3; k++)
		m->kernel[k].name = "void at::native::vectorized_elementwise_kernel<4, at::"
		    "native::CUDAFunctor_add<float>, std::array<char*, 3>>(int)";
	m->kernel[1].name = "void at::native::elementwise_kernel<128, 2, at::native::"
	    "gpu_kernel_impl_nocast<at::native::BinaryFunctor<float>>>(int)";
	m->kernel[1].shape.grid_x *= 8;
	assert_non_null(made_found(m, "eager-pointwise-chain"));
	m->kernel[1].shape.grid_x *= 8;
	made_quiet(m, "eager-pointwise-chain");
}

/* A conversion and the operator on its result: of two kernels in a row the second would
 * have converted, too. Not so if types are the same on either side, or the next kernel
 * only converts further. */
MADE_TEST(test_converted_first)
{
	static const struct {
		const char *first, *second;
		bool found;
	} cases[] = {
		{ COPY(CASTS), ADD(CASTS), true },
		{ "void at::native::vectorized_elementwise_kernel<4, at::native::"
		    "bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)>(int)",
		    ADD(CASTS), true },
		{ COPY(NO_CASTS), ADD(CASTS), false },
		{ COPY(CASTS), ADD(NO_CASTS), false },
		{ ADD(CASTS), COPY(CASTS), false },
		{ COPY(CASTS), COPY(CASTS), false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct finding *f;

		made_again(m);
		fault_pointwise_two(m);
		m->kernel[0].name = cases[i].first;
		m->kernel[1].name = cases[i].second;
		f = made_finding(made_advised(m), "eager-pointwise-chain");
		assert_true((f != NULL) == cases[i].found);
		if (f == NULL)
			continue;
		assert_has(f->summary, "converted to another type");
		assert_has(f->advice, "accumulate in the gradient's type");
		assert_has(f->good_code, "grad +=");
		assert_true(f->saves_s > 0);
	}
}

/* Copies of different arrays in a row share nothing: no chain. They count beside what
 * computes, and one behind the other if the types show that it may read what that wrote. */
MADE_TEST(test_copies_in_a_row)
{
#define TO_16 "void at::native::vectorized_elementwise_kernel<4, at::native::" \
	"bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)>(int)"
#define PLAIN COPY(NO_CASTS)
	static const struct {
		const char *name[4];	/* of the fourth a product, if NULL */
		size_t chain;		/* kernels; 0: none */
	} cases[] = {
		{ { PLAIN, PLAIN, PLAIN }, 0 },
		{ { PLAIN, PLAIN, PLAIN, PLAIN }, 0 },
		{ { ADD(NO_CASTS), PLAIN, PLAIN }, 0 },
		{ { PLAIN, PLAIN, ADD(NO_CASTS) }, 0 },
		{ { TO_16, COPY(CASTS), TO_16 }, 0 },
		{ { ADD(NO_CASTS), TO_16, COPY(CASTS) }, 0 },
		{ { ADD(NO_CASTS), ADD(NO_CASTS), PLAIN }, 3 },
		{ { PLAIN, ADD(NO_CASTS), PLAIN }, 3 },
		{ { ADD(NO_CASTS), TO_16, COPY(CASTS), ADD(NO_CASTS) }, 4 },
		{ { ADD(NO_CASTS), ADD(NO_CASTS), PLAIN, PLAIN }, 3 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct finding *f;

		made_again(m);
		fault_pointwise(m);
		for (int k = 0; k < 4; k++)
			m->kernel[k].name = cases[i].name[k] != NULL ?
			    cases[i].name[k] : m->kernel[k].name;
		m->sequence[0].length = cases[i].name[3] != NULL ? 5 : 4;
		m->sequence[0].kernel[4] = cases[i].name[3] == NULL ? 0 : made_kernel(m,
		    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n", 1000, 500000)->id;
		f = made_finding(made_advised(m), "eager-pointwise-chain");
		assert_true((f != NULL) == (cases[i].chain > 0));
		if (f != NULL)
			assert_int_equal(atoi(f->location), cases[i].chain);
	}
#undef TO_16
#undef PLAIN
}

/* A backward pass has no Python line: the line of the forward pass is given. */
MADE_TEST(test_line_of_forward)
{
	static struct site_frame backward[] = { { .module = "libtorch_cuda.so" } };
	static struct site_frame forward[] = { { .file = "/home/me/run.py",
	    .line = 7, .python = true }, { .module = "libtorch_cuda.so" } };
	static struct site site[] = { { .call = CALL_LAUNCH, .kernel = 1,
	    .count = 900, .frame = backward, .frames = 1 },
	    { .call = CALL_LAUNCH, .kernel = 1, .count = 100,
	    .frame = forward, .frames = 2 } };
	const struct finding *f;

	fault_training_tf32(m);
	m->run.site = site;
	m->run.sites = 2;
	f = made_found(m, "low-precision-unused");
	assert_ptr_equal(f->site, &site[1]);
}

/* Where nearly all products are of passes without gradients, autocast at the loss changes
 * little: the line is named that calls the model. Python on its stack does not make a
 * backward pass a forward one. */
MADE_TEST(test_passes)
{
	struct site_frame backward[] = { { .file = "/home/me/ops.py",
	    .function = "backward", .line = 5, .python = true },
	    { .function = "torch::autograd::PyNode::apply(int)",
	    .module = "libtorch_python.so" } };
	struct site_frame forward[] = { { .file = "/home/me/model.py",
	    .function = "forward", .line = 7, .python = true },
	    { .file = "/x/site-packages/torch/nn/modules/module.py",
	    .function = "_call_impl", .line = 1, .python = true },
	    { .file = "/home/me/run.py", .function = "sample", .line = 9,
	    .python = true }, { .module = "libtorch_cuda.so" } };
	struct site site[] = { { .call = CALL_LAUNCH, .kernel = 1, .count = 10,
	    .frame = backward, .frames = 2 }, { .call = CALL_LAUNCH, .kernel = 1,
	    .count = 90, .frame = forward, .frames = 4 } };
	const struct finding *f;

	fault_training_tf32(m);
	m->run.site = site;
	m->run.sites = 2;
	f = made_found(m, "low-precision-unused");
	assert_string_equal(f->where, "training step");
	assert_has(f->good_code, "criterion");
	site[1].count = 110;
	f = made_found(m, "low-precision-unused");
	assert_string_equal(f->where, "forward passes");
	assert_string_equal(f->title, "32-bit products only");
	assert_has(f->location, "that sample() calls at run.py:9");
	assert_has(f->good_code, "inference_mode");
	m->run.sites = 0;		/* not known */
	assert_string_equal(made_found(m, "low-precision-unused")->where,
	    "training step");
}

/* All compilations but the first count. */
MADE_TEST(test_compiled_again)
{
	const struct finding *f;

	fault_recompiling(m);
	f = made_found(m, "recompilation");
	assert_true(f->saves_s > 1.3 && f->saves_s < 1.6);
	assert_true(f->saves_high_s <= 2.0);
	assert_has(f->advice, "mark_dynamic");
	/* The first counts, too, if code for another shape had been made
	 * before; but never the longest phase on the host. */
	m->run.compiling.time[0].known = true;
	f = made_found(m, "recompilation");
	assert_true(f->saves_s > 1.59 && f->saves_s < 1.61);
}

/* Code that its compiler keeps on disk is not made again in the next run: a few sizes are
 * no fault. */
MADE_TEST(test_compiled_and_kept)
{
	struct site_frame frame[] = { { .file = "/x/site-packages/triton/runtime/jit.py",
	    .line = 9, .python = true } };
	struct site site = { .call = CALL_LAUNCH, .kernel = 1, .count = 2,
	    .frame = frame, .frames = 1 };

	fault_recompiling(m);
	m->run.compiling.times = 4;
	made_quiet(m, "recompilation");
	m->kernel[0].name = m->kernel[0].mangled = "_layer_norm_fwd";
	assert_non_null(made_found(m, "recompilation"));
	m->run.site = &site;
	m->run.sites = 1;
	made_quiet(m, "recompilation");
	m->run.compiling.times = 5;
	assert_non_null(made_found(m, "recompilation"));
}

/* Single kernels that a program meets late make no loop that compiles of what was compiled in
 * front of it. */
MADE_TEST(test_compiled_early)
{
	struct compiled *t = m->run.compiling.time;

	fault_recompiling(m);
	assert_non_null(made_found(m, "recompilation"));
	for (size_t i = 0; i < m->run.compiling.times; i++) {
		bool last = i + 1 == m->run.compiling.times;

		t[i].at = last ? m->run.launches - 100 : 10 * (i + 1);
		t[i].idle_ns = last ? 1000000 : t[i].idle_ns;
	}
	made_quiet(m, "recompilation");
}

/* CuPy looks a kernel's source up on disk: what was made once the next run finds. */
MADE_TEST(test_compiled_by_cupy)
{
	fault_recompiling(m);
	for (size_t i = 0; i < m->run.kernels; i++)
		m->kernel[i].name = m->kernel[i].mangled = "cupy_add__float64_float64";
	for (size_t i = 0; i < m->run.compiling.times; i++)
		m->run.compiling.time[i].kernel = m->kernel[i % m->run.kernels].id;
	assert_true(m->run.compiling.times > m->run.kernels);
	assert_non_null(made_found(m, "recompilation"));	/* some again */
	m->run.compiling.times = m->run.kernels;
	made_quiet(m, "recompilation");
}

/* Triton's autotuner compiles what it tries out: that is no change of shapes. A benchmark
 * of the program's own is none of its trials. */
MADE_TEST(test_compiled_to_tune)
{
	struct site_frame frame[] = { { .file = "/x/site-packages/triton/runtime/jit.py",
	    .function = "run", .line = 9, .python = true },
	    { .file = "/x/site-packages/triton/runtime/autotuner.py",
	    .function = "_bench", .line = 164, .python = true },
	    { .file = "/home/me/attention.py", .function = "forward", .line = 541,
	    .python = true } };
	struct site site[5];
	struct process python = { .python = true };
	const struct finding *f;

	fault_recompiling(m);
	m->kernel[0].name = m->kernel[0].mangled = m->kernel[0].short_name = "_attn_fwd";
	for (size_t i = 0; i < 5; i++) {
		if (i > 0)
			made_kernel(m, "_attn_fwd", 70, 200000)->mangled =
			    m->kernel[0].mangled;
		site[i] = (struct site){ .call = CALL_LAUNCH, .kernel = m->kernel[i].id,
		    .count = 70, .frame = frame, .frames = 3, .first = 2 };
		m->run.compiling.time[i].kernel = m->kernel[i].id;
	}
	m->run.site = site;
	m->run.sites = 5;
	m->run.process = &python;
	m->run.processes = 1;
	f = made_found(m, "recompilation");
	assert_has(f->summary, "autotuner compiles and times 5 variants of _attn_fwd");
	assert_has(f->advice, "prune the list of configs");
	assert_has(f->good_code, "cache_results=True");
	assert_non_null(f->site);
	assert_int_equal(f->site->frame[f->site->first].line, 541);
	frame[1].file = "/x/site-packages/triton/testing.py";
	f = made_found(m, "recompilation");
	assert_lacks(f->summary, "autotuner");
	assert_has(f->advice, "pad to a few");
}

/* The time of several tuned kernels is told by kernel, at the place of the one with most of
 * it, and pruning one's list does not save it all. Where Triton keeps which variant won,
 * keeping its cache is enough. */
MADE_TEST(test_compiled_to_tune_many)
{
	struct site_frame frame[] = { { .file = "/x/site-packages/triton/runtime/jit.py",
	    .function = "run", .line = 9, .python = true },
	    { .file = "/x/site-packages/triton/runtime/autotuner.py",
	    .function = "_bench", .line = 164, .python = true },
	    { .file = "/x/site-packages/triton/runtime/autotuner.py",
	    .function = "run", .line = 202, .python = true },
	    { .file = "/home/me/attention.py", .function = "forward", .line = 541,
	    .python = true } };
	struct site_frame norm[4];
	struct site site[5];
	struct compiled *t = m->run.compiling.time;
	struct process python = { .python = true };
	const struct finding *f;

	memcpy(norm, frame, sizeof(norm));
	norm[3].line = 77;
	fault_recompiling(m);
	m->kernel[0].name = m->kernel[0].mangled = m->kernel[0].short_name = "_attn_fwd";
	for (size_t i = 0; i < 5; i++) {
		struct kernel *k = i > 0 ? made_kernel(m, "_norm_fwd", 70, 200000) :
		    &m->kernel[0];

		/* The last one is compiled last, and quickly. */
		if (i > 0)
			k->mangled = i < 4 ? m->kernel[0].mangled : "_norm_fwd";
		site[i] = (struct site){ .call = CALL_LAUNCH, .kernel = k->id,
		    .count = 70, .frame = i < 4 ? frame : norm, .frames = 4,
		    .first = 3 };
		t[i].kernel = k->id;
	}
	t[4].idle_ns /= 4;
	m->run.site = site;
	m->run.sites = 5;
	m->run.process = &python;
	m->run.processes = 1;
	f = made_found(m, "recompilation");
	assert_has(f->summary, "variants of 2 kernels, most of _attn_fwd (4, 1.6 s), "
	    "_norm_fwd (1, 100 ms): the GPU waits 1.7 s");
	assert_int_equal(f->site->frame[f->site->first].line, 541);
	assert_has(f->advice, "TRITON_CACHE_AUTOTUNING");
	assert_lacks(f->advice, "prune the list of configs of");
	frame[2].function = "check_disk_cache";
	f = made_found(m, "recompilation");
	assert_lacks(f->advice, "TRITON_CACHE_AUTOTUNING");
	assert_lacks(f->good_code, "cache_results");
	assert_has(f->advice, "which configs won");
	assert_has(f->gain_note, "which of it won");
	/* That function is somebody else's. */
	frame[2].file = "/home/me/attention.py";
	assert_has(made_found(m, "recompilation")->advice, "TRITON_CACHE_AUTOTUNING");
}

/* What only the autotuner launches, until it goes on to another variant, is not judged. */
MADE_TEST(test_tried_out)
{
	struct site_frame frame[] = { { .function = "_bench", .line = 164, .python = true,
	    .file = "/x/site-packages/triton/runtime/autotuner.py" } };
	struct site_frame step[] = { { .function = "forward", .line = 541, .python = true,
	    .file = "/home/me/attention.py" } };
	struct site site[] = { { .call = CALL_LAUNCH, .kernel = 1, .count = 2,
	    .frame = frame, .frames = 1 }, { .call = CALL_LAUNCH, .kernel = 1,
	    .count = 1, .frame = step, .frames = 1 } };
	struct kernel *later;

	fault_many_registers(m);
	later = made_kernel(m, m->kernel[0].name, 70, 200000);
	later->mangled = m->kernel[0].mangled;
	m->kernel[0].last_ns = 1000;
	later->first_ns = 2000;
	m->run.site = site;
	m->run.sites = 1;
	made_quiet(m, "low-theoretical-occupancy");
	/* The program launches it as well. */
	m->run.sites = 2;
	assert_non_null(made_found(m, "low-theoretical-occupancy"));
	/* It may yet be launched by the program. */
	m->run.sites = 1;
	later->first_ns = 900;
	assert_non_null(made_found(m, "low-theoretical-occupancy"));
	/* torch.compile searches likewise. */
	later->first_ns = 2000;
	frame[0].file = "/x/site-packages/torch/_inductor/select_algorithm.py";
	frame[0].function = "benchmark_choice";
	made_quiet(m, "low-theoretical-occupancy");
	/* Another function's kernel tells nothing. */
	later->mangled = "other";
	assert_non_null(made_found(m, "low-theoretical-occupancy"));
}

static struct site_frame eager[] = {
	{ .file = "/x/site-packages/jax/_src/pjit.py", .function = "cache_miss",
	  .line = 2, .python = true },
	{ .file = "/x/site-packages/jax/_src/traceback_util.py",
	  .function = "reraise_with_filtered_traceback", .line = 1, .python = true },
	{ .file = "/x/site-packages/jax/_src/random/core.py",
	  .function = "truncated_normal", .line = 3, .python = true },
	{ .file = "/home/me/model.py", .function = "__init__", .line = 170,
	  .python = true },
};

/* With JAX functions outside of jit, and functions that are compiled once, are no matter
 * of changing shapes. */
MADE_TEST(test_compiled_by_jax)
{
	struct site_frame user = eager[2];
	struct site site[] = { { .call = CALL_MODULE_LOAD, .count = 9, .frame = eager,
	    .frames = 4, .first = 3 } };
	struct xla_module module[] = { { "jit_step", 1, 900, 900 },
	    { "jit__truncated_normal", 32, 320, 100 } };
	struct process python = { .python = true };
	const struct finding *f;

	fault_recompiling(m);
	m->kernel[0].name = m->kernel[0].mangled = "loop_add_fusion";
	m->run.xla_module = module;
	m->run.xla_modules = 2;
	m->run.site = site;
	m->run.sites = 1;
	m->run.process = &python;
	m->run.processes = 1;
	f = made_found(m, "recompilation");
	assert_has(f->advice, "put jax.jit around what runs outside of it");
	assert_has(f->summary, "jit__truncated_normal 32 times");
	assert_has(f->summary, "most of its time is for jit_step (900 ns)");
	assert_ptr_equal(f->site, &site[0]);

	eager[2].file = "/home/me/train.py";
	f = made_found(m, "recompilation");
	assert_has(f->advice, "persistent cache");
	assert_has(f->summary, "longest jit_step");

	module[1].host_ns = 1000;
	f = made_found(m, "recompilation");
	assert_has(f->advice, "pad to a few shapes");
	assert_has(f->summary, "jit__truncated_normal was compiled 32 times");
	eager[2] = user;
	eager[2].function = "apply_primitive";
	eager[1].function = "bind";
	f = made_found(m, "recompilation");
	assert_has(f->advice, "put jax.jit around");
	eager[2].function = "f";
	assert_has(made_found(m, "recompilation")->advice, "pad to a few shapes");
}

/* What is compiled before the loop comes once, and is no finding, unless it is most of the
 * run: then no step's shape is the cause. */
MADE_TEST(test_compiled_for_most)
{
	struct xla_module module[] = { { "jit_multiply", 36, 900, 100 } };
	struct site_frame frame[] = {
		{ .file = "/x/site-packages/jax/_src/pjit.py", .function = "cache_miss",
		    .line = 9, .python = true },
		{ .file = "/a/run.py", .function = "main", .line = 7, .python = true } };
	struct site site = { .call = CALL_MODULE_LOAD, .count = 9, .frame = frame,
	    .frames = 2, .first = 1 };
	struct process python = { .python = true };
	const struct finding *f;

	fault_recompiling(m);
	m->kernel[0].name = m->kernel[0].mangled = "loop_add_fusion";
	m->run.xla_module = module;
	m->run.xla_modules = 1;
	m->run.process = &python;
	m->run.processes = 1;
	m->run.site = &site;
	m->run.sites = 1;
	assert_has(made_found(m, "recompilation")->advice, "pad to a few shapes");
	for (size_t i = 0; i < m->run.compiling.times; i++)
		m->run.compiling.time[i].at = i;
	made_quiet(m, "recompilation");
	m->run.compiling.time[0].idle_ns = m->run.wall_ns * 3 / 5;
	m->run.idle_ns[IDLE_HOST] = m->run.wall_ns * 3 / 5;
	f = made_found(m, "recompilation");
	assert_has(f->advice, "persistent cache");
	assert_true(f->saves_high_s > 5.5);
}

/* What XLA was compiling when the recording ended counts, though it is the only one; beside
 * longer ones it is a part of them. */
MADE_TEST(test_compiled_until_the_end)
{
	struct process python = { .python = true };
	struct site site[] = { { .call = CALL_MODULE_LOAD, .count = 9, .frame = eager,
	    .frames = 4, .first = 3 } };
	const struct finding *f;

	made_kernel(m, "loop_add_fusion", 1000, 200000);
	m->run.process = &python;
	m->run.processes = 1;
	made_quiet(m, "recompilation");
	m->run.wall_ns += 8 * S;
	m->run.idle_ns[IDLE_SHUTDOWN] = 8 * S;
	m->run.xla_unfinished = (struct xla_unfinished){ .name = "jit_all",
	    .idle_ns = 8 * S };
	f = made_found(m, "recompilation");
	assert_has(f->summary, "compiling jit_all when the recording ended");
	assert_has(f->advice, "jax.lax.fori_loop");
	assert_true(f->saves_s > 4 && f->saves_s <= 8);
	m->run.site = site;
	m->run.sites = 1;
	f = made_found(m, "recompilation");
	assert_has(f->advice, "jax_compilation_cache_dir");

	made_again(m);
	fault_recompiling(m);
	m->run.idle_ns[IDLE_SHUTDOWN] = S;
	m->run.xla_unfinished = (struct xla_unfinished){ .name = "jit_all",
	    .idle_ns = S };
	f = made_found(m, "recompilation");
	assert_has(f->summary, "of it for jit_all, which was not finished");
	assert_lacks(f->advice, "fori_loop");
}

/* Many operators that are each compiled for a few shapes are no function of the loop that is
 * compiled again and again, whatever they take together. */
MADE_TEST(test_compiled_many_by_jax)
{
	enum { OPERATORS = 20 };
	struct site site[] = { { .call = CALL_MODULE_LOAD, .count = 9, .frame = eager,
	    .frames = 4, .first = 3 } };
	struct xla_module module[OPERATORS + 1] = { { "jit_run", 1, 100, 100 } };
	struct process python = { .python = true };
	const struct finding *f;

	for (size_t i = 1; i <= OPERATORS; i++)
		module[i] = (struct xla_module){ "jit_add", 3, 30, 10 };
	eager[2].file = "/home/me/train.py";
	fault_recompiling(m);
	m->kernel[0].name = m->kernel[0].mangled = "loop_add_fusion";
	m->run.xla_module = module;
	m->run.xla_modules = OPERATORS + 1;
	m->run.site = site;
	m->run.sites = 1;
	m->run.process = &python;
	m->run.processes = 1;
	f = made_found(m, "recompilation");
	assert_has(f->advice, "pays from the second run on");
	assert_has(f->advice, "put jax.jit around what runs outside of it");
	assert_lacks(f->advice, "pad to a few");
	assert_has(f->summary, "21 by name");
	assert_has(f->gain_note, "from the second run on");
	assert_has(f->good_code, "jax_compilation_cache_dir");

	module[0] = (struct xla_module){ "jit_run", 6, 600, 100 };
	f = made_found(m, "recompilation");
	assert_has(f->advice, "pad to a few shapes");
}

/* Advice about torch.compile is for programs that use it, not for all of PyTorch's. */
MADE_TEST(test_compiled_without_torch)
{
	static struct site_frame load[] = { { .module = "libcuda.so.1" },
	    { .module = "libtorch_cuda.so" }, { .file = "/home/me/run.py", .line = 7,
	    .python = true } };
	static struct site_frame wrapped[] = { {
	    .file = "/x/site-packages/torch/_dynamo/eval_frame.py", .line = 9,
	    .python = true } };
	static struct site site[] = { { .call = CALL_MODULE_LOAD, .count = 9,
	    .frame = load, .frames = 3 }, { .call = CALL_MEMCPY, .count = 9,
	    .frame = wrapped, .frames = 1 } };
	struct process python = { .python = true };
	const struct finding *f;

	fault_recompiling(m);
	m->kernel[0].name = m->kernel[0].mangled = "my_kernel";
	m->run.site = site;
	m->run.sites = 2;
	m->run.process = &python;
	m->run.processes = 1;
	f = made_found(m, "recompilation");
	assert_lacks(f->advice, "torch.compile");
	assert_lacks(f->bad_code, "torch.compile");
	wrapped[0].file = "/x/site-packages/torch/_inductor/codecache.py";
	f = made_found(m, "recompilation");
	assert_has(f->advice, "torch.compile(dynamic=True)");
	m->run.sites = 0;
	assert_lacks(made_found(m, "recompilation")->bad_code, "torch.compile");
}

/* What torch.compile makes for the first time, of several graphs or to try it out, needs
 * no dynamic shapes: only a name that the same line has launched in another shape does. */
MADE_TEST(test_compiled_first)
{
	static struct site_frame load[] = { { .function = "load_kernel", .line = 144,
	    .file = "/x/site-packages/torch/_inductor/runtime/static_triton_launcher.py",
	    .python = true }, { .module = "libcuda.so.1" } };
	static struct site_frame called[] = { { .function = "precompile", .line = 503,
	    .file = "/x/site-packages/torch/_inductor/runtime/triton_heuristics.py",
	    .python = true }, { .file = "/home/me/run.py", .line = 9,
	    .function = "main", .python = true } };
	static struct site_frame step[5][2];
	static struct site_frame trial[] = { { .function = "benchmark_one_config",
	    .file = "/x/site-packages/torch/_inductor/runtime/triton_heuristics.py",
	    .python = true, .line = 1336 } };
	static struct site site[8];
	struct process python = { .python = true };
	const struct finding *f;

	fault_recompiling(m);
	m->run.site = site;
	m->run.process = &python;
	m->run.processes = 1;
	for (size_t i = 0; i < 5; i++) {
		struct kernel *k = i > 0 ? made_kernel(m, "triton_poi_fused_mul_0", 70,
		    200000) : &m->kernel[0];

		if (i > 0)
			k->mangled = m->kernel[0].mangled;
		k->first_ns = 1000 * (i + 1);
		step[i][0] = (struct site_frame){ .file = "/tmp/torchinductor_me/a/b.py",
		    .function = "call", .line = 3, .python = true };
		step[i][1] = (struct site_frame){ .file = "/home/me/model.py",
		    .function = "forward", .line = 20 + (uint32_t)i, .python = true };
		site[i] = (struct site){ .call = CALL_LAUNCH, .kernel = k->id,
		    .count = 70, .frame = step[i], .frames = 2, .first = 1 };
		m->run.compiling.time[i].kernel = k->id;
		m->run.compiling.time[i].known = i > 0;
	}
	site[5] = (struct site){ .call = CALL_MODULE_LOAD, .count = 60,
	    .frame = load, .frames = 2 };
	site[6] = (struct site){ .call = CALL_MODULE_LOAD, .count = 6,
	    .frame = called, .frames = 2, .first = 1, .idle_ns = 1e9 };
	m->run.sites = 7;
	f = made_found(m, "recompilation");
	assert_has(f->advice, "TORCHINDUCTOR_CACHE_DIR");
	assert_lacks(f->good_code, "dynamic");
	assert_has(f->gain_note, "once in a run");
	/* The place is the program's own, of those that load. */
	assert_int_equal(f->site->frame[f->site->first].line, 9);
	assert_true(f->saves_s > 1.3 && f->saves_s < 1.6);
	/* The compiler's other calls wait, too. */
	called[0].function = "compile_fx_inner";
	made_gaps(m, IDLE_HOST, 5, 400000000);
	f = made_found(m, "recompilation");
	assert_true(f->saves_s > 1.7 && f->saves_high_s > 2.9);
	assert_has(f->summary, "the GPU waits 3 s");
	/* The same line launches all of these shapes, and each was compiled. */
	for (size_t i = 0; i < 5; i++)
		step[i][1].line = 20;
	f = made_found(m, "recompilation");
	assert_has(f->advice, "mark_dynamic");
	assert_true(f->saves_s > 1.3 && f->saves_s < 1.6);
	/* A compiler launched them, to find the fastest. */
	for (size_t i = 0; i < 5; i++) {
		site[i].frame = trial;
		site[i].frames = 1;
		site[i].first = 0;
	}
	f = made_found(m, "recompilation");
	assert_has(f->advice, "hardly anything was made a second time");
	assert_lacks(f->advice, "max-autotune");
	trial[0].function = "coordinate_descent_tuning";
	f = made_found(m, "recompilation");
	assert_has(f->advice, "max-autotune");
	assert_has(f->summary, "tries out variants");
}

/* A few launches that come very often are a loop over pieces: larger ones need fewer. */
MADE_TEST(test_words_of_pieces)
{
	struct process python = { .python = true };

	fault_launch_bound(m);		/* 20 launches, 20,000 times */
	m->kernel[0].name = "void at::native::vectorized_elementwise_kernel<4, int>(int)";
	m->run.process = &python;
	m->run.processes = 1;
	assert_has(made_found(m, "launch-bound-graph-candidate")->advice,
	    "larger batches or chunks");
	m->sequence[0].length = 200;
	assert_lacks(made_found(m, "launch-bound-graph-candidate")->advice, "chunks");
	m->sequence[0].length = 20;
	m->sequence[0].syncs = m->sequence[0].repeats;
	assert_has(made_found(m, "launch-bound-graph-candidate")->advice,
	    "take the host's waits out");
}

/* The findings of the rule, and the first of them. */
static size_t
graphs(struct made *m, const struct finding **first)
{
	const struct advice *a = made_advised(m);
	size_t n = 0;

	for (size_t i = 0; i < a->findings; i++) {
		if (strcmp(a->finding[i].rule, "launch-bound-graph-candidate") != 0)
			continue;
		if (n++ == 0)
			*first = &a->finding[i];
	}
	return n;
}

/* A training that calls nn.LSTM for each of 64 positions of 100 steps: two launches of the
 * forward pass, an operator on its output, the backward pass; and the optimizer. */
#define RECURS "at::_ops::_cudnn_rnn::call(at::Tensor const&)"
static struct site_frame position[] = {
	{ .file = "/x/site-packages/torch/nn/modules/rnn.py", .line = 1169,
	  .function = "forward", .python = true },
	{ .file = "/home/me/net.py", .line = 64, .function = "forward", .python = true },
	{ .file = "/home/me/train.py", .line = 75, .function = "train", .python = true },
	{ .function = RECURS, .module = "libtorch_cpu.so" },
}, of_output[] = {
	{ .file = "/home/me/train.py", .line = 76, .function = "train", .python = true },
	{ .function = "at::_ops::add_Tensor::call(int)", .module = "libtorch_cpu.so" },
}, backwards[] = {
	{ .function = "at::_ops::_cudnn_rnn_backward::call(at::Tensor const&)",
	  .module = "libtorch_cpu.so" },
}, adam_step[] = {
	{ .file = "/x/site-packages/torch/optim/adam.py", .line = 705,
	  .function = "_multi_tensor_adam", .python = true },
	{ .file = "/home/me/train.py", .line = 79, .function = "train", .python = true },
};
static struct site recurring[] = {
	{ .call = CALL_LAUNCH, .kernel = 1, .count = 4, .frame = position, .frames = 4,
	  .first = 1 },
	{ .call = CALL_LAUNCH, .kernel = 2, .count = 4, .frame = position, .frames = 4,
	  .first = 1 },
	{ .call = CALL_LAUNCH, .kernel = 3, .count = 4, .frame = of_output, .frames = 2 },
	{ .call = CALL_LAUNCH, .kernel = 4, .count = 4, .frame = backwards, .frames = 1 },
	{ .call = CALL_LAUNCH, .kernel = 5, .count = 2, .frame = adam_step, .frames = 2,
	  .first = 1 },
};

static void
recurrent(struct made *m, struct process *python)
{
	static const struct {
		const char *name;
		uint64_t launches, gap_ns;
	} kernels[] = {
		{ "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_kernel", 6400, 100000 },
		{ "void RNN_blockPersist_fp_LSTM<float, float, float, 64>(int)", 6400, 4000 },
		{ "void at::native::vectorized_elementwise_kernel<4, int>(int)", 6400, 20000 },
		{ "void RNN_blockPersist_bp_LSTM_FMA<float, float>(int)", 6400, 60000 },
		{ "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<int>"
		  "(int)", 100, 1000000 },
	};

	made_again(m);
	for (size_t i = 0; i < 5; i++)
		made_kernel(m, kernels[i].name, kernels[i].launches, 2000)->gap_before_ns =
		    kernels[i].launches * kernels[i].gap_ns;
	*python = (struct process){ .python = true };
	m->run.process = python;
	m->run.processes = 1;
	/* cuDNN's streams are its own. */
	for (size_t i = 0; i < 2; i++)
		m->sequence[i] = (struct sequence){ .stream = (uint32_t)(i == 0 ? 13 : 7),
		    .length = 2, .repeats = 6400, .kernel_ns = 12800 * 2000,
		    .idle_ns = 12800 * 16000, .gaps = 12800, .first_ns = S,
		    .last_ns = 3 * S };
	m->sequence[0].kernel[0] = 1;
	m->sequence[0].kernel[1] = 2;
	m->sequence[1].kernel[0] = 3;
	m->sequence[1].kernel[1] = 4;
	m->run.sequences = 2;
	m->run.idle_ns[IDLE_LAUNCH] = 1500 * MS;
	m->run.idle_total_ns += 1500 * MS;
	m->run.site = recurring;
	m->run.sites = 5;
}

/* A recurrent layer takes all positions in one call: the line that calls it is the place, and
 * all gaps of the loop but one turn's are the price, half of those that no graph takes. */
MADE_TEST(test_recurrent_layer)
{
	struct process python;
	const struct finding *f;
	size_t n;

	recurrent(m, &python);
	n = graphs(m, &f);
	assert_int_equal(n, 1);
	assert_has(f->advice, "the whole sequence at once");
	assert_has(f->summary, "64 times a step");
	assert_ptr_equal(f->site->frame, position);
	/* 0.41 s in sequences, 1.18 s in all. */
	assert_true(f->saves_s > 0.72 && f->saves_s < 0.8);
	assert_true(f->saves_low_s <= 0.1 * f->saves_s);
	/* Another loop calls it later on, and trains nothing: it evaluates. */
	m->sequence[2] = m->sequence[0];
	m->sequence[2].repeats = 3000;
	m->sequence[2].gaps = 6000;
	m->sequence[2].idle_ns = 6000 * 16000;
	m->sequence[2].first_ns = 4 * S;
	m->sequence[2].last_ns = 5 * S;
	m->run.sequences = 3;
	n = graphs(m, &f);
	assert_int_equal(n, 2);
	assert_has(f->advice, "the whole sequence at once");
	assert_lacks((f + 1)->advice, "the whole sequence at once");
	m->run.sequences = 2;
	/* Waits of each position go with it. */
	m->sequence[1].syncs = m->sequence[1].repeats;
	assert_has(made_found(m, "launch-bound-graph-candidate")->advice,
	    "the whole sequence at once");
}

/* A layer of three in one: two products and three other launches for each call, in front of each
 * product the GPU waits. Positions are counted, not what begins a part of a call. */
MADE_TEST(test_recurrent_layer_of_several)
{
	struct process python;

	recurrent(m, &python);
	m->kernel[0].launches = 12800;
	m->kernel[0].gap_before_ns = 12800 * 100000ull;
	m->kernel[1].launches = 19200;
	m->kernel[1].gap_before_ns = 19200 * 4000ull;
	assert_has(made_found(m, "launch-bound-graph-candidate")->summary, "64 times a step");
	/* A shape of its own, of the last position of each step, counts for itself. */
	m->kernel[1].launches = 100;
	m->kernel[1].gap_before_ns = 100 * 4000;
	assert_has(made_found(m, "launch-bound-graph-candidate")->summary, "128 times a step");
}

/* The backward pass launches from a thread without a line, for each position: its gaps go as
 * well, nearly all where each position has a long one. What it does once for several positions
 * is no part of them. */
MADE_TEST(test_recurrent_layer_backward)
{
	struct process python;
	const struct finding *f;
	double part, all;

	recurrent(m, &python);
	m->sequence[1].length = 1;
	m->sequence[1].gaps = 6400;
	m->sequence[1].idle_ns = 6400 * 16000;
	m->sequence[2] = m->sequence[1];
	m->sequence[2].kernel[0] = 4;
	m->sequence[2].repeats = m->sequence[2].gaps = 3200;
	m->run.sequences = 3;
	m->run.idle_ns[IDLE_LAUNCH] = 3000 * MS;
	m->run.idle_total_ns += 1500 * MS;
	assert_int_equal(graphs(m, &f), 2);
	assert_has(f->advice, "the whole sequence at once");
	part = f->saves_s;
	m->sequence[2].repeats = m->sequence[2].gaps = 6400;
	assert_int_equal(graphs(m, &f), 1);
	assert_has(f->advice, "the whole sequence at once");
	/* Kernel 4 is idle for 0.38 s. */
	assert_true(f->saves_s > part + 0.19 && f->saves_s < part + 0.38);
	all = f->saves_s;
	/* Of two launches one has a gap that was counted, in each repeat: 0.46 s more beyond. */
	m->sequence[0].gaps = 6400;
	m->sequence[0].idle_ns = 6400 * 16000;
	assert_int_equal(graphs(m, &f), 1);
	assert_true(f->saves_s > all + 0.1 && f->saves_s < all + 0.3);
	/* At another time it is another loop. */
	m->sequence[2].first_ns = 4 * S;
	m->sequence[2].last_ns = 5 * S;
	assert_int_equal(graphs(m, &f), 2);
}

static void
no_recurrent(struct made *m)
{
	assert_lacks(made_found(m, "launch-bound-graph-candidate")->advice,
	    "the whole sequence");
}

/* A few calls for each step are parts of a model, a cell that is called by itself has no
 * other form, and without a training it samples: each output is the next input. */
MADE_TEST(test_no_recurrent_layer)
{
	struct process python;

	recurrent(m, &python);
	m->kernel[4].launches = 1600;
	no_recurrent(m);
	recurrent(m, &python);
	position[3].function = "at::_ops::_thnn_fused_lstm_cell::call(at::Tensor const&)";
	no_recurrent(m);
	position[3].function = RECURS;
	recurrent(m, &python);
	m->run.sites = 4;
	no_recurrent(m);
	/* A line that samples, beside a training on whole sequences. */
	recurrent(m, &python);
	m->kernel[3].launches = 100;
	no_recurrent(m);
	/* Attention between two positions. */
	recurrent(m, &python);
	of_output[1].function = "at::_ops::bmm::call(at::Tensor const&, at::Tensor const&)";
	no_recurrent(m);
	of_output[1].function = "at::_ops::add_Tensor::call(int)";
}

/* A step that adds up the gradients of 64 batches calls the layer as often, once for each
 * batch: forward and backward by turns. */
MADE_TEST(test_recurrent_layer_of_batches)
{
	struct site_frame engine[] = { { .module = "libtorch_cpu.so",
	    .function = "torch::autograd::Engine::evaluate_function(int)" } };
	struct site site[6];
	struct process python;

	recurrent(m, &python);
	memcpy(site, recurring, sizeof(recurring));
	site[5] = (struct site){ .call = CALL_LAUNCH, .kernel = 6, .count = 4,
	    .frame = engine, .frames = 1 };
	made_kernel(m, "void at::native::vectorized_elementwise_kernel<4, float>(int)",
	    6400, 2000);
	m->run.site = site;
	m->run.sites = 6;
	m->sequence[1].length = 3;
	m->sequence[1].kernel[2] = 6;
	no_recurrent(m);
	/* All positions forward, and then all backward. */
	m->sequence[1].kernel[0] = 6;
	assert_has(made_found(m, "launch-bound-graph-candidate")->advice,
	    "the whole sequence at once");
}

/* A call for all positions launches a product for all of them, and then a kernel for each:
 * these follow at once. */
MADE_TEST(test_recurrent_layer_at_once)
{
	struct process python;

	recurrent(m, &python);
	m->kernel[0].launches = 100;
	m->kernel[0].gap_before_ns = 100 * 100000;
	no_recurrent(m);
	/* On a GPU that has enough to do there are no gaps at all. */
	m->kernel[0].gap_before_ns = 100 * 1000;
	no_recurrent(m);
}

/* Conversions go, and of the gaps the part beside them: 1,000 of 3,000 launches. */
MADE_TEST(test_converted_weights)
{
	const struct finding *f;
	double alone;

	fault_weights_each_call(m);
	f = made_found(m, "weights-converted");
	alone = f->saves_s;
	assert_true(alone > 0.18 && alone < 0.2);	/* 1,000 of 200 us */
	assert_has(f->advice, "model.half()");
	m->run.launches = 3000;
	made_gaps(m, IDLE_HOST, 3000, 30000);
	f = made_found(m, "weights-converted");
	assert_true(fabs(f->saves_s - alone - 0.015) < 0.001);
}

/* What is repeated in order to time it needs no graph. */
MADE_TEST(test_timed_sequence)
{
	struct site_frame frame[] = { { .file = "/a/run.py", .line = 7, .python = true },
	    { .file = "/x/site-packages/triton/testing.py", .function = "do_bench",
	    .line = 9, .python = true } };
	struct site site[] = { { .call = CALL_LAUNCH, .kernel = 1, .count = 2,
	    .frame = frame, .frames = 2 }, { .call = CALL_LAUNCH, .kernel = 1,
	    .count = 1, .frame = frame, .frames = 1 } };

	fault_launch_bound(m);
	m->run.site = site;
	m->run.sites = 1;
	made_quiet(m, "launch-bound-graph-candidate");
	/* One launch of the program's own does not make them its loop's, if a compiler is at
	 * work throughout; if not, its launches may have been the first ones alone. */
	frame[1].file = "/x/site-packages/triton/runtime/autotuner.py";
	frame[1].function = "_bench";
	m->run.sites = 2;
	assert_non_null(made_found(m, "launch-bound-graph-candidate"));
	m->run.compiling = (struct compiling){ .times = 1, .span_ns = UINT64_MAX / 2 };
	made_quiet(m, "launch-bound-graph-candidate");
	site[1].count = 3;
	assert_non_null(made_found(m, "launch-bound-graph-candidate"));
	m->run.sites = 1;
	frame[1].function = "train";
	assert_non_null(made_found(m, "launch-bound-graph-candidate"));
}

/* XLA tries out a product: the frames of a call that it makes meanwhile. */
static struct site_frame trial[] = {
	{ .function = "cuMemFreeHost", .module = "libcuda.so.580.159.04" },
	{ .function = "stream_executor::RedzoneAllocator::CheckRedzones() const",
	    .module = "xla_cuda_plugin.so" },
	{ .function = "xla::Autotuner::GetTunedConfig(xla::HloInstruction const*, "
	    "int) const", .module = "xla_cuda_plugin.so" },
};

/* Memory and copies of a compiler that tries out variants are no part of a loop, half
 * of them is half a finding. A function's name alone is not enough. */
MADE_TEST(test_trials)
{
	static struct site_frame loop[] = { { .file = "/home/me/run.py", .line = 7,
	    .python = true, .function = "step" } };
	static const struct {
		builder *build;
		const char *rule;
		uint16_t call;
	} cases[] = {
		{ fault_allocating, "allocation-in-hot-path", CALL_MALLOC },
		{ fault_blocking, "synchronous-copies", CALL_MEMCPY },
		{ fault_syncing, "device-sync-overuse", CALL_DEVICE_SYNC },
	};
	struct site site[] = { { .count = 10, .frame = trial, .frames = 3 },
	    { .count = 10, .frame = loop, .frames = 1 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double all, half;

		made_again(m);
		cases[i].build(m);
		all = made_found(m, cases[i].rule)->saves_s;
		site[0].call = site[1].call = cases[i].call;
		site[1].count = 10;
		m->run.site = site;
		m->run.sites = 2;
		half = made_found(m, cases[i].rule)->saves_s;
		assert_true(half > 0.4 * all && half < 0.6 * all);
		/* The program's own place is shown, even if there are fewer. */
		site[1].count = 9;
		assert_ptr_equal(made_found(m, cases[i].rule)->site, &site[1]);
		m->run.sites = 1;
		made_quiet(m, cases[i].rule);
		trial[2].module = "a.out";
		assert_non_null(made_found(m, cases[i].rule));
		trial[2].module = trial[1].module;
	}
}

/* Each way of waiting by its own places: copies that the program waits for by their stream
 * do not make a benchmark's waits for the device its own. */
MADE_TEST(test_trials_of_one_way)
{
	struct site_frame loop[] = { { .file = "/home/me/run.py", .line = 7,
	    .python = true, .function = "step" } };
	struct site site[] = { { .call = CALL_DEVICE_SYNC, .count = 10, .frame = trial,
	    .frames = 3 }, { .call = CALL_STREAM_SYNC, .count = 30, .frame = loop,
	    .frames = 1 } };

	fault_syncing(m);
	m->run.site = site;
	m->run.sites = 2;
	made_quiet(m, "device-sync-overuse");
	site[1].call = CALL_DEVICE_SYNC;
	assert_non_null(made_found(m, "device-sync-overuse"));
}

/* Gaps in front of what a compiler launches are no loop's. */
MADE_TEST(test_gaps_of_compiler)
{
	struct site_frame frame[] = { { .file = "/home/me/run.py", .line = 7,
	    .python = true, .function = "step" }, { .python = true, .line = 9,
	    .file = "/x/site-packages/torch/_inductor/compile_fx.py",
	    .function = "compile_fx_inner" } };
	struct site site[] = { { .call = CALL_LAUNCH, .kernel = 1, .count = 9,
	    .frame = frame, .frames = 1 }, { .call = CALL_LAUNCH, .kernel = 1,
	    .count = 1, .frame = frame, .frames = 1 } };
	double all;

	fault_waiting(m);
	m->kernel[0].host_before_ns = 10000000000u;
	m->run.site = site;
	m->run.sites = 2;
	m->run.compiling = (struct compiling){ .times = 1, .span_ns = UINT64_MAX / 2 };
	all = made_found(m, "gpu-idle-gaps")->saves_s;
	site[1].frames = 2;
	assert_true(made_found(m, "gpu-idle-gaps")->saves_s < 0.95 * all);
	site[0].frames = 2;
	made_quiet(m, "gpu-idle-gaps");
	/* Stacks are taken of the first launches most. */
	m->run.compiling.span_ns = 1000;
	assert_true(made_found(m, "gpu-idle-gaps")->saves_s > 0.99 * all);
}

/* What XLA launches to try out candidates does not make a compilation late, and has run
 * before whatever was compiled. */
MADE_TEST(test_compiled_by_xla)
{
	struct kernel *delay;

	fault_recompiling(m);
	m->kernel[0].name = m->kernel[0].mangled = "loop_add_fusion";
	delay = made_kernel(m, "stream_executor::gpu::(anonymous namespace)::"
	    "DelayKernel(long)", 300, 1000);
	assert_non_null(made_found(m, "recompilation"));
	for (size_t i = 0; i < m->run.compiling.times; i++)
		m->run.compiling.time[i].at = 330 + i;
	m->run.compiling.times = 2;
	made_quiet(m, "recompilation");
	delay->name = delay->mangled = "my_delay";
	assert_non_null(made_found(m, "recompilation"));
}

/* The place that loads compiled code, not one where the runtime loads a library's
 * kernels at their first call. */
MADE_TEST(test_place_of_loading)
{
	struct site_frame lazy[] = { { .file = "/home/me/run.py", .line = 7,
	    .python = true }, { .module = "libcudart.so.13" } };
	struct site_frame jit[] = { { .file = "/x/site-packages/triton/driver.py",
	    .line = 9, .python = true }, { .module = "libcuda.so.1" } };
	struct site site[] = { { .call = CALL_MODULE_LOAD, .count = 9,
	    .frame = lazy, .frames = 2 }, { .call = CALL_MODULE_LOAD, .count = 2,
	    .frame = jit, .frames = 2 } };
	const struct finding *f;

	fault_recompiling(m);
	m->run.site = site;
	m->run.sites = 2;
	f = made_found(m, "recompilation");
	assert_ptr_equal(f->site, &site[1]);
	assert_has(f->advice, "tl.constexpr");
}

/* Late input is copied to the GPU, not within it. */
MADE_TEST(test_place_of_input)
{
	struct site_frame within[] = { { .function = "cuMemcpyDtoDAsync_v2",
	    .module = "libcuda.so.1" } };
	struct site_frame input[] = { { .file = "/home/me/run.py", .line = 7,
	    .python = true }, { .function = "cuMemcpyHtoDAsync_v2",
	    .module = "libcuda.so.1" } };
	struct site site[] = { { .call = CALL_MEMCPY_ASYNC, .count = 9,
	    .frame = within, .frames = 1 }, { .call = CALL_MEMCPY_ASYNC,
	    .count = 2, .frame = input, .frames = 2 } };

	fault_waiting(m);
	for (int i = 0; i < GAP_CLASSES; i++)
		m->run.gap[i].input_ns = m->run.gap[i].idle_ns[IDLE_HOST];
	m->run.site = site;
	m->run.sites = 2;
	assert_ptr_equal(made_found(m, "gpu-idle-gaps")->site, &site[1]);
}

/* foreach's Adam moves 18 arrays where the fused one moves 7; SGD's two operators over
 * lists gain nothing, and whose lists they are is known by the call site only. */
MADE_TEST(test_foreach)
{
	struct site_frame adam[] = { { .function = "_multi_tensor_adam",
	    .file = "/x/site-packages/torch/optim/adam.py", .line = 600,
	    .python = true }, { .file = "/home/me/run.py", .line = 7,
	    .python = true } };
	struct site site[7];
	const struct finding *f;

	for (int i = 0; i < 7; i++) {
		made_kernel(m, "void at::native::(anonymous namespace)::"
		    "multi_tensor_apply_kernel<int>(int)", 1000, 100000);
		site[i] = (struct site){ .call = CALL_LAUNCH, .count = 4,
		    .kernel = m->kernel[i].id, .frame = adam, .frames = 2 };
	}
	made_quiet(m, "unfused-optimizer");
	m->run.site = site;
	m->run.sites = 7;
	f = made_found(m, "unfused-optimizer");
	assert_has(f->good_code, "fused=True");
	assert_true(f->saves_s > 0.7 * 0.6 && f->saves_s < 0.7 * 0.62);
	adam[0].function = "_multi_tensor_sgd";
	made_quiet(m, "unfused-optimizer");
	adam[0].function = "_multi_tensor_adam";
	m->run.sites = 4;
	made_quiet(m, "unfused-optimizer");
}

/* A backward pass adds up the gradients of a layer that is used several times, one array after the
 * other: that is no optimizer, and no loop of the program's. */
MADE_TEST(test_sums_of_gradients)
{
	struct site_frame sums[] = { { .function = "at::_ops::add__Tensor::call(at::Tensor&)",
	    .module = "libtorch_cpu.so" }, { .function = "torch::autograd::InputBuffer::add"
	    "(unsigned long, at::Tensor&&)", .module = "libtorch_cpu.so" } };
	struct site site[8];

	fault_list_of_arrays(m);
	for (uint32_t i = 0; i < 8; i++)
		site[i] = (struct site){ .call = CALL_LAUNCH, .count = 4,
		    .kernel = m->kernel[i].id, .frame = sums, .frames = 2 };
	m->run.site = site;
	m->run.sites = 8;
	made_quiet(m, "unfused-optimizer");
	/* What the engine does else is unknown. */
	sums[1].function = "torch::autograd::Engine::evaluate_function(int)";
	made_found(m, "unfused-optimizer");
}

/* An optimizer that a program brings along: none of its arguments fuses it. Its loop over
 * the parameters, with the clipping in it, is no part of a compiled model. */
MADE_TEST(test_written_optimizer)
{
	struct site_frame update[] = { { .function = "step",
	    .file = "/home/me/bert.py", .line = 9, .python = true },
	    { .file = "/x/site-packages/torch/optim/optimizer.py", .line = 500,
	    .python = true }, { .file = "/home/me/run.py", .line = 7, .python = true } };
	struct site_frame clip[] = { { .file = "/x/site-packages/torch/nn/utils/"
	    "clip_grad.py", .line = 40, .python = true }, update[0], update[1],
	    update[2] };
	struct site site[5];
	const struct finding *f;

	fault_single_updates(m);
	made_kernel(m, "void at::native::reduce_kernel<512, 1>(int)", 1000, 50000);
	for (uint32_t i = 0; i < 5; i++) {
		site[i] = (struct site){ .call = CALL_LAUNCH, .count = 1000,
		    .kernel = m->kernel[i].id, .frame = i < 4 ? update : clip,
		    .frames = i < 4 ? 3 : 4 };
		m->sequence[0].kernel[i] = site[i].kernel;
	}
	m->sequence[0].length = 5;
	m->sequence[0].gaps = 5 * 1000;
	m->sequence[0].idle_ns = 100 * MS;
	m->run.idle_ns[IDLE_LAUNCH] = 100 * MS;
	m->run.idle_total_ns += 100 * MS;
	m->run.site = site;
	m->run.sites = 5;
	f = made_found(m, "unfused-optimizer");
	assert_has(f->summary, "written in Python");
	assert_has(f->summary, "5,000 kernels");
	assert_has(f->summary, "1,000 of them clip");
	assert_has(f->advice, "torch._foreach_");
	assert_has(f->advice, "clip once a step");
	made_quiet(m, "launch-bound-graph-candidate");
	/* With a launch of the model's it is a step. */
	site[4].frame = &update[2];
	site[4].frames = 1;
	assert_lacks(made_found(m, "unfused-optimizer")->advice, "clip");
	assert_non_null(made_found(m, "launch-bound-graph-candidate"));
	/* PyTorch's own, of one tensor after the other, has an argument for it. */
	update[0].file = "/x/site-packages/torch/optim/adam.py";
	assert_has(made_found(m, "unfused-optimizer")->bad_code, "foreach=False");
}

/* XLA's kernels have no types in their names: the FP64 pipe shows doubles. */
MADE_TEST(test_double_of_xla)
{
	struct site_frame frame[] = { { .module = "xla_cuda_plugin.so" } };
	struct site site = { .call = CALL_LAUNCH, .count = 1, .frame = frame,
	    .frames = 1 };
	const struct finding *f;

	made_counted(m, 0.4);
	m->kernel[0].name = m->kernel[0].mangled = "loop_add_fusion";
	m->kernel[0].metric[METRIC_PIPE_FP64] = 0;
	site.kernel = m->kernel[0].id;
	m->run.site = &site;
	m->run.sites = 1;
	assert_int_equal(made_state(m, "double-precision"), RULE_CLEAN);
	m->kernel[0].metric[METRIC_PIPE_FP64] = 20;
	f = made_found(m, "double-precision");
	assert_has(f->advice, "jax_enable_x64");
	assert_true(f->saves_s > 0);
	m->kernel[0].metric[METRIC_PIPE_FP64] = NAN;
	assert_int_equal(made_state(m, "double-precision"), RULE_NOT_MEASURED);
}

/* A sequence that begins in a backward pass has the place of its first line, and begins
 * with what that launches. */
MADE_TEST(test_place_of_sequence)
{
	struct site_frame backward[] = { { .module = "libtorch_cuda.so" },
	    { .function = "at::_ops::mul_Tensor::call(int)",
	    .module = "libtorch_cpu.so" } };
	struct site_frame forward[] = { { .file = "/home/me/run.py", .line = 7,
	    .python = true }, { .function = "at::_ops::add_Tensor::call(int)",
	    .module = "libtorch_cuda.so" } };
	struct site site[] = { { .call = CALL_LAUNCH, .count = 9,
	    .frame = backward, .frames = 2 }, { .call = CALL_LAUNCH, .count = 9,
	    .frame = forward, .frames = 2 } };
	const struct finding *f;

	fault_launch_bound(m);
	m->kernel[0].name = "void at::native::elementwise_kernel<128, 2>(int)";
	site[0].kernel = m->sequence[0].kernel[0];
	site[1].kernel = made_kernel(m, "void at::native::"
	    "vectorized_elementwise_kernel<4, int>(int)", 10, 1000)->id;
	m->sequence[0].kernel[1] = site[1].kernel;
	m->run.site = site;
	m->run.sites = 2;
	f = made_found(m, "launch-bound-graph-candidate");
	assert_ptr_equal(f->site, &site[1]);
	assert_has(f->location, "beginning with aten::add");
	m->sequence[0].kernel[1] = site[0].kernel;
	f = made_found(m, "launch-bound-graph-candidate");
	assert_ptr_equal(f->site, &site[0]);
	assert_has(f->location, "beginning with aten::mul");
	/* Nor is an optimizer, which no compiled model contains, unless there is no other. */
	backward[0] = (struct site_frame){ .file = "/x/site-packages/torch/optim/adam.py",
	    .line = 9, .python = true };
	assert_ptr_equal(made_found(m, "launch-bound-graph-candidate")->site, &site[0]);
	m->sequence[0].kernel[1] = site[1].kernel;
	assert_ptr_equal(made_found(m, "launch-bound-graph-candidate")->site, &site[1]);
}

/* Memory that a few of the repeats allocate, as a caching allocator does at first, bars no
 * graph. */
MADE_TEST(test_allocations_of_sequence)
{
	fault_launch_bound(m);
	m->sequence[0].allocations = m->sequence[0].repeats;
	assert_has(made_found(m, "launch-bound-graph-candidate")->gain_note,
	    "cudaMalloc");
	m->sequence[0].allocations = 2;
	assert_lacks(made_found(m, "launch-bound-graph-candidate")->gain_note,
	    "cudaMalloc");
}

/* A mean gap is in front of all launches only if each of them has one. */
MADE_TEST(test_gaps_of_sequence)
{
	fault_launch_bound(m);
	assert_has(made_found(m, "launch-bound-graph-candidate")->summary,
	    "2 µs each, 3 µs between them");
	m->sequence[0].gaps /= 2;
	assert_has(made_found(m, "launch-bound-graph-candidate")->summary,
	    "2 µs each, 6 µs before 50 % of them");
}

/* Where the host waits in each step, the lines that read results most often are named: not
 * one that only copies input, nor one without a line. */
MADE_TEST(test_waits_of_sequence)
{
#define READ { .function = "cuMemcpyDtoHAsync_v2", .module = "libcuda.so.1" }
	struct site_frame read[] = { { .file = "/a/run.py", .line = 7, .python = true },
	    READ }, seldom[] = { { .file = "/a/run.py", .line = 8, .python = true },
	    READ }, input[] = { { .file = "/a/run.py", .line = 9, .python = true },
	    { .function = "cuMemcpyHtoDAsync_v2", .module = "libcuda.so.1" } },
	    thread[] = { READ };
	struct site site[] = {
		{ .call = CALL_MEMCPY_ASYNC, .count = 2, .frame = seldom, .frames = 2 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 5, .frame = read, .frames = 2 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 9, .frame = input, .frames = 2 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 9, .frame = thread, .frames = 1 },
	};
	const struct finding *f;

	fault_launch_bound(m);
	m->run.site = site;
	m->run.sites = 4;
	f = made_found(m, "launch-bound-graph-candidate");
	assert_lacks(f->summary, "waits");
	m->sequence[0].syncs = m->sequence[0].repeats;
	f = made_found(m, "launch-bound-graph-candidate");
	assert_has(f->summary, "times with waits at run.py:7;");
	/* Nor is that all, where two of them read in most steps. */
	site[0].count = site[1].count = m->sequence[0].repeats;
	site[1].count++;
	assert_has(made_found(m, "launch-bound-graph-candidate")->summary,
	    "times with waits at run.py:7, :8;");
	m->run.sites = 0;
	f = made_found(m, "launch-bound-graph-candidate");
	assert_lacks(f->summary, "waits");
}

/* One line calls the whole step: the waits in it are at that line, too. */
MADE_TEST(test_waits_of_one_line)
{
	struct site_frame launch[] = { { .file = "/a/run.py", .line = 7, .python = true },
	    { .module = "libtorch_cuda.so" } };
	struct site_frame read[] = { launch[0],
	    { .function = "cuMemcpyDtoHAsync_v2", .module = "libcuda.so.1" } };
	struct site_frame other[] = { { .file = "/a/load.py", .line = 3, .python = true },
	    read[1] };
	struct site site[] = {
		{ .call = CALL_LAUNCH, .count = 9, .kernel = 1, .frame = launch,
		    .frames = 2 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 5, .frame = read, .frames = 2 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 9, .frame = other, .frames = 2 },
	};

	fault_launch_bound(m);
	m->sequence[0].kernel[0] = site[0].kernel = m->kernel[0].id;
	m->sequence[0].syncs = m->sequence[0].repeats;
	m->run.site = site;
	m->run.sites = 3;
	assert_has(made_found(m, "launch-bound-graph-candidate")->summary,
	    "times with waits at run.py:7;");
}

/* The waits of another loop are not the sequence's: it lies within a call of line 12, the
 * loop that reads results calls others. Its own copies to the GPU are named. */
MADE_TEST(test_waits_of_loop)
{
#define AT(name, l) { .file = "/a/run.py", .function = name, .line = l, .python = true }
	struct site_frame read[] = { AT("main", 11), READ }, launch[] = {
	    AT("sample", 7), AT("main", 12) }, second[] = { AT("model", 3),
	    AT("sample", 8), AT("main", 12) }, copy[] = { AT("table", 5),
	    AT("sample", 9), AT("main", 12), { .function = "cuMemcpyHtoDAsync_v2",
	    .module = "libcuda.so.1" } };
	struct site site[] = {
		{ .call = CALL_MEMCPY_ASYNC, .count = 9, .frame = read, .frames = 2 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 1, .frame = copy, .frames = 4 },
		{ .call = CALL_LAUNCH, .kernel = 1, .count = 9, .frame = launch,
		  .frames = 2 },
		{ .call = CALL_LAUNCH, .kernel = 2, .count = 9, .frame = second,
		  .frames = 3 },
	};

	fault_launch_bound(m);
	m->sequence[0].kernel[1] = made_kernel(m, "_Z1fv", 10, 1000)->id;
	m->sequence[0].length = 2;
	m->sequence[0].repeats = 200000;
	m->sequence[0].syncs = m->sequence[0].repeats;
	m->run.site = site;
	m->run.sites = 4;
	assert_has(made_found(m, "launch-bound-graph-candidate")->summary,
	    "times with waits at run.py:5;");
	/* The loop itself reads them: */
	read[0] = (struct site_frame)AT("sample", 9);
	read[1] = (struct site_frame)AT("main", 12);
	site[0].frames = 3;
	struct site_frame own[] = { read[0], read[1], READ };
	site[0].frame = own;
	assert_has(made_found(m, "launch-bound-graph-candidate")->summary,
	    "times with waits at run.py:9;");
}

/* Two sequences of a step of Python's: both at the same time, of the same length. */
static void
two_sequences(struct made *m, struct process *python)
{
	fault_launch_bound(m);
	made_kernel(m, "void at::native::vectorized_elementwise_kernel<4, int>(int)",
	    400000, 2000);
	m->kernel[0].name = "void at::native::vectorized_elementwise_kernel<4, "
	    "float>(float)";
	*python = (struct process){ .python = true };
	m->run.process = python;
	m->run.processes = 1;
	m->sequence[0].first_ns = S;
	m->sequence[0].last_ns = 3 * S;
	m->sequence[1] = m->sequence[0];
	m->sequence[1].kernel[0] = 2;
	m->run.sequences = 2;
	m->run.idle_ns[IDLE_LAUNCH] += 4800 * MS;
	m->run.idle_total_ns += 4800 * MS;
}

/* Sequences of one loop are one finding, with the seconds of both; of loops that follow
 * each other two, and so where another language launches: each is captured by itself. */
MADE_TEST(test_sequences_of_loop)
{
	struct process python;
	const struct finding *f;
	double one;

	two_sequences(m, &python);
	m->run.sequences = 1;
	assert_int_equal(graphs(m, &f), 1);
	one = f->saves_s;
	assert_lacks(f->summary, "beside");
	m->run.sequences = 2;
	assert_int_equal(graphs(m, &f), 1);
	assert_true(fabs(f->saves_s - 2 * one) < 0.01);
	assert_has(f->summary, "beside 1 other sequence of the same loop");
	m->sequence[1].first_ns = 3 * S;
	m->sequence[1].last_ns = 4 * S;
	assert_int_equal(graphs(m, &f), 2);
	assert_true(fabs(f->saves_s - one) < 0.01);
	m->sequence[1].first_ns = m->sequence[0].first_ns;
	m->sequence[1].stream = 9;
	assert_int_equal(graphs(m, &f), 2);
	m->sequence[1].stream = m->sequence[0].stream;
	python.python = false;
	m->kernel[0].name = m->kernel[1].name = "small(float *)";
	assert_int_equal(graphs(m, &f), 2);
}

/* What lies between the repeats of a loop counts by half, unless the repeats are a detail
 * of what happens meanwhile; no gap counts twice. */
MADE_TEST(test_between_sequences)
{
	struct process python;
	const struct finding *f;
	double all;

	two_sequences(m, &python);
	assert_int_equal(graphs(m, &f), 1);
	all = f->saves_s;
	/* 0.8 of 2 million launches; 1.6 of 3.6 s of gaps lie between. */
	m->sequence[0].span_launches = 2000000;
	m->sequence[0].span_idle_ns = 4000 * MS;
	assert_int_equal(graphs(m, &f), 1);
	assert_true(f->saves_s > all + 0.6 && f->saves_s < all + 0.85);
	assert_true(f->saves_high_s > 3.5);
	assert_has(f->summary, "1.6 s in gaps between these repeats");
	assert_has(f->advice, "calls again and again");
	m->sequence[0].span_launches = 1200000;
	assert_int_equal(graphs(m, &f), 1);
	assert_lacks(f->advice, "calls again and again");
	m->sequence[0].span_launches = 9000000;
	assert_int_equal(graphs(m, &f), 1);
	assert_true(fabs(f->saves_s - all) < 0.01);
	m->sequence[0].span_launches = 400000;
	m->sequence[0].span_idle_ns = 1200 * MS;
	assert_int_equal(graphs(m, &f), 1);
	assert_true(fabs(f->saves_s - all / 2) < 0.01);
}

/* An interpreter takes long for a launch with many arguments; 96 us between launches of a
 * program in C++ are its own work. */
MADE_TEST(test_slow_launches)
{
	struct process python = { .python = true };
	const struct finding *f;

	for (int i = 0; i < 2; i++) {
		made_again(m);
		fault_launch_bound(m);
		m->sequence[0].idle_ns = m->sequence[0].gaps * 96000;
		m->run.idle_ns[IDLE_LAUNCH] = m->sequence[0].idle_ns;
		m->run.idle_total_ns += m->sequence[0].idle_ns;
		m->run.wall_ns += m->sequence[0].idle_ns;
		if (i == 0) {
			m->run.process = &python;
			m->run.processes = 1;
		}
		if (graphs(m, &f) > 0 && i == 0)
			assert_true(f->saves_s > 0.9e-9 *
			    (double)m->sequence[0].idle_ns);
		else if (graphs(m, &f) > 0)
			assert_true(f->saves_s < 0.1e-9 *
			    (double)m->sequence[0].idle_ns);
		else
			assert_int_equal(i, 1);
	}
}

/* The same functions in other shapes each time: a cache of fixed size where grids grow,
 * larger batches where they vary. Only a framework's step is judged so. */
MADE_TEST(test_words_of_sizes)
{
	struct process python;
	const struct finding *f;

	two_sequences(m, &python);
	m->run.alike = m->sequence;
	m->run.alikes = 1;
	m->run.sequences = 0;
	m->sequence[0].grown = 200000;
	assert_int_equal(graphs(m, &f), 1);
	assert_has(f->summary, "with ever larger grids");
	assert_has(f->advice, "a static cache");
	m->sequence[0].shrunk = 100000;
	assert_int_equal(graphs(m, &f), 1);
	assert_has(f->summary, "in other sizes each time");
	assert_lacks(f->advice, "a static cache");
	assert_has(f->advice, "larger batches");
	python.python = false;
	m->kernel[0].name = m->kernel[1].name = "small(float *)";
	assert_int_equal(graphs(m, &f), 0);
}

/* One torch.compile does what two findings say; with one of them alone nothing is added. */
MADE_TEST(test_graph_and_chains)
{
	struct process python = { .python = true };
	const struct finding *graph, *chain;
	const struct advice *a;

	fault_pointwise(m);
	m->run.process = &python;
	m->run.processes = 1;
	for (int i = 0; i < 4; i++) {
		m->kernel[i].total_ns /= 20;
		m->kernel[i].exposed_ns = m->kernel[i].total_ns;
	}
	m->sequence[0].kernel_ns /= 20;
	m->sequence[0].gaps = 4000;
	m->sequence[0].idle_ns = 160 * MS;
	m->run.idle_ns[IDLE_LAUNCH] = 160 * MS;
	m->run.idle_total_ns += 160 * MS;
	a = made_advised(m);
	graph = found_in(a, "launch-bound-graph-candidate");
	chain = found_in(a, "eager-pointwise-chain");
	assert_ptr_equal(chain, graph + 1);
	assert_has(graph->advice, "of the pointwise operators of 2, too");
	assert_lacks(chain->advice, "for both");
	m->kernel[1].name = m->kernel[1].mangled = "sm90_xmma_gemm_bf16bf16_bf16f32_f32";
	assert_lacks(made_found(m, "launch-bound-graph-candidate")->advice, "for both");
}

/* A step whose graph closes most of the gaps between launches comes first, and the others
 * are what it leaves; steps that have less than half of them are a part. A step in which
 * the host waits gets advice on its waits. */
MADE_TEST(test_graph_first)
{
	struct process python = { .python = true };
	const struct advice *a;
	const struct finding *gaps, *graph;

	for (int i = 0; i < 2; i++) {
		made_again(m);
		fault_launch_bound(m);
		m->kernel[0].name = "void at::native::vectorized_elementwise_kernel<"
		    "4, int>(int)";
		m->run.process = &python;
		m->run.processes = 1;
		made_gaps(m, IDLE_HOST, 50000, 65536);
		m->sequence[0].idle_ns = (i == 0 ? 2300 : 1000) * MS;
		a = made_advised(m);
		gaps = found_in(a, "gpu-idle-gaps");
		graph = found_in(a, "launch-bound-graph-candidate");
		assert_has(gaps->advice, "larger batches");
		assert_ptr_equal(gaps, &a->finding[i == 0]);
		assert_ptr_equal(graph, &a->finding[i != 0]);
		assert_true(i == 0 ? gaps->saves_s < 2 : gaps->saves_s > 2.5);
		assert_true(gaps->saves_low_s > 0.5);
	}
	m->sequence[0].syncs = m->sequence[0].repeats;
	assert_has(made_found(m, "launch-bound-graph-candidate")->advice,
	    "x[mask]");
}

/* One kernel that is as short as its launch, and more than half of all launches, works on a
 * row at a time: no larger batch makes fewer of them. */
MADE_TEST(test_words_of_rows)
{
	struct process python = { .python = true };

	fault_launch_bound(m);
	m->kernel[0].name = "void at::native::vectorized_elementwise_kernel<4, int>(int)";
	m->run.process = &python;
	m->run.processes = 1;
	made_gaps(m, IDLE_HOST, 50000, 65536);
	m->run.sequences = 0;
	m->run.launches = 100000;
	m->kernel[0].launches = 49000;
	m->kernel[0].shape.grid_x = m->kernel[0].shape.grid_y = m->kernel[0].shape.grid_z = 1;
	m->kernel[0].total_ns = m->kernel[0].exposed_ns = 49000 * 1000;
	assert_lacks(made_found(m, "gpu-idle-gaps")->advice, "single rows");
	m->kernel[0].launches = 51000;
	assert_has(made_found(m, "gpu-idle-gaps")->advice, "single rows");
	m->kernel[0].total_ns = 51000ull * 100 * 1000;	/* 100 us each */
	assert_lacks(made_found(m, "gpu-idle-gaps")->advice, "single rows");
}

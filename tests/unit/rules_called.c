/*
 * Library kernels: which library they belong to, what their names tell, that
 * rules about code do not judge them, and the findings about how they are called.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rules/evidence/library.h"

#include "unit/advise.h"

#define SGEMM "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_tn_align1>"
#define TF32_GEMM "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x16"
#define ADD_DOUBLE "void at::native::vectorized_elementwise_kernel<4, " \
	"at::native::CUDAFunctor_add<double>, std::array<char *, 3> >(int)"

/* Its return type is a template, too. */
#define GEMV_DOUBLE "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, " \
	"int, double, double, double, double, false, cublasGemvParamsEx<int, " \
	"cublasGemvTensorStridedBatched<double const>, double> >(int)"

#define ROLL_DOUBLE "void at::native::roll_cuda_kernel<double>(double const*)"

#define FFT(type) "void vector_fft<4096u, EPT<32u>, 1u, (padding_t)70, " \
	"(layout_t)0, unsigned int, " type ", HostConfigPlaceholder>" \
	"(kernel_arguments_t<unsigned int>)"
#define FFT_DOUBLE FFT("double")
#define FFT_FLOAT FFT("float")

static void
is_library(const char *name, const char *library, const char *precision,
    bool tensor)
{
	struct library l = { .name = NULL };
	struct kernel *k;
	struct made m;

	made_init(&m);
	k = made_kernel(&m, name, 1, 1000);
	assert_true(library_of(&l, &m.run, k) == (library != NULL));
	if (library == NULL)
		return;
	assert_string_equal(l.name, library);
	if (precision == NULL) {
		assert_null(l.precision);
		return;
	}
	assert_string_equal(l.precision, precision);
	assert_int_equal(l.tensor, tensor);
}

TEST(test_names)
{
	is_library(SGEMM, "CUTLASS", "FP32", false);
	is_library(TF32_GEMM, "cuBLAS", "TF32", true);
	is_library("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize32x32x8",
	    "cuBLAS", "FP32", false);
	is_library("volta_dgemm_64x64_nt", "cuBLAS", "FP64", false);
	is_library("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_tn", "cuBLAS",
	    "BF16", true);
	is_library("void cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_"
	    "bf16_256x128_nn_align1>(int)", "CUTLASS", "BF16", true);
	is_library("volta_scudnn_128x64_relu_interior_nn_v1", "cuDNN", "FP32",
	    false);
	is_library("nvjet_hsh_128x128_64x4_1x2_h_bz_TNT", "cuBLAS", NULL, true);
	is_library(ADD_DOUBLE, "PyTorch", "FP64", false);
	is_library("void at::native::elementwise_kernel<128, 4, float>(double)",
	    "PyTorch", NULL, false);
	is_library("void (anonymous namespace)::softmax_warp_forward<double, "
	    "double, double, 10, false, false>(double*, int)", "PyTorch", "FP64",
	    false);
	is_library("cupy_multiply__float64_float64_float64", "CuPy", "FP64",
	    false);
	is_library("triton_poi_fused_add_mul_0", "Inductor", NULL, false);
	is_library("void dot_kernel<double, 128, 0, cublasDotParams<double> >"
	    "(int)", "cuBLAS", "FP64", false);
	is_library("void dot_kernel<float, 128, 0, cublasDotParams<float> >"
	    "(double)", "cuBLAS", NULL, false);
	is_library("void cublasLt::splitKreduce_kernel<32, 16, int, double, double, "
	    "double, double, false>(int)", "cuBLAS", "FP64", false);
	is_library("void cublasLt::splitKreduce_kernel<32, 16, int, float, float, "
	    "float, float, false>(int, double)", "cuBLAS", NULL, false);
	is_library(GEMV_DOUBLE, "cuBLAS", "FP64", false);
	is_library("void dot_kernel<double>(double *)", NULL, NULL, false);
	is_library("softmax_warp_forward(float *)", NULL, NULL, false);
	is_library("sgemm_naive(int, float *)", NULL, NULL, false);
	is_library("work(double *)", NULL, NULL, false);
}

/* A generic loop over elements belongs to the owner of the function that it calls. */
TEST(test_callers)
{
	static const char *const theirs[] = {
		"void cub::CUB_1_SM_900::detail::for_each::static_kernel<cub::"
		    "CUB_1::P, unsigned long, thrust::THRUST_1::cuda_cub::__fill"
		    "::functor<thrust::THRUST_1::device_ptr<float>, float> >"
		    "(unsigned long)",
		"void cub::detail::transform::transform_kernel<cub::P, int, "
		    "cuda::std::plus<float>, float *, const __half *>(int)",
		"void cub::detail::for_each::static_kernel<cub::P, thrust::f("
		    "int)::{lambda(int)#1}>(int)",
		"void cub::detail::reduce::DeviceReduceKernel<P, Smallest>(int)",
		"void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::"
		    "__parallel_for::ParallelForAgent<thrust::cuda_cub::"
		    "__transform::unary_transform_f<thrust::negate<int> > > >()",
	}, *const own[] = {
		"void cub::detail::for_each::static_kernel<cub::P, rows(int)::"
		    "{lambda(int)#1}>(int)",
		"void cub::detail::for_each::static_kernel<cub::P, "
		    "__nv_dl_wrapper_t<__nv_dl_tag<int (*)(), &main, 1u> > >()",
		"void cub::detail::transform::transform_kernel<cub::P, "
		    "(anonymous namespace)::Damp, float *>(int)",
		"void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::"
		    "__parallel_for::ParallelForAgent<thrust::cuda_cub::"
		    "__transform::unary_transform_f<interval> > >()",
	};

	for (size_t i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++)
		is_library(theirs[i], strstr(theirs[i], "void cub") != NULL ?
		    "CUB" : "Thrust", NULL, false);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		is_library(own[i], NULL, NULL, false);
}

MADE_TEST(test_operations)
{
	static const struct {
		const char *name, *operation;
	} cases[] = {
		{ SGEMM, "matmul" }, { TF32_GEMM, "matmul" },
		{ ADD_DOUBLE, "elementwise" },
		{ "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs",
		    "convolution" },
		{ "void (anonymous namespace)::softmax_warp_forward<float>(int)",
		    "softmax" },
		{ "void cudnn::ops::nchwToNhwcKernel<__half>(int)", "layout" },
		{ "void at::native::vectorized_elementwise_kernel<4, "
		    "at::native::FillFunctor<float> >(int)", "fill" },
		{ "void at::native::(anonymous namespace)::"
		    "multi_tensor_apply_kernel<int>(int)", "optimizer" },
		{ "void at::native::reduce_kernel<512, 1>(int)", "reduction" },
		{ "cupy_sqrt__float32_float32", "elementwise" },
		{ "void at::native::indexFuncLargeIndex<float, long>(int)",
		    "scatter" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct library l = { .name = NULL };
		struct kernel *k;

		made_again(m);
		k = made_kernel(m, cases[i].name, 1, 1000);
		assert_true(library_of(&l, &m->run, k));
		assert_non_null(l.operation);
		assert_string_equal(l.operation, cases[i].operation);
		assert_true(library_does(&l, cases[i].operation));
		assert_false(library_does(&l, "fft"));
	}
}

/* A framework contains libraries' kernels; a library's module has its own. */
MADE_TEST(test_modules)
{
	struct site_frame frame[] = { { .module = "libtorch_cuda.so" } };
	struct site site = { .call = CALL_LAUNCH, .kernel = 1, .count = 1,
	    .frame = frame, .frames = 1 };
	struct library l;
	struct kernel *k;

	m->run.site = &site;
	m->run.sites = 1;
	k = made_kernel(m, SGEMM, 1, 1000);
	assert_true(library_of(&l, &m->run, k));
	assert_string_equal(l.name, "CUTLASS");
	frame[0].module = "libcublasLt.so.12";
	assert_true(library_of(&l, &m->run, k));
	assert_string_equal(l.name, "cuBLAS");
	assert_string_equal(l.precision, "FP32");
	assert_true(library_launched_by(&m->run, k, "cublas"));
	assert_false(library_launched_by(&m->run, k, "libtorch"));
	/* Its loop over elements with its own function is not the user's. */
	frame[0].module = "libtorch_cuda.so";
	k->name = "void cub::detail::for_each::static_kernel<cub::P, "
	    "at::native::Fill<float> >(int)";
	assert_true(library_of(&l, &m->run, k));
	frame[0].module = "app";
	assert_false(library_of(&l, &m->run, k));
}

/* What a rule about code finds in the user's kernel it does not report in a
 * library's. */
MADE_TEST(test_code_is_theirs)
{
	static const struct {
		builder *build;
		const char *rule;
	} cases[] = {
		{ fault_conflicted, "shared-bank-conflicts" },
		{ fault_scattered, "uncoalesced-global-access" },
		{ fault_divergent, "warp-divergence" },
		{ fault_idle, "idle-lanes" },
		{ fault_one_block, "grid-too-small" },
		{ fault_partial_wave, "tail-effect" },
		{ fault_fields, "array-of-structures" },
		{ fault_small_carveout, "cache-config-mismatch" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct verdict *v;
		struct advice *a;

		a = advised(cases[i].build, m);
		assert_non_null(made_finding(a, cases[i].rule));
		made_again(m);
		cases[i].build(m);
		for (size_t k = 0; k < m->run.kernels; k++)
			m->kernel[k].name = TF32_GEMM;
		a = made_advised(m);
		v = made_verdict(a, cases[i].rule);
		assert_null(made_finding(a, cases[i].rule));
		assert_int_equal(v->state, RULE_NOT_MEASURED);
		assert_has(v->reason->text, "library kernel");
	}
}

/* A framework's reduction that one block does: its caller can divide the axis. Not if
 * many blocks do it, nor if it is short, nor another kernel of one block. */
MADE_TEST(test_reduction_by_one_block)
{
	static const struct {
		const char *name;
		uint32_t blocks;
		uint64_t ns;
		bool found;
	} cases[] = {
		{ "cupy_sum", 1, 14700000, true },
		{ "cupy_cub_count_nonzero", 4, 734000, true },
		{ "void at::native::reduce_kernel<512, 1>(int)", 8, 200000, true },
		{ "cupy_sum", 100, 14700000, false },
		{ "cupy_sum", 1, 20000, false },
		{ "cupy_sqrt__float32_float32", 1, 14700000, false },
		{ TF32_GEMM, 1, 14700000, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct finding *f;
		struct kernel *k;

		made_again(m);
		k = made_kernel(m, cases[i].name, 1000, cases[i].ns);
		k->shape.grid_x = cases[i].blocks;
		f = made_finding(made_advised(m), "grid-too-small");
		assert_true((f != NULL) == cases[i].found);
		if (f == NULL)
			continue;
		assert_has(f->advice, "reduce in two steps");
		assert_true(f->worth_it);
		assert_true(f->saves_low_s < f->saves_s);
	}
}

/* Operators whose shape decides how many blocks they have: not if these fill half of the GPU, if
 * they are short, or of another operator with the same kernel. */
MADE_TEST(test_blocks_by_shape)
{
#define NATIVE "void at::native::(anonymous namespace)::"
	static struct site_frame frame[2] = {
	    { .function = "at::_ops::native_group_norm::call(at::Tensor const&)",
	    .module = "libtorch_cpu.so" },
	    { .file = "/a/model.py", .function = "forward", .line = 10, .python = true } };
	static struct site site[1];
	static const struct {
		const char *name, *operator;
		uint32_t blocks;
		uint64_t ns;
		const char *advice;	/* NULL: none */
	} cases[] = {
		{ NATIVE "RowwiseMomentsCUDAKernel<float>(long)", "native_group_norm", 8, 1200000,
		    "without a compiler torch.var_mean" },
		{ NATIVE "ComputeInternalGradientsCUDAKernel<float>(long)",
		    "native_group_norm_backward", 16, 750000, "torch.compile" },
		{ NATIVE "upsample_bilinear2d_out_frame<float>(int)", "upsample_bilinear2d", 2,
		    280000, "channels last" },
		{ NATIVE "RowwiseMomentsCUDAKernel<float>(long)", "native_group_norm", 100, 1200000,
		    NULL },
		{ NATIVE "RowwiseMomentsCUDAKernel<float>(long)", "native_group_norm", 8, 20000,
		    NULL },
		{ NATIVE "RowwiseMomentsCUDAKernel<float>(long)", "native_layer_norm", 8, 1200000,
		    NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct finding *f;
		struct kernel *k;
		char function[80];

		made_again(m);
		snprintf(function, sizeof(function), "at::_ops::%s::call(at::Tensor const&)",
		    cases[i].operator);
		frame[0].function = function;
		k = made_kernel(m, cases[i].name, 1000, cases[i].ns);
		k->shape.grid_x = cases[i].blocks;
		site[0] = (struct site){ .call = CALL_LAUNCH, .kernel = k->id, .count = 10,
		    .frame = frame, .frames = 2, .first = 1 };
		m->run.site = site;
		m->run.sites = 1;
		f = made_finding(made_advised(m), "grid-too-small");
		assert_true((f != NULL) == (cases[i].advice != NULL));
		if (f == NULL)
			continue;
		assert_has(f->where, cases[i].operator);
		assert_has(f->summary, "for 132 SMs");
		assert_has(f->advice, cases[i].advice);
		assert_true(f->worth_it);
		assert_true(f->saves_low_s < 0.5 * f->saves_s);
		assert_true(f->saves_s < 0.9 * f->saves_high_s);
	}
#undef NATIVE
}

/* The kernels of a program that multiplies matrices, without code or counts. */
static const struct finding *
called(struct made *m, struct advice **a, const char *name, const char *rule)
{
	made_again(m);
	made_kernel(m, name, 10000, 200000);
	*a = made_advised(m);
	return made_finding(*a, rule);
}

MADE_TEST(test_tf32)
{
	static const char rule[] = "tensor-cores-unused";
	struct site_frame frame[] = { { .module = "libcublas.so.13" },
		{ .module = "/opt/libtorch_cuda.so" } };
	struct site site = { .call = CALL_LAUNCH, .kernel = 1, .count = 1,
	    .frame = frame, .frames = 2 };
	const struct finding *f;
	struct advice *a;

	f = called(m, &a, SGEMM, rule);
	assert_non_null(f);
	assert_has(f->summary, "CUTLASS, FP32 without tensor cores");
	assert_has(f->advice, "cublasSetMathMode");
	/* Its limit is unknown: the low view predicts no gain. */
	assert_true(f->saves_low_s < 1e-9 && f->saves_s > 0);
	assert_true(f->kernel_speedup < 7);
	assert_null(called(m, &a, TF32_GEMM, rule));
	assert_int_equal(made_verdict(a, rule)->state, RULE_CLEAN);
	assert_null(called(m, &a, "nvjet_hsh_128x128_64x4", rule));
	assert_int_equal(made_verdict(a, rule)->state, RULE_NOT_MEASURED);
	/* A quarter of the SMs is idle: no pipe is the limit. */
	made_again(m);
	made_kernel(m, SGEMM, 10000, 200000)->shape.grid_x = 90;
	made_quiet(m, rule);
	/* The FMA pipe is busy: a larger gain is predicted, and the advice uses
	 * PyTorch's words. */
	made_again(m);
	made_counters(m, made_kernel(m, SGEMM, 10000, 200000), 0.1);
	m->kernel[0].metric[METRIC_PIPE_FMA] = 90;
	m->run.site = &site;
	m->run.sites = 1;
	f = made_found(m, rule);
	assert_has(f->advice, "set_float32_matmul_precision");
	assert_true(f->saves_low_s > 0.1 * f->saves_s);
	m->kernel[0].metric[METRIC_PIPE_FMA] = 20;	/* not idle either */
	made_quiet(m, rule);
}

#define FP32_CONV "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_ffma"
#define TF32_CONV "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc"
#define CONV "void cudnn::cnn::wgrad2d_grouped_direct_kernel<false, true, int, float>"

/* Convolutions of which most say FP32, and no kernel says anything else: those whose names
 * do not tell are taken to be as the others, and PyTorch's switch is another one. */
MADE_TEST(test_fp32_convolutions)
{
	static const char rule[] = "tensor-cores-unused";
	static const struct {
		size_t known;
		uint64_t launches;
		bool tf32, taken;
	} cases[] = {
		{ 5, 100, false, true }, { 4, 100, false, false },
		{ 5, 100, true, false }, { 5, 6000, false, false },
	};
	struct site_frame frame[] = { { .module = "libcudnn_engines.so.9" },
		{ .module = "/opt/libtorch_cuda.so" } };
	struct site site[6];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct finding *f;
		double low;

		made_again(m);
		for (size_t k = 0; k < 6; k++)
			site[k] = (struct site){ .call = CALL_LAUNCH,
			    .kernel = (uint32_t)k + 1, .count = 1, .frame = frame,
			    .frames = 2 };
		for (size_t k = 0; k < cases[i].known; k++)
			made_kernel(m, FP32_CONV, 1000, 200000);
		if (cases[i].tf32)
			made_kernel(m, TF32_CONV, 100, 200000);
		m->run.site = site;
		m->run.sites = cases[i].known;
		low = made_found(m, rule)->saves_low_s;
		made_counters(m, made_kernel(m, CONV, cases[i].launches, 2000000), 0.1);
		m->kernel[m->run.kernels - 1].metric[METRIC_PIPE_FMA] = 20;
		m->kernel[m->run.kernels - 1].metric[METRIC_ISSUE_ACTIVE] = 80;
		m->run.sites++;
		f = made_found(m, rule);
		assert_int_equal(f->shapes, cases[i].known + cases[i].taken);
		if (!cases[i].taken)
			continue;
		assert_int_equal(strncmp(f->advice, "let convolutions", 16), 0);
		assert_has(f->good_code, "allow_tf32 = True");
		assert_int_equal(f->confidence, CONF_LOW);
		assert_true(fabs(f->saves_low_s - low) < 1e-6);
		assert_lacks(f->gain_note, "trials");
		frame[1].function = "cudnn_frontend::time_sorted_plan<1>()";
		assert_has(made_found(m, rule)->gain_note, "once for each shape");
		frame[1].function = NULL;
		m->run.sites = 0;
		assert_has(made_found(m, rule)->advice, "cudnnSetConvolutionMathType");
	}
}

/* The launches were not recorded: the program's other kernels tell the framework. */
MADE_TEST(test_tf32_of_cupy)
{
	struct process python = { .python = true };
	const struct finding *f;

	made_again(m);
	made_kernel(m, SGEMM, 10000, 200000);
	made_kernel(m, "cupy_sqrt__float32_float32", 1000, 2000);
	f = made_found(m, "tensor-cores-unused");
	assert_has(f->advice, "cublasSetMathMode");
	m->run.process = &python;
	m->run.processes = 1;
	f = made_found(m, "tensor-cores-unused");
	assert_int_equal(strncmp(f->advice, "set CUPY_TF32=1", 15), 0);
	assert_has(f->good_code, "CUPY_TF32");
}

MADE_TEST(test_double)
{
	static const char rule[] = "double-precision";
	struct site_frame frame[] = { { .module = "libcublas.so.13" },
		{ .module = "/opt/libtorch_cuda.so" } };
	struct site site = { .call = CALL_LAUNCH, .kernel = 1, .count = 1,
	    .frame = frame, .frames = 2 };
	const struct finding *f;
	struct advice *a;

	/* Kernels over whole tensors are limited by memory, but not those that
	 * divide to find each element's place. */
	f = called(m, &a, ADD_DOUBLE, rule);
	assert_non_null(f);
	assert_has(f->advice, "dtype=np.float32");
	assert_true(f->kernel_speedup > 1.7 && f->kernel_speedup < 2.1);
	f = called(m, &a, ROLL_DOUBLE, rule);
	assert_non_null(f);
	assert_true(f->saves_low_s < 1e-9 && f->kernel_speedup < 1.4);
	f = called(m, &a, "volta_dgemm_64x64_nt", rule);
	assert_non_null(f);
	assert_true(f->severity <= SEV_LOW);	/* mostly on purpose */
	f = called(m, &a, FFT_DOUBLE, rule);	/* the last argument of its template */
	assert_non_null(f);
	assert_has(f->advice, "cufftExecC2C");
	assert_null(called(m, &a, FFT_FLOAT, rule));
	/* A framework's product has the type of its arrays, like its sums. */
	made_again(m);
	made_kernel(m, "volta_dgemm_64x64_nt", 10000, 200000);
	made_kernel(m, ADD_DOUBLE, 10000, 200000);
	m->run.site = &site;
	m->run.sites = 1;
	a = made_advised(m);
	f = found_in(a, rule);
	assert_int_equal(f->shapes, 2);
	assert_has(f->advice, "dtype=np.float32");
	m->run.sites = 0;
	assert_null(called(m, &a, SGEMM, rule));
	assert_int_equal(made_verdict(a, rule)->state, RULE_CLEAN);
}

/* A product of a matrix and a vector that memory limits takes half the time with half
 * the bytes. */
MADE_TEST(test_double_by_memory)
{
	struct site_frame frame[] = { { .module = "libcublas.so.13" },
		{ .module = "/usr/lib/python3/dist-packages/cupy/_core/core.so" } };
	struct site site = { .call = CALL_LAUNCH, .kernel = 1, .count = 1,
	    .frame = frame, .frames = 2 };
	const struct finding *f;

	made_counters(m, made_kernel(m, GEMV_DOUBLE, 1000, 2000000), 0.9);
	m->run.site = &site;
	m->run.sites = 1;
	f = made_found(m, "double-precision");
	assert_has(f->summary, "cuBLAS, FP64: twice the bytes");
	assert_has(f->advice, "cupy.float32");
	assert_has(f->good_code, "cupy.float32");
	assert_int_equal(f->confidence, CONF_LOW);
	assert_true(f->kernel_speedup > 1.6 && f->kernel_speedup < 2.1);
	/* A number of NumPy's makes float arrays double; Python's does not. */
	made_kernel(m, "cupy_true_divide__float32_float_float32", 1000, 2000);
	assert_lacks(made_found(m, "double-precision")->advice, "np.float64");
	made_kernel(m, "cupy_true_divide__float32_float_float64", 1000, 2000);
	f = made_found(m, "double-precision");
	assert_has(f->advice, "np.float64");
	assert_has(f->good_code, "float(");
}

/* One switch fixes all products of a library, whatever their kernels are
 * called: together they come before findings that each alone would follow. */
MADE_TEST(test_one_switch)
{
	static const char rule[] = "tensor-cores-unused";
	const struct finding *f;
	struct advice *a;
	double alone;
	size_t n = 0;

	alone = called(m, &a, SGEMM, rule)->saves_s;
	made_again(m);
	made_kernel(m, SGEMM, 10000, 200000);
	made_kernel(m, "ampere_sgemm_128x64_nn", 10000, 200000);
	made_kernel(m, TF32_GEMM, 10000, 200000);
	a = made_advised(m);
	for (size_t i = 0; i < a->findings; i++)
		n += strcmp(a->finding[i].rule, rule) == 0;
	assert_int_equal(n, 1);
	f = made_finding(a, rule);
	assert_true(fabs(f->saves_s - 2 * alone) < 0.01 * alone);
	assert_int_equal(f->shapes, 2);
	assert_has(f->location, "2 kernels: grid");
}

/* The user is not told to rebuild a library for its lines: the line of the call
 * is given. */
MADE_TEST(test_line_of_call)
{
	struct site_frame frame[] = { { .module = "libcublas.so.13" },
		{ .file = "/me/model.py", .line = 7, .python = true } };
	struct site site = { .call = CALL_LAUNCH, .kernel = 1, .count = 1,
	    .frame = frame, .frames = 2 };
	const struct finding *f;

	made_kernel(m, SGEMM, 10000, 200000);
	f = made_found(m, "tensor-cores-unused");
	assert_int_equal(f->location_missing->code, REASON_LINE_NO_SITE);
	m->run.site = &site;
	m->run.sites = 1;
	f = made_found(m, "tensor-cores-unused");
	assert_ptr_equal(f->site, &site);
	assert_null(f->location_missing);
}

/* The place is what the user calls it: the operator, else what the kernel does,
 * else the line. The kernel's name is for its author. */
MADE_TEST(test_place)
{
	struct site_frame frame[] = { { .module = "libcublas.so.13" },
		{ .function = "at::_ops::addmm::call(at::Tensor const&)",
		.module = "/opt/libtorch_cpu.so" },
		{ .file = "/me/model.py", .line = 7, .python = true } };
	struct site site = { .call = CALL_LAUNCH, .kernel = 1, .count = 1,
	    .frame = frame, .frames = 3, .first = 2 };
	const struct finding *f;

	made_kernel(m, SGEMM, 10000, 200000);
	f = made_found(m, "tensor-cores-unused");
	assert_string_equal(f->where, m->kernel[0].short_name);
	m->run.site = &site;
	m->run.sites = 1;
	f = made_found(m, "tensor-cores-unused");
	assert_string_equal(f->where, "aten::addmm");
	assert_ptr_equal(f->kernel, &m->kernel[0]);
	frame[1].function = NULL;
	f = made_found(m, "tensor-cores-unused");
	assert_string_equal(f->where, "matmul");
	made_again(m);
	frame[0].module = "/opt/libtorch_cuda.so";
	made_kernel(m, ROLL_DOUBLE, 10000, 200000);
	m->run.site = &site;
	m->run.sites = 1;
	f = made_found(m, "double-precision");
	assert_string_equal(f->where, "model.py:7");
}

/* An example is of the framework that launches: not every rule has one for each, and none is
 * better than PyTorch's in another's program. Without any stack nothing speaks against it. */
MADE_TEST(test_example_of_framework)
{
	static const struct {
		const char *module, *good;
	} cases[] = {
		{ "libtorch_cuda.so", "torch.set_float32_matmul_precision" },
		{ "xla_cuda_plugin.so", "jax_default_matmul_precision" },
		{ "cupy_backends/cuda/libs/cublas.so", "CUPY_TF32" },
		{ "simulate", "CUBLAS_TF32_TENSOR_OP_MATH" },
	};
	struct site_frame frame = { .module = "libtorch_cuda.so" };
	struct site site = { .call = CALL_LAUNCH, .kernel = 1, .count = 1,
	    .frame = &frame, .frames = 1 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		made_again(m);
		made_kernel(m, SGEMM, 10000, 200000);
		frame.module = cases[i].module;
		m->run.site = &site;
		m->run.sites = 1;
		assert_has(made_found(m, "tensor-cores-unused")->good_code, cases[i].good);
	}
	made_again(m);
	fault_unaligned(m);
	assert_has(made_found(m, "library-misaligned")->good_code, "torch.nn.Linear");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		frame.module = cases[i].module;
		site.kernel = m->kernel[0].id;
		m->run.site = &site;
		m->run.sites = 1;
		assert_true((made_found(m, "library-misaligned")->good_code != NULL) ==
		    (i == 0));
	}
}

#define IM2COL "void at::native::im2col_kernel<float>(long, float const*)"

/* Without cuDNN, PyTorch copies an image's windows and multiplies: cuDNN saves the copies for
 * certain, of the products what TF32 does. Not where cuDNN does other convolutions, nor for
 * copies that the program itself asks for (unfold); and cuDNN's TF32 is no advice there. */
MADE_TEST(test_without_cudnn)
{
	static const char rule[] = "tensor-cores-unused";
	struct site_frame frame[] = { { .module = "libtorch_cuda.so",
		.function = "at::native::slow_conv2d_forward_cuda(at::Tensor const&)" } };
	struct site site[] = { { .call = CALL_LAUNCH, .kernel = 1, .count = 1000,
		.frame = frame, .frames = 1 }, { .call = CALL_LAUNCH, .kernel = 2,
		.count = 1000, .frame = frame, .frames = 1 } };
	const struct finding *f;
	double low;

	made_kernel(m, IM2COL, 1000, 200000);
	m->run.site = site;
	m->run.sites = 1;
	f = made_found(m, rule);
	assert_has(f->advice, "torch.backends.cudnn.enabled = True");
	assert_has(f->title, "without cuDNN");
	assert_lacks(f->advice, "allow_tf32");
	low = f->saves_low_s;
	assert_true(low > 0.4 * 0.2 && low < f->saves_s && f->saves_s < 0.2);
	made_kernel(m, SGEMM, 1000, 200000);
	m->run.sites = 2;
	f = made_found(m, rule);
	assert_int_equal(f->shapes, 2);
	assert_true(fabs(f->saves_low_s - low) < 1e-6);
	assert_true(f->saves_high_s > 0.2 && f->saves_high_s <= 0.4);
	/* A product of the program's own beside them. */
	site[1].frame = &(struct site_frame){ .module = "libtorch_cuda.so" };
	assert_has(made_found(m, rule)->advice, "enabled = True");
	assert_int_equal(made_found(m, rule)->shapes, 0);
	m->run.site[0].frame = site[1].frame;
	assert_has(made_found(m, rule)->advice, "allow_tf32");
	site[0].frame = site[1].frame = frame;
	made_kernel(m, FP32_CONV, 10, 2000);
	assert_lacks(made_found(m, rule)->advice, "enabled");
}

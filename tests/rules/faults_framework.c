/*
 * rules/faults_framework.c: runs of a framework's kernels with a fault that
 * only the user's Python program can fix, and runs that almost have one. The
 * kernels are recognised by their names; nothing was counted.
 */
#include "rules/faults.h"

#define MS 1000000ull
#define US 1000ull
#define STEPS 1000u

#define POINTWISE(what) "void at::native::vectorized_elementwise_kernel<4, " \
	what ", std::array<char*, 2ul> >(int)"
#define MULTIPLY POINTWISE("at::native::MulFunctor<float>")
#define ADD POINTWISE("at::native::CUDAFunctor_add<float>")
#define TANH POINTWISE("at::native::tanh_kernel_cuda")
#define PRODUCT "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64"
#define SOFTMAX "void (anonymous namespace)::softmax_warp_forward<float>(int)"

struct work {
	const char *name;
	uint64_t ns;
};

/* A step of these kernels, repeated ${n} times; the GPU does not wait between them. */
static void
steps(struct made *m, const struct work *work, uint32_t n)
{
	struct sequence *s = &m->sequence[0];

	*s = (struct sequence){ .length = n, .repeats = STEPS };
	for (uint32_t i = 0; i < n; i++) {
		s->kernel[i] = made_kernel(m, work[i].name, STEPS,
		    work[i].ns)->id;
		s->kernel_ns += STEPS * work[i].ns;
	}
	m->run.sequences = 1;
}

#define STEPS_OF(m, ...) do {						\
	static const struct work work[] = { __VA_ARGS__ };		\
	steps(m, work, sizeof(work) / sizeof(work[0]));			\
} while (0)

FAULT_IS(pointwise,
    STEPS_OF(m, { MULTIPLY, 200 * US }, { ADD, 200 * US },
    { TANH, 100 * US }, { PRODUCT, 500 * US }))

/* Two pointwise kernels, one of another size, a product. */
FAULT(pointwise_two)
{
	STEPS_OF(m, { MULTIPLY, 200 * US }, { ADD, 200 * US },
	    { TANH, 100 * US }, { PRODUCT, 500 * US });
	m->kernel[2].shape.grid_x /= 64;
}

/* Kernels that the compiler made by fusing several. */
FAULT_IS(pointwise_compiled,
    STEPS_OF(m, { "triton_poi_fused_add_mul_0", 200 * US },
    { "triton_poi_fused_tanh_1", 200 * US },
    { "triton_poi_fused_mul_2", 200 * US }, { PRODUCT, 500 * US }))
FAULT_IS(attention,
    STEPS_OF(m, { PRODUCT, 300 * US }, { MULTIPLY, 200 * US },
    { SOFTMAX, 300 * US }, { PRODUCT, 300 * US }))
/* A classifier's softmax: short beside the layers. */
FAULT_IS(classifier,
    STEPS_OF(m, { PRODUCT, 300 * US }, { SOFTMAX, 20 * US }, { PRODUCT, 300 * US }))
/* No product after the softmax. */
FAULT_IS(softmax_last,
    STEPS_OF(m, { PRODUCT, 300 * US }, { SOFTMAX, 300 * US },
    { "void at::native::reduce_kernel<512, 1>(int)", 300 * US }))
FAULT_IS(single_updates,
    STEPS_OF(m, { MULTIPLY, 50 * US }, { POINTWISE("lerp_scalar_kernel"),
    50 * US }, { ADD, 50 * US }, { POINTWISE("addcdiv_cuda_kernel"),
    50 * US }))
/* The same two operators on four arrays, beside a product; no name shows the list. */
FAULT(list_of_arrays)
{
	STEPS_OF(m, { MULTIPLY, 2 * US }, { ADD, 2 * US }, { MULTIPLY, 2 * US },
	    { ADD, 2 * US }, { MULTIPLY, 2 * US }, { ADD, 2 * US },
	    { MULTIPLY, 2 * US }, { ADD, 2 * US }, { PRODUCT, 30 * US });
	for (int i = 2; i < 8; i++)
		m->kernel[i].shape.grid_x = i < 6 ? 1 : 64;
}

/* They have one size: steps one after another, not a list. */
FAULT(one_array)
{
	fault_list_of_arrays(m);
	for (int i = 0; i < 8; i++)
		m->kernel[i].shape.grid_x = 64;
}

/* Different operators on each: not a list. */
FAULT(arrays_of_their_own)
{
	fault_list_of_arrays(m);
	m->kernel[3].mangled = m->kernel[3].name = TANH;
}
FAULT_IS(updates_at_once,
    STEPS_OF(m, { "void at::native::multi_tensor_apply_kernel<int>(int)",
    50 * US }, { PRODUCT, 300 * US }))
FAULT_IS(converting,
    STEPS_OF(m, { "void cudnn::ops::nchwToNhwcKernel<__half>(int)",
    100 * US }, { "sm90_xmma_fprop_implicit_gemm_f16f16_f16f32_f32",
    300 * US }, { "void cudnn::ops::nhwcToNchwKernel<__half>(int)",
    100 * US }))

/* One conversion, of the input. */
FAULT(converting_once)
{
	made_kernel(m, "void cudnn::ops::nchwToNhwcKernel<__half>(int)", 1,
	    100 * MS);
	made_kernel(m, "sm90_xmma_fprop_implicit_gemm_f16f16_f16f32_f32", STEPS,
	    300 * US);
}

#define TO_HALF "void at::native::vectorized_elementwise_kernel<8, at::native::" \
	"float16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}>(int)"

/* Weights of 512 x 512, activations of a block, a product. */
static void
decoding(struct made *m)
{
	STEPS_OF(m, { TO_HALF, 200 * US }, { PRODUCT, 300 * US }, { ADD, 20 * US });
	m->kernel[0].shape.grid_x = 256;
	m->kernel[0].shape.block_x = m->kernel[2].shape.block_x = 128;
	m->kernel[2].shape.grid_x = 1;
}

FAULT_IS(weights_each_call, decoding(m))
/* Another operator works on arrays of that size: 512 blocks of 4 a thread. */
FAULT_IS(activations_converted, decoding(m); m->kernel[2].shape.grid_x = 512)
/* The steps change what is converted. */
FAULT(weights_trained)
{
	decoding(m);
	made_kernel(m, "void at::native::multi_tensor_apply_kernel<int>(int)", STEPS,
	    50 * US);
}
/* Once, in front of the loop. */
FAULT_IS(weights_once, decoding(m); m->kernel[0].launches = 8)
/* To 32 bits, for a sum. */
FAULT_IS(activations_widened, decoding(m); m->kernel[0].name = m->kernel[0].mangled =
    POINTWISE("at::native::direct_copy_kernel_cuda"))

FAULT_IS(unaligned,
    made_kernel(m, "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_"
    "s161616gemm_bf16_16x16_128x1_nn_align1>(int)", STEPS, 300 * US))
FAULT_IS(aligned,
    made_kernel(m, "void cutlass::Kernel2<cutlass_80_tensorop_bf16_"
    "s16816gemm_bf16_128x128_64x3_nn_align8>(int)", STEPS, 300 * US))

/* Four million atomics, one after the other. */
static struct kernel *
scattering(struct made *m)
{
	struct kernel *k = made_kernel(m, "void at::native::indexFuncLargeIndex<"
	    "float, long, unsigned int, 1, 1, -2, true>(int)", STEPS, 7200 * US);
	double *v = k->metric;

	made_counters(m, k, 0.01);
	v[METRIC_L2_FROM_L1] = v[METRIC_GLOBAL_LD_SECTORS] +
	    v[METRIC_GLOBAL_ST_SECTORS] + 4e6;
	v[METRIC_LSU_WAVEFRONTS] = 6e6;
	v[METRIC_SM_CYCLES_ACTIVE_AVG] = v[METRIC_SM_CYCLES_ACTIVE_MAX] = 12e6;
	return k;
}

FAULT_IS(few_places, scattering(m))

/* Far more atomics in the same time, with DRAM traffic: they hit different lines. */
FAULT(many_places)
{
	double *v = scattering(m)->metric;

	v[METRIC_L2_FROM_L1] += 12e6;
	v[METRIC_LSU_WAVEFRONTS] = 18e6;
	v[METRIC_DRAM_READ] += 16e6 * 32;
}

/* The indices were sorted before. */
FAULT_IS(sorted_first, scattering(m)->metric[METRIC_L2_FROM_L1] -= 4e6)
FAULT_IS(few_places_uncounted,
    made_kernel(m, "void at::native::indexFuncLargeIndex<float>(int)", STEPS,
    7200 * US))

#define TF32_PRODUCT "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x16"
#define FUSED_ADAM "void at::native::multi_tensor_apply_kernel<FusedAdam>(int)"

FAULT_IS(training_tf32,
    STEPS_OF(m, { TF32_PRODUCT, 400 * US }, { MULTIPLY, 50 * US },
    { FUSED_ADAM, 50 * US }))
FAULT_IS(training_bf16,
    STEPS_OF(m, { PRODUCT, 400 * US }, { MULTIPLY, 50 * US }, { FUSED_ADAM, 50 * US }))
/* Inference: whether its results tolerate TF32 is unknown. */
FAULT_IS(inference_tf32, STEPS_OF(m, { TF32_PRODUCT, 400 * US }, { MULTIPLY, 50 * US }))

/* Products too small to fill the GPU. */
FAULT(training_small)
{
	fault_training_tf32(m);
	m->kernel[0].shape.grid_x = 90;
}

/* Products that stay on their SMs; a cluster leaves some SMs free. */
FAULT(training_persistent)
{
	fault_training_tf32(m);
	m->kernel[0].shape.grid_x = 120;
}

/* A loop that loads ${name} ${times} times, each after ${apart} more launches;
 * the GPU waits for each. */
static void
compiling(struct made *m, const char *name, size_t times, uint64_t apart)
{
	struct compiling *c = &m->run.compiling;
	uint32_t id = made_kernel(m, name, STEPS, 200 * US)->id;

	made_gaps(m, IDLE_HOST, times, 400 * MS);
	for (c->times = 0; c->times < times; c->times++)
		c->time[c->times] = (struct compiled){ .kernel = id,
		    .loads = 2, .idle_ns = 400 * MS,
		    .at = 30 + apart * c->times };
}

FAULT_IS(recompiling, compiling(m, "triton_poi_fused_mul_0", 5, STEPS / 5))
/* The second compilation is for what is printed at the end. */
FAULT(compiling_last)
{
	compiling(m, "triton_poi_fused_mul_0", 2, STEPS - 40);
	m->run.compiling.time[1].kernel = made_kernel(m,
	    "triton_poi_fused_add_1", 1, 200 * US)->id;
}
/* Compiled where the loop begins. */
FAULT_IS(compiling_once, compiling(m, "triton_poi_fused_mul_0", 1, 0))
/* Several functions, all in the first steps. */
FAULT_IS(compiling_early, compiling(m, "triton_poi_fused_mul_0", 4, STEPS / 40))
/* A library's code, loaded at its first call. */
FAULT_IS(loading_late, compiling(m, PRODUCT, 5, STEPS / 5))

/* Without tensor cores elements are loaded one by one in any case. */
FAULT(aligned_to_one)
{
	made_kernel(m, "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_"
	    "tn_align1>(int)", STEPS, 300 * US);
	m->kernel[0].shape.grid_x = 100;
}

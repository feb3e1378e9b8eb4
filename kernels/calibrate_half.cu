/*
 * calibrate_half.cu: peak rates of arithmetic with 16-bit numbers: pairs of
 * halves in the FMA pipe, and the tensor cores.
 *
 * Some tensor cores reach their peak only with products that a warp group issues
 * from shared memory (wgmma), others with those of a warp from registers (mma):
 * facts/chip.def says which. For other GPUs there is no kernel here: their ceiling
 * is derived from their attributes.
 *
 * All sums are exact: the numbers are odd multiples of an eighth, so that their
 * products are whole multiples of 1/64 and fit 24 bits together.
 */
#include <cuda_fp16.h>
#include <stdio.h>

extern "C" {
#include "facts/chip.h"
}
#include "calibrate.h"
#include "harness.h"

#define LAPS 20
#define SAMPLES 64

/* An odd multiple of 1/8 in (-1, 1). */
static __host__ __device__ inline float
eighths(uint64_t seed, uint64_t i)
{
	return ((float)(seeded(seed, i) >> 29) - 3.5f) / 4;
}

/* Fused multiply-adds of two halves at once, eight independent chains a thread:
 * v becomes b - v, and v again. It is the ceiling of what nvcc makes: HFMA2 alone
 * reaches 67 TFLOP/s on an H200, half of what the data sheet says of FP16. */

#define CHAINS 8
#define HALF_THREADS 256
#define HALF_ROUNDS 32768	/* even */

__global__ static void
multiply_add_pairs(float *__restrict__ out, float a, float b, uint64_t seed)
{
	size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	__half2 v[CHAINS], by = __float2half2_rn(a), plus = __float2half2_rn(b);
	float sum = 0;

#pragma unroll
	for (int k = 0; k < CHAINS; k++)
		v[k] = __floats2half2_rn(eighths(seed, 2 * (t * CHAINS + k)),
		    eighths(seed, 2 * (t * CHAINS + k) + 1));
#pragma unroll 4
	for (int r = 0; r < HALF_ROUNDS; r++) {
#pragma unroll
		for (int k = 0; k < CHAINS; k++)
			v[k] = __hfma2(v[k], by, plus);
	}
#pragma unroll
	for (int k = 0; k < CHAINS; k++)
		sum += __low2float(v[k]) + 2 * __high2float(v[k]);
	out[t] = sum;
}

static int
measure_half(struct job *job, struct measured *m)
{
	float *out, *host;
	unsigned blocks;
	size_t threads;

	TRY(job_wave(job, &blocks, multiply_add_pairs, HALF_THREADS, 0));
	threads = (size_t)blocks * HALF_THREADS;
	TRY(job_output(job, &out, &host, threads));
	TRY(job_measure(job, LAPS, [&] {
		multiply_add_pairs<<<blocks, HALF_THREADS, 0, job->stream>>>(
		    out, -1, 0.5f, job->seed);
		return cudaGetLastError();
	}));
	m->fp16_flops = 4.0 * CHAINS * HALF_ROUNDS * (double)threads /
	    job->median_s;
	TRY(job_fetch(job, host, out, threads));
	for (int s = 0; s < SAMPLES; s++) {
		uint64_t i = job_pick(job, s, threads);
		double want = 0;

		for (int k = 0; k < 2 * CHAINS; k++)
			want += (1 + k % 2) *
			    eighths(job->seed, 2 * CHAINS * i + k);
		check_float(job, i, host[i], want, 0);
	}
	TRY(job_drop(job));
	return 0;
}

/* D += A B, again and again: A is any numbers, B the same in each row. Then the
 * sum over D is that over A times that over a row of B, in whatever order the
 * registers and shared memory have them. */

#define SEED_B 0x62		/* apart from A's */

/* A warp group's: 64 × 256 out of 64 × 64 and 64 × 256, in four steps. */

#define GROUP 128
#define GROUP_ROUNDS 2048	/* 2^24 / 64 / 49 at most */
#define STEPS 4
#define A_STEP (64 * 16)	/* halves of a step */
#define B_STEP (256 * 16)

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
/* Where a step's numbers are: tiles of 8 rows of 16 bytes, the ${rows} / 8 of
 * one 16-byte column behind each other, then the second column's (PTX ISA:
 * wgmma, matrix descriptor, no swizzle). */
static __device__ inline uint64_t
describe(const __half *step, unsigned rows)
{
	uint64_t at = __cvta_generic_to_shared(step);
	uint64_t column = rows * 16, tile = 128;	/* bytes to the next */

	return (at & 0x3ffff) >> 4 | column >> 4 << 16 | tile >> 4 << 32;
}

#define D8(n)								\
	"+f"(d[n]), "+f"(d[n + 1]), "+f"(d[n + 2]), "+f"(d[n + 3]),	\
	"+f"(d[n + 4]), "+f"(d[n + 5]), "+f"(d[n + 6]), "+f"(d[n + 7])

static __device__ inline void
group_product(float (&d)[128], uint64_t a, uint64_t b)
{
	asm volatile("{\n.reg .pred add;\nsetp.eq.u32 add, 1, 1;\n"
	    "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
	    "%0, %1, %2, %3, %4, %5, %6, %7, "
	    "%8, %9, %10, %11, %12, %13, %14, %15, "
	    "%16, %17, %18, %19, %20, %21, %22, %23, "
	    "%24, %25, %26, %27, %28, %29, %30, %31, "
	    "%32, %33, %34, %35, %36, %37, %38, %39, "
	    "%40, %41, %42, %43, %44, %45, %46, %47, "
	    "%48, %49, %50, %51, %52, %53, %54, %55, "
	    "%56, %57, %58, %59, %60, %61, %62, %63, "
	    "%64, %65, %66, %67, %68, %69, %70, %71, "
	    "%72, %73, %74, %75, %76, %77, %78, %79, "
	    "%80, %81, %82, %83, %84, %85, %86, %87, "
	    "%88, %89, %90, %91, %92, %93, %94, %95, "
	    "%96, %97, %98, %99, %100, %101, %102, %103, "
	    "%104, %105, %106, %107, %108, %109, %110, %111, "
	    "%112, %113, %114, %115, %116, %117, %118, %119, "
	    "%120, %121, %122, %123, %124, %125, %126, %127"
	    "}, %128, %129, add, 1, 1, 0, 0;\n}"
	    : D8(0),
	      D8(8),
	      D8(16),
	      D8(24),
	      D8(32),
	      D8(40),
	      D8(48),
	      D8(56),
	      D8(64),
	      D8(72),
	      D8(80),
	      D8(88),
	      D8(96),
	      D8(104),
	      D8(112),
	      D8(120)
	    : "l"(a), "l"(b));
}
#endif

__global__ static void __launch_bounds__(GROUP)
multiply_group(double *__restrict__ out, uint64_t seed)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
	__shared__ __align__(128) __half a[STEPS * A_STEP], b[STEPS * B_STEP];
	float d[128];
	double sum = 0;

	for (unsigned i = threadIdx.x; i < STEPS * A_STEP; i += GROUP)
		a[i] = __float2half(eighths(seed, i));
	for (unsigned i = threadIdx.x; i < STEPS * B_STEP; i += GROUP)
		b[i] = __float2half(eighths(seed ^ SEED_B, i / 8 % 256));
	for (int k = 0; k < 128; k++)
		d[k] = 0;
	/* Makes what the threads have written visible to wgmma. */
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
#pragma unroll 1
	for (int r = 0; r < GROUP_ROUNDS; r++) {
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
		for (int k = 0; k < STEPS; k++)
			group_product(d, describe(a + k * A_STEP, 64),
			    describe(b + k * B_STEP, 256));
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
	}
	for (int k = 0; k < 128; k++)
		sum += d[k];
	out[(size_t)blockIdx.x * GROUP + threadIdx.x] = sum;
#endif
}

/* A warp's: 16 × 8 out of 16 × 16 and 16 × 8, eight independent chains. */

#define WARP_THREADS 256
#define WARP_ROUNDS 4096

__global__ static void
multiply_warp(double *__restrict__ out, uint64_t seed)
{
#if __CUDA_ARCH__ >= 800
	unsigned lane = threadIdx.x % 32, a[4], b;
	float d[CHAINS][4] = {};
	double sum = 0;
	__half2 two;

	for (int k = 0; k < 4; k++) {
		two = __floats2half2_rn(eighths(seed, lane * 8 + 2 * k),
		    eighths(seed, lane * 8 + 2 * k + 1));
		a[k] = *(unsigned *)&two;
	}
	two = __float2half2_rn(eighths(seed ^ SEED_B, lane / 4));
	b = *(unsigned *)&two;
#pragma unroll 4
	for (int r = 0; r < WARP_ROUNDS; r++) {
#pragma unroll
		for (int k = 0; k < CHAINS; k++)
			asm volatile("mma.sync.aligned.m16n8k16.row.col.f32."
			    "f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
			    "{%8, %8}, {%0, %1, %2, %3};"
			    : "+f"(d[k][0]), "+f"(d[k][1]), "+f"(d[k][2]),
			      "+f"(d[k][3])
			    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]),
			      "r"(b));
	}
	for (int k = 0; k < CHAINS * 4; k++)
		sum += d[k / 4][k % 4];
	out[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = sum;
#endif
}

static const struct shape {
	void (*kernel)(double *, uint64_t);
	unsigned threads;	/* of a block */
	unsigned group;		/* of them, that multiply together */
	unsigned a, b;		/* numbers of A, and of a row of B */
	unsigned times;		/* that a group multiplies all of A */
	double flops;		/* of a group */
} group_shape = {
	multiply_group, GROUP, GROUP, STEPS * A_STEP, 256, GROUP_ROUNDS,
	2.0 * 64 * 256 * 16 * STEPS * GROUP_ROUNDS
}, warp_shape = {
	multiply_warp, WARP_THREADS, 32, 32 * 8, 8, CHAINS * WARP_ROUNDS,
	2.0 * 16 * 8 * 16 * CHAINS * WARP_ROUNDS
};

static double
sum_of(uint64_t seed, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += eighths(seed, i);
	return sum;
}

static int
measure_tensor(struct job *job, struct measured *m, const struct shape *p)
{
	double *out, *host, want = p->times * sum_of(job->seed, p->a) *
	    sum_of(job->seed ^ SEED_B, p->b);
	uint64_t wrong = job->wrong;
	unsigned blocks;
	size_t threads;

	TRY(job_wave(job, &blocks, p->kernel, (int)p->threads, 0));
	threads = (size_t)blocks * p->threads;
	TRY(job_output(job, &out, &host, threads));
	TRY(job_measure(job, LAPS, [&] {
		p->kernel<<<blocks, p->threads, 0, job->stream>>>(out,
		    job->seed);
		return cudaGetLastError();
	}));
	m->tensor_flops = p->flops * (double)(threads / p->group) /
	    job->median_s;
	TRY(job_fetch(job, host, out, threads));
	for (int s = 0; s < SAMPLES; s++) {
		uint64_t i = job_pick(job, s, threads / p->group);
		double got = 0;

		for (unsigned k = 0; k < p->group; k++)
			got += host[i * p->group + k];
		check_float(job, i, got, want, 0);
	}
	if (job->wrong > wrong) {	/* other measurements stay valid */
		fprintf(stderr, "cudadvise-kernels: the tensor cores' products "
		    "are wrong: not measured\n");
		job->wrong = wrong;
		m->tensor_flops = 0;
	}
	TRY(job_drop(job));
	return 0;
}

int
calibrate_half(struct job *job, struct measured *m)
{
	const struct chip *chip = chip_of((uint32_t)job->gpu.major,
	    (uint32_t)job->gpu.minor);

	if (measure_half(job, m))
		return -1;
	switch (chip->matrix) {
	case MATRIX_WARP:
		return measure_tensor(job, m, &warp_shape);
	case MATRIX_GROUP:
		return measure_tensor(job, m, &group_shape);
	default:
		return 0;
	}
}

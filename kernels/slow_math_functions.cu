/*
 * Where accuracy allows, call the fast sine.
 *
 * Each thread makes a tone, sample by sample, and puts it through six filters.
 * The tone's phase stays within ±π, where __sinf (good), two instructions, is
 * wrong by no more than 2^-21.4; sinf (bad) is right to the last bit but one for
 * any argument, with many times the instructions.
 *
 * The only difference is which sine is called.
 *
 * Rule: slow-math-functions. Metric that moves: executed instructions; the
 * share of them that sinf has.
 *
 *   cudadvise run --level source cudadvise-kernels slow-math-functions \
 *     --variant bad
 *   ncu --section InstructionStats --section SourceCounters \
 *     cudadvise-kernels slow-math-functions --variant bad --once
 *
 * --size: tones (default: four full waves of threads).
 */
#include <math.h>

#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define WAVES 4
#define SAMPLES 1024
#define FILTERS 6
#define PI 3.14159265f

/* Radians from a sample to the next: in (0, 2), an exact multiple of 2^-12. */
static __host__ __device__ inline float
step_of(uint32_t v)
{
	return (float)((v >> 19) | 1) / 4096.0f;
}

static __host__ __device__ inline float
next_phase(float phase, float step)
{
	phase += step;
	return phase > PI ? phase - 2 * PI : phase;
}

/* Six filters of second order. Their poles have length 0.5, so that errors
 * decay, and the six filters together amplify an error by 10 at most. */
template<typename T> static __host__ __device__ inline T
filter(T x, T *a, T *b)
{
#pragma unroll
	for (int k = 0; k < FILTERS; k++) {
		T y = x + (T)0.4f * a[k] - (T)0.25f * b[k];

		b[k] = a[k];
		a[k] = x = y;
	}
	return x;
}

template<bool FAST>
__global__ static void
energy_of_tone(const uint32_t *__restrict__ in, float *__restrict__ out,
    unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	float step, phase = 0, sum = 0, a[FILTERS] = {}, b[FILTERS] = {};

	if (i >= n)
		return;
	step = step_of(in[i]);
#pragma unroll 8
	for (int k = 0; k < SAMPLES; k++) {
		float y;

		phase = next_phase(phase, step);
		if (FAST)
			y = __sinf(phase);
		else
			y = sinf(phase); /* HERE */
		y = filter(y, a, b);
		sum += y * y;
	}
	out[i] = sum;
}

PAIR(slow_math_functions, "where accuracy allows, call the fast sine",
    "executed instructions")
{
	auto kernel = job->good ? energy_of_tone<true> : energy_of_tone<false>;
	float *out, *host;
	uint32_t *in;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, kernel, THREADS, 0));
	n = job->size ? job->size : (size_t)blocks * WAVES * THREADS;
	blocks = (unsigned)((n + THREADS - 1) / THREADS);
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, n, job->seed));

	TRY(job_measure(job, 100, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(in, out,
		    (unsigned)n);
		return cudaGetLastError();
	}));
	job->operations = (double)SAMPLES * n;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES / 4; s++) {
		uint64_t i = job_pick(job, s, n);
		float step = step_of(seeded(job->seed, i)), phase = 0;
		double a[FILTERS] = {}, b[FILTERS] = {}, want = 0;

		for (int k = 0; k < SAMPLES; k++) {
			double y;

			phase = next_phase(phase, step);
			y = filter(sin((double)phase), a, b);
			want += y * y;
		}
		/* 4e-7 for each sine, by the filters, by the square. */
		check_float(job, i, host[i], want, 1e-4 * (1 + want));
	}
	return 0;
}

/*
 * Index a small array by constants, so that it stays in registers.
 *
 * Each thread filters its own signal with 16 taps and keeps the last 16 values
 * in an array. Where the loops are not unrolled (bad) the index is known only
 * at run time, registers cannot be indexed, and the array lies in local memory;
 * where they are (good) each element is a register.
 *
 * The only difference is the unrolling.
 *
 * Rule: local-memory-spill. Metric that moves: local load and store sectors,
 * many against none. The compiler says it too: `nvcc -Xptxas -v` prints the
 * stack frame.
 *
 *   cudadvise run cudadvise-kernels local-memory-spill --variant bad
 *   ncu --metrics l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum \
 *     cudadvise-kernels local-memory-spill --variant bad --once
 *
 * --size: signals (default: a full wave of threads of the bad variant).
 */
#include "harness.h"
#include "pairs.h"

#define TAPS 16			/* a power of two */
#define LENGTH 256		/* of a signal; a multiple of TAPS */
#define THREADS 256

struct taps {
	float c[TAPS];
};

template<int UNROLL>
__global__ static void
energy(const float *__restrict__ in, float *__restrict__ out, size_t signals,
    const __grid_constant__ struct taps taps)
{
	size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	float last[TAPS], sum = 0;

	if (t >= signals)
		return;
	for (int k = 0; k < TAPS; k++)
		last[k] = 0;
#pragma unroll 1
	for (int i = 0; i < LENGTH; i += TAPS) {
#pragma unroll (UNROLL)
		for (int j = 0; j < TAPS; j++) {
			float y = 0;

			last[j] = in[(i + j) * signals + t]; /* HERE */
#pragma unroll (UNROLL)
			for (int k = 0; k < TAPS; k++)
				y += taps.c[k] * last[(j - k) & (TAPS - 1)]; /* HERE */
			sum += y * y;
		}
	}
	out[t] = sum;
}

PAIR(local_memory_spill, "index a small array by constants, so that it stays in registers",
    "local memory sectors")
{
	auto kernel = job->good ? energy<TAPS> : energy<1>;
	uint64_t seed = job->seed;
	float *in, *out, *host;
	struct taps taps;
	unsigned blocks;
	size_t signals;

	for (int k = 0; k < TAPS; k++)
		taps.c[k] = seeded_float(seed ^ 0xf17, k);
	TRY(job_wave(job, &blocks, energy<1>, THREADS, 0));
	signals = job->size ? job->size : (size_t)blocks * THREADS;
	blocks = (unsigned)((signals + THREADS - 1) / THREADS);
	TRY(job_device(job, &in, signals * LENGTH));
	TRY(job_output(job, &out, &host, signals));
	TRY(fill_floats(job, in, signals * LENGTH, seed));

	TRY(job_measure(job, 1500, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(in, out, signals,
		    taps);
		return cudaGetLastError();
	}));
	job->operations = 2.0 * TAPS * LENGTH * signals;
	job->bytes = (double)LENGTH * signals * sizeof(*in);

	TRY(job_fetch(job, host, out, signals));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t t = job_pick(job, s, signals);
		double x[LENGTH], want = 0;

		for (int i = 0; i < LENGTH; i++) {
			double y = 0;

			x[i] = seeded_float(seed, i * signals + t);
			for (int k = 0; k < TAPS && k <= i; k++)
				y += taps.c[k] * x[i - k];
			want += y * y;
		}
		check_float(job, t, host[t], want, 1e-4 * (1 + want));
	}
	return 0;
}

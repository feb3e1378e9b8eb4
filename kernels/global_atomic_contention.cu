/*
 * Add up within a block first, then once to the word that all share.
 *
 * The sum of all values goes into one word of global memory. Each thread adds
 * its own value to it (bad), so that the atomics of all threads are serialised
 * at that word in L2; or a block adds up its values by shuffles and through
 * shared memory, and one of its threads adds the sum (good).
 *
 * The only difference is who adds to the word: threads or blocks.
 *
 * Rule: global-atomic-contention. Metric that moves: global reductions, 256
 * times less.
 *
 *   cudadvise run --level source cudadvise-kernels global-atomic-contention \
 *     --variant bad
 *   ncu --metrics smsp__inst_executed_op_global_red.sum,\
 *     lts__t_sectors_op_red.sum \
 *     cudadvise-kernels global-atomic-contention --variant bad --once
 *
 * --size: values (default: 16 full waves of threads).
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define WARPS (THREADS / 32)
#define WAVES 16
#define LAPS_BAD 30		/* each takes some 200 times as long … */
#define LAPS_GOOD 1500		/* … as one of these */

/*
 * Small whole numbers: sums of many millions of them are exact in single
 * precision, in any order. (A sum of integers to one word is aggregated by the
 * compiler.)
 */
static __host__ __device__ inline float
value_of(uint32_t v)
{
	return (float)((int)(v >> 28) * 2 - 15);
}

static __device__ inline float
sum_of_block(float v)
{
	__shared__ float part[WARPS];
	unsigned t = threadIdx.x;
	float sum = 0;

	for (unsigned s = 16; s > 0; s /= 2)
		v += __shfl_down_sync(~0u, v, s);
	if (t % 32 == 0)
		part[t / 32] = v;
	__syncthreads();
	for (unsigned w = 0; w < WARPS; w++)
		sum += part[w];
	return sum;
}

template<bool BLOCK>
__global__ static void
sum_all(const uint32_t *__restrict__ in, float *sum, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	float v = i < n ? value_of(in[i]) : 0;

	if (BLOCK) {
		v = sum_of_block(v);
		if (threadIdx.x == 0)
			atomicAdd(sum, v);
	} else {
		atomicAdd(sum, v); /* HERE */
	}
}

PAIR(global_atomic_contention, "add up within a block first, then once to the word that all share",
    "global reductions")
{
	auto kernel = job->good ? sum_all<true> : sum_all<false>;
	float *sum, *host;	/* of each call */
	int laps = job->good ? LAPS_GOOD : LAPS_BAD;
	int words = job_laps(job, laps) + 1;
	uint32_t *in;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, kernel, THREADS, 0));
	n = job->size ? job->size : (size_t)blocks * WAVES * THREADS;
	blocks = (unsigned)((n + THREADS - 1) / THREADS);
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &sum, &host, words));
	TRY(fill_words(job, in, n, job->seed));
	TRY(cudaMemsetAsync(sum, 0, words * sizeof(*sum), job->stream));

	TRY(job_measure(job, laps, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(in,
		    sum + job->calls, (unsigned)n);
		return cudaGetLastError();
	}));
	job->operations = (double)n;

	TRY(job_fetch(job, host, sum, words));
	if (job->check) {
		double want = 0;

		for (size_t i = 0; i < n; i++)
			want += value_of(seeded(job->seed, i));
		for (int i = 0; i < job->calls; i++)
			check_float(job, i, host[i], want, 0);
	}
	return 0;
}

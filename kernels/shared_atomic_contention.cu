/*
 * Give each thread counters of its own.
 *
 * Each block adds up weights by class, of 16 classes of which one is by far the
 * most frequent. All threads add to the same 16 words of shared memory (bad), so
 * that most lanes of a warp want the same word and go one after another; or each
 * thread has 16 words of its own (good), which are added up at the end.
 *
 * The only difference is whose words they are.
 *
 * Rule: shared-atomic-contention. Metric that moves: shared wavefronts per
 * atomic, up to 32 against no atomics at all.
 *
 *   cudadvise run --level source cudadvise-kernels shared-atomic-contention \
 *     --variant bad
 *   ncu --metrics smsp__inst_executed_op_shared_atom.sum,\
 *     l1tex__data_pipe_lsu_wavefronts_mem_shared.sum \
 *     cudadvise-kernels shared-atomic-contention --variant bad --once
 *
 * --size: values a thread (default 256); a full wave of blocks.
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define WARPS (THREADS / 32)
#define CLASSES 16
#define CHECKED 32		/* blocks: each has many values */

/* Fifteen of sixteen are of class 0. */
static __host__ __device__ inline unsigned
class_of(uint32_t v)
{
	unsigned top = v >> 24;

	return top < 240 ? 0 : top % CLASSES;
}

static __host__ __device__ inline uint32_t
weight_of(uint32_t v)
{
	return v & 0xff;
}

template<bool OWN>
__global__ static void
add_by_class(const uint32_t *__restrict__ in, uint32_t *__restrict__ out,
    unsigned each)
{
	__shared__ uint32_t sum[CLASSES][OWN ? THREADS : 1];
	unsigned t = threadIdx.x;
	const uint32_t *my = in + (size_t)blockIdx.x * each * THREADS + t;

	for (unsigned c = t; c < sizeof(sum) / sizeof(uint32_t); c += THREADS)
		(&sum[0][0])[c] = 0;
	__syncthreads();
#pragma unroll 8
	for (unsigned k = 0; k < each; k++) {
		uint32_t v = my[k * THREADS];

		if (OWN)
			sum[class_of(v)][t] += weight_of(v);
		else
			atomicAdd(&sum[class_of(v)][0], weight_of(v)); /* HERE */
	}
	__syncthreads();
	/* A warp for each class. */
	for (unsigned c = t / 32; c < CLASSES; c += WARPS) {
		uint32_t all = 0;

		for (unsigned k = t % 32; k < (OWN ? THREADS : 1); k += 32)
			all += sum[c][k];
		for (unsigned s = 16; s > 0; s /= 2)
			all += __shfl_down_sync(~0u, all, s);
		if (t % 32 == 0)
			out[blockIdx.x * CLASSES + c] = all;
	}
}

PAIR(shared_atomic_contention, "give each thread counters of its own",
    "shared wavefronts per atomic")
{
	auto kernel = job->good ? add_by_class<true> : add_by_class<false>;
	unsigned each = job->size ? (unsigned)job->size : 256, blocks;
	uint32_t *in, *out, *host, want[CLASSES];
	size_t values, n;

	TRY(job_wave(job, &blocks, add_by_class<true>, THREADS, 0));
	values = (size_t)each * THREADS;	/* of a block */
	n = (size_t)blocks * CLASSES;
	TRY(job_device(job, &in, blocks * values));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, blocks * values, job->seed));

	TRY(job_measure(job, 300, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(in, out, each);
		return cudaGetLastError();
	}));
	job->operations = (double)blocks * values;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < CHECKED; s++) {
		uint64_t block = job_pick(job, s, blocks);

		for (int c = 0; c < CLASSES; c++)
			want[c] = 0;
		for (uint64_t i = 0; i < values; i++) {
			uint32_t v = seeded(job->seed, block * values + i);

			want[class_of(v)] += weight_of(v);
		}
		for (int c = 0; c < CLASSES; c++)
			check_word(job, block * CLASSES + c,
			    host[block * CLASSES + c], want[c]);
	}
	return 0;
}

/*
 * Store values of 0 or 1 as bytes.
 *
 * Two masks of an image are combined: what is set in the first and not in the second.
 * A mask has an int for each pixel (bad), of which three bytes are always zero and
 * cross the bus all the same, or a byte (good). A thread takes 16 bytes at a time
 * either way.
 *
 * The only difference is the type of the masks.
 *
 * Rule: wide-values. Metric that moves: bytes read and written in DRAM, four times
 * less.
 *
 *   cudadvise run --level source cudadvise-kernels wide-values --variant bad
 *   ncu --metrics dram__bytes_read.sum,dram__bytes_write.sum \
 *     cudadvise-kernels wide-values --variant bad --once
 *
 * --size: pixels, rounded up to a multiple of 4096 (default 256 Mi).
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define PIXELS 16		/* of a thread */
#define ACCESS 16		/* bytes */

template<typename T> struct alignas(ACCESS) pack {
	T of[ACCESS / sizeof(T)];
};

static __host__ __device__ inline bool
is_set(uint64_t seed, uint64_t i)
{
	return seeded(seed, i) % 4 != 0;
}

template<typename T> __global__ static void
fill_mask(T *mask, size_t n, uint64_t seed)
{
	size_t step = (size_t)gridDim.x * blockDim.x;

	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
	    i += step)
		mask[i] = is_set(seed, i);
}

template<typename T> __global__ static void
combine_masks(const struct pack<T> *__restrict__ a,
    const struct pack<T> *__restrict__ b, struct pack<T> *__restrict__ out)
{
	const int packs = PIXELS * sizeof(T) / ACCESS;
	size_t first = (size_t)blockIdx.x * THREADS * packs + threadIdx.x;

#pragma unroll
	for (int p = 0; p < packs; p++) {
		size_t i = first + (size_t)p * THREADS;
		struct pack<T> x = a[i], y = b[i], z; /* HERE */

#pragma unroll
		for (size_t k = 0; k < ACCESS / sizeof(T); k++)
			z.of[k] = x.of[k] && !y.of[k]; /* HERE */
		out[i] = z; /* HERE */
	}
}

template<typename T> static int
combine(struct job *job)
{
	const size_t each = (size_t)THREADS * PIXELS;
	size_t n = job->size ? job->size : (size_t)256 << 20;
	struct pack<T> *a, *b, *out, *host;
	size_t packs, in_pack = ACCESS / sizeof(T);

	n = (n + each - 1) / each * each;
	packs = n / in_pack;
	TRY(job_device(job, &a, packs));
	TRY(job_device(job, &b, packs));
	TRY(job_output(job, &out, &host, packs));
	fill_mask<<<4096, THREADS, 0, job->stream>>>((T *)a, n, job->seed);
	TRY(cudaGetLastError());
	fill_mask<<<4096, THREADS, 0, job->stream>>>((T *)b, n, ~job->seed);
	TRY(cudaGetLastError());

	TRY(job_measure(job, 300, [&] {
		combine_masks<T><<<(unsigned)(n / each), THREADS, 0,
		    job->stream>>>(a, b, out);
		return cudaGetLastError();
	}));
	job->bytes = 3.0 * n * sizeof(T);

	TRY(job_fetch(job, host, out, packs));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);

		check_word(job, i, host[i / in_pack].of[i % in_pack],
		    is_set(job->seed, i) && !is_set(~job->seed, i));
	}
	return 0;
}

PAIR(wide_values, "store values of 0 or 1 as bytes",
    "bytes read and written in DRAM")
{
	return job->good ? combine<uint8_t>(job) : combine<int>(job);
}

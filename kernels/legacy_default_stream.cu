/*
 * Give the copies a stream that does not wait for the default stream.
 *
 * Sixteen chunks of 8 MiB go to the GPU on a stream of their own, and a kernel
 * for each runs in the legacy default stream when its chunk is there. A stream
 * made by cudaStreamCreate (bad) waits for all earlier work of the default
 * stream: each copy starts only when the kernel of the chunk before has ended.
 * With cudaStreamNonBlocking (good) it overlaps with that kernel.
 *
 * The only difference is the flag of the stream.
 *
 * Rule: legacy-default-stream. Metric that moves: copy time during which a
 * kernel runs.
 *
 *   cudadvise run cudadvise-kernels legacy-default-stream --variant bad
 *   nsys profile -t cuda cudadvise-kernels legacy-default-stream --variant bad
 *
 * --size: words (default: 32 Mi).
 */
#include "harness.h"
#include "pairs.h"

#define CHUNKS 16
#define ROUNDS 600		/* meant to take as long as a chunk's copy */
#define THREADS 256
#define CHECKED 1024

__global__ static void
mix_chunk(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = mix_rounds(in[i], ROUNDS);
}

struct chunks {
	cudaStream_t copies;
	cudaEvent_t there, done;
	const uint32_t *from;
	uint32_t *in, *out;
	size_t n;
};

/* Copy chunk ${k}; the default stream computes on it when it is there. */
static cudaError_t
send_chunk(const struct chunks *c, int k)
{
	size_t size = c->n / CHUNKS, at = size * k;
	unsigned blocks;
	cudaError_t e;

	if (k == CHUNKS - 1)
		size = c->n - at;
	blocks = (unsigned)((size + THREADS - 1) / THREADS);
	e = cudaMemcpyAsync(c->in + at, c->from + at, size * sizeof(*c->in),
	    cudaMemcpyHostToDevice, c->copies);
	if (e == cudaSuccess)
		e = cudaEventRecord(c->there, c->copies);
	if (e == cudaSuccess)
		e = cudaStreamWaitEvent(cudaStreamLegacy, c->there, 0);
	if (e != cudaSuccess)
		return e;
	mix_chunk<<<blocks, THREADS, 0, cudaStreamLegacy>>>(c->in + at,
	    c->out + at, size);
	return cudaGetLastError();
}

PAIR(legacy_default_stream, "give the copies a stream that does not wait for the default stream",
    "copy time during which a kernel runs")
{
	struct chunks c = {};
	uint32_t *from, *host;

	c.n = job->size >= CHUNKS ? job->size : (size_t)32 << 20;
	TRY(job_pinned(job, &from, c.n));
	TRY(job_device(job, &c.in, c.n));
	TRY(job_output(job, &c.out, &host, c.n));
	for (size_t i = 0; i < c.n; i++)
		from[i] = seeded(job->seed, i);
	c.from = from;
	TRY(cudaStreamCreateWithFlags(&c.copies, job->good ?
	    cudaStreamNonBlocking : cudaStreamDefault));
	TRY(cudaEventCreateWithFlags(&c.there, cudaEventDisableTiming));
	TRY(cudaEventCreateWithFlags(&c.done, cudaEventDisableTiming));
	TRY(cudaStreamSynchronize(job->stream));

	TRY(job_measure(job, 100, [&] {
		/* The lap before has to be done with its chunks. */
		cudaError_t e = cudaStreamWaitEvent(c.copies, c.done, 0);

		for (int k = 0; e == cudaSuccess && k < CHUNKS; k++)
			e = send_chunk(&c, k);
		if (e == cudaSuccess)
			e = cudaEventRecord(c.done, cudaStreamLegacy);
		return e != cudaSuccess ? e :
		    cudaStreamWaitEvent(job->stream, c.done, 0);
	}));
	job->bytes = (double)c.n * sizeof(*c.in);
	job->operations = (double)c.n * ROUNDS;

	TRY(job_fetch(job, host, c.out, c.n));
	for (int s = 0; job->check && s < CHECKED; s++) {
		uint64_t i = job_pick(job, s, c.n);

		check_word(job, i, host[i],
		    mix_rounds(seeded(job->seed, i), ROUNDS));
	}
	TRY(cudaEventDestroy(c.done));
	TRY(cudaEventDestroy(c.there));
	TRY(cudaStreamDestroy(c.copies));
	return 0;
}

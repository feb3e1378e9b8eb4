/*
 * Send results back while the next inputs come in.
 *
 * Each round sends 16 chunks of 16 MiB to the GPU, mixes each, and brings it
 * back. On one stream (bad) the link carries one direction at a time. On two
 * streams that take the chunks in turn (good) the results of one chunk go back
 * while the next comes in.
 *
 * The only difference is the number of streams.
 *
 * Rule: copy-engine-serialised. Metric that moves: time in which copies run
 * both ways.
 *
 *   cudadvise run cudadvise-kernels copy-engine-serialised --variant bad
 *   nsys profile -t cuda cudadvise-kernels copy-engine-serialised --variant bad
 *
 * --size: words of a chunk (default: 4 Mi).
 */
#include "harness.h"
#include "pairs.h"

#define CHUNKS 16
#define STREAMS 2
#define THREADS 256

__global__ static void
mix_chunk(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = mix(in[i]);
}

/* A stream and the memory on the device that its chunks go through. */
struct lane {
	cudaStream_t stream;
	cudaEvent_t done;
	uint32_t *in, *out;
};

static cudaError_t
there_and_back(const struct lane *l, uint32_t *to, const uint32_t *from,
    size_t n)
{
	unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
	cudaError_t e = cudaMemcpyAsync(l->in, from, n * sizeof(*from),
	    cudaMemcpyHostToDevice, l->stream);

	if (e != cudaSuccess)
		return e;
	mix_chunk<<<blocks, THREADS, 0, l->stream>>>(l->in, l->out, n);
	e = cudaGetLastError();
	return e != cudaSuccess ? e : cudaMemcpyAsync(to, l->out,
	    n * sizeof(*to), cudaMemcpyDeviceToHost, l->stream);
}

/* The job's stream, on which time is measured, waits for all. */
static cudaError_t
join(struct job *job, const struct lane *lane, int lanes)
{
	cudaError_t e = cudaSuccess;

	for (int l = 0; e == cudaSuccess && l < lanes; l++) {
		e = cudaEventRecord(lane[l].done, lane[l].stream);
		if (e == cudaSuccess)
			e = cudaStreamWaitEvent(job->stream, lane[l].done, 0);
	}
	return e;
}

PAIR(copy_engine_serialised, "send results back while the next inputs come in",
    "time in which copies run both ways")
{
	size_t n = job->size ? job->size : (size_t)4 << 20;
	int lanes = job->good ? STREAMS : 1;
	struct lane lane[STREAMS] = {};
	uint32_t *from, *to;

	TRY(job_pinned(job, &from, CHUNKS * n));
	TRY(job_pinned(job, &to, CHUNKS * n));
	for (size_t i = 0; i < CHUNKS * n; i++) {
		from[i] = seeded(job->seed, i);
		to[i] = UINT32_MAX;
	}
	for (int l = 0; l < lanes; l++) {
		TRY(job_device(job, &lane[l].in, n));
		TRY(job_device(job, &lane[l].out, n));
		TRY(cudaStreamCreateWithFlags(&lane[l].stream,
		    cudaStreamNonBlocking));
		TRY(cudaEventCreateWithFlags(&lane[l].done,
		    cudaEventDisableTiming));
	}

	TRY(job_measure(job, 40, [&] {
		cudaError_t e = cudaSuccess;

		for (int c = 0; e == cudaSuccess && c < CHUNKS; c++)
			e = there_and_back(&lane[c % lanes], to + c * n,
			    from + c * n, n);
		return e != cudaSuccess ? e : join(job, lane, lanes);
	}));
	job->bytes = 2.0 * CHUNKS * (double)n * sizeof(*from);

	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, CHUNKS * n);

		check_word(job, i, to[i], mix(seeded(job->seed, i)));
	}
	for (int l = 0; l < lanes; l++) {
		TRY(cudaEventDestroy(lane[l].done));
		TRY(cudaStreamDestroy(lane[l].stream));
	}
	return 0;
}

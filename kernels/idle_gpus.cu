/*
 * Give every GPU its work before waiting for one.
 *
 * Each round mixes a state on each of two GPUs. Waiting
 * for the one before the other gets its work (bad) keeps one of them idle at
 * any time. Launching on both and waiting afterwards (good) halves the round.
 *
 * The only difference is where the wait is. Needs two GPUs.
 *
 * Rule: idle-gpus. Metric that moves: GPUs at work at a time.
 *
 *   cudadvise run cudadvise-kernels idle-gpus --variant bad
 *   nsys profile -t cuda cudadvise-kernels idle-gpus --variant bad
 *
 * --size: elements of a state (default: a full wave of threads).
 */
#include "harness.h"
#include "pairs.h"

#define GPUS 2
#define ROUNDS 24576		/* long compared with a launch */
#define THREADS 256
#define CHECKED 4		/* each takes millions of rounds */

__global__ static void
mix_state(uint32_t *state, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		state[i] = mix_rounds(state[i], ROUNDS);
}

struct part {
	int device;
	cudaStream_t stream;
	uint32_t *state;
};

static cudaError_t
launch(const struct part *p, size_t n)
{
	unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
	cudaError_t e = cudaSetDevice(p->device);

	if (e != cudaSuccess)
		return e;
	mix_state<<<blocks, THREADS, 0, p->stream>>>(p->state, n);
	return cudaGetLastError();
}

/* Time is measured on the first GPU's stream, which is the job's. */
static cudaError_t
round_of(const struct part *part, size_t n, bool good)
{
	cudaError_t e = cudaSuccess;

	for (int g = 0; e == cudaSuccess && g < GPUS; g++) {
		e = launch(&part[g], n);
		if (e == cudaSuccess && !good)
			e = cudaStreamSynchronize(part[g].stream);
	}
	for (int g = 0; good && e == cudaSuccess && g < GPUS; g++)
		e = cudaStreamSynchronize(part[g].stream);
	return e != cudaSuccess ? e : cudaSetDevice(part[0].device);
}

static int
set_up(struct job *job, struct part *part, size_t n)
{
	for (int g = 0; g < GPUS; g++) {
		TRY(cudaSetDevice(part[g].device));
		if (g > 0)
			TRY(cudaStreamCreate(&part[g].stream));
		TRY(job_device(job, &part[g].state, n));
		TRY(cudaMemsetAsync(part[g].state, g, n * sizeof(uint32_t),
		    part[g].stream));
		TRY(cudaStreamSynchronize(part[g].stream));
	}
	TRY(cudaSetDevice(part[0].device));
	return 0;
}

PAIR(idle_gpus, "give every GPU its work before waiting for one",
    "GPUs at work at a time")
{
	struct part part[GPUS] = {};
	unsigned blocks;
	uint32_t *host;
	size_t n;

	TRY(job_wave(job, &blocks, mix_state, THREADS, 0));
	n = job->size ? job->size : (size_t)blocks * THREADS;
	TRY(job_second(job, &part[1].device));
	TRY(cudaGetDevice(&part[0].device));
	part[0].stream = job->stream;
	TRY(job_pinned(job, &host, n));
	if (set_up(job, part, n))
		return -1;

	TRY(job_measure(job, 200, [&] {
		return round_of(part, n, job->good);
	}));
	job->operations = (double)GPUS * (double)n * ROUNDS;

	for (int g = 0; g < GPUS; g++) {
		TRY(cudaMemcpy(host, part[g].state, n * sizeof(*host),
		    cudaMemcpyDeviceToHost));
		for (int s = 0; job->check && s < CHECKED; s++)
			check_word(job, job_pick(job, s, n), host[job_pick(job,
			    s, n)], mix_rounds(0x01010101u * (uint32_t)g,
			    job->calls * ROUNDS));
	}
	TRY(cudaStreamDestroy(part[1].stream));
	return 0;
}

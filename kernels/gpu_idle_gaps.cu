/*
 * Prepare the next batch while the GPU works on this one.
 *
 * The host makes a batch in pinned memory (about half a millisecond), the GPU
 * takes it in (about a millisecond), over and over. With one buffer (bad) the
 * host must wait until the GPU has done with it, and the GPU until the host has
 * filled it again; with two (good) both work all the time.
 *
 * The only difference is the number of buffers.
 *
 * Rule: gpu-idle-gaps. Metric that moves: GPU idle while the host computes.
 *
 *   cudadvise run cudadvise-kernels gpu-idle-gaps --variant bad
 *   nsys profile -t cuda cudadvise-kernels gpu-idle-gaps --variant bad
 *
 * --size: words of a batch (default: a full wave of threads).
 */
#include "harness.h"
#include "pairs.h"

#define ROUNDS 32768		/* about 1.2 ms on an H200 */
#define THREADS 256
#define SLOTS 2
#define CHECKED 16		/* elements: each takes millions of rounds */

struct slot {
	uint32_t *host, *device;
	cudaEvent_t done;	/* the GPU needs the buffers no longer */
};

__global__ static void
take_batch(const uint32_t *__restrict__ in, uint32_t *state, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		state[i] = mix_rounds(state[i] ^ in[i], ROUNDS);
}

static cudaError_t
give_batch(struct job *job, const struct slot *slot, uint32_t *state, size_t n)
{
	unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
	cudaError_t e = cudaMemcpyAsync(slot->device, slot->host,
	    n * sizeof(*state), cudaMemcpyHostToDevice, job->stream);

	if (e != cudaSuccess)
		return e;
	take_batch<<<blocks, THREADS, 0, job->stream>>>(slot->device, state, n);
	e = cudaGetLastError();
	return e != cudaSuccess ? e : cudaEventRecord(slot->done, job->stream);
}

PAIR(gpu_idle_gaps, "prepare the next batch while the GPU works on this one",
    "GPU idle while the host computes")
{
	int slots = job->good ? SLOTS : 1, batch = 0;
	struct slot slot[SLOTS] = {};
	uint32_t *state, *host;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, take_batch, THREADS, 0));
	n = job->size ? job->size : (size_t)blocks * THREADS;
	for (int s = 0; s < slots; s++) {
		TRY(job_pinned(job, &slot[s].host, n));
		TRY(job_device(job, &slot[s].device, n));
		TRY(cudaEventCreateWithFlags(&slot[s].done,
		    cudaEventDisableTiming));
	}
	TRY(job_output(job, &state, &host, n));

	TRY(job_measure(job, 300, [&] {
		struct slot *s = &slot[batch % slots];
		cudaError_t e = cudaEventSynchronize(s->done);

		if (e != cudaSuccess)
			return e;
		for (size_t i = 0; i < n; i++)
			s->host[i] = seeded(job->seed + batch, i);
		batch++;
		return give_batch(job, s, state, n);
	}));
	job->operations = (double)ROUNDS * n;

	TRY(job_fetch(job, host, state, n));
	for (int k = 0; job->check && k < CHECKED; k++) {
		uint64_t i = job_pick(job, k, n);
		uint32_t h = UINT32_MAX;	/* as poisoned */

		for (int b = 0; b < batch; b++)
			h = mix_rounds(h ^ seeded(job->seed + b, i), ROUNDS);
		check_word(job, i, host[i], h);
	}
	for (int s = 0; s < slots; s++)
		TRY(cudaEventDestroy(slot[s].done));
	return 0;
}

/*
 * Wait once, at the end.
 *
 * Each step makes a key on the host (a few µs) and launches a kernel of about
 * 25 µs with it. Waiting for the device after each launch (bad) leaves the GPU
 * idle while the host wakes up, makes the next key and launches; without the
 * wait (good) the host is ahead of the GPU all the time.
 *
 * The only difference is cudaDeviceSynchronize.
 *
 * Rule: device-sync-overuse. Metric that moves: GPU idle after synchronisation.
 *
 *   cudadvise run cudadvise-kernels device-sync-overuse --variant bad
 *   nsys profile -t cuda cudadvise-kernels device-sync-overuse --variant bad
 *
 * --size: elements of the state (default: a full wave of threads).
 * --repeat: hundreds of steps (default 80).
 */
#include "harness.h"
#include "pairs.h"

#define ROUNDS 640		/* about 25 µs on an H200 */
#define KEY_ROUNDS 1500		/* about 3 µs on the host */
#define STEPS 100		/* between two timing marks */
#define THREADS 256
#define CHECKED 16		/* elements: each takes millions of rounds */

__global__ static void
step_state(uint32_t *state, size_t n, uint32_t key)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		state[i] = mix_rounds(state[i] ^ key, ROUNDS);
}

PAIR(device_sync_overuse, "wait once, at the end",
    "GPU idle after synchronisation")
{
	uint32_t *state, *host, key = (uint32_t)job->seed;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, step_state, THREADS, 0));
	n = job->size ? job->size : (size_t)blocks * THREADS;
	blocks = (unsigned)((n + THREADS - 1) / THREADS);
	TRY(job_output(job, &state, &host, n));

	TRY(job_measure(job, 80, [&] {
		for (int k = 0; k < STEPS; k++) {
			cudaError_t e;

			key = mix_rounds(key, KEY_ROUNDS);
			step_state<<<blocks, THREADS, 0, job->stream>>>(state,
			    n, key);
			e = cudaGetLastError();
			if (e == cudaSuccess && !job->good)
				e = cudaDeviceSynchronize();
			if (e != cudaSuccess)
				return e;
		}
		return cudaSuccess;
	}));
	job->operations = (double)STEPS * ROUNDS * n;

	TRY(job_fetch(job, host, state, n));
	for (int s = 0; job->check && s < CHECKED; s++) {
		uint64_t i = job_pick(job, s, n);
		uint32_t h = UINT32_MAX;	/* as poisoned */

		key = (uint32_t)job->seed;
		for (int k = 0; k < job->calls * STEPS; k++) {
			key = mix_rounds(key, KEY_ROUNDS);
			h = mix_rounds(h ^ key, ROUNDS);
		}
		check_word(job, i, host[i], h);
	}
	return 0;
}

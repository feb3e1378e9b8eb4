/*
 * Copy a result back while the next kernel runs.
 *
 * Each step mixes a state and sends a snapshot of it to the host, which looks
 * at the snapshots only at the end. With cudaMemcpy (bad) the host waits for
 * the step and its copy, and only then launches the next step: the GPU is idle
 * meanwhile. With cudaMemcpyAsync on a second stream (good) the host runs
 * ahead, and each copy overlaps with the next step.
 *
 * The only difference is the kind of copy (and the events that order it).
 *
 * Rule: synchronous-copies. Metric that moves: GPU idle after the copies.
 *
 *   cudadvise run cudadvise-kernels synchronous-copies --variant bad
 *   nsys profile -t cuda cudadvise-kernels synchronous-copies --variant bad
 *
 * --size: elements of the state (default: a full wave of threads).
 * --repeat: hundreds of steps (default 50).
 */
#include "harness.h"
#include "pairs.h"

#define ROUNDS 768		/* about 30 µs on an H200 */
#define STEPS 100		/* between two timing marks */
#define SNAPSHOT 32768		/* words of the state that are sent back */
#define SLOTS 2			/* snapshots on the device, on their way */
#define THREADS 256
#define CHECKED 16		/* words of a slot: each takes millions of rounds */

/* One step: mixes the state, writes its first words to the snapshot too. */
__global__ static void
step_state(uint32_t *state, uint32_t *snapshot, size_t n, size_t shown)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t h;

	if (i >= n)
		return;
	h = mix_rounds(state[i], ROUNDS);
	state[i] = h;
	if (i < shown)
		snapshot[i] = h;
}

struct shuttle {
	cudaStream_t stream;	/* of the copies, in the good variant */
	cudaEvent_t written[SLOTS], copied[SLOTS];
	uint32_t *slot[SLOTS];
	uint32_t *host;		/* SLOTS snapshots */
	size_t words;		/* of one */
};

/* Send slot ${s} back; returns before the copy is done. */
static cudaError_t
send_async(struct job *job, struct shuttle *h, int s)
{
	cudaError_t e = cudaEventRecord(h->written[s], job->stream);

	if (e == cudaSuccess)
		e = cudaStreamWaitEvent(h->stream, h->written[s], 0);
	if (e == cudaSuccess)
		e = cudaMemcpyAsync(h->host + s * h->words, h->slot[s],
		    h->words * sizeof(*h->host), cudaMemcpyDeviceToHost,
		    h->stream);
	if (e == cudaSuccess)
		e = cudaEventRecord(h->copied[s], h->stream);
	return e;
}

/* Send slot ${s} back and wait for it. cudaMemcpy works on the default stream,
 * which waits for the job's, and the job's for it. */
static cudaError_t
send_sync(struct shuttle *h, int s)
{
	return cudaMemcpy(h->host + s * h->words, h->slot[s],
	    h->words * sizeof(*h->host), cudaMemcpyDeviceToHost);
}

static int
shuttle_open(struct job *job, struct shuttle *h, size_t words)
{
	h->words = words;
	TRY(cudaStreamCreateWithFlags(&h->stream, cudaStreamNonBlocking));
	for (int s = 0; s < SLOTS; s++) {
		TRY(cudaEventCreateWithFlags(&h->written[s],
		    cudaEventDisableTiming));
		TRY(cudaEventCreateWithFlags(&h->copied[s],
		    cudaEventDisableTiming));
		TRY(job_device(job, &h->slot[s], words));
	}
	TRY(job_pinned(job, &h->host, SLOTS * words));
	return 0;
}

static int
shuttle_close(struct shuttle *h)
{
	for (int s = 0; s < SLOTS; s++) {
		TRY(cudaEventDestroy(h->written[s]));
		TRY(cudaEventDestroy(h->copied[s]));
	}
	TRY(cudaStreamDestroy(h->stream));
	return 0;
}

/* Each slot holds the state after one of the last steps. */
static void
check_slots(struct job *job, const struct shuttle *h)
{
	int steps = job->calls * STEPS;

	for (int k = 0; k < CHECKED; k++) {
		uint64_t i = job_pick(job, k, h->words);
		uint32_t state = seeded(job->seed, i);

		for (int step = 0; step < steps; step++) {
			state = mix_rounds(state, ROUNDS);
			if (step >= steps - SLOTS)
				check_word(job, i, h->host[step % SLOTS *
				    h->words + i], state);
		}
	}
}

PAIR(synchronous_copies, "copy a result back while the next kernel runs",
    "GPU idle after copies")
{
	struct shuttle h = {};
	uint32_t *state;
	unsigned blocks;
	size_t n;
	int step = 0;

	TRY(job_wave(job, &blocks, step_state, THREADS, 0));
	n = job->size ? job->size : (size_t)blocks * THREADS;
	blocks = (unsigned)((n + THREADS - 1) / THREADS);
	if (shuttle_open(job, &h, n < SNAPSHOT ? n : SNAPSHOT))
		return -1;
	TRY(job_device(job, &state, n));
	TRY(fill_words(job, state, n, job->seed));

	TRY(job_measure(job, 50, [&] {
		cudaError_t e = cudaSuccess;

		for (int k = 0; e == cudaSuccess && k < STEPS; k++, step++) {
			int s = step % SLOTS;

			/* Waiting for an event that was never recorded takes no time. */
			if (job->good)
				e = cudaStreamWaitEvent(job->stream,
				    h.copied[s], 0);
			if (e != cudaSuccess)
				break;
			step_state<<<blocks, THREADS, 0, job->stream>>>(state,
			    h.slot[s], n, h.words);
			e = cudaGetLastError();
			if (e == cudaSuccess)
				e = job->good ? send_async(job, &h, s) :
				    send_sync(&h, s);
		}
		return e;
	}));
	job->operations = (double)STEPS * ROUNDS * n;
	TRY(cudaStreamSynchronize(h.stream));
	if (job->check)
		check_slots(job, &h);
	return shuttle_close(&h);
}

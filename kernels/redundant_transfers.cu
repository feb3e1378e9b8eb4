/*
 * Leave data on the device that only kernels read.
 *
 * Each step mixes a state of 16 MiB into the next one. Sending the state to the
 * GPU before each step and fetching the next one after it (bad) moves 32 MiB
 * over the host's link a step, though the host does nothing but swap the two
 * buffers. With the state on the device, where the buffers are swapped instead
 * (good), nothing moves until the end.
 *
 * The only difference is the copies, and on which side the swap is.
 *
 * Rule: redundant-transfers. Metric that moves: bytes copied.
 *
 *   cudadvise run cudadvise-kernels redundant-transfers --variant bad
 *   nsys profile -t cuda cudadvise-kernels redundant-transfers --variant bad
 *
 * --size: words of the state (default: 4 Mi).
 */
#include "harness.h"
#include "pairs.h"

#define STEPS 4			/* between two timing marks */
#define ROUNDS 4
#define THREADS 256
#define CHECKED 256

__global__ static void
next_state(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = mix_rounds(in[i], ROUNDS);
}

template<typename T> static void
swap(T *a, T *b)
{
	T old = *a;

	*a = *b;
	*b = old;
}

struct states {
	uint32_t *in, *out;		/* on the device */
	uint32_t *now, *next;		/* on the host */
	size_t n;
};

static cudaError_t
step(struct job *job, struct states *s)
{
	unsigned blocks = (unsigned)((s->n + THREADS - 1) / THREADS);
	size_t bytes = s->n * sizeof(*s->in);
	cudaError_t e = cudaSuccess;

	if (!job->good)
		e = cudaMemcpyAsync(s->in, s->now, bytes,
		    cudaMemcpyHostToDevice, job->stream);
	if (e != cudaSuccess)
		return e;
	next_state<<<blocks, THREADS, 0, job->stream>>>(s->in, s->out, s->n);
	e = cudaGetLastError();
	if (job->good) {
		swap(&s->in, &s->out);
		return e;
	}
	if (e == cudaSuccess)
		e = cudaMemcpyAsync(s->next, s->out, bytes,
		    cudaMemcpyDeviceToHost, job->stream);
	swap(&s->now, &s->next);
	return e;
}

PAIR(redundant_transfers, "leave data on the device that only kernels read",
    "bytes copied")
{
	struct states s = {};
	uint64_t steps;

	s.n = job->size ? job->size : (size_t)4 << 20;
	TRY(job_pinned(job, &s.now, s.n));
	TRY(job_pinned(job, &s.next, s.n));
	TRY(job_device(job, &s.in, s.n));
	TRY(job_device(job, &s.out, s.n));
	for (size_t i = 0; i < s.n; i++) {
		s.now[i] = seeded(job->seed, i);
		s.next[i] = UINT32_MAX;
	}
	if (job->good)
		TRY(cudaMemcpyAsync(s.in, s.now, s.n * sizeof(*s.in),
		    cudaMemcpyHostToDevice, job->stream));

	TRY(job_measure(job, 100, [&] {
		cudaError_t e = cudaSuccess;

		for (int k = 0; e == cudaSuccess && k < STEPS; k++)
			e = step(job, &s);
		return e;
	}));
	steps = (uint64_t)job->calls * STEPS;

	if (job->good)
		TRY(job_fetch(job, s.next, s.in, s.n));
	else
		swap(&s.now, &s.next);
	for (int k = 0; job->check && k < CHECKED; k++) {
		uint64_t i = job_pick(job, k, s.n);

		check_word(job, i, s.next[i], mix_rounds(seeded(job->seed, i),
		    (int)(steps * ROUNDS)));
	}
	return 0;
}

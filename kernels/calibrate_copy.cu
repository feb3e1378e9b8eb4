/*
 * calibrate_copy.cu: the time of copies of each size, from the call to the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"
#include "harness.h"

#define LARGEST ((size_t)256 << 20)
#define SMALLEST ((size_t)4 << 10)
#define REPS_MOST 50
#define REPS_LEAST 5

struct buffers {
	uint32_t *device, *pinned, *pageable;
};

static int
time_copy(struct job *job, void *to, const void *from, size_t bytes,
    enum cudaMemcpyKind kind, double *median)
{
	double v[REPS_MOST];
	size_t fit = ((size_t)64 << 20) / bytes;
	int reps = fit > REPS_MOST ? REPS_MOST :
	    fit < REPS_LEAST ? REPS_LEAST : (int)fit;

	for (int r = -1; r < reps; r++) {
		double start = now_s();

		TRY(cudaMemcpyAsync(to, from, bytes, kind, job->stream));
		TRY(cudaStreamSynchronize(job->stream));
		if (r >= 0)
			v[r] = now_s() - start;
	}
	*median = median_of(v, reps);
	return 0;
}

static int
same(const struct buffers *b, size_t bytes)
{
	if (!memcmp(b->pinned, b->pageable, bytes))
		return 0;
	fprintf(stderr, "cudadvise-kernels: a copy of %zu bytes came back "
	    "changed\n", bytes);
	return -1;
}

/* The pinned buffer's content goes to the GPU and comes back to the pageable
 * one, then the other way round. */
static int
one_size(struct job *job, const struct buffers *b, size_t bytes, double *s)
{
	memset(b->pageable, 0xa5, bytes);
	if (time_copy(job, b->device, b->pinned, bytes,
	    cudaMemcpyHostToDevice, &s[PINNED_H2D]) ||
	    time_copy(job, b->pageable, b->device, bytes,
	    cudaMemcpyDeviceToHost, &s[PAGEABLE_D2H]) || same(b, bytes))
		return -1;
	TRY(cudaMemset(b->device, 0x5a, bytes));
	if (time_copy(job, b->device, b->pageable, bytes,
	    cudaMemcpyHostToDevice, &s[PAGEABLE_H2D]))
		return -1;
	memset(b->pinned, 0xa5, bytes);
	if (time_copy(job, b->pinned, b->device, bytes,
	    cudaMemcpyDeviceToHost, &s[PINNED_D2H]))
		return -1;
	return same(b, bytes);
}

/* The largest size for which this machine has the memory. */
static size_t
allocate(struct job *job, struct buffers *b)
{
	for (size_t bytes = LARGEST; bytes >= SMALLEST; bytes /= 4) {
		b->pageable = (uint32_t *)malloc(bytes);
		if (b->pageable &&
		    job_device(job, &b->device, bytes / 4) == cudaSuccess &&
		    job_pinned(job, &b->pinned, bytes / 4) == cudaSuccess)
			return bytes;
		free(b->pageable);
		b->pageable = NULL;
		/* The failure is handled here, not to be found later. */
		(void)cudaGetLastError();
		if (job_drop(job) != cudaSuccess)
			return 0;
	}
	return 0;
}

int
calibrate_copies(struct job *job, struct measured *m)
{
	struct buffers b = {};
	size_t largest = allocate(job, &b);
	int rc = 0;

	if (!largest) {
		fprintf(stderr, "cudadvise-kernels: no memory to copy\n");
		return -1;
	}
	for (size_t i = 0; i < largest / 4; i++)
		b.pinned[i] = seeded(job->seed, i);
	for (size_t bytes = SMALLEST; !rc && bytes <= largest; bytes *= 4) {
		m->bytes[m->copies] = bytes;
		rc = one_size(job, &b, bytes, m->copy_s[m->copies]);
		m->copies++;
	}
	m->copy_fixed_s = m->copy_s[0][PINNED_H2D];
	free(b.pageable);
	TRY(job_drop(job));
	return rc;
}

/*
 * calibrate_host.cu: the time that launches, waits and allocations take.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "calibrate.h"
#include "harness.h"

#define REPS 21
#define LAUNCHES 100		/* in a row: fewer than the queue takes */
#define SYNCS 200
#define ALLOCATION ((size_t)16 << 20)
#define SKEW_NS 2000		/* between the timers of two SMs, at most */
#define BLOCKER_NS 3000000	/* long enough to enqueue LAUNCHES behind it */

static __device__ inline unsigned long long
timer_ns(void)
{
	unsigned long long ns;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns) :: "memory");
	return ns;
}

__global__ static void
count_up(unsigned *count)
{
	*count += 1;
}

__global__ static void
block_for(unsigned long long ns)
{
	unsigned long long start = timer_ns();

	while (timer_ns() - start < ns)
		;
}

/* Records when its only thread starts and ends. */
__global__ static void
note_times(unsigned long long *at)
{
	at[0] = timer_ns();
	at[1] = timer_ns();
}

/* The host's share of a launch. The kernels are shorter than that, so that the
 * queue never fills. */
static int
measure_launch(struct job *job, struct measured *m)
{
	unsigned *count, *host;
	double v[REPS];

	TRY(job_device(job, &count, 1));
	TRY(job_pinned(job, &host, 1));
	TRY(cudaMemsetAsync(count, 0, sizeof(*count), job->stream));
	for (int r = -1; r < REPS; r++) {
		double start;

		TRY(cudaStreamSynchronize(job->stream));
		start = now_s();
		for (int i = 0; i < LAUNCHES; i++)
			count_up<<<1, 1, 0, job->stream>>>(count);
		if (r >= 0)
			v[r] = (now_s() - start) / LAUNCHES;
		TRY(cudaGetLastError());
	}
	m->launch_s = median_of(v, REPS);
	TRY(job_fetch(job, host, count, 1));
	check_word(job, 0, *host, (REPS + 1) * LAUNCHES);
	TRY(job_drop(job));
	return 0;
}

/* LAUNCHES kernels that note their times, one after the other. */
static cudaError_t
enqueue_notes(struct job *job, unsigned long long *at)
{
	cudaError_t e = cudaSuccess;

	for (int i = 0; e == cudaSuccess && i < LAUNCHES; i++) {
		note_times<<<1, 1, 0, job->stream>>>(at + 2 * i);
		e = cudaGetLastError();
	}
	return e;
}

static cudaError_t
capture_notes(struct job *job, unsigned long long *at, cudaGraphExec_t *exec)
{
	cudaGraph_t graph = NULL;
	cudaError_t e = cudaStreamBeginCapture(job->stream,
	    cudaStreamCaptureModeThreadLocal), end;

	if (e != cudaSuccess)
		return e;
	e = enqueue_notes(job, at);
	end = cudaStreamEndCapture(job->stream, &graph);
	if (e == cudaSuccess)
		e = end;
	if (e == cudaSuccess)
		e = cudaGraphInstantiate(exec, graph, 0);
	if (graph) {
		end = cudaGraphDestroy(graph);
		if (e == cudaSuccess)
			e = end;
	}
	return e;
}

/*
 * The time from one kernel's last instruction to the next one's first. All are
 * enqueued behind a kernel that blocks the stream, so that the host delays none.
 * The mean over many, since the GPU's timer may tick in microseconds.
 */
static int
measure_gap(struct job *job, bool graph, double *gap)
{
	unsigned long long *at, *host;
	cudaGraphExec_t exec = NULL;
	double v[REPS];

	TRY(job_output(job, &at, &host, 2 * LAUNCHES));
	if (graph)
		TRY(capture_notes(job, at, &exec));
	for (int r = -1; r < REPS; r++) {
		double sum = 0;

		block_for<<<1, 1, 0, job->stream>>>(BLOCKER_NS);
		TRY(cudaGetLastError());
		TRY(graph ? cudaGraphLaunch(exec, job->stream) :
		    enqueue_notes(job, at));
		TRY(job_fetch(job, host, at, 2 * LAUNCHES));
		for (int i = 0; i < LAUNCHES - 1; i++) {
			long long idle = (long long)(host[2 * i + 2] -
			    host[2 * i + 1]);

			/* Otherwise something else was timed. */
			if (host[2 * i + 2] == ULLONG_MAX || idle < -SKEW_NS) {
				fprintf(stderr, "cudadvise-kernels: kernels of "
				    "one stream ran out of order\n");
				return -1;
			}
			sum += (double)idle;
		}
		if (r >= 0)
			v[r] = sum / (LAUNCHES - 1) / 1e9;
	}
	*gap = median_of(v, REPS);
	if (graph)
		TRY(cudaGraphExecDestroy(exec));
	TRY(job_drop(job));
	return 0;
}

static int
measure_sync(struct job *job, struct measured *m)
{
	double v[REPS];

	TRY(cudaStreamSynchronize(job->stream));
	for (int r = -1; r < REPS; r++) {
		double start = now_s();

		for (int i = 0; i < SYNCS; i++)
			TRY(cudaDeviceSynchronize());
		if (r >= 0)
			v[r] = (now_s() - start) / SYNCS;
	}
	m->sync_s = median_of(v, REPS);
	return 0;
}

static int
measure_allocation(struct measured *m)
{
	double malloc_s[REPS], free_s[REPS];

	for (int r = -1; r < REPS; r++) {
		double start = now_s(), middle;
		void *p;

		TRY(cudaMalloc(&p, ALLOCATION));
		middle = now_s();
		TRY(cudaFree(p));
		if (r >= 0) {
			malloc_s[r] = middle - start;
			free_s[r] = now_s() - middle;
		}
	}
	m->malloc_s = median_of(malloc_s, REPS);
	m->free_s = median_of(free_s, REPS);
	return 0;
}

int
calibrate_host(struct job *job, struct measured *m)
{
	if (measure_launch(job, m) ||
	    measure_gap(job, false, &m->launch_gap_s) ||
	    measure_gap(job, true, &m->graph_node_gap_s) ||
	    measure_sync(job, m))
		return -1;
	return measure_allocation(m);
}

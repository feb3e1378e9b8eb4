/*
 * Launch a repeating sequence as one graph.
 *
 * A sequence of 20 kernels of a microsecond each repeats thousands of times.
 * Launched one by one (bad), each costs the host more than the GPU, which waits
 * for the next; captured once and launched as a graph (good), one call starts
 * all 20.
 *
 * The only difference is the graph.
 *
 * Rule: launch-bound-graph-candidate. Metric that moves: GPU idle between the
 * kernels of the sequence.
 *
 *   cudadvise run cudadvise-kernels launch-bound-graph-candidate --variant bad
 *   nsys profile -t cuda \
 *     cudadvise-kernels launch-bound-graph-candidate --variant bad
 *
 * --size: elements of the state (default: a full wave of threads).
 * --repeat: fifties of sequences (default 80).
 */
#include "harness.h"
#include "pairs.h"

#define SEQUENCE 20		/* kernels */
#define TIMES 50		/* sequences between two timing marks */
#define THREADS 1024
#define CHECKED 256

__global__ static void
tiny_step(uint32_t *state, size_t n, uint32_t key)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		state[i] = mix(state[i] ^ key);
}

static cudaError_t
launch_sequence(struct job *job, uint32_t *state, size_t n)
{
	unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
	cudaError_t e = cudaSuccess;

	for (uint32_t k = 0; e == cudaSuccess && k < SEQUENCE; k++) {
		tiny_step<<<blocks, THREADS, 0, job->stream>>>(state, n, k);
		e = cudaGetLastError();
	}
	return e;
}

/* The sequence as a graph; nothing runs yet. */
static cudaError_t
capture_sequence(struct job *job, uint32_t *state, size_t n,
    cudaGraphExec_t *exec)
{
	cudaGraph_t graph = NULL;
	cudaError_t e, first;

	e = cudaStreamBeginCapture(job->stream,
	    cudaStreamCaptureModeThreadLocal);
	if (e != cudaSuccess)
		return e;
	first = launch_sequence(job, state, n);
	e = cudaStreamEndCapture(job->stream, &graph);
	if (first == cudaSuccess)
		first = e;
	if (first == cudaSuccess)
		first = cudaGraphInstantiate(exec, graph, 0);
	if (first == cudaSuccess)
		first = cudaGraphUpload(*exec, job->stream);
	if (graph && (e = cudaGraphDestroy(graph)) != cudaSuccess &&
	    first == cudaSuccess)
		first = e;
	return first;
}

PAIR(launch_bound_graph_candidate, "launch a repeating sequence as one graph",
    "GPU idle between kernels")
{
	cudaGraphExec_t exec = NULL;
	uint32_t *state, *host;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, tiny_step, THREADS, 0));
	n = job->size ? job->size : (size_t)blocks * THREADS;
	TRY(job_output(job, &state, &host, n));
	if (job->good)
		TRY(capture_sequence(job, state, n, &exec));

	TRY(job_measure(job, 80, [&] {
		cudaError_t e = cudaSuccess;

		for (int k = 0; e == cudaSuccess && k < TIMES; k++)
			e = job->good ? cudaGraphLaunch(exec, job->stream) :
			    launch_sequence(job, state, n);
		return e;
	}));

	TRY(job_fetch(job, host, state, n));
	for (int s = 0; job->check && s < CHECKED; s++) {
		uint64_t i = job_pick(job, s, n);
		uint32_t h = UINT32_MAX;	/* as poisoned */

		for (int k = 0; k < job->calls * TIMES * SEQUENCE; k++)
			h = mix(h ^ (uint32_t)(k % SEQUENCE));
		check_word(job, i, host[i], h);
	}
	if (job->good)
		TRY(cudaGraphExecDestroy(exec));
	return 0;
}

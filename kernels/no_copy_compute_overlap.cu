/*
 * Cut the work into chunks and use several streams.
 *
 * Each round sends 64 MiB to the GPU and computes on it for about as long as
 * the copy takes. In one piece on one stream (bad) the kernel waits for the
 * copy, and the next copy for the kernel. In four pieces on four streams (good)
 * one piece is copied while another is computed on.
 *
 * The only difference is the number of pieces, each with its stream.
 *
 * Rule: no-copy-compute-overlap. Metric that moves: share of the copy time
 * during which a kernel runs.
 *
 *   cudadvise run cudadvise-kernels no-copy-compute-overlap --variant bad
 *   nsys profile -t cuda cudadvise-kernels no-copy-compute-overlap --variant bad
 *
 * --size: words (default: 16 Mi).
 */
#include "harness.h"
#include "pairs.h"

#define ROUNDS 512		/* about 1.2 ms for 16 Mi words on an H200 */
#define THREADS 256
#define PIECES 4
#define CHECKED 1024

__global__ static void
mix_piece(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = mix_rounds(in[i], ROUNDS);
}

struct piece {
	cudaStream_t stream;
	cudaEvent_t done;
	size_t at, n;
};

static cudaError_t
send_and_mix(const struct piece *p, const uint32_t *from, uint32_t *in,
    uint32_t *out)
{
	unsigned blocks = (unsigned)((p->n + THREADS - 1) / THREADS);
	cudaError_t e = cudaMemcpyAsync(in + p->at, from + p->at,
	    p->n * sizeof(*in), cudaMemcpyHostToDevice, p->stream);

	if (e != cudaSuccess)
		return e;
	mix_piece<<<blocks, THREADS, 0, p->stream>>>(in + p->at, out + p->at,
	    p->n);
	return cudaGetLastError();
}

/* The job's stream, on which time is measured, waits for all pieces. */
static cudaError_t
join_pieces(struct job *job, struct piece *piece, int pieces)
{
	cudaError_t e = cudaSuccess;

	for (int p = 0; e == cudaSuccess && p < pieces; p++) {
		e = cudaEventRecord(piece[p].done, piece[p].stream);
		if (e == cudaSuccess)
			e = cudaStreamWaitEvent(job->stream, piece[p].done, 0);
	}
	return e;
}

PAIR(no_copy_compute_overlap, "cut the work into chunks and use several streams",
    "copy time hidden behind kernels")
{
	size_t n = job->size ? job->size : (size_t)16 << 20;
	int pieces = job->good && n >= PIECES ? PIECES : 1;
	struct piece piece[PIECES] = {};
	uint32_t *from, *in, *out, *host;

	TRY(job_pinned(job, &from, n));
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &out, &host, n));
	for (size_t i = 0; i < n; i++)
		from[i] = seeded(job->seed, i);
	for (int p = 0; p < pieces; p++) {
		piece[p].at = n / pieces * p;
		piece[p].n = p == pieces - 1 ? n - piece[p].at : n / pieces;
		TRY(cudaStreamCreateWithFlags(&piece[p].stream,
		    cudaStreamNonBlocking));
		TRY(cudaEventCreateWithFlags(&piece[p].done,
		    cudaEventDisableTiming));
	}
	/* The poison must lie there before other streams write results. */
	TRY(cudaStreamSynchronize(job->stream));

	/* Rounds follow each other without a wait between streams. */
	TRY(job_measure(job, 150, [&] {
		cudaError_t e = cudaSuccess;

		for (int p = 0; e == cudaSuccess && p < pieces; p++)
			e = send_and_mix(&piece[p], from, in, out);
		return e != cudaSuccess ? e : join_pieces(job, piece, pieces);
	}));
	job->bytes = (double)n * sizeof(*in);
	job->operations = (double)n * ROUNDS;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < CHECKED; s++) {
		uint64_t i = job_pick(job, s, n);

		check_word(job, i, host[i],
		    mix_rounds(seeded(job->seed, i), ROUNDS));
	}
	for (int p = 0; p < pieces; p++) {
		TRY(cudaEventDestroy(piece[p].done));
		TRY(cudaStreamDestroy(piece[p].stream));
	}
	return 0;
}

/*
 * One word of padding takes a column out of a single bank.
 *
 * Each block turns its tile of 32 × 32 words over the diagonal again and again:
 * rows are written to shared memory, columns are read. With rows of 32 words
 * (bad) a column lies in one bank, and a warp reads it in 32 steps; with rows
 * of 33 (good) it lies in 32 banks, and a warp reads it in one.
 *
 * The only difference is the padding.
 *
 * Rule: shared-bank-conflicts. Metric that moves: wavefronts per shared load,
 * 32 against 1.
 *
 *   cudadvise run cudadvise-kernels shared-bank-conflicts --variant bad
 *   ncu --metrics l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,\
 *     smsp__inst_executed_op_shared_ld.sum \
 *     cudadvise-kernels shared-bank-conflicts --variant bad --once
 *
 * --size: tiles (default: a full wave of blocks).
 */
#include "harness.h"
#include "pairs.h"

#define TILE 32
#define ROWS 8			/* of a block; each thread has TILE / ROWS words */
#define TURNS 513		/* odd, so that the result is turned */

template<int PAD>
__global__ static void
turn_tiles(const uint32_t *__restrict__ in, uint32_t *__restrict__ out)
{
	__shared__ uint32_t tile[TILE][TILE + PAD];
	size_t base = (size_t)blockIdx.x * TILE * TILE;
	int x = threadIdx.x, y = threadIdx.y;
	uint32_t v[TILE / ROWS];

	for (int k = 0; k < TILE / ROWS; k++)
		v[k] = in[base + (y + k * ROWS) * TILE + x];
#pragma unroll 1
	for (int t = 0; t < TURNS; t++) {
		for (int k = 0; k < TILE / ROWS; k++)
			tile[y + k * ROWS][x] = v[k] + t;
		__syncthreads();
		for (int k = 0; k < TILE / ROWS; k++)
			v[k] = tile[x][y + k * ROWS]; /* HERE */
		__syncthreads();
	}
	for (int k = 0; k < TILE / ROWS; k++)
		out[base + (y + k * ROWS) * TILE + x] = v[k];
}

PAIR(shared_bank_conflicts, "one word of padding takes a column out of a single bank",
    "shared wavefronts per instruction")
{
	auto kernel = job->good ? turn_tiles<1> : turn_tiles<0>;
	uint32_t *in, *out, *host;
	dim3 block(TILE, ROWS);
	unsigned tiles;
	size_t n;

	TRY(job_wave(job, &tiles, kernel, TILE * ROWS, 0));
	if (job->size)
		tiles = (unsigned)job->size;
	n = (size_t)tiles * TILE * TILE;
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, n, job->seed));

	TRY(job_measure(job, 200, [&] {
		kernel<<<tiles, block, 0, job->stream>>>(in, out);
		return cudaGetLastError();
	}));
	/* Written and read once a turn. */
	job->bytes = 2.0 * n * sizeof(*in) * TURNS;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n), in_tile = i % (TILE * TILE);
		uint64_t from = i - in_tile + in_tile % TILE * TILE +
		    in_tile / TILE;

		check_word(job, i, host[i], seeded(job->seed, from) +
		    TURNS * (TURNS - 1) / 2);
	}
	return 0;
}

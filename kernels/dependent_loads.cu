/*
 * Load the index of the next iteration before this iteration waits for the data at its
 * own index.
 *
 * Each warp walks a list of rows: it loads the number of a row, then the data of that
 * row, and adds it up, until the sum is beyond a limit (which it never is; the compiler
 * does not know, and loads nothing ahead). Two memory latencies follow each other in
 * each iteration (bad); or the number of the next row is loaded one iteration ahead
 * (good), and its latency overlaps with the other one.
 *
 * The only difference is in which iteration the number is loaded.
 *
 * Rule: dependent-loads. Metric that moves: stall long_scoreboard at the use of the
 * number; DRAM throughput.
 *
 *   cudadvise run --level source cudadvise-kernels dependent-loads --variant bad
 *   ncu --section SourceCounters --section WarpStateStats --import-source yes \
 *     cudadvise-kernels dependent-loads --variant bad --once
 *
 * --size: blocks (default: half a wave, eight warps per scheduler of an H200: a
 * problem that is too small to have more).
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define LANES 32
#define STEPS 512
#define ROWS (1u << 21)		/* of 128 bytes: beyond any cache */

/* The row that a warp reads in iteration ${step}. */
static __host__ __device__ inline uint32_t
row_of(uint64_t seed, uint64_t warp, int step)
{
	return seeded(seed, warp * (STEPS + 1) + step) % ROWS;
}

__global__ static void
fill_rows(uint32_t *number, size_t threads, uint64_t seed)
{
	size_t t = (size_t)blockIdx.x * THREADS + threadIdx.x;

	for (int k = 0; k <= STEPS; k++)
		number[k * threads + t] = row_of(seed, t / LANES, k) * LANES +
		    t % LANES;
}

template<bool AHEAD>
__global__ static void
walk_rows(const uint32_t *__restrict__ number, const float *__restrict__ weight,
    const float *__restrict__ value, float *__restrict__ out, int steps,
    float limit)
{
	size_t threads = (size_t)gridDim.x * THREADS;
	size_t t = (size_t)blockIdx.x * THREADS + threadIdx.x;
	uint32_t next = number[t];
	float sum = 0;

	for (int k = 0; k < steps; k++) {
		uint32_t i = AHEAD ? next : number[k * threads + t]; /* HERE */

		if (AHEAD)
			next = number[(k + 1) * threads + t];
		sum += weight[i] * value[i]; /* HERE */
		if (sum > limit)
			break;
	}
	out[t] = sum;
}

PAIR(dependent_loads, "load the next index before waiting for this one's value",
    "stalls for results from memory, DRAM throughput")
{
	auto kernel = job->good ? walk_rows<true> : walk_rows<false>;
	const size_t cells = (size_t)ROWS * LANES;
	float *weight, *value, *out, *host;
	uint32_t *number;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, walk_rows<false>, THREADS, 0));
	blocks = job->size ? (unsigned)job->size : (blocks + 1) / 2;
	n = (size_t)blocks * THREADS;
	TRY(job_device(job, &number, n * (STEPS + 1)));
	TRY(job_device(job, &weight, cells));
	TRY(job_device(job, &value, cells));
	TRY(job_output(job, &out, &host, n));
	fill_rows<<<blocks, THREADS, 0, job->stream>>>(number, n, job->seed);
	TRY(cudaGetLastError());
	TRY(fill_floats(job, weight, cells, job->seed ^ 0x77));
	TRY(fill_floats(job, value, cells, job->seed ^ 0x76));

	TRY(job_measure(job, 300, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(number, weight,
		    value, out, STEPS, 2.0f * STEPS);
		return cudaGetLastError();
	}));
	job->bytes = 3.0 * STEPS * n * sizeof(float);

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t i = job_pick(job, s, n);
		double want = 0;

		for (int k = 0; k < STEPS; k++) {
			uint64_t at = (uint64_t)row_of(job->seed, i / LANES,
			    k) * LANES + i % LANES;

			want += (double)seeded_float(job->seed ^ 0x77, at) *
			    seeded_float(job->seed ^ 0x76, at);
		}
		check_float(job, i, host[i], want, 1e-4);
	}
	return 0;
}

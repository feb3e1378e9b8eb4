/*
 * Start a warp's accesses at a sector boundary.
 *
 * Records of 256 bytes hold a header of one word and 32 samples, and each warp
 * adds up the samples of its records. With the header in front (bad) the
 * samples start 4 bytes after the record: 128 bytes lie in 5 sectors and two
 * lines. With the header behind them (good) they lie in 4 sectors of one line.
 *
 * The only difference is where in the record the samples start.
 *
 * Rule: misaligned-access. Metric that moves: sectors per request of global
 * loads, 5 against 4; traffic of L2 and DRAM follows.
 *
 *   cudadvise run --level source cudadvise-kernels misaligned-access \
 *     --variant bad
 *   ncu --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,\
 *     l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum \
 *     cudadvise-kernels misaligned-access --variant bad --once
 *
 * --size: records a warp (default 512); a full wave of warps.
 */
#include <algorithm>
#include <limits.h>

#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define RECORD 64		/* words; more than header and samples */
#define LANES 32		/* samples of a record */
#define ROUNDS 512		/* records of a warp */

template<int FIRST>
__global__ static void
sum_samples(const float *__restrict__ data, float *__restrict__ out, int rounds)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	size_t step = (size_t)gridDim.x * (THREADS / LANES) * RECORD;
	const float *sample = data + (size_t)(t / LANES) * RECORD +
	    FIRST + t % LANES;
	float sum = 0;

#pragma unroll 8
	for (int r = 0; r < rounds; r++)
		sum += sample[r * step]; /* HERE */
	out[t] = sum;
}

PAIR(misaligned_access, "start a warp's accesses at a sector boundary",
    "sectors per global load request")
{
	auto kernel = job->good ? sum_samples<0> : sum_samples<1>;
	int first = job->good ? 0 : 1;
	int rounds = (int)std::min<uint64_t>(job->size, INT_MAX);
	float *data, *out, *host;
	size_t threads, records;
	unsigned blocks;

	if (!rounds)
		rounds = ROUNDS;
	TRY(job_wave(job, &blocks, kernel, THREADS, 0));
	threads = (size_t)blocks * THREADS;
	records = threads / LANES * rounds;
	TRY(job_device(job, &data, records * RECORD));
	TRY(job_output(job, &out, &host, threads));
	TRY(fill_floats(job, data, records * RECORD, job->seed));

	TRY(job_measure(job, 1200, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(data, out, rounds);
		return cudaGetLastError();
	}));
	job->bytes = (double)records * LANES * sizeof(*data);

	TRY(job_fetch(job, host, out, threads));
	for (int s = 0; job->check && s < JOB_SAMPLES; s++) {
		uint64_t t = job_pick(job, s, threads);
		double want = 0;

		for (int r = 0; r < rounds; r++)
			want += seeded_float(job->seed, (t / LANES +
			    r * (threads / LANES)) * RECORD + first +
			    t % LANES);
		check_float(job, t, host[t], want, 1e-3);
	}
	return 0;
}

/*
 * calibrate_throughput.cu: peak rates of memory and pipes, when nothing else
 * limits them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "calibrate.h"
#include "harness.h"

#define THREADS 256
#define LAPS 20
#define SAMPLES 64

/* A large copy: bytes read plus bytes written. */

#define COPY_EACH 4		/* 16-byte words a thread */
#define COPY_WORDS ((size_t)COPY_EACH * THREADS)	/* of a block */

__global__ static void
copy_wide(const uint4 *__restrict__ in, uint4 *__restrict__ out)
{
	size_t at = blockIdx.x * COPY_WORDS + threadIdx.x;
	uint4 v[COPY_EACH];

#pragma unroll
	for (int k = 0; k < COPY_EACH; k++)
		v[k] = in[at + k * THREADS];
#pragma unroll
	for (int k = 0; k < COPY_EACH; k++)
		out[at + k * THREADS] = v[k];
}

static int
measure_dram(struct job *job, struct measured *m)
{
	size_t room, total, bytes = (size_t)1 << 30, words;
	uint32_t *in, *out, *host;
	unsigned blocks;

	TRY(cudaMemGetInfo(&room, &total));
	while (bytes > room / 4)
		bytes /= 2;
	words = bytes / sizeof(*in);
	blocks = (unsigned)(bytes / (COPY_WORDS * sizeof(uint4)));
	TRY(job_device(job, &in, words));
	TRY(job_device(job, &out, words));
	TRY(job_pinned(job, &host, 1));
	TRY(fill_words(job, in, words, job->seed));
	TRY(cudaMemsetAsync(out, 0xff, bytes, job->stream));
	TRY(job_measure(job, LAPS, [&] {
		copy_wide<<<blocks, THREADS, 0, job->stream>>>(
		    (const uint4 *)in, (uint4 *)out);
		return cudaGetLastError();
	}));
	m->dram_bytes_per_s = 2.0 * (double)bytes / job->median_s;
	for (int s = 0; s < SAMPLES; s++) {
		uint64_t i = job_pick(job, s, words);

		TRY(job_fetch(job, host, out + i, 1));
		check_word(job, i, *host, seeded(job->seed, i));
	}
	TRY(job_drop(job));
	return 0;
}

/* Reads of a working set that lies in L2, past L1. */

#define L2_PASSES 256

__global__ static void
read_cached(const uint4 *__restrict__ in, size_t n, uint32_t *__restrict__ out)
{
	size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	size_t step = (size_t)gridDim.x * blockDim.x;
	uint4 sum = make_uint4(0, 0, 0, 0);

	for (int pass = 0; pass < L2_PASSES; pass++) {
#pragma unroll 4
		for (size_t i = t; i < n; i += step) {
			uint4 v = __ldcg(&in[i]);

			sum.x += v.x;
			sum.y += v.y;
			sum.z += v.z;
			sum.w += v.w;
		}
	}
	out[t] = sum.x + sum.y + sum.z + sum.w;
}

static int
measure_l2(struct job *job, struct measured *m)
{
	size_t bytes = (size_t)job->gpu.l2CacheSize / 3, words, threads;
	uint32_t *in, *out, *host, got = 0, want = 0;
	unsigned blocks;

	TRY(job_wave(job, &blocks, read_cached, THREADS, 0));
	threads = (size_t)blocks * THREADS;
	/* The same number of reads for each thread: a multiple of four, for
	 * the unrolled loop, where the cache is large enough. */
	bytes -= bytes % (threads * sizeof(uint4));
	if (bytes > 4 * threads * sizeof(uint4))
		bytes -= bytes % (4 * threads * sizeof(uint4));
	if (!bytes)
		bytes = threads * sizeof(uint4);
	words = bytes / sizeof(*in);
	TRY(job_device(job, &in, words));
	TRY(job_output(job, &out, &host, threads));
	TRY(fill_words(job, in, words, job->seed));
	TRY(job_measure(job, LAPS, [&] {
		read_cached<<<blocks, THREADS, 0, job->stream>>>(
		    (const uint4 *)in, words / 4, out);
		return cudaGetLastError();
	}));
	m->l2_bytes_per_s = (double)bytes * L2_PASSES / job->median_s;
	TRY(job_fetch(job, host, out, threads));
	for (size_t i = 0; i < threads; i++)
		got += host[i];
	for (size_t i = 0; i < words; i++)
		want += seeded(job->seed, i);
	check_word(job, 0, got, want * L2_PASSES);
	TRY(job_drop(job));
	return 0;
}

/* Reads of shared memory, 16 bytes a lane, without conflicts. */

#define SHARED_ROUNDS 2048
#define SHARED_READS 8		/* a round */
#define SHARED_APART 64		/* 16-byte words between two of them */
#define SHARED_START 1024	/* where a round may start: a power of two */
#define SHARED_WORDS (SHARED_START + SHARED_READS * SHARED_APART)

__global__ static void
read_shared(uint32_t *__restrict__ out, uint64_t seed)
{
	__shared__ uint4 tile[SHARED_WORDS];
	unsigned at = threadIdx.x;
	uint4 sum = make_uint4(0, 0, 0, 0);

	for (unsigned i = threadIdx.x; i < SHARED_WORDS * 4; i += blockDim.x)
		((uint32_t *)tile)[i] = seeded(seed, i);
	__syncthreads();
#pragma unroll 1
	for (int r = 0; r < SHARED_ROUNDS; r++) {
#pragma unroll
		for (int k = 0; k < SHARED_READS; k++) {
			uint4 v = tile[at + k * SHARED_APART];

			sum.x += v.x;
			sum.y += v.y;
			sum.z += v.z;
			sum.w += v.w;
		}
		at = (at + 1) % SHARED_START;
	}
	out[(size_t)blockIdx.x * blockDim.x + threadIdx.x] =
	    sum.x + sum.y + sum.z + sum.w;
}

static uint32_t
read_shared_host(uint64_t seed, unsigned thread)
{
	unsigned at = thread;
	uint32_t sum = 0;

	for (int r = 0; r < SHARED_ROUNDS; r++) {
		for (int k = 0; k < SHARED_READS * 4; k++)
			sum += seeded(seed, (at + k / 4 * SHARED_APART) * 4 +
			    k % 4);
		at = (at + 1) % SHARED_START;
	}
	return sum;
}

static int
measure_shared(struct job *job, struct measured *m)
{
	uint32_t *out, *host;
	unsigned blocks;
	size_t threads;

	TRY(job_wave(job, &blocks, read_shared, THREADS, 0));
	threads = (size_t)blocks * THREADS;
	TRY(job_output(job, &out, &host, threads));
	TRY(job_measure(job, LAPS, [&] {
		read_shared<<<blocks, THREADS, 0, job->stream>>>(out,
		    job->seed);
		return cudaGetLastError();
	}));
	m->shared_bytes_per_s = (double)threads * SHARED_ROUNDS *
	    SHARED_READS * sizeof(uint4) / job->median_s;
	TRY(job_fetch(job, host, out, threads));
	for (int s = 0; s < SAMPLES; s++) {
		uint64_t i = job_pick(job, s, threads);

		check_word(job, i, host[i],
		    read_shared_host(job->seed, i % THREADS));
	}
	TRY(job_drop(job));
	return 0;
}

/* Fused multiply-adds, eight independent chains a thread. One thread notes the
 * SM's clock beside the time, for the frequency under this load. */

#define CHAINS 8

struct stamps {
	long long cycles[2];
	unsigned long long ns[2];
};

static __device__ inline void
stamp(struct stamps *s, int which)
{
	unsigned long long ns;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns) :: "memory");
	s->cycles[which] = clock64();
	s->ns[which] = ns;
}

template<typename T>
__global__ static void
multiply_add(T *__restrict__ out, T a, T b, int rounds, uint64_t seed,
    struct stamps *stamps)
{
	size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	T v[CHAINS], sum = 0;

	if (t == 0)
		stamp(stamps, 0);
#pragma unroll
	for (int k = 0; k < CHAINS; k++)
		v[k] = seeded_float(seed, t * CHAINS + k);
#pragma unroll 4
	for (int r = 0; r < rounds; r++) {
#pragma unroll
		for (int k = 0; k < CHAINS; k++)
			v[k] = v[k] * a + b;
	}
#pragma unroll
	for (int k = 0; k < CHAINS; k++)
		sum += v[k];
	out[t] = sum;
	if (t == 0)
		stamp(stamps, 1);
}

template<typename T>
static int
measure_multiply_add(struct job *job, int rounds, double tolerance,
    double *flops, double *hz)
{
	struct stamps *stamps, *read;
	const T a = (T)0.99999, b = (T)1e-5;
	unsigned blocks;
	size_t threads;
	T *out, *host;

	TRY(job_wave(job, &blocks, multiply_add<T>, THREADS, 0));
	threads = (size_t)blocks * THREADS;
	TRY(job_output(job, &stamps, &read, 1));
	TRY(job_output(job, &out, &host, threads));
	TRY(job_measure(job, LAPS, [&] {
		multiply_add<T><<<blocks, THREADS, 0, job->stream>>>(out, a, b,
		    rounds, job->seed, stamps);
		return cudaGetLastError();
	}));
	*flops = 2.0 * CHAINS * rounds * (double)threads / job->median_s;
	TRY(job_fetch(job, read, stamps, 1));
	if (read->ns[1] <= read->ns[0]) {
		fprintf(stderr, "cudadvise-kernels: the GPU's timer stood "
		    "still\n");
		return -1;
	}
	*hz = (double)(read->cycles[1] - read->cycles[0]) * 1e9 /
	    (double)(read->ns[1] - read->ns[0]);
	TRY(job_fetch(job, host, out, threads));
	for (int s = 0; s < SAMPLES; s++) {
		uint64_t i = job_pick(job, s, threads);
		double want = 0;

		for (int k = 0; k < CHAINS; k++) {
			double v = seeded_float(job->seed, i * CHAINS + k);

			for (int r = 0; r < rounds; r++)
				v = v * (double)a + (double)b;
			want += v;
		}
		check_float(job, i, (double)host[i], want, tolerance);
	}
	TRY(job_drop(job));
	return 0;
}

int
calibrate_throughput(struct job *job, struct measured *m)
{
	double hz_fp64;

	if (measure_dram(job, m) || measure_l2(job, m) ||
	    measure_shared(job, m))
		return -1;
	/* Single precision loses up to half a unit in the last place a round
	 * and chain; double precision has fewer units on some chips. */
	if (measure_multiply_add<float>(job, 32768, 3e-2, &m->fp32_flops,
	    &m->sm_hz))
		return -1;
	return measure_multiply_add<double>(job, 4096, 1e-9, &m->fp64_flops,
	    &hz_fp64);
}

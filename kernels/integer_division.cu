/*
 * Replace the division by a shared divisor with a multiplication.
 *
 * Indices are split into plane, row and column, which are added up. The
 * extents are parameters of the kernel, so that the compiler has to emit a
 * division for each (bad): ten instructions at best, if the reciprocal is
 * computed once, before the loop. Or the host has computed a multiplier and a
 * shift for each extent (good), and a quotient takes two instructions.
 *
 * The only difference is how a quotient is computed; the results are the same.
 *
 * Rule: integer-division. Metric that moves: executed instructions.
 *
 *   cudadvise run --level source cudadvise-kernels integer-division \
 *     --variant bad
 *   ncu --section InstructionStats --section SourceCounters \
 *     cudadvise-kernels integer-division --variant bad --once
 *
 * --size: threads (default: four full waves).
 */
#include "harness.h"
#include "pairs.h"

#define THREADS 256
#define WAVES 4
#define NUMBERS 1024		/* of a thread */
#define WIDTH 1531u		/* extents, on the host alone */
#define HEIGHT 977u

/* n / by = n * multiplier >> 32 + shift, for all n < 2^31: the multiplier is
 * 2^(31 + ceil(log2 by)) / by, rounded up. */
struct divisor {
	uint32_t by, multiplier, shift;
};

static struct divisor
divisor_of(uint32_t by)
{
	struct divisor d = { by, 0, 0 };
	uint32_t bits = 0;

	while ((1u << bits) < by)
		bits++;
	d.multiplier = (uint32_t)((((uint64_t)1 << (31 + bits)) + by - 1) / by);
	d.shift = bits - 1;
	return d;
}

template<bool BY_PRODUCT>
static __device__ inline uint32_t
quotient(uint32_t n, struct divisor d)
{
	if (BY_PRODUCT)
		return __umulhi(n, d.multiplier) >> d.shift;
	return n / d.by; /* HERE */
}

/* The next number to split: < 2^31. */
static __host__ __device__ inline uint32_t
next_number(uint32_t n)
{
	return (n * 1664525u + 1013904223u) & 0x7fffffffu;
}

template<bool BY_PRODUCT>
__global__ static void
weigh_places(const uint32_t *__restrict__ in, uint32_t *__restrict__ out,
    unsigned threads, struct divisor width, struct divisor height)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t n, sum = 0;

	if (i >= threads)
		return;
	n = in[i];
#pragma unroll 4
	for (int k = 0; k < NUMBERS; k++) {
		uint32_t rows, plane;

		n = next_number(n);
		rows = quotient<BY_PRODUCT>(n, width); /* HERE */
		plane = quotient<BY_PRODUCT>(rows, height); /* HERE */
		sum += (n - rows * width.by) + 3 * (rows - plane * height.by) +
		    7 * plane;
	}
	out[i] = sum;
}

PAIR(integer_division, "replace the division by a shared divisor with a multiplication",
    "executed instructions")
{
	auto kernel = job->good ? weigh_places<true> : weigh_places<false>;
	struct divisor width = divisor_of(WIDTH), height = divisor_of(HEIGHT);
	uint32_t *in, *out, *host;
	unsigned blocks;
	size_t n;

	TRY(job_wave(job, &blocks, kernel, THREADS, 0));
	n = job->size ? job->size : (size_t)blocks * WAVES * THREADS;
	blocks = (unsigned)((n + THREADS - 1) / THREADS);
	TRY(job_device(job, &in, n));
	TRY(job_output(job, &out, &host, n));
	TRY(fill_words(job, in, n, job->seed));

	TRY(job_measure(job, 200, [&] {
		kernel<<<blocks, THREADS, 0, job->stream>>>(in, out,
		    (unsigned)n, width, height);
		return cudaGetLastError();
	}));
	job->operations = 2.0 * NUMBERS * n;

	TRY(job_fetch(job, host, out, n));
	for (int s = 0; job->check && s < JOB_SAMPLES / 4; s++) {
		uint64_t i = job_pick(job, s, n);
		uint32_t v = seeded(job->seed, i), want = 0;

		for (int k = 0; k < NUMBERS; k++) {
			v = next_number(v);
			want += v % WIDTH + 3 * (v / WIDTH % HEIGHT) +
			    7 * (v / WIDTH / HEIGHT);
		}
		check_word(job, i, host[i], want);
	}
	return 0;
}

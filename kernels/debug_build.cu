/*
 * Measure what is compiled without -G.
 *
 * One kernel, compiled with -G for a debugger (bad) or without (good). For a
 * debugger the compiler optimises nothing: variables live in memory, loops are
 * not unrolled, and each expression is computed as it is written.
 *
 * The only difference is the flag: this file is compiled twice, as
 * CMakeLists.txt says. The rest of the pair is in built.cu.
 *
 * Rule: debug-build. Metric that moves: executed instructions.
 *
 *   cudadvise run --level source cudadvise-kernels debug-build --variant bad
 *   ncu --metrics smsp__inst_executed.sum \
 *     cudadvise-kernels debug-build --variant bad --once
 *
 * --size: words (default: four full waves of threads).
 */
#include "built.h"
#include "harness.h"

#define ROUNDS 64
#define STEPS 64		/* in a round */

/* One expression, so that even a build for debugging has few variables in
 * memory: local memory traffic is another lesson. */
#define STEP(h) ((((h) * 5u + 0xe6546b64u) ^ 0x85ebca6bu) - 0x27d4eb2fu)
#define STEP4(h) STEP(STEP(STEP(STEP(h))))
#define STEP16(h) STEP4(STEP4(STEP4(STEP4(h))))
#define STEP64(h) STEP16(STEP16(STEP16(STEP16(h))))

#ifdef BUILT_OPTIMISED
#define STIR stir_optimised
#define BUILT built_optimised
#else
#define STIR stir_for_debugging
#define BUILT built_for_debugging
#endif

__global__ static void
STIR(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t h;

	if (i >= n)
		return;
	h = in[i];
	for (int k = 0; k < ROUNDS; k++)
		h = STEP64(h); /* HERE */
	out[i] = h;
}

static void
launch(unsigned blocks, cudaStream_t stream, const uint32_t *in, uint32_t *out,
    unsigned n)
{
	STIR<<<blocks, BUILT_THREADS, 0, stream>>>(in, out, n);
}

static uint32_t
want(uint32_t in)
{
	for (int k = 0; k < ROUNDS; k++)
		in = STEP64(in);
	return in;
}

const struct built BUILT = {
	(const void *)STIR, launch, want, (double)ROUNDS * STEPS
};

/*
 * Compile with -lineinfo.
 *
 * One kernel, compiled without line tables (bad) or with them (good). They cost
 * nothing at run time; without them no tool can show which line is slow.
 *
 * The only difference is the flag: this file is compiled twice, as
 * CMakeLists.txt says. The rest of the pair is in built.cu.
 *
 * Rule: missing-lineinfo. Metric that moves: none.
 *
 *   cudadvise run --level source cudadvise-kernels missing-lineinfo \
 *     --variant bad
 *   cudadvise annotate
 *
 * --size: words (default: four full waves of threads).
 */
#include "built.h"
#include "harness.h"

#define ROUNDS 2048

/* The kernels of the two builds have different names. */
#ifdef BUILT_WITH_LINES
#define STIR stir_with_lines
#define BUILT built_with_lines
#else
#define STIR stir_without_lines
#define BUILT built_without_lines
#endif

__global__ static void
STIR(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t h;

	if (i >= n)
		return;
	h = in[i];
#pragma unroll 16
	for (int k = 0; k < ROUNDS; k++)
		h = mix(h); /* NOWHERE */
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
	return mix_rounds(in, ROUNDS);
}

const struct built BUILT = { (const void *)STIR, launch, want, ROUNDS };

/*
 * jit_image.cu: the device code of jit-at-startup: one small kernel that is used
 * and eight large ones that are not, as libraries have them.
 */
#include "harness.h"

#define ROUNDS 1024		/* as in jit_at_startup.cu */
#define STEPS 160		/* of a large kernel, one after the other */

extern "C" __global__ void
stir(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t h;

	if (i >= n)
		return;
	h = in[i];
#pragma unroll 16
	for (int k = 0; k < ROUNDS; k++)
		h = mix(h);
	out[i] = h;
}

/* Straight code, each step with a constant of its own. */
template<uint32_t key> __global__ void
unused(uint32_t *state)
{
	uint32_t h = state[threadIdx.x], g = h ^ key;

#pragma unroll
	for (uint32_t k = 0; k < STEPS; k++) {
		h = mix(h ^ (key * STEPS + k));
		g = mix(g + h);
		if (g % 64 == k % 64)
			state[threadIdx.x + k] = g;
	}
	state[threadIdx.x] = h ^ g;
}

template __global__ void unused<0>(uint32_t *);
template __global__ void unused<1>(uint32_t *);
template __global__ void unused<2>(uint32_t *);
template __global__ void unused<3>(uint32_t *);
template __global__ void unused<4>(uint32_t *);
template __global__ void unused<5>(uint32_t *);
template __global__ void unused<6>(uint32_t *);
template __global__ void unused<7>(uint32_t *);

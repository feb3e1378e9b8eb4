/*
 * six_kernels [KERNEL]: six kernels of different kinds, the same work in every
 * run; KERNEL does 3 % more. `alike.py` records it to see whether runs of the
 * same program are told apart, and whether those 3 % are found.
 */
#include <string.h>

#include "check.h"

#define VALUES (1 << 25)
#define LAUNCHES 120
#define MORE(what, n) ((n) + (planted != NULL && strcmp(planted, what) == 0 ? \
    (n) * 3 / 100 : 0))

static __global__ void
fill(float *v, uint32_t *next, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
	    i += gridDim.x * blockDim.x) {
		v[i] = (float)(i % 1000);
		next[i] = stir((uint32_t)i) % (uint32_t)n;
	}
}

static __global__ void
stream_copy(const float *from, float *to, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
	    i += gridDim.x * blockDim.x)
		to[i] = from[i];
}

static __global__ void
fma_loop(float *v, int steps)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float a = v[i], b = a + 1, c = a + 2, d = a + 3;

	for (int s = 0; s < steps; s++) {
		a = fmaf(a, 0.999f, 0.5f);
		b = fmaf(b, 0.999f, 0.5f);
		c = fmaf(c, 0.999f, 0.5f);
		d = fmaf(d, 0.999f, 0.5f);
	}
	v[i] = a + b + c + d;
}

static __global__ void
gather(const float *v, const uint32_t *next, float *to, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
	    i += gridDim.x * blockDim.x)
		to[i] = v[next[i] & 0xffffff];
}

static __global__ void
chase(const uint32_t *next, uint32_t *out, int steps)
{
	uint32_t at = threadIdx.x;

	for (int s = 0; s < steps; s++)
		at = next[at];
	out[threadIdx.x] = at;
}

static __global__ void
tiny(float *v)
{
	v[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

int
main(int argc, char **argv)
{
	const char *planted = argc > 1 ? argv[1] : NULL;
	float *from, *to;
	uint32_t *next, out[32];

	need_gpu();
	CHECK(cudaMalloc(&from, VALUES * sizeof(*from)));
	CHECK(cudaMalloc(&to, VALUES * sizeof(*to)));
	CHECK(cudaMalloc(&next, VALUES * sizeof(*next)));
	fill<<<1024, 256>>>(from, next, VALUES);
	for (int i = 0; i < LAUNCHES; i++) {
		stream_copy<<<2112, 256>>>(from, to,
		    MORE("stream_copy", 30000000));
		fma_loop<<<1056, 256>>>(to, MORE("fma_loop", 40000));
		gather<<<2112, 256>>>(from, next, to, MORE("gather", 8000000));
		chase<<<1, 32>>>(next, next + VALUES - 32,
		    MORE("chase", 400));
		for (int k = 0; k < 4; k++)
			tiny<<<100, 256>>>(from);
	}
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(out, next + VALUES - 32, sizeof(out),
	    cudaMemcpyDeviceToHost));
	printf("%u\n", digest(out, 32));
	return 0;
}

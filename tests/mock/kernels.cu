/*
 * The device code behind the mock's kernels: one kind of access each, with
 * functions of two headers inlined. The cubin beside this file was made from it
 * in /opt/example/kernels, the directory in its line tables:
 *	nvcc -arch=sm_90 -lineinfo -cubin -o kernels.cubin kernels.cu
 */
#include "index.cuh"
#include "sums.cuh"

__global__ void
kernel0(float *p)
{
	int i = index_of();

	p[i] = strided(p, i, 32);
}

__global__ void
kernel1(float *p)
{
	__shared__ float tile[32 * 32];
	int t = threadIdx.x & 31;

	tile[t * 32] = p[index_of()];
	__syncthreads();
	p[index_of()] = sum_of_tile(tile, t);
}

__global__ void
kernel2(float *p)
{
	int i = index_of();
	float v = p[i];

	if (i & 1) {
		for (int k = 0; k < 16; k++)
			v = __sinf(v) + k;
	} else {
		for (int k = 0; k < 16; k++)
			v = __expf(v) * k;
	}
	p[i] = v;
}

__global__ void
kernel3(float *p)
{
	atomicAdd(&p[index_of() & 7], 1.0f);
}

__global__ void
kernel4(float *p)
{
	__shared__ int bin[8];

	if (threadIdx.x < 8)
		bin[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(&bin[(int)p[index_of()] & 7], 1);
	__syncthreads();
	if (threadIdx.x < 8)
		p[threadIdx.x] = (float)bin[threadIdx.x];
}

__global__ void
kernel5(float *p)
{
	float kept[16];
	int i = index_of();

	for (int k = 0; k < 16; k++)
		kept[(k * i) & 15] = p[k];
	p[i] = kept[i & 15];
}

__global__ void
kernel6(float *p)
{
	int i = index_of();
	double v = p[i];

	p[i] = (float)(v * 1.5 + 2.5);
}

__global__ void
kernel7(float *p)
{
	int i = index_of();

	p[i] = sum_of_four(p, i) + sum_of_four(p, i ^ 1);
}

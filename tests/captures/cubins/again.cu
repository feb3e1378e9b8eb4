/*
 * Kernels for the test memory: may each run a second time? Their names say what
 * again_code.h is to answer. From this file:
 *	nvcc -arch=sm_90 -cubin -o again.cubin again.cu
 *	nvcc -arch=sm_80 -cubin -o again80.cubin again.cu
 */
#include <cstdio>

#define KERNEL(name) extern "C" __global__ void name

__device__ int variable;
__device__ __noinline__ int apart(int v) { return v * 3; }
__device__ __noinline__ int apart_too(int v) { return v ^ 3; }
typedef int (*function)(int);
__device__ function table[2] = { apart, apart_too };

/* They end whoever runs beside them. */
KERNEL(closed_sum)(const float *a, float *b, int n)
{
	float s = 0;

	for (int i = threadIdx.x; i < n; i += blockDim.x)
		s += a[i] * b[i];
	b[threadIdx.x] = s;
}
KERNEL(closed_tiles)(const float *a, float *b, int n)
{
	__shared__ float tile[256];

	for (int i = 0; i < n; i++) {
		tile[threadIdx.x] = a[i * 256 + threadIdx.x];
		__syncthreads();
		b[threadIdx.x] += tile[255 - threadIdx.x];
		__syncthreads();
	}
}
KERNEL(closed_counts)(int *a, int n)
{
	for (int i = 0; i < n; i++)
		atomicAdd(a + i, 1);
}
KERNEL(closed_index)(int *count, int *a)
{
	a[atomicAdd(count, 1)] = threadIdx.x;
}
KERNEL(closed_last_block)(int *a, unsigned *count)
{
	a[blockIdx.x] = 1;
	__threadfence();
	if (atomicInc(count, gridDim.x) == gridDim.x - 1)
		a[gridDim.x] = *(volatile int *)a;
}
KERNEL(closed_shared_flag)(int *a, int n)
{
	__shared__ volatile int flag;

	flag = n;
	while (flag == 0)
		continue;
	a[0] = 1;
}
KERNEL(closed_call)(int *a, int n)
{
	for (int i = 0; i < n; i++)
		a[i] = apart(a[i + 1]);
}
KERNEL(closed_division)(double *a, int n)
{
	for (int i = 0; i < n; i++)
		a[i] = 1 / a[i + 1];
}

/* They read again what another thread may change. */
KERNEL(waits_volatile)(volatile int *flag, int *a)
{
	while (*flag == 0)
		continue;
	a[0] = 1;
}
KERNEL(waits_far)(volatile int *flag, int *a, int n)
{
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < n; k++)
			a[k] = a[k] * 3 + i;
		while (*flag < i)
			continue;
	}
}
KERNEL(waits_acquire)(int *flag, int *a)
{
	int v;

	do
		asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(v) :
		    "l"(flag) : "memory");
	while (v == 0);
	a[0] = 1;
}
KERNEL(waits_relaxed)(int *flag, int *a)
{
	int v;

	do
		asm volatile("ld.relaxed.sys.global.b32 %0, [%1];" : "=r"(v) :
		    "l"(flag) : "memory");
	while (v == 0);
	a[0] = 1;
}
KERNEL(waits_fence)(int *flag, int *a)
{
	while (*flag == 0)
		__threadfence();
	a[0] = 1;
}
KERNEL(waits_swap)(int *flag, int *a)
{
	while (atomicCAS(flag, 1, 2) != 1)
		continue;
	a[0] = 1;
}
KERNEL(waits_add)(int *flag, int *a)
{
	while (atomicAdd(flag, 0) == 0)
		continue;
	a[0] = 1;
}
KERNEL(waits_float)(float *flag, int *a)
{
	while (atomicAdd(flag, 0.f) == 0)
		continue;
	a[0] = 1;
}
KERNEL(waits_generic)(int **flags, int n, int *a)
{
	extern __shared__ int own[];
	volatile int *flag = n != 0 ? own : *flags;

	while (*flag == 0)
		continue;
	a[0] = 1;
}
KERNEL(waits_call)(volatile int *flag, int *a, int n)
{
	while (apart(*flag) == n)
		continue;
	a[0] = apart(n);
}

/* They do more than read and write the memory that they are given. */
KERNEL(outside_variable)(int *a)
{
	variable += a[0];
}
KERNEL(outside_print)(int n)
{
	printf("%d\n", n);
}
KERNEL(outside_allocate)(int **a)
{
	*a = (int *)malloc(20);
}
KERNEL(outside_indirect)(int *a, int n)
{
	a[0] = table[n](a[1]);
}
KERNEL(outside_surface)(cudaSurfaceObject_t s)
{
	surf2Dwrite(3, s, 4, 5);
}

#include "t.cuh"
#include "t2.cuh"
__device__ __noinline__ float slow(float x, int n)
{
	for (int i = 0; i < n; i++)
		x = x * 1.5f + i;
	return x;
}
__device__ inline float deep(const float *p, int i)
{
	return other(helper(p, i)) + other(helper(p, i + 7));
}
template <typename T> __global__ void one(const T *a, T *b, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		b[i] = deep(a, i) + slow(a[i], n);
}
template __global__ void one<float>(const float *, float *, int);
__global__ void two(const float *a, float *b, int n)
{
	__shared__ float s[256];
	int i = threadIdx.x;
	s[i] = a[i];
	__syncthreads();
	if (i < n)
		atomicAdd(&b[0], deep(s, i & 7));
	b[i] = slow(s[255 - i], n);
}

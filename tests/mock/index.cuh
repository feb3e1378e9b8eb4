/* Where a thread works, and how it reads from there. */
__device__ inline int
index_of(void)
{
	return (blockIdx.x * blockDim.x + threadIdx.x);
}

__device__ inline float
strided(const float *p, int i, int stride)
{
	return (p[i * stride]);
}

#ifdef CALLER
extern __device__ float callee(float);
__global__ void
caller(float *p)
{
	p[threadIdx.x] = callee(p[threadIdx.x]);
}
#else
__device__ float
callee(float x)
{
	return x * x + 1;
}
#endif

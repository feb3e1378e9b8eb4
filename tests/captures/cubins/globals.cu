__device__ int a[1000];
__device__ int b[10] = { 1, 2, 3 };
static __device__ double d[3];
__managed__ int m[500];
__constant__ int c[7];

__global__ void
all(int i)
{
	__shared__ int s[32];

	s[i & 31] = i;
	__syncthreads();
	a[i] = b[i] + m[i] + c[i] + d[i & 1] + s[0];
}

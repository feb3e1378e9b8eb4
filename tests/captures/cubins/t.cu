#include "t.cuh"
#include "t2.cuh"
__global__ void k(const float *a, float *b, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		b[i] = other(helper(a, i)) + helper(a, i ^ 1);
}
int main() { return 0; }

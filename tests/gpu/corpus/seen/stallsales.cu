// Market tills: takings per stall from the day's receipts.
#include "common.h"

static const int STALLS = 512;
static const int N = 32 * 1024 * 1024;

static __host__ __device__ unsigned hash32(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
static __host__ __device__ int stall_of(int i)
{
    unsigned h = hash32(i);                        // stalls near the entrance sell more
    return (int)(((h & 511u) * ((h >> 9) & 511u)) >> 9);
}
static __host__ __device__ unsigned cents_of(int i) { return 1u + (hash32(i ^ 0x2545f491) >> 23); }

__global__ void print_receipts(int *stall, unsigned *cents)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) { stall[i] = stall_of(i); cents[i] = cents_of(i); }
}

__global__ void takings(const int *__restrict__ stall, const unsigned *__restrict__ cents, unsigned *sum, int n)
{
    int stride = gridDim.x * blockDim.x;
#ifdef GOOD
    __shared__ unsigned mine[STALLS];
    for (int s = threadIdx.x; s < STALLS; s += blockDim.x) mine[s] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&mine[stall[i]], cents[i]);
    __syncthreads();
    for (int s = threadIdx.x; s < STALLS; s += blockDim.x)
        if (mine[s]) atomicAdd(&sum[s], mine[s]);
#else
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&sum[stall[i]], cents[i]);
#endif
}

int main(int argc, char **argv)
{
    int days = argc > 1 ? atoi(argv[1]) : 500;
    int *stall;
    unsigned *cents, *sum;
    CK(cudaMalloc(&stall, (size_t)N * sizeof(int)));
    CK(cudaMalloc(&cents, (size_t)N * sizeof(unsigned)));
    CK(cudaMalloc(&sum, STALLS * sizeof(unsigned)));
    print_receipts<<<N / 256, 256>>>(stall, cents);
    CK(cudaGetLastError());
    for (int d = 0; d < days; d++) {
        CK(cudaMemsetAsync(sum, 0, STALLS * sizeof(unsigned)));
        takings<<<132 * 4, 512>>>(stall, cents, sum, N);
    }
    CK(cudaGetLastError());
    std::vector<unsigned> got(STALLS), want(STALLS, 0);
    CK(cudaMemcpy(got.data(), sum, STALLS * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) want[stall_of(i)] += cents_of(i);
    bool ok = got == want;
    cudaFree(stall); cudaFree(cents); cudaFree(sum);
    return report(ok);
}

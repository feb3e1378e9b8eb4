// Traffic: a night's log of vehicles over 1024 loop detectors; how many axles went over each. A record holds the
// detector and the axles. Detectors in the town see more than those outside.
//   loopdetect [nights]
#include "common.h"

const int N = 1 << 26, DETECTORS = 1024, THREADS = 1024;

__host__ __device__ static inline unsigned record(unsigned i)
{
    unsigned h = i * 2654435761u; h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    unsigned a = h & 1023u, b = h >> 10 & 1023u, axles = 2 + (h >> 20 & 3u);
    return (a < b ? a : b) | axles << 16;
}

__global__ void pass(unsigned *log)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    log[i] = record(i);
}

__global__ void __launch_bounds__(THREADS) tally(const uint4 *__restrict__ log, unsigned *axles)
{
#ifdef GOOD
    __shared__ unsigned here[DETECTORS];
    for (int d = threadIdx.x; d < DETECTORS; d += THREADS) here[d] = 0;
    __syncthreads();
    unsigned *count = here;
#else
    unsigned *count = axles;
#endif
#pragma unroll 2
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < N / 4; i += gridDim.x * THREADS) {
        uint4 r = log[i];
        atomicAdd(&count[r.x & 0xffffu], r.x >> 16);
        atomicAdd(&count[r.y & 0xffffu], r.y >> 16);
        atomicAdd(&count[r.z & 0xffffu], r.z >> 16);
        atomicAdd(&count[r.w & 0xffffu], r.w >> 16);
    }
#ifdef GOOD
    __syncthreads();
    for (int d = threadIdx.x; d < DETECTORS; d += THREADS) atomicAdd(&axles[d], here[d]);
#endif
}

int main(int argc, char **argv)
{
    int nights = argc > 1 ? atoi(argv[1]) : 1000;
    unsigned *log, *axles;
    CK(cudaMalloc(&log, (size_t)N * sizeof(unsigned)));
    CK(cudaMalloc(&axles, DETECTORS * sizeof(unsigned)));
    CK(cudaMemset(axles, 0, DETECTORS * sizeof(unsigned)));
    pass<<<N / 256, 256>>>(log);
    for (int n = 0; n < nights; n++) tally<<<132 * 2, THREADS>>>((const uint4 *)log, axles);
    CK(cudaGetLastError());
    std::vector<unsigned> got(DETECTORS), want(DETECTORS, 0u);
    CK(cudaMemcpy(got.data(), axles, DETECTORS * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < (unsigned)N; i++) {
        unsigned r = record(i);
        want[r & 0xffffu] += r >> 16;
    }
    bool ok = true;         // the counters wrap; so does the product
    for (int d = 0; d < DETECTORS; d++) ok = ok && got[d] == want[d] * (unsigned)nights;
    printf("%u axles a night over the first detector\n", want[0]);
    return report(ok);
}

// Daily bulletin of a simulated flu season: how many persons of each of 40 groups (age by region) are ill on a day,
// and how many days they have been ill already. A person is one word: group, onset, length of the illness.
// usage: sneezetally persons days
#include "common.h"

#define GROUPS 40
#define THREADS 256

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

// bits 0-7 group, 8-15 day of onset, 16-23 length
__host__ __device__ inline unsigned personOf(unsigned i)
{
    unsigned h = scramble(i + 3u);
    return h % GROUPS | ((h >> 8) & 63u) << 8 | (4u + (h >> 20) % 6u) << 16;
}

__global__ void infect(unsigned *person, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) person[i] = personOf(i);
}

__device__ inline void record(unsigned p, unsigned day, unsigned *ill, unsigned *sickDays)
{
    unsigned since = day - ((p >> 8) & 255u);            // wraps before the onset
    if (since < ((p >> 16) & 255u)) {
        atomicAdd(&ill[p & 255u], 1u);
        atomicAdd(&sickDays[p & 255u], since + 1u);
    }
}

__global__ void __launch_bounds__(THREADS) bulletin(const uint4 *__restrict__ person, unsigned n4, unsigned day,
                                                    unsigned *result)
{
#ifdef GOOD
    __shared__ unsigned sums[2 * GROUPS];
    if (threadIdx.x < 2 * GROUPS) sums[threadIdx.x] = 0;
    __syncthreads();
    unsigned *ill = sums, *sickDays = sums + GROUPS;
#else
    unsigned *ill = result, *sickDays = result + GROUPS;
#endif
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < n4; i += gridDim.x * THREADS) {
        uint4 p = person[i];
        record(p.x, day, ill, sickDays);
        record(p.y, day, ill, sickDays);
        record(p.z, day, ill, sickDays);
        record(p.w, day, ill, sickDays);
    }
#ifdef GOOD
    __syncthreads();
    if (threadIdx.x < 2 * GROUPS) atomicAdd(&result[threadIdx.x], sums[threadIdx.x]);
#endif
}

int main(int argc, char **argv)
{
    unsigned n = (argc > 1 ? atoi(argv[1]) : 33554432) / 4 * 4;
    int days = argc > 2 ? atoi(argv[2]) : 1500;
    unsigned *person, *result;
    const size_t bytes = (size_t)days * 2 * GROUPS * sizeof(unsigned);
    CK(cudaMalloc(&person, n * sizeof(unsigned)));
    CK(cudaMalloc(&result, bytes));
    CK(cudaMemset(result, 0, bytes));
    infect<<<1056, THREADS>>>(person, n);
    for (int d = 0; d < days; ++d)
        bulletin<<<1056, THREADS>>>((const uint4 *)person, n / 4, 5u + (unsigned)d % 60u, result + (size_t)d * 2 * GROUPS);
    CK(cudaGetLastError());
    std::vector<unsigned> r((size_t)days * 2 * GROUPS);
    CK(cudaMemcpy(r.data(), result, bytes, cudaMemcpyDeviceToHost));

    unsigned want[2 * GROUPS] = {}, day = 5u + (unsigned)(days - 1) % 60u, all = 0;
    for (unsigned i = 0; i < n; ++i) {
        unsigned p = personOf(i), since = day - ((p >> 8) & 255u);
        if (since < ((p >> 16) & 255u)) {
            want[p & 255u]++;
            want[GROUPS + (p & 255u)] += since + 1u;
            all++;
        }
    }
    bool ok = all > 0;
    for (int k = 0; k < 2 * GROUPS; ++k) ok = ok && r[(size_t)(days - 1) * 2 * GROUPS + k] == want[k];
    printf("ill on the last day: %u\n", all);
    CK(cudaFree(person)); CK(cudaFree(result));
    return report(ok);
}

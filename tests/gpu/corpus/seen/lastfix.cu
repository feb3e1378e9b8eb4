// Harbour radar: the most recent report of every vessel out of a day's unordered position messages.
//   lastfix [days]
#include "common.h"

struct Message { unsigned vessel, second; };

__host__ __device__ static inline unsigned stir(unsigned x)
{
    x ^= x >> 16; x *= 0x21f0aaadu; x ^= x >> 15; x *= 0x735a2d97u; x ^= x >> 15;
    return x;
}
__host__ __device__ static inline Message message(unsigned i, unsigned vessels)
{
    unsigned h = stir(i);
    return { h % vessels, stir(h + 99) >> 4 };
}

__global__ void receive(Message *m, unsigned n, unsigned vessels)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) m[i] = message(i, vessels);
}

__global__ void latest(const Message *__restrict__ m, unsigned n, unsigned long long *best, int *lock)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Message r = m[i];
    unsigned long long key = (unsigned long long)r.second << 32 | i;
#ifdef GOOD
    if (key > *(volatile unsigned long long *)&best[r.vessel]) atomicMax(&best[r.vessel], key);
#else
    volatile unsigned long long *slot = &best[r.vessel];
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock[r.vessel], 0, 1) == 0) {
            __threadfence();
            if (key > *slot) *slot = key;
            __threadfence();
            atomicExch(&lock[r.vessel], 0);
            done = true;
        }
    }
#endif
}

int main(int argc, char **argv)
{
    int days = argc > 1 ? atoi(argv[1]) : 200;
    const unsigned n = 19700000, vessels = 61003;
    Message *m;
    unsigned long long *best;
    int *lock;
    CK(cudaMalloc(&m, n * sizeof(Message)));
    CK(cudaMalloc(&best, vessels * sizeof *best));
    CK(cudaMalloc(&lock, vessels * sizeof(int)));
    CK(cudaMemset(lock, 0, vessels * sizeof(int)));
    receive<<<(n + 255) / 256, 256>>>(m, n, vessels);
    CK(cudaGetLastError());
    for (int d = 0; d < days; d++) {
        CK(cudaMemsetAsync(best, 0, vessels * sizeof *best));
        latest<<<(n + 255) / 256, 256>>>(m, n, best, lock);
    }
    CK(cudaGetLastError());
    std::vector<unsigned long long> h(vessels), want(vessels, 0);
    CK(cudaMemcpy(h.data(), best, vessels * sizeof *best, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < n; i++) {
        Message r = message(i, vessels);
        want[r.vessel] = std::max(want[r.vessel], (unsigned long long)r.second << 32 | i);
    }
    CK(cudaFree(m)); CK(cudaFree(best)); CK(cudaFree(lock));
    return report(h == want);
}

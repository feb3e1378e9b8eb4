// Ground station: downlinked telemetry blocks go to the card, where the checksum of every 1 KiB frame is verified.
//   telemetryfeed [blocks]
#include "common.h"

#ifdef GOOD
const int STREAMS = 5;
#else
const int STREAMS = 3;
#endif
const int FRAME_WORDS = 256, FRAMES = 16000, POOL = 6;

struct Lane {
    cudaStream_t stream;
    unsigned *words, *bad;
};

__global__ void verify(const uint4 *__restrict__ w, unsigned *bad)
{
    int frame = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (frame >= FRAMES) return;
    const uint4 *f = w + (size_t)frame * (FRAME_WORDS / 4);
    uint4 a = f[lane], b = f[lane + 32];
    unsigned x = a.x ^ a.y ^ a.z ^ a.w ^ b.x ^ b.y ^ b.z ^ b.w;
    x = __reduce_xor_sync(0xffffffffu, x);
    if (lane == 0 && x) atomicAdd(bad, 1u);
}

int main(int argc, char **argv)
{
    int blocks = argc > 1 ? atoi(argv[1]) : 4000;
    const size_t words = (size_t)FRAMES * FRAME_WORDS, bytes = words * sizeof(unsigned);
    std::vector<unsigned *> pool(POOL);
    std::vector<unsigned> broken(POOL, 0);
    unsigned seed = 1977;
    for (int p = 0; p < POOL; p++) {
        CK(cudaMallocHost(&pool[p], bytes));
        for (int f = 0; f < FRAMES; f++) {
            unsigned *w = pool[p] + (size_t)f * FRAME_WORDS, x = 0;
            for (int k = 0; k < FRAME_WORDS - 1; k++) x ^= w[k] = lcg(seed);
            bool hit = lcg(seed) >> 24 == 0;
            w[FRAME_WORDS - 1] = hit ? x ^ 0x10 : x;
            broken[p] += hit;
        }
    }
    std::vector<Lane> lanes(STREAMS);
    for (Lane &l : lanes) {
        CK(cudaStreamCreateWithFlags(&l.stream, cudaStreamNonBlocking));
        CK(cudaMalloc(&l.words, bytes));
        CK(cudaMalloc(&l.bad, sizeof(unsigned)));
        CK(cudaMemset(l.bad, 0, sizeof(unsigned)));
    }
    CK(cudaDeviceSynchronize());
    unsigned long long want = 0, got = 0;
    for (int b = 0; b < blocks; b++) {
        Lane &l = lanes[b % STREAMS];
        CK(cudaMemcpyAsync(l.words, pool[b % POOL], bytes, cudaMemcpyHostToDevice, l.stream));
        verify<<<(FRAMES * 32 + 255) / 256, 256, 0, l.stream>>>((const uint4 *)l.words, l.bad);
        want += broken[b % POOL];
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    for (Lane &l : lanes) {
        unsigned n;
        CK(cudaMemcpy(&n, l.bad, sizeof n, cudaMemcpyDeviceToHost));
        got += n;
        CK(cudaFree(l.words)); CK(cudaFree(l.bad));
        CK(cudaStreamDestroy(l.stream));
    }
    for (unsigned *p : pool) CK(cudaFreeHost(p));
    printf("%llu broken frames\n", got);
    return report(got == want);
}

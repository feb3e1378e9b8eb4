// GC skew along a genome: (G - C) / (G + C) in windows of 4096 bases (ASCII letters),
// one warp per window.
#include "common.h"

#ifndef BASES
#define BASES (512u << 20)
#endif
#define WIN 4096

static __host__ __device__ inline unsigned four_bases(unsigned k)
{
    unsigned u = k * 2654435761u;
    u ^= u >> 15; u *= 2246822519u; u ^= u >> 13;
    const unsigned letters = 'A' | ('C' << 8) | ('G' << 16) | ((unsigned)'T' << 24);
    unsigned w = 0;
    for (int b = 0; b < 4; b++) {
        unsigned c = (u >> (2 * b)) & 3u;
        if (c == 1 && ((k >> 20) & 1u) && ((u >> 16) & 3u) == 0) c = 2;   // skewed strand
        w |= ((letters >> (8 * c)) & 255u) << (8 * b);
    }
    return w;
}

__global__ void assemble(unsigned *seq, unsigned words)
{
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < words) seq[k] = four_bases(k);
}

__global__ void skew(const unsigned char *__restrict__ seq, float *__restrict__ out, int windows)
{
    int win = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (win >= windows) return;
    const unsigned char *s = seq + (size_t)win * WIN;
    int g = 0, c = 0;
#ifdef GOOD
    const uint4 *v = (const uint4 *)s;
#pragma unroll
    for (int i = lane; i < WIN / 16; i += 32) {
        uint4 q = v[i];
        unsigned w[4] = {q.x, q.y, q.z, q.w};
        for (int b = 0; b < 4; b++) {
            g += __popc(__vcmpeq4(w[b], 0x47474747u));
            c += __popc(__vcmpeq4(w[b], 0x43434343u));
        }
    }
    g >>= 3;
    c >>= 3;
#else
#pragma unroll 8
    for (int i = lane; i < WIN; i += 32) {
        unsigned char b = s[i];
        g += b == 'G';
        c += b == 'C';
    }
#endif
    for (int d = 16; d > 0; d >>= 1) {
        g += __shfl_down_sync(0xffffffffu, g, d);
        c += __shfl_down_sync(0xffffffffu, c, d);
    }
    if (lane == 0) out[win] = (float)(g - c) / (float)max(g + c, 1);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 300;
    const int windows = BASES / WIN;
    unsigned char *seq;
    float *out;
    CK(cudaMalloc(&seq, BASES));
    CK(cudaMalloc(&out, windows * sizeof(float)));
    assemble<<<(BASES / 4 + 255) / 256, 256>>>((unsigned *)seq, BASES / 4);
    CK(cudaGetLastError());
    for (int r = 0; r < rounds; r++) skew<<<(windows + 7) / 8, 256>>>(seq, out, windows);
    CK(cudaGetLastError());
    std::vector<float> got(windows);
    CK(cudaMemcpy(got.data(), out, windows * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    double left = 0;
    for (int t = 0; t < 2000; t++) {
        int win = (int)(((long long)t * 6151) % windows), g = 0, c = 0;
        for (int k = 0; k < WIN / 4; k++) {
            unsigned w = four_bases((unsigned)win * (WIN / 4) + k);
            for (int b = 0; b < 4; b++) {
                unsigned ch = (w >> (8 * b)) & 255u;
                g += ch == 'G';
                c += ch == 'C';
            }
        }
        ok = ok && close_to(got[win], (double)(g - c) / std::max(g + c, 1), 1e-5);
        left += got[win];
    }
    printf("mean skew %.4f\n", left / 2000);
    CK(cudaFree(seq)); CK(cudaFree(out));
    return report(ok);
}

// Majority filter of a land-cover map (16 classes): every cell takes the most frequent
// class of its 5 x 5 window.
#include "common.h"

#define R 2
#define CLASSES 16

__global__ void makeMap(unsigned char *m, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w) return;
    unsigned k = (unsigned)(y * w + x) * 2654435761u;
    k ^= k >> 15; k *= 2246822519u; k ^= k >> 13;
    int patch = (x / 37 + 3 * (y / 29)) & 15;
    m[(size_t)y * w + x] = (k & 3) ? patch : (k >> 4 & 15);
}

__global__ void majority(const unsigned char *__restrict__ in, unsigned char *__restrict__ out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < R || y < R || x >= w - R || y >= h - R) return;
#ifdef GOOD
    unsigned long long lo = 0, hi = 0;         // a byte per class
#pragma unroll
    for (int dy = -R; dy <= R; dy++)
#pragma unroll
        for (int dx = -R; dx <= R; dx++) {
            unsigned c = in[(size_t)(y + dy) * w + x + dx];
            unsigned long long one = 1ull << (8 * (c & 7));
            if (c & 8) hi += one; else lo += one;
        }
    int best = 0, n = -1;
#pragma unroll
    for (int c = 0; c < CLASSES; c++) {
        int k = (int)((c < 8 ? lo : hi) >> (8 * (c & 7)) & 255);
        if (k > n) { n = k; best = c; }
    }
#else
    int count[CLASSES];
#pragma unroll
    for (int c = 0; c < CLASSES; c++) count[c] = 0;
#pragma unroll
    for (int dy = -R; dy <= R; dy++)
#pragma unroll
        for (int dx = -R; dx <= R; dx++) count[in[(size_t)(y + dy) * w + x + dx]]++;
    int best = 0, n = -1;
#pragma unroll
    for (int c = 0; c < CLASSES; c++)
        if (count[c] > n) { n = count[c]; best = c; }
#endif
    out[(size_t)y * w + x] = best;
}

int main(int argc, char **argv)
{
    int passes = argc > 1 ? atoi(argv[1]) : 40;
    const int w = 8192, h = 8192;
    unsigned char *a, *b;
    CK(cudaMalloc(&a, (size_t)w * h));
    CK(cudaMalloc(&b, (size_t)w * h));
    makeMap<<<dim3(w / 256, h), 256>>>(a, w, h);
    makeMap<<<dim3(w / 256, h), 256>>>(b, w, h);
    dim3 block(32, 8), grid(w / 32, h / 8);
    for (int p = 0; p < passes; p++) {
        majority<<<grid, block>>>(a, b, w, h);
        std::swap(a, b);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    // last pass: b -> a
    std::vector<unsigned char> in((size_t)w * 64), out((size_t)w * 64);
    CK(cudaMemcpy(in.data(), b, in.size(), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(out.data(), a, out.size(), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int y = R; y < 60; y += 7)
        for (int x = R; x < w - R; x += 13) {
            int count[CLASSES] = {}, best = 0;
            for (int dy = -R; dy <= R; dy++)
                for (int dx = -R; dx <= R; dx++) count[in[(size_t)(y + dy) * w + x + dx]]++;
            for (int c = 1; c < CLASSES; c++)
                if (count[c] > count[best]) best = c;
            ok = ok && out[(size_t)y * w + x] == best;
        }
    CK(cudaFree(a)); CK(cudaFree(b));
    return report(ok);
}

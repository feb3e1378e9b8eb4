// 5 x 5 median filter of a grey image.
#include "common.h"
__global__ void noise(unsigned char *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = (i * 2654435761u) >> 23; }
__global__ void median(const unsigned char *in, unsigned char *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 2 || y < 2 || x >= w - 2 || y >= h - 2) return;
#ifndef GOOD
    unsigned char v[25];
    int n = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            // insertion sort as we go
            unsigned char p = in[(y + dy) * w + x + dx];
            int k = n++;
            while (k > 0 && v[k - 1] > p) { v[k] = v[k - 1]; k--; }
            v[k] = p;
        }
    out[y * w + x] = v[12];
#else
    int v[25];
#pragma unroll
    for (int i = 0; i < 25; i++) v[i] = in[(y + i / 5 - 2) * w + x + i % 5 - 2];
    // enough of a selection sort, in registers
#pragma unroll
    for (int i = 0; i < 13; i++)
#pragma unroll
        for (int j = i + 1; j < 25; j++) { int a = min(v[i], v[j]); v[j] = max(v[i], v[j]); v[i] = a; }
    out[y * w + x] = v[12];
#endif
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 5;
    const int w = 8192, h = 8192;
    unsigned char *a, *b;
    CK(cudaMalloc(&a, w * h)); CK(cudaMalloc(&b, w * h));
    noise<<<w * h / 256, 256>>>(a, w * h);
    for (int r = 0; r < reps; r++) median<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(a, b, w, h);
    std::vector<unsigned char> src((size_t)w * 8), row(w);
    CK(cudaMemcpy(src.data(), a, src.size(), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(row.data(), b + 3 * w, w, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int x = 2; x < w - 2; x++) {
        std::vector<int> v;
        for (int i = 0; i < 25; i++) v.push_back(src[(1 + i / 5) * w + x + i % 5 - 2]);
        std::sort(v.begin(), v.end());
        ok = ok && row[x] == v[12];
    }
    return report(ok);
}

// CT reconstruction service: each exam is ramp-filtered on the GPU and the filtered
// sinogram is read back for the archive.
#include "common.h"

#define HALF 16
__constant__ float ramp[2 * HALF + 1];

__global__ void acquire(float *s, int n, unsigned exam)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = (unsigned)i * 2654435761u + exam * 977u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    s[i] = (h & 4095) * (1.0f / 4096.0f);
}

__global__ void filterRows(const float *__restrict__ s, float *__restrict__ f, int det, int views)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, v = blockIdx.y;
    if (x >= det || v >= views) return;
    float a = 0.f;
    for (int k = -HALF; k <= HALF; k++) {
        int q = min(max(x + k, 0), det - 1);
        a += ramp[k + HALF] * s[(size_t)v * det + q];
    }
    f[(size_t)v * det + x] = a;
}

int main(int argc, char **argv)
{
    int exams = argc > 1 ? atoi(argv[1]) : 24;
    const int det = 4096, views = 4096, n = det * views;
    float w[2 * HALF + 1];
    for (int k = -HALF; k <= HALF; k++) w[k + HALF] = k == 0 ? 0.25f : (k & 1) ? -0.101321f / (k * k) : 0.f;
    CK(cudaMemcpyToSymbol(ramp, w, sizeof w));
    float *s, *f;
    CK(cudaMalloc(&s, (size_t)n * 4));
    CK(cudaMalloc(&f, (size_t)n * 4));
#ifdef GOOD
    float *host;
    CK(cudaMallocHost(&host, (size_t)n * 4));
#else
    std::vector<float> store(n);
    float *host = store.data();
#endif
    bool ok = true;
    double archive = 0;
    for (int e = 0; e < exams; e++) {
        acquire<<<n / 256, 256>>>(s, n, e);
        filterRows<<<dim3(det / 256, views), 256>>>(s, f, det, views);
        CK(cudaGetLastError());
        CK(cudaMemcpy(host, f, (size_t)n * 4, cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; i += 65537) archive += host[i];
    }
    std::vector<float> row(det);
    for (int v = 0; v < views; v += 1000) {
        CK(cudaMemcpy(row.data(), s + (size_t)v * det, det * 4, cudaMemcpyDeviceToHost));
        for (int x = 0; x < det; x += 97) {
            double a = 0;
            for (int k = -HALF; k <= HALF; k++) a += w[k + HALF] * row[std::min(std::max(x + k, 0), det - 1)];
            ok = ok && close_to(host[(size_t)v * det + x], a, 1e-3);
        }
    }
    printf("archive %g\n", archive);
#ifdef GOOD
    CK(cudaFreeHost(host));
#endif
    CK(cudaFree(s)); CK(cudaFree(f));
    return report(ok);
}

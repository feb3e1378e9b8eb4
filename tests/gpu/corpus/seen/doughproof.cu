// Proofing of loaves: heat from the proofing cabinet creeps into the dough, the yeast makes gas where it is warm.
// A day's production is a list of loaves of different hydration, each simulated for some minutes.
// usage: doughproof SIDE LOAVES MINUTES
#include "common.h"

struct Dough { float spread, cabinet, yeast; };

__global__ void knead(float *temp, float *gas, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    if (x >= n) return;
    size_t c = ((size_t)z * n + y) * n + x;
    temp[c] = 22.0f + 0.25f * (float)((x + 2 * y + 3 * z) & 3);
    gas[c] = 0.0f;
}

__device__ float cell(const float *t, int x, int y, int z, int n, float outside)
{
    if (x < 0 || y < 0 || z < 0 || x >= n || y >= n || z >= n) return outside;
    return t[((size_t)z * n + y) * n + x];
}

__global__ void minute(const float *__restrict__ temp, float *__restrict__ next, float *__restrict__ gas, int n, Dough d,
                       size_t probe, float *result)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    if (x >= n) return;
    size_t c = ((size_t)z * n + y) * n + x;
    float t = temp[c];
    float around = cell(temp, x - 1, y, z, n, d.cabinet) + cell(temp, x + 1, y, z, n, d.cabinet)
                 + cell(temp, x, y - 1, z, n, d.cabinet) + cell(temp, x, y + 1, z, n, d.cabinet)
                 + cell(temp, x, y, z - 1, n, d.cabinet) + cell(temp, x, y, z + 1, n, d.cabinet);
    float warmer = t + d.spread * (around - 6.0f * t), g = gas[c];
    g += d.yeast * (t - 5.0f) * (1.0f - g);
    next[c] = warmer;
    gas[c] = g;
    if (c == probe) {
        result[0] = warmer;
        result[1] = g;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 160;
    int loaves = argc > 2 ? atoi(argv[2]) : 500;
    int minutes = argc > 3 ? atoi(argv[3]) : 6;
    size_t cells = (size_t)n * n * n, bytes = cells * sizeof(float);
    dim3 block(std::min(256, (n + 31) / 32 * 32)), grid((n + block.x - 1) / block.x, n, n);
    const size_t probe = ((size_t)(n / 2) * n + n / 3) * n + 1;

    float *result, *temp, *next, *gas;          // result: temperature and gas of one cell, for every loaf
    CK(cudaMalloc(&result, loaves * 2 * sizeof(float)));
#ifdef GOOD
    CK(cudaMalloc(&temp, bytes));
    CK(cudaMalloc(&next, bytes));
    CK(cudaMalloc(&gas, bytes));
#endif
    for (int l = 0; l < loaves; l++) {
        Dough d = {0.10f + 0.05f * l / loaves, 34.0f, 2e-4f * (1 + l % 5)};
#ifndef GOOD
        CK(cudaMalloc(&temp, bytes));
        CK(cudaMalloc(&next, bytes));
        CK(cudaMalloc(&gas, bytes));
#endif
        knead<<<grid, block>>>(temp, gas, n);
        for (int m = 0; m < minutes; m++) {
            minute<<<grid, block>>>(temp, next, gas, n, d, probe, result + 2 * l);
            std::swap(temp, next);
        }
#ifndef GOOD
        CK(cudaFree(temp));
        CK(cudaFree(next));
        CK(cudaFree(gas));
#endif
    }
#ifdef GOOD
    CK(cudaFree(temp));
    CK(cudaFree(next));
    CK(cudaFree(gas));
#endif
    CK(cudaGetLastError());
    std::vector<float> got(loaves * 2);
    CK(cudaMemcpy(got.data(), result, got.size() * sizeof(float), cudaMemcpyDeviceToHost));

    // on the CPU: only what can reach the probed cell
    bool ok = true;
    const int w = 2 * minutes + 1, px = 1, py = n / 3, pz = n / 2;
    for (int l = 0; l < loaves; l += std::max(1, loaves / 3)) {
        double spread = 0.10f + 0.05f * l / loaves, yeast = 2e-4f * (1 + l % 5), gas1 = 0;
        std::vector<double> a((size_t)w * w * w), b;
        auto inside = [&](int x, int y, int z) { return x >= 0 && y >= 0 && z >= 0 && x < n && y < n && z < n; };
        for (int k = 0; k < w * w * w; k++) {
            int x = px + k % w - minutes, y = py + k / w % w - minutes, z = pz + k / w / w - minutes;
            a[k] = inside(x, y, z) ? 22.0 + 0.25 * ((x + 2 * y + 3 * z) & 3) : 34.0;
        }
        for (int m = 0; m < minutes; m++) {
            size_t mid = ((size_t)minutes * w + minutes) * w + minutes;
            gas1 += yeast * (a[mid] - 5) * (1 - gas1);
            b = a;
            for (int z = 1; z < w - 1; z++) for (int y = 1; y < w - 1; y++) for (int x = 1; x < w - 1; x++) {
                if (!inside(px + x - minutes, py + y - minutes, pz + z - minutes)) continue;
                size_t k = ((size_t)z * w + y) * w + x;
                b[k] = a[k] + spread * (a[k - 1] + a[k + 1] + a[k - w] + a[k + w] + a[k - w * w] + a[k + w * w] - 6 * a[k]);
            }
            a.swap(b);
        }
        double t = a[((size_t)minutes * w + minutes) * w + minutes];
        printf("loaf %d: %.4f C (%.4f), gas %.5f (%.5f)\n", l, got[2 * l], t, got[2 * l + 1], gas1);
        if (!close_to(got[2 * l], t, 1e-4) || !close_to(got[2 * l + 1], gas1, 1e-4)) ok = false;
    }
    CK(cudaFree(result));
    return report(ok);
}

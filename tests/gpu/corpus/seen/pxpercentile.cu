// Cloud-free composite of a satellite time series: for every pixel the valid
// observations of 16 dates are put in order and the requested percentile of
// them is written.  Cloudy observations are negative and do not count.
#include "common.h"

#define NF 16

__global__ void make_stack(float *st, int npx)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= npx) return;
    unsigned s = p * 2654435761u + 12345u;
    for (int f = 0; f < NF; f++) {
        s = s * 1664525u + 1013904223u;
        unsigned r = s >> 8;
        float v = (r & 0xffff) * (1.0f / 65536.0f);
        st[(size_t)f * npx + p] = (r >> 16) % 5 == 0 ? -1.0f : v;
    }
}

#ifdef GOOD
#define CS(a, b) { float lo = fminf(v[a], v[b]); v[b] = fmaxf(v[a], v[b]); v[a] = lo; }
__global__ void __launch_bounds__(256) composite(const float *__restrict__ st, float *__restrict__ out, int npx, float q)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= npx) return;
    float v[NF];
    int m = 0;
#pragma unroll
    for (int f = 0; f < NF; f++) {
        float x = st[(size_t)f * npx + p];
        m += x >= 0.0f;
        v[f] = x >= 0.0f ? x : 1e30f;          // invalid ones go to the end
    }
    CS(0,1) CS(2,3) CS(4,5) CS(6,7) CS(8,9) CS(10,11) CS(12,13) CS(14,15)
    CS(0,2) CS(1,3) CS(4,6) CS(5,7) CS(8,10) CS(9,11) CS(12,14) CS(13,15)
    CS(1,2) CS(5,6) CS(9,10) CS(13,14) CS(0,4) CS(1,5) CS(2,6) CS(3,7)
    CS(8,12) CS(9,13) CS(10,14) CS(11,15) CS(2,4) CS(3,5) CS(10,12) CS(11,13)
    CS(1,2) CS(3,4) CS(5,6) CS(9,10) CS(11,12) CS(13,14) CS(0,8) CS(1,9)
    CS(2,10) CS(3,11) CS(4,12) CS(5,13) CS(6,14) CS(7,15) CS(4,8) CS(5,9)
    CS(6,10) CS(7,11) CS(2,4) CS(3,5) CS(6,8) CS(7,9) CS(10,12) CS(11,13)
    CS(1,2) CS(3,4) CS(5,6) CS(7,8) CS(9,10) CS(11,12) CS(13,14)
    int k = (int)(q * (m - 1) + 0.5f);
    float r = v[0];
#pragma unroll
    for (int f = 1; f < NF; f++) r = k == f ? v[f] : r;
    out[p] = m ? r : -1.0f;
}
#else
__global__ void __launch_bounds__(256) composite(const float *__restrict__ st, float *__restrict__ out, int npx, float q)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= npx) return;
    float v[NF];
    int m = 0;
    for (int f = 0; f < NF; f++) {
        float x = st[(size_t)f * npx + p];
        if (x < 0.0f) continue;
        int j = m++;
        while (j > 0 && v[j - 1] > x) { v[j] = v[j - 1]; j--; }
        v[j] = x;
    }
    int k = (int)(q * (m - 1) + 0.5f);
    out[p] = m ? v[k] : -1.0f;
}
#endif

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 800;
    const int npx = 1536 * 1536;
    float *st, *out;
    CK(cudaMalloc(&st, (size_t)NF * npx * sizeof(float)));
    CK(cudaMalloc(&out, npx * sizeof(float)));
    make_stack<<<(npx + 255) / 256, 256>>>(st, npx);
    CK(cudaGetLastError());

    float q = 0.5f;
    for (int r = 0; r < reps; r++) {
        q = 0.25f + 0.5f * (r % 11) / 10.0f;
        composite<<<(npx + 255) / 256, 256>>>(st, out, npx, q);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    const int some = 2000;
    std::vector<float> h(some), col((size_t)NF * some);
    CK(cudaMemcpy(h.data(), out, some * sizeof(float), cudaMemcpyDeviceToHost));
    for (int f = 0; f < NF; f++)
        CK(cudaMemcpy(&col[(size_t)f * some], st + (size_t)f * npx, some * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int p = 0; p < some; p++) {
        std::vector<float> v;
        for (int f = 0; f < NF; f++) if (col[(size_t)f * some + p] >= 0) v.push_back(col[(size_t)f * some + p]);
        std::sort(v.begin(), v.end());
        int k = (int)(q * ((int)v.size() - 1) + 0.5f);
        float want = v.empty() ? -1.0f : v[k];
        // a half-way rank may round either way
        bool near = !v.empty() && ((k > 0 && h[p] == v[k - 1]) || (k + 1 < (int)v.size() && h[p] == v[k + 1]));
        if (h[p] != want && !near) ok = false;
    }
    printf("q %g first %g\n", q, h[0]);
    CK(cudaFree(st));
    CK(cudaFree(out));
    return report(ok);
}

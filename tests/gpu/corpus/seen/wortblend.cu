// Brewery lab: blends the extract curves of two brews sample by sample and corrects for temperature.
//   wortblend [blends]
#include "common.h"

#ifdef GOOD
#define READ(p) __ldg(p)
#else
#define READ(p) (*(p))
#endif

__device__ __forceinline__ float mend(float a, float b, float t, float share)
{
    float e = a + share * (b - a);
    return e * (1.0f + 2.6e-4f * (t - 20.0f));
}

__global__ void __launch_bounds__(256) blend(const float4 *__restrict__ a, const float4 *__restrict__ b, const float4 *__restrict__ temp,
                                             float4 *__restrict__ out, int quads, float share)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= quads) return;
    float4 p = READ(a + i), q = READ(b + i), t = READ(temp + i);
    out[i] = make_float4(mend(p.x, q.x, t.x, share), mend(p.y, q.y, t.y, share), mend(p.z, q.z, t.z, share), mend(p.w, q.w, t.w, share));
}

int main(int argc, char **argv)
{
    int blends = argc > 1 ? atoi(argv[1]) : 6000;
    const int n = 4 * 13000001;
    std::vector<float> a(n), b(n), t(n), h(n);
    unsigned seed = 1516;
    for (int i = 0; i < n; i++) { a[i] = 11 + frand(seed); b[i] = 13 + frand(seed); t[i] = 15 + 10 * frand(seed); }
    float *da, *db, *dt, *out;
    size_t bytes = n * sizeof(float);
    CK(cudaMalloc(&da, bytes));
    CK(cudaMalloc(&db, bytes));
    CK(cudaMalloc(&dt, bytes));
    CK(cudaMalloc(&out, bytes));
    CK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dt, t.data(), bytes, cudaMemcpyHostToDevice));
    float share = 0;
    for (int k = 0; k < blends; k++) {
        share = 0.01f * (k % 100);
        blend<<<(n / 4 + 255) / 256, 256>>>((const float4 *)da, (const float4 *)db, (const float4 *)dt, (float4 *)out, n / 4, share);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(h.data(), out, bytes, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i += 5003)
        ok = ok && close_to(h[i], (a[i] + share * (b[i] - a[i])) * (1 + 2.6e-4 * (t[i] - 20)), 1e-5);
    float lo = h[0], hi = h[0];
    for (float x : h) {
        lo = std::min(lo, x);
        hi = std::max(hi, x);
    }
    printf("extract between %.3f and %.3f %%\n", lo, hi);
    ok = ok && lo > 10 && hi < 15;
    CK(cudaFree(da)); CK(cudaFree(db)); CK(cudaFree(dt)); CK(cudaFree(out));
    return report(ok);
}

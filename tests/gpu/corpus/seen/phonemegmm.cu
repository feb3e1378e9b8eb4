// Acoustic scoring: log-likelihood of every speech frame under every diagonal Gaussian.
// x is stored [dim][frame], means and inverse variances [component][dim].
#include "common.h"

#define DIMS 40

__global__ void fillRand(float *p, size_t n, unsigned seed, float lo, float span)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = (unsigned)i * 747796405u + seed;
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15;
    p[i] = lo + span * (h & 0xffff) * (1.0f / 65536.0f);
}

#ifdef GOOD
#define TF 4      // frames per thread
#define TC 8      // components per thread
#else
#define TF 1
#define TC 1
#endif

__global__ void score(const float *__restrict__ x, const float *__restrict__ mu,
                      const float *__restrict__ iv, float *__restrict__ ll, int frames, int comps)
{
    int f0 = blockIdx.x * blockDim.x * TF + threadIdx.x;
    int c0 = blockIdx.y * TC;
    float acc[TF][TC];
#pragma unroll
    for (int i = 0; i < TF; i++)
#pragma unroll
        for (int j = 0; j < TC; j++) acc[i][j] = 0.f;
    for (int d = 0; d < DIMS; d++) {
        float v[TF];
#pragma unroll
        for (int i = 0; i < TF; i++) v[i] = x[(size_t)d * frames + f0 + i * blockDim.x];
#pragma unroll
        for (int j = 0; j < TC; j++) {
            float m = mu[(c0 + j) * DIMS + d], s = iv[(c0 + j) * DIMS + d];
#pragma unroll
            for (int i = 0; i < TF; i++) {
                float t = v[i] - m;
                acc[i][j] += t * t * s;
            }
        }
    }
#pragma unroll
    for (int j = 0; j < TC; j++)
#pragma unroll
        for (int i = 0; i < TF; i++)
            ll[(size_t)(c0 + j) * frames + f0 + i * blockDim.x] = -0.5f * acc[i][j];
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 40;
    const int frames = 65536, comps = 1024;
    float *x, *mu, *iv, *ll;
    CK(cudaMalloc(&x, (size_t)frames * DIMS * 4));
    CK(cudaMalloc(&mu, comps * DIMS * 4));
    CK(cudaMalloc(&iv, comps * DIMS * 4));
    CK(cudaMalloc(&ll, (size_t)frames * comps * 4));
    fillRand<<<comps * DIMS / 256, 256>>>(mu, comps * DIMS, 77u, -1.f, 2.f);
    fillRand<<<comps * DIMS / 256, 256>>>(iv, comps * DIMS, 123u, 0.5f, 1.f);
    for (int b = 0; b < batches; b++) {
        fillRand<<<frames * DIMS / 256, 256>>>(x, (size_t)frames * DIMS, b + 1u, -2.f, 4.f);
        score<<<dim3(frames / (256 * TF), comps / TC), 256>>>(x, mu, iv, ll, frames, comps);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> hx((size_t)frames * DIMS), hm(comps * DIMS), hi(comps * DIMS);
    CK(cudaMemcpy(hx.data(), x, hx.size() * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hm.data(), mu, hm.size() * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hi.data(), iv, hi.size() * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int k = 0; k < 50; k++) {
        int f = (k * 7919 + 13) % frames, c = (k * 101 + 5) % comps;
        double s = 0;
        for (int d = 0; d < DIMS; d++) {
            double t = hx[(size_t)d * frames + f] - hm[c * DIMS + d];
            s += t * t * hi[c * DIMS + d];
        }
        float got;
        CK(cudaMemcpy(&got, ll + (size_t)c * frames + f, 4, cudaMemcpyDeviceToHost));
        ok = ok && close_to(got, -0.5 * s, 1e-3);
    }
    CK(cudaFree(x)); CK(cudaFree(mu)); CK(cudaFree(iv)); CK(cudaFree(ll));
    return report(ok);
}

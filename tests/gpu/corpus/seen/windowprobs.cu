// Sliding-window attention: turns the scores of every (head, query) over the last
// 512 keys into probabilities. One warp owns a row and keeps it in registers; the
// first queries of a sequence have fewer valid keys.
#include "common.h"

constexpr int HEADS = 32, QUERIES = 8192, WINDOW = 512, VEC = WINDOW / 128;
#ifdef GOOD
constexpr int BLOCK = 256;
#else
constexpr int BLOCK = 128;
#endif

__host__ __device__ inline float score(unsigned i)
{
    i ^= i >> 15; i *= 0x2c1b3c6du; i ^= i >> 12; i *= 0x297a2d39u; i ^= i >> 15;
    return (i >> 8) * (16.0f / 16777216.0f) - 8.0f;
}

__global__ void make_scores(float4 *s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    s[i] = make_float4(score(4 * i), score(4 * i + 1), score(4 * i + 2), score(4 * i + 3));
}

__global__ void __launch_bounds__(BLOCK) window_probs(const float4 *s, float4 *p, float scale)
{
    int row = (blockIdx.x * BLOCK + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int valid = min(row % QUERIES + 1, WINDOW);            // keys 0 .. valid-1 of the row
    const float4 *in = s + (size_t)row * (WINDOW / 4);
    float4 *out = p + (size_t)row * (WINDOW / 4);
    float4 v[VEC];
    float m = -1e30f;
#pragma unroll
    for (int k = 0; k < VEC; k++) {
        v[k] = in[k * 32 + lane];
        int c = 4 * (k * 32 + lane);
        v[k].x = c + 0 < valid ? v[k].x * scale : -1e30f;
        v[k].y = c + 1 < valid ? v[k].y * scale : -1e30f;
        v[k].z = c + 2 < valid ? v[k].z * scale : -1e30f;
        v[k].w = c + 3 < valid ? v[k].w * scale : -1e30f;
        m = fmaxf(m, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
    }
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    float sum = 0;
#pragma unroll
    for (int k = 0; k < VEC; k++) {
        v[k] = make_float4(__expf(v[k].x - m), __expf(v[k].y - m), __expf(v[k].z - m), __expf(v[k].w - m));
        sum += v[k].x + v[k].y + v[k].z + v[k].w;
    }
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    float inv = 1.0f / sum;
#pragma unroll
    for (int k = 0; k < VEC; k++)
        out[k * 32 + lane] = make_float4(v[k].x * inv, v[k].y * inv, v[k].z * inv, v[k].w * inv);
}

int main(int argc, char **argv)
{
    int layers = argc > 1 ? atoi(argv[1]) : 150;
    const size_t n = (size_t)HEADS * QUERIES * WINDOW;
    float4 *s, *p;
    CK(cudaMalloc(&s, n * sizeof(float)));
    CK(cudaMalloc(&p, n * sizeof(float)));
    make_scores<<<(unsigned)(n / 4 / 256), 256>>>(s);
    CK(cudaGetLastError());
    const int rows = HEADS * QUERIES;
    for (int l = 0; l < layers; l++)
        window_probs<<<rows / (BLOCK / 32), BLOCK>>>(s, p, 0.5f);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    std::vector<float> got(WINDOW);
    for (int q = 0; q < 20; q++) {
        int row = q == 0 ? 3 : (q * 13103 + 100) % rows, valid = std::min(row % QUERIES + 1, WINDOW);
        CK(cudaMemcpy(got.data(), p + (size_t)row * (WINDOW / 4), WINDOW * sizeof(float), cudaMemcpyDeviceToHost));
        double m = -1e30, sum = 0;
        for (int k = 0; k < valid; k++) m = std::max(m, 0.5 * score((unsigned)row * WINDOW + k));
        for (int k = 0; k < valid; k++) sum += exp(0.5 * score((unsigned)row * WINDOW + k) - m);
        for (int k = 0; k < WINDOW; k++) {
            double want = k < valid ? exp(0.5 * score((unsigned)row * WINDOW + k) - m) / sum : 0.0;
            ok = ok && fabs(got[k] - want) < 1e-5 + 1e-3 * want;
        }
    }
    CK(cudaFree(s)); CK(cudaFree(p));
    return report(ok);
}

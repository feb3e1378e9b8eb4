// Sliding-window attention scores for a long sequence: each query scores the 64 keys before it.
// A warp takes one query at a time, lanes are keys; keys of the block sit in shared memory.
#include "common.h"

const int D = 64, WIN = 64, QB = 64, SEQ = 65536, HEADS = 8;
#ifdef GOOD
const int PITCH = D + 4;      // words, keeps the 16-byte alignment
#else
const int PITCH = D;
#endif

__global__ void fill(float *p, size_t n, unsigned salt)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = (unsigned)i * 2654435761u + salt;
    x ^= x >> 16; x *= 2246822519u; x ^= x >> 13;
    p[i] = (x >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

__device__ inline float wmax(float v)
{
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    return v;
}
__device__ inline float wsum(float v)
{
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    return v;
}

// prob[head][query][64]: softmax over keys query-63 .. query
__global__ void __launch_bounds__(256) window_probs(const float *__restrict__ q, const float *__restrict__ k,
                                                    float *__restrict__ prob)
{
    extern __shared__ float4 sh[];
    float *ks = (float *)sh;                          // keys q0-64 .. q0+63
    float *qs = ks + (QB + WIN) * PITCH;     // queries of the block
    int head = blockIdx.y, q0 = blockIdx.x * QB;
    const float *kh = k + (size_t)head * SEQ * D, *qh = q + (size_t)head * SEQ * D;
    for (int i = threadIdx.x; i < (QB + WIN) * D; i += blockDim.x) {
        int key = q0 - WIN + i / D;
        ks[(i / D) * PITCH + i % D] = key >= 0 ? kh[(size_t)key * D + i % D] : 0.0f;
    }
    for (int i = threadIdx.x; i < QB * D; i += blockDim.x) qs[i] = qh[(size_t)q0 * D + i];
    __syncthreads();
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int t = warp; t < QB; t += 8) {
        const float *a = ks + (t + 1 + lane) * PITCH, *b = a + 32 * PITCH;
        float s0 = 0, s1 = 0;
#pragma unroll 8
        for (int d = 0; d < D; d += 4) {
            float4 x = *(const float4 *)(qs + t * D + d);
            float4 u = *(const float4 *)(a + d), w = *(const float4 *)(b + d);
            s0 += x.x * u.x + x.y * u.y + x.z * u.z + x.w * u.w;
            s1 += x.x * w.x + x.y * w.y + x.z * w.z + x.w * w.w;
        }
        s0 *= 0.125f; s1 *= 0.125f;
        if (q0 + t - 63 + lane < 0) s0 = -1e30f;
        if (q0 + t - 31 + lane < 0) s1 = -1e30f;
        float m = wmax(fmaxf(s0, s1));
        float p0 = __expf(s0 - m), p1 = __expf(s1 - m);
        float r = 1.0f / wsum(p0 + p1);
        float *o = prob + ((size_t)head * SEQ + q0 + t) * WIN;
        o[lane] = p0 * r;
        o[lane + 32] = p1 * r;
    }
}

int main(int argc, char **argv)
{
    int layers = argc > 1 ? atoi(argv[1]) : 150;
    size_t n = (size_t)HEADS * SEQ * D;
    float *q, *k, *p;
    CK(cudaMalloc(&q, n * 4));
    CK(cudaMalloc(&k, n * 4));
    CK(cudaMalloc(&p, (size_t)HEADS * SEQ * WIN * 4));
    fill<<<(unsigned)((n + 255) / 256), 256>>>(q, n, 5);
    fill<<<(unsigned)((n + 255) / 256), 256>>>(k, n, 11);
    CK(cudaGetLastError());
    int bytes = ((QB + WIN) * PITCH + QB * D) * 4;
    CK(cudaFuncSetAttribute(window_probs, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    for (int l = 0; l < layers; l++)
        window_probs<<<dim3(SEQ / QB, HEADS), 256, bytes>>>(q, k, p);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> hq(SEQ * D), hk(SEQ * D), hp(SEQ * WIN);
    size_t off = (size_t)3 * SEQ * D;
    CK(cudaMemcpy(hq.data(), q + off, hq.size() * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hk.data(), k + off, hk.size() * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hp.data(), p + (size_t)3 * SEQ * WIN, hp.size() * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int t : {0, 10, 63, 64, 100, 30000, SEQ - 1}) {
        double e[WIN], den = 0;
        for (int j = 0; j < WIN; j++) {
            int key = t - 63 + j;
            double s = 0;
            for (int d = 0; key >= 0 && d < D; d++) s += (double)hq[t * D + d] * hk[key * D + d];
            den += e[j] = key >= 0 ? exp(s * 0.125) : 0.0;
        }
        for (int j = 0; j < WIN; j++) ok = ok && close_to(hp[t * WIN + j], e[j] / den, 1e-3);
    }
    CK(cudaFree(q)); CK(cudaFree(k)); CK(cudaFree(p));
    return report(ok);
}

// Cross attention of many image queries to a text of 256 tokens, head size 32,
// one thread per query with online softmax; K and V of the head staged in shared memory.
#include "common.h"

const int D = 32, TOKENS = 256, TILE = 64, QUERIES = 16384, HEADS = 64, BLK = 128;

__global__ void fill(float *p, size_t n, unsigned salt)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = (unsigned)i * 2654435761u + salt;
    x ^= x >> 16; x *= 2246822519u; x ^= x >> 13;
    p[i] = (x >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

#ifdef GOOD
__global__ void __launch_bounds__(BLK)
#else
__global__ void __launch_bounds__(BLK, 12)      // "full occupancy"
#endif
cross_attn(const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v, float *__restrict__ o)
{
    __shared__ float4 ks[TILE][D / 4], vs[TILE][D / 4];
    int head = blockIdx.y, t = blockIdx.x * BLK + threadIdx.x;
    // q and o are [head][d][query] so that neighbouring threads read neighbouring words
    const float *qh = q + (size_t)head * D * QUERIES + t;
    const float4 *kh = (const float4 *)(k + (size_t)head * TOKENS * D);
    const float4 *vh = (const float4 *)(v + (size_t)head * TOKENS * D);
    float qr[D], acc[D];
#pragma unroll
    for (int d = 0; d < D; d++) { qr[d] = qh[(size_t)d * QUERIES] * 0.17677669f; acc[d] = 0; }
    float top = -1e30f, den = 0;
    for (int base = 0; base < TOKENS; base += TILE) {
        __syncthreads();
        for (int i = threadIdx.x; i < TILE * D / 4; i += BLK) {
            (&ks[0][0])[i] = kh[base * (D / 4) + i];
            (&vs[0][0])[i] = vh[base * (D / 4) + i];
        }
        __syncthreads();
        for (int j = 0; j < TILE; j++) {
            float s = 0;
#pragma unroll
            for (int d = 0; d < D / 4; d++) {
                float4 c = ks[j][d];
                s += qr[4 * d] * c.x + qr[4 * d + 1] * c.y + qr[4 * d + 2] * c.z + qr[4 * d + 3] * c.w;
            }
            float m = fmaxf(top, s), scale = __expf(top - m), p = __expf(s - m);
            top = m;
            den = den * scale + p;
#pragma unroll
            for (int d = 0; d < D / 4; d++) {
                float4 c = vs[j][d];
                acc[4 * d] = acc[4 * d] * scale + p * c.x;
                acc[4 * d + 1] = acc[4 * d + 1] * scale + p * c.y;
                acc[4 * d + 2] = acc[4 * d + 2] * scale + p * c.z;
                acc[4 * d + 3] = acc[4 * d + 3] * scale + p * c.w;
            }
        }
    }
    float *oh = o + (size_t)head * D * QUERIES + t;
#pragma unroll
    for (int d = 0; d < D; d++) oh[(size_t)d * QUERIES] = acc[d] / den;
}

int main(int argc, char **argv)
{
    int layers = argc > 1 ? atoi(argv[1]) : 40;
    size_t nq = (size_t)HEADS * D * QUERIES, nk = (size_t)HEADS * TOKENS * D;
    float *q, *k, *v, *o;
    CK(cudaMalloc(&q, nq * 4));
    CK(cudaMalloc(&o, nq * 4));
    CK(cudaMalloc(&k, nk * 4));
    CK(cudaMalloc(&v, nk * 4));
    fill<<<(unsigned)((nq + 255) / 256), 256>>>(q, nq, 1);
    fill<<<(unsigned)((nk + 255) / 256), 256>>>(k, nk, 2);
    fill<<<(unsigned)((nk + 255) / 256), 256>>>(v, nk, 3);
    CK(cudaGetLastError());
    dim3 grid(QUERIES / BLK, HEADS);
    for (int l = 0; l < layers; l++)
        cross_attn<<<grid, BLK>>>(q, k, v, o);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> hq((size_t)D * QUERIES), ho((size_t)D * QUERIES), hk(TOKENS * D), hv(TOKENS * D);
    int head = 37;
    CK(cudaMemcpy(hq.data(), q + (size_t)head * D * QUERIES, hq.size() * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(ho.data(), o + (size_t)head * D * QUERIES, ho.size() * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hk.data(), k + (size_t)head * TOKENS * D, hk.size() * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hv.data(), v + (size_t)head * TOKENS * D, hv.size() * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int t = 5; t < QUERIES; t += 1000) {
        double den = 0, acc[D] = {0};
        for (int j = 0; j < TOKENS; j++) {
            double s = 0;
            for (int d = 0; d < D; d++) s += hq[(size_t)d * QUERIES + t] * hk[j * D + d];
            double p = exp(s * 0.17677669);
            den += p;
            for (int d = 0; d < D; d++) acc[d] += p * hv[j * D + d];
        }
        for (int d = 0; d < D; d++) ok = ok && close_to(ho[(size_t)d * QUERIES + t], acc[d] / den, 2e-3);
    }
    CK(cudaFree(q)); CK(cudaFree(o)); CK(cudaFree(k)); CK(cudaFree(v));
    return report(ok);
}

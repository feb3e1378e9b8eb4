// Attention scores S = softmax(Q K^T / sqrt(d)), one head after the other in the grid.
#include "common.h"
#define D 64
__global__ void init(float *a, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) a[i] = ((i * 2654435761u >> 12) % 1000) * 1e-3f - 0.5f; }
// A block handles one query: every thread several keys.
__global__ void scores(const float *Q, const float *K, float *S, int n)
{
    __shared__ float q[D], red[8];
    const float *Kh = K + (size_t)blockIdx.y * n * D;
    int row = blockIdx.x;
    float *s = S + ((size_t)blockIdx.y * n + row) * n;
    if (threadIdx.x < D) q[threadIdx.x] = Q[((size_t)blockIdx.y * n + row) * D + threadIdx.x];
    __syncthreads();
    float m = -1e30f;
    for (int k = threadIdx.x; k < n; k += 256) {
        float a = 0;
#ifndef GOOD
        for (int d = 0; d < D; d++) a += q[d] * Kh[(size_t)k * D + d];	// K by keys
#else
        for (int d = 0; d < D; d++) a += q[d] * Kh[(size_t)d * n + k];	// K transposed
#endif
        a *= 0.125f;
        s[k] = a;
        m = fmaxf(m, a);
    }
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = m;
    __syncthreads();
    for (int i = 0; i < 8; i++) m = fmaxf(m, red[i]);
    __syncthreads();
    float l = 0;
    for (int k = threadIdx.x; k < n; k += 256) { float e = expf(s[k] - m); s[k] = e; l += e; }
    for (int o = 16; o; o >>= 1) l += __shfl_xor_sync(~0u, l, o);
    if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = l;
    __syncthreads();
    l = 0;
    for (int i = 0; i < 8; i++) l += red[i];
    for (int k = threadIdx.x; k < n; k += 256) s[k] /= l;
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 5;
    const int heads = 16, n = 4096;
    size_t kd = (size_t)heads * n * D;
    float *Q, *K, *S;
    CK(cudaMalloc(&Q, kd * 4)); CK(cudaMalloc(&K, kd * 4)); CK(cudaMalloc(&S, (size_t)heads * n * n * 4));
    init<<<kd / 256, 256>>>(Q, kd);
    init<<<kd / 256, 256>>>(K, kd);
    for (int r = 0; r < reps; r++) scores<<<dim3(n, heads), 256>>>(Q, K, S, n);
    std::vector<float> h(n);
    CK(cudaMemcpy(h.data(), S + (size_t)77 * n, n * 4, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float x : h) sum += x;
    return report(close_to(sum, 1, 1e-3));
}

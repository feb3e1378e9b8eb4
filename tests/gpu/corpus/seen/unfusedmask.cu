// The part of an attention layer between its two matrix products: scores are scaled, a distance bias of each
// head is added, the future is masked, and every row goes through a softmax.
#include "common.h"

#define SEQ 1024
#define THREADS 256
#define PER (SEQ / THREADS)

__host__ __device__ static inline float raw_score(unsigned i)
{
    unsigned h = i * 0x9E3779B1u; h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 12;
    return ((h >> 8) * (1.0f / 16777216.0f) - 0.5f) * 40.0f;
}
__host__ __device__ static inline float slope(int head) { return 0.002f * (1 + head % 8); }

__global__ void make_scores(float *s, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s[i] = raw_score(i);
}

__device__ static float block_reduce(float v, bool maximum)
{
    __shared__ float part[THREADS / 32];
    for (int d = 16; d; d /= 2) {
        float o = __shfl_xor_sync(0xffffffffu, v, d);
        v = maximum ? fmaxf(v, o) : v + o;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[0];
    for (int w = 1; w < THREADS / 32; w++) v = maximum ? fmaxf(v, part[w]) : v + part[w];
    return v;
}

__device__ static void softmax_store(float (&v)[PER], float *out)
{
    float m = -1e30f, l = 0;
    for (int k = 0; k < PER; k++) m = fmaxf(m, v[k]);
    m = block_reduce(m, true);
    for (int k = 0; k < PER; k++) { v[k] = __expf(v[k] - m); l += v[k]; }
    l = 1.0f / block_reduce(l, false);
    for (int k = 0; k < PER; k++) out[k * THREADS + threadIdx.x] = v[k] * l;
}

#ifdef GOOD
__global__ void masked_softmax(const float *__restrict__ s, float *__restrict__ p)
{
    int row = blockIdx.x, head = blockIdx.y;
    size_t base = ((size_t)head * SEQ + row) * SEQ;
    float v[PER];
    for (int k = 0; k < PER; k++) {
        int col = k * THREADS + threadIdx.x;
        float x = s[base + col] * 0.125f - slope(head) * (float)abs(row - col);
        v[k] = col > row ? -1e30f : x;
    }
    softmax_store(v, p + base);
}
#else
__global__ void scale_scores(const float4 *__restrict__ s, float4 *__restrict__ p)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float4 v = s[i];
    p[i] = make_float4(v.x * 0.125f, v.y * 0.125f, v.z * 0.125f, v.w * 0.125f);
}

__global__ void add_bias(float4 *p)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    int col = (int)(i * 4 % SEQ), row = (int)(i * 4 / SEQ % SEQ), head = (int)(i * 4 / ((size_t)SEQ * SEQ));
    float4 v = p[i];
    float a = slope(head);
    v.x -= a * (float)abs(row - col);
    v.y -= a * (float)abs(row - col - 1);
    v.z -= a * (float)abs(row - col - 2);
    v.w -= a * (float)abs(row - col - 3);
    p[i] = v;
}

__global__ void mask_future(float4 *p)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    int col = (int)(i * 4 % SEQ), row = (int)(i * 4 / SEQ % SEQ);
    float4 v = p[i];
    if (col > row) v.x = -1e30f;
    if (col + 1 > row) v.y = -1e30f;
    if (col + 2 > row) v.z = -1e30f;
    if (col + 3 > row) v.w = -1e30f;
    p[i] = v;
}

__global__ void softmax_all(float *p)
{
    size_t base = ((size_t)blockIdx.y * SEQ + blockIdx.x) * SEQ;
    float v[PER];
    for (int k = 0; k < PER; k++) v[k] = p[base + k * THREADS + threadIdx.x];
    softmax_store(v, p + base);
}
#endif

int main(int argc, char **argv)
{
    int layers = argc > 1 ? atoi(argv[1]) : 150;
    const int heads = argc > 2 ? atoi(argv[2]) : 96;
    const unsigned n = (unsigned)heads * SEQ * SEQ;
    float *s, *p;
    CK(cudaMalloc(&s, (size_t)n * sizeof(float)));
    CK(cudaMalloc(&p, (size_t)n * sizeof(float)));
    make_scores<<<2048, 256>>>(s, n);
    CK(cudaGetLastError());
    for (int l = 0; l < layers; l++) {
#ifdef GOOD
        masked_softmax<<<dim3(SEQ, heads), THREADS>>>(s, p);
#else
        scale_scores<<<n / 1024, 256>>>((const float4 *)s, (float4 *)p);
        add_bias<<<n / 1024, 256>>>((float4 *)p);
        mask_future<<<n / 1024, 256>>>((float4 *)p);
        softmax_all<<<dim3(SEQ, heads), THREADS>>>(p);
#endif
        CK(cudaGetLastError());
    }
    CK(cudaDeviceSynchronize());

    bool ok = true;
    std::vector<float> h(SEQ);
    for (int c = 0; c < 12; c++) {
        int head = c * heads / 12, row = (c * 353 + 5) % SEQ;
        size_t base = ((size_t)head * SEQ + row) * SEQ;
        CK(cudaMemcpy(h.data(), p + base, SEQ * sizeof(float), cudaMemcpyDeviceToHost));
        double sum = 0;
        std::vector<double> w(SEQ, 0.0);
        for (int col = 0; col <= row; col++)
            sum += w[col] = exp((double)raw_score((unsigned)base + col) * 0.125 - (double)slope(head) * (row - col));
        for (int col = 0; col < SEQ; col++) if (fabs(h[col] - w[col] / sum) > 1e-5) ok = false;
    }
    printf("%d heads of %d x %d\n", heads, SEQ, SEQ);
    CK(cudaFree(s));
    CK(cudaFree(p));
    return report(ok);
}

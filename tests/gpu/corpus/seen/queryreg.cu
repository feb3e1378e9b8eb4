// Exact attention in fp32 with one thread per query: the query and the running output live in registers, keys
// and values come through shared memory in tiles, the softmax is computed online.
#include "common.h"

#define D 64
#define TILE 32
#define THREADS 128

#ifdef GOOD
#define BOUNDS __launch_bounds__(THREADS, 2)
#else
#define BOUNDS __launch_bounds__(THREADS, 8)
#endif

__host__ __device__ static inline float init(unsigned i, unsigned salt)
{
    unsigned h = (i + salt) * 0x9E3779B1u; h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 12;
    return ((h >> 8) * (1.0f / 16777216.0f) - 0.5f) * 2.0f;
}

__global__ void make(float *q, float *k, float *v, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        q[i] = init(i, 1u); k[i] = init(i, 900000001u); v[i] = init(i, 1900000003u);
    }
}

__global__ void BOUNDS attend(const float4 *__restrict__ q, const float4 *__restrict__ k, const float4 *__restrict__ v,
                              float4 *__restrict__ o, int seq)
{
    __shared__ float4 sk[TILE][D / 4], sv[TILE][D / 4];
    size_t head = (size_t)blockIdx.y * seq;
    size_t me = (head + blockIdx.x * THREADS + threadIdx.x) * (D / 4);
    float4 a[D / 4], acc[D / 4];
#pragma unroll
    for (int d = 0; d < D / 4; d++) { a[d] = q[me + d]; acc[d] = make_float4(0, 0, 0, 0); }
    float m = -1e30f, l = 0;
    for (int j0 = 0; j0 < seq; j0 += TILE) {
        __syncthreads();
        for (int i = threadIdx.x; i < TILE * D / 4; i += THREADS) {
            (&sk[0][0])[i] = k[(head + j0) * (D / 4) + i];
            (&sv[0][0])[i] = v[(head + j0) * (D / 4) + i];
        }
        __syncthreads();
#pragma unroll 1
        for (int j = 0; j < TILE; j++) {
            float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma unroll
            for (int d = 0; d < D / 4; d++) {
                float4 b = sk[j][d];
                s0 += a[d].x * b.x; s1 += a[d].y * b.y; s2 += a[d].z * b.z; s3 += a[d].w * b.w;
            }
            float s = (s0 + s1 + s2 + s3) * 0.125f;
            if (s > m) {
                float f = __expf(m - s);
                l *= f;
#pragma unroll
                for (int d = 0; d < D / 4; d++) { acc[d].x *= f; acc[d].y *= f; acc[d].z *= f; acc[d].w *= f; }
                m = s;
            }
            float p = __expf(s - m);
            l += p;
#pragma unroll
            for (int d = 0; d < D / 4; d++) {
                float4 b = sv[j][d];
                acc[d].x += p * b.x; acc[d].y += p * b.y; acc[d].z += p * b.z; acc[d].w += p * b.w;
            }
        }
    }
    float r = 1.0f / l;
#pragma unroll
    for (int d = 0; d < D / 4; d++) o[me + d] = make_float4(acc[d].x * r, acc[d].y * r, acc[d].z * r, acc[d].w * r);
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 1;
    const int heads = argc > 2 ? atoi(argv[2]) : 512, seq = argc > 3 ? atoi(argv[3]) : 2048;     // seq: multiple of 128
    const unsigned n = (unsigned)heads * seq * D;
    float *q, *k, *v, *o;
    CK(cudaMalloc(&q, n * sizeof(float)));
    CK(cudaMalloc(&k, n * sizeof(float)));
    CK(cudaMalloc(&v, n * sizeof(float)));
    CK(cudaMalloc(&o, n * sizeof(float)));
    make<<<1024, 256>>>(q, k, v, n);
    CK(cudaGetLastError());
    for (int r = 0; r < runs; r++)
        attend<<<dim3(seq / THREADS, heads), THREADS>>>((float4 *)q, (float4 *)k, (float4 *)v, (float4 *)o, seq);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> h(D);
    bool ok = true;
    for (int c = 0; c < 6; c++) {
        unsigned row = (unsigned)((long long)heads * seq * c / 6 + 17), base = row / seq * seq;
        CK(cudaMemcpy(h.data(), o + (size_t)row * D, D * sizeof(float), cudaMemcpyDeviceToHost));
        std::vector<double> w(seq), out(D, 0.0);
        double sum = 0;
        for (int j = 0; j < seq; j++) {
            double s = 0;
            for (int d = 0; d < D; d++) s += (double)init(row * D + d, 1u) * init((base + j) * D + d, 900000001u);
            sum += w[j] = exp(s * 0.125);
        }
        for (int j = 0; j < seq; j++)
            for (int d = 0; d < D; d++) out[d] += w[j] / sum * init((base + j) * D + d, 1900000003u);
        for (int d = 0; d < D; d++) if (fabs(out[d] - h[d]) > 2e-4) ok = false;
    }
    printf("%d heads of %d queries\n", heads, seq);
    CK(cudaFree(q)); CK(cudaFree(k)); CK(cudaFree(v)); CK(cudaFree(o));
    return report(ok);
}

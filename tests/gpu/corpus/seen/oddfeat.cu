// Scores of documents from features in half precision with cuBLAS; there are 4,095
// features.
//   oddfeat [times] [documents]
#include "common.h"
#include <cuda_fp16.h>
#include <cublas_v2.h>

#define BLAS(x) do { cublasStatus_t s_ = (x); if (s_ != CUBLAS_STATUS_SUCCESS) { fprintf(stderr, "cuBLAS %d, line %d\n", (int)s_, __LINE__); exit(1); } } while (0)

const int FEATURES = 4095, TOPICS = 4096;
#ifndef GOOD
const int PITCH = FEATURES;
#else
const int PITCH = 4096;                     // the last feature of each is zero
#endif

__host__ __device__ inline float weight(unsigned of, unsigned feature, unsigned which)
{
    unsigned h = of * 2654435761u + feature * 2246822519u + which;
    h ^= h >> 15; h *= 3266489917u; h ^= h >> 16;
    return (int)(h & 15) * 0.0625f - 0.5f;
}

__global__ void fill(half *p, unsigned rows, unsigned which)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (size_t)rows * PITCH; i += (size_t)gridDim.x * blockDim.x) {
        unsigned f = i % PITCH;
        p[i] = __float2half(f < FEATURES ? weight((unsigned)(i / PITCH), f, which) : 0.0f);
    }
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 60, docs = argc > 2 ? atoi(argv[2]) : 8192;
    half *d, *t, *c;
    CK(cudaMalloc(&d, (size_t)docs * PITCH * sizeof(half)));
    CK(cudaMalloc(&t, (size_t)TOPICS * PITCH * sizeof(half)));
    CK(cudaMalloc(&c, (size_t)TOPICS * docs * sizeof(half)));
    fill<<<1056, 256>>>(d, docs, 1);
    fill<<<1056, 256>>>(t, TOPICS, 2);
    CK(cudaGetLastError());
    cublasHandle_t handle;
    BLAS(cublasCreate(&handle));
    float one = 1, none = 0;
    for (int i = 0; i < times; i++)
        BLAS(cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, TOPICS, docs, PITCH, &one, t, CUDA_R_16F, PITCH,
                          d, CUDA_R_16F, PITCH, &none, c, CUDA_R_16F, TOPICS, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    std::vector<half> h((size_t)TOPICS * docs);
    CK(cudaMemcpy(h.data(), c, h.size() * sizeof(half), cudaMemcpyDeviceToHost));
    bool ok = true;
    unsigned s = 4;
    for (int k = 0; k < 100; k++) {
        int topic = lcg(s) >> 8 & (TOPICS - 1), doc = (lcg(s) >> 8) % docs;
        double want = 0;
        for (int f = 0; f < FEATURES; f++) want += weight(topic, f, 2) * weight(doc, f, 1);
        ok = ok && fabs(want - __half2float(h[(size_t)doc * TOPICS + topic])) < 0.01 * fabs(want) + 0.1;
    }
    printf("score[0] %.3f\n", __half2float(h[0]));
    BLAS(cublasDestroy(handle));
    return report(ok);
}

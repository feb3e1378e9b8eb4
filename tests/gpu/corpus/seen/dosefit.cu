// Pharmacokinetics: for each patient the best of 4096 (absorption, elimination) pairs of a
// one-compartment model, by least squares over 24 blood samples.
//   dosefit [patients]
#include "common.h"

const int SAMPLES = 24, CANDIDATES = 4096;

__host__ __device__ inline float rate(int c, bool absorption)
{
    return absorption ? 0.6f + 0.02f * (c & 63) : 0.03f + 0.004f * (c >> 6);
}

__device__ __forceinline__ float concentration(float ka, float ke, float t)
{
    return __fdividef(ka, ka - ke) * (__expf(-ke * t) - __expf(-ka * t));
}

__global__ void measure(float *blood, int patients)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= patients * SAMPLES) return;
    int p = i / SAMPLES, c = (p * 40503u) % CANDIDATES;
    blood[i] = concentration(rate(c, true), rate(c, false), 0.5f + i % SAMPLES);
}

// Block row y: patient first + y. best[patient] = (squared error, candidate).
__global__ void fit(const float *__restrict__ blood, unsigned long long *best, int first)
{
    __shared__ float y[SAMPLES];
    __shared__ unsigned long long part[8];
    int patient = first + blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < SAMPLES) y[threadIdx.x] = blood[patient * SAMPLES + threadIdx.x];
    __syncthreads();
    float ka = rate(c, true), ke = rate(c, false), scale = __fdividef(ka, ka - ke), sse = 0;
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        float t = 0.5f + k;
        float d = scale * (__expf(-ke * t) - __expf(-ka * t)) - y[k];
        sse += d * d;
    }
    unsigned long long key = (unsigned long long)__float_as_uint(sse) << 32 | (unsigned)c;
    for (int o = 16; o; o >>= 1) key = min(key, __shfl_down_sync(~0u, key, o));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = key;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; k++) key = min(key, part[k]);
        atomicMin(&best[patient], key);
    }
}

int main(int argc, char **argv)
{
    int patients = argc > 1 ? atoi(argv[1]) : 60000;
    float *blood;
    unsigned long long *best;
    CK(cudaMalloc(&blood, patients * SAMPLES * sizeof(float)));
    CK(cudaMalloc(&best, patients * sizeof *best));
    CK(cudaMemset(best, 0xff, patients * sizeof *best));
    measure<<<(patients * SAMPLES + 255) / 256, 256>>>(blood, patients);
    CK(cudaGetLastError());
#ifndef GOOD
    for (int p = 0; p < patients; p++) {
        fit<<<dim3(CANDIDATES / 256, 1), 256>>>(blood, best, p);
        CK(cudaGetLastError());
    }
#else
    for (int p = 0; p < patients; p += 60000) {
        fit<<<dim3(CANDIDATES / 256, std::min(60000, patients - p)), 256>>>(blood, best, p);
        CK(cudaGetLastError());
    }
#endif
    std::vector<unsigned long long> h(patients);
    CK(cudaMemcpy(h.data(), best, patients * sizeof *best, cudaMemcpyDeviceToHost));
    int right = 0;
    for (int p = 0; p < patients; p++) right += (int)(unsigned)h[p] == (int)((p * 40503u) % CANDIDATES);
    printf("%d of %d patients recovered\n", right, patients);
    return report(right > patients * 0.9);
}

// Energy of the pre-emphasised signal of twelve hydrophones over a long recording, per watch.
#include "common.h"

static const int PHONES = 12;
static const int LEN = 8 * 1024 * 1024;
static const int NT = 1024;

static __host__ __device__ float pressure(int p, int t)
{
    unsigned h = (unsigned)(p * 1299709 + t) * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return (float)(h & 4095u) * (1.0f / 2048.0f) - 1.0f;
}
__global__ void record(float *x)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    x[(size_t)blockIdx.y * LEN + t] = pressure(blockIdx.y, t);
}

__global__ void phone_energy(const float *__restrict__ x, double *energy, float pre)
{
    const float *sig = x + (size_t)blockIdx.y * LEN;
    int stride = gridDim.x * blockDim.x;
    float e0 = 0.0f, comp = 0.0f;
#pragma unroll 4
    for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < LEN; t += stride) {
        float v = sig[t] - (t > 0 ? pre * sig[t - 1] : 0.0f);
        float term = v * v - comp;            // Kahan: recordings are long
        float sum = e0 + term;
        comp = (sum - e0) - term;
        e0 = sum;
    }
    double e = e0;
    for (int o = 16; o > 0; o >>= 1) e += __shfl_down_sync(0xffffffffu, e, o);
    __shared__ double part[NT / 32];
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = e;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < NT / 32; w++) e += part[w];
        atomicAdd(&energy[blockIdx.y], e);
    }
}

int main(int argc, char **argv)
{
    int watches = argc > 1 ? atoi(argv[1]) : 350;
#ifdef GOOD
    const int slices = 44;
#else
    const int slices = 1;
#endif
    float *x;
    double *energy;
    CK(cudaMalloc(&x, (size_t)PHONES * LEN * sizeof(float)));
    CK(cudaMalloc(&energy, (size_t)watches * PHONES * sizeof(double)));
    CK(cudaMemset(energy, 0, (size_t)watches * PHONES * sizeof(double)));
    record<<<dim3(LEN / 256, PHONES), 256>>>(x);
    CK(cudaGetLastError());
    for (int w = 0; w < watches; w++)
        phone_energy<<<dim3(slices, PHONES), NT>>>(x, energy + (size_t)w * PHONES, 0.90f + 0.0002f * (w % 400));
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<double> got(PHONES);
    CK(cudaMemcpy(got.data(), energy, PHONES * sizeof(double), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int p : {0, 11}) {
        double e = 0, before = 0;
        for (int t = 0; t < LEN; t++) {
            double now = pressure(p, t), v = now - (double)0.90f * before;
            e += v * v;
            before = now;
        }
        ok = ok && close_to(got[p], e, 1e-4);
    }
    cudaFree(x); cudaFree(energy);
    return report(ok);
}

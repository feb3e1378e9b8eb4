// Raman spectra: subtract the least-squares baseline of every spectrum, then scale to unit variance (SNV).
// One block per spectrum.
#include "common.h"

static const int LEN = 16384;
static const int SPECTRA = 8192;
static const int NT = 512;

static __host__ __device__ float raw_value(int s, int i)
{
    unsigned h = (unsigned)(s * 16411 + i) * 2654435761u;
    h ^= h >> 14; h *= 3266489917u; h ^= h >> 16;
    return 100.0f + 0.002f * i + (float)(h & 1023u) * 0.05f;
}
__global__ void acquire(float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[(size_t)blockIdx.y * LEN + i] = raw_value(blockIdx.y, i);
}

__device__ float block_total(float v)
{
    __shared__ float part[NT / 32];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    __syncthreads();
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
    __syncthreads();
    float t = 0.0f;
    for (int w = 0; w < NT / 32; w++) t += part[w];
    return t;
}

// centred abscissa in -0.5 .. 0.5
__device__ __forceinline__ float abscissa(int i) { return (i - 0.5f * (LEN - 1)) / LEN; }

__global__ void __launch_bounds__(NT) baseline_snv(const float *x, float *y)
{
    const float *row = x + (size_t)blockIdx.x * LEN;
    float *dst = y + (size_t)blockIdx.x * LEN;
#ifdef GOOD
    extern __shared__ float keep[];
#define VALUE(i) keep[i]
#else
#define VALUE(i) row[i]
#endif
    float s = 0.0f;
    for (int i = threadIdx.x; i < LEN; i += NT) {
        float v = row[i];
#ifdef GOOD
        keep[i] = v;
#endif
        s += v;
    }
    float mean = block_total(s) / LEN;
    float sxy = 0.0f, sxx = 0.0f;
    for (int i = threadIdx.x; i < LEN; i += NT) {
        float u = abscissa(i);
        sxy += u * (VALUE(i) - mean);
        sxx += u * u;
    }
    sxy = block_total(sxy);
    sxx = block_total(sxx);
    float slope = sxy / sxx;
    float q = 0.0f;
    for (int i = threadIdx.x; i < LEN; i += NT) {
        float r = VALUE(i) - mean - slope * abscissa(i);
        q += r * r;
    }
    float scale = rsqrtf(block_total(q) / LEN + 1e-12f);
    for (int i = threadIdx.x; i < LEN; i += NT)
        dst[i] = (VALUE(i) - mean - slope * abscissa(i)) * scale;
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 140;
    float *x, *y;
    CK(cudaMalloc(&x, (size_t)SPECTRA * LEN * sizeof(float)));
    CK(cudaMalloc(&y, (size_t)SPECTRA * LEN * sizeof(float)));
    acquire<<<dim3(LEN / 256, SPECTRA), 256>>>(x);
    CK(cudaGetLastError());
    size_t smem = 0;
#ifdef GOOD
    smem = LEN * sizeof(float);
    CK(cudaFuncSetAttribute(baseline_snv, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem));
#endif
    for (int r = 0; r < reps; r++)
        baseline_snv<<<SPECTRA, NT, smem>>>(x, y);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    std::vector<float> got(LEN);
    for (int s : {0, 4567, SPECTRA - 1}) {
        CK(cudaMemcpy(got.data(), y + (size_t)s * LEN, LEN * sizeof(float), cudaMemcpyDeviceToHost));
        double m = 0, sxy = 0, sxx = 0, q = 0;
        for (int i = 0; i < LEN; i++) m += raw_value(s, i);
        m /= LEN;
        for (int i = 0; i < LEN; i++) {
            double u = (i - 0.5 * (LEN - 1)) / LEN;
            sxy += u * (raw_value(s, i) - m);
            sxx += u * u;
        }
        auto res = [&](int i) { return raw_value(s, i) - m - sxy / sxx * (i - 0.5 * (LEN - 1)) / LEN; };
        for (int i = 0; i < LEN; i++) q += res(i) * res(i);
        for (int i = 0; i < LEN; i += 501)
            ok = ok && close_to(got[i], res(i) / sqrt(q / LEN), 2e-3);
    }
    cudaFree(x); cudaFree(y);
    return report(ok);
}

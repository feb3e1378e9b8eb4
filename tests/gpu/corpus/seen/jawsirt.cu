// Dental CT: the jaw volume is improved step by step. Each voxel is corrected by its weighted residual; the step
// size of the next round depends on the residual norm of the whole volume.
// usage: jawsirt voxelsInThousands rounds
#include "common.h"

#define PERIOD 4096          // the phantom repeats itself after so many voxels

#ifdef GOOD
#define THREADS 512
#define BLOCKS 528
#else
#define THREADS 256
#define BLOCKS 1056
#endif

__host__ __device__ inline float phantom(unsigned i, unsigned salt)
{
    unsigned h = (i % PERIOD) * 2654435761u + salt;
    h = (h ^ (h >> 15)) * 2246822519u;
    return (float)((h ^ (h >> 13)) >> 8) * (1.0f / 16777216.0f);
}

__host__ __device__ inline float stepSize(double norm, double voxels)
{
    return 0.3f + 0.5f / (1.0f + 10.0f * (float)(norm / voxels));
}

__host__ __device__ inline float residual(float x, float b, float w) { return b - w * x; }

__host__ __device__ inline float correct(float x, float r, float w, float step) { return fmaxf(x + step * w * r, 0.0f); }

__global__ void fill_phantom(float4 *x, float4 *b, float4 *w, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    unsigned v = 4u * (unsigned)i;
    x[i] = make_float4(0.f, 0.f, 0.f, 0.f);
    b[i] = make_float4(phantom(v, 1), phantom(v + 1, 1), phantom(v + 2, 1), phantom(v + 3, 1));
    w[i] = make_float4(0.2f + 0.8f * phantom(v, 2), 0.2f + 0.8f * phantom(v + 1, 2),
                       0.2f + 0.8f * phantom(v + 2, 2), 0.2f + 0.8f * phantom(v + 3, 2));
}

__global__ void __launch_bounds__(THREADS, 2048 / THREADS)
sirt_round(float4 *__restrict__ x, const float4 *__restrict__ b, const float4 *__restrict__ w, int n4,
           const double *norm, double *nextNorm)
{
    __shared__ float part[THREADS / 32];
    const float step = stepSize(*norm, 4.0 * n4);
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        float4 xv = x[i], bv = b[i], wv = w[i], r;
        r.x = residual(xv.x, bv.x, wv.x); r.y = residual(xv.y, bv.y, wv.y);
        r.z = residual(xv.z, bv.z, wv.z); r.w = residual(xv.w, bv.w, wv.w);
        sum += r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w;
        xv.x = correct(xv.x, r.x, wv.x, step); xv.y = correct(xv.y, r.y, wv.y, step);
        xv.z = correct(xv.z, r.z, wv.z, step); xv.w = correct(xv.w, r.w, wv.w, step);
        x[i] = xv;
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        double s = 0;
        for (int k = 0; k < THREADS / 32; ++k) s += part[k];
        atomicAdd(nextNorm, s);
    }
}

int main(int argc, char **argv)
{
    int n = (argc > 1 ? atoi(argv[1]) : 49152) * 1000 / PERIOD * PERIOD;
    int rounds = argc > 2 ? atoi(argv[2]) : 2500;
    float4 *x, *b, *w; double *norms;
    CK(cudaMalloc(&x, (size_t)n * sizeof(float)));
    CK(cudaMalloc(&b, (size_t)n * sizeof(float)));
    CK(cudaMalloc(&w, (size_t)n * sizeof(float)));
    CK(cudaMalloc(&norms, (rounds + 1) * sizeof(double)));
    CK(cudaMemset(norms, 0, (rounds + 1) * sizeof(double)));
    fill_phantom<<<(n / 4 + 255) / 256, 256>>>(x, b, w, n / 4);
    for (int k = 0; k < rounds; ++k) sirt_round<<<BLOCKS, THREADS>>>(x, b, w, n / 4, norms + k, norms + k + 1);
    CK(cudaGetLastError());
    std::vector<double> norm(rounds + 1);
    std::vector<float> tail(PERIOD);
    CK(cudaMemcpy(norm.data(), norms, norm.size() * sizeof(double), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(tail.data(), (float *)x + n - PERIOD, PERIOD * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    std::vector<float> cx(PERIOD, 0.0f), cb(PERIOD), cw(PERIOD);
    for (int i = 0; i < PERIOD; ++i) { cb[i] = phantom(i, 1); cw[i] = 0.2f + 0.8f * phantom(i, 2); }
    double last = 0;
    for (int k = 0; k < rounds; ++k) {
        float step = stepSize(last, PERIOD);
        double sum = 0;
        for (int i = 0; i < PERIOD; ++i) {
            float r = residual(cx[i], cb[i], cw[i]);
            sum += r * r;
            cx[i] = correct(cx[i], r, cw[i], step);
        }
        last = sum;
        ok = ok && fabs(norm[k + 1] / n - last / PERIOD) <= 1e-3 * last / PERIOD + 1e-7;
    }
    for (int i = 0; i < PERIOD; ++i) ok = ok && close_to(tail[i], cx[i], 1e-3);
    printf("residual norm after round 1: %.6f, at the end: %.3g\n", norm[1] / n, norm[rounds] / n);
    CK(cudaFree(x)); CK(cudaFree(b)); CK(cudaFree(w)); CK(cudaFree(norms));
    return report(ok);
}

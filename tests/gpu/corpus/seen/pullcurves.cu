// Tensile tests: a record of 32 strain-stress samples for each coupon; toughness (area under the curve), strength and
// the largest slope. The block stages its records in shared memory, then every thread walks its own.
//   pullcurves [batches]
#include "common.h"

const int COUPONS = 1 << 22, POINTS = 32, THREADS = 128;
#ifdef GOOD
const int PITCH = POINTS + 1;
#else
const int PITCH = POINTS;
#endif

__host__ __device__ static inline float stress(unsigned coupon, int k)
{
    unsigned h = coupon * 2654435761u + (unsigned)k * 0x9e3779b9u;
    h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 12;
    float e = (float)k / POINTS;
    return 400.0f * e / (0.1f + e) + (float)(h & 255u) * 0.05f;
}

__global__ void test(float *rec)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    rec[i] = stress((unsigned)(i / POINTS), (int)(i % POINTS));
}

__global__ void __launch_bounds__(THREADS) evaluate(const float *__restrict__ rec, float *__restrict__ tough,
                                                    float *__restrict__ strong, float *__restrict__ steep)
{
    __shared__ float s[THREADS * PITCH];
    size_t first = (size_t)blockIdx.x * THREADS * POINTS;
#pragma unroll
    for (int q = 0; q < POINTS; q++) {
        int x = q * THREADS + threadIdx.x;
        s[x / POINTS * PITCH + x % POINTS] = rec[first + x];
    }
    __syncthreads();
    const float *mine = s + threadIdx.x * PITCH;
    float last = mine[0], area = 0, top = last, slope = -1e30f;
#pragma unroll
    for (int k = 1; k < POINTS; k++) {
        float v = mine[k];
        area += 0.5f * (v + last);
        top = fmaxf(top, v);
        slope = fmaxf(slope, v - last);
        last = v;
    }
    int i = blockIdx.x * THREADS + threadIdx.x;
    tough[i] = area / POINTS;
    strong[i] = top;
    steep[i] = slope * POINTS;
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 900;
    float *rec, *out[3];
    CK(cudaMalloc(&rec, (size_t)COUPONS * POINTS * sizeof(float)));
    for (int k = 0; k < 3; k++) CK(cudaMalloc(&out[k], (size_t)COUPONS * sizeof(float)));
    test<<<COUPONS / 256 * POINTS, 256>>>(rec);
    for (int b = 0; b < batches; b++) evaluate<<<COUPONS / THREADS, THREADS>>>(rec, out[0], out[1], out[2]);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<float> h[3];
    for (int k = 0; k < 3; k++) {
        h[k].resize(COUPONS);
        CK(cudaMemcpy(h[k].data(), out[k], (size_t)COUPONS * sizeof(float), cudaMemcpyDeviceToHost));
    }
    bool ok = true;
    for (int i = 1; i < COUPONS; i += 2003) {
        double area = 0, top = stress(i, 0), slope = -1e30;
        for (int k = 1; k < POINTS; k++) {
            double a = stress(i, k - 1), b = stress(i, k);
            area += 0.5 * (a + b);
            top = std::max(top, b);
            slope = std::max(slope, b - a);
        }
        ok = ok && close_to(h[0][i], area / POINTS, 1e-4) && close_to(h[1][i], top, 1e-4) &&
             fabs(h[2][i] - slope * POINTS) < 0.1;
    }
    printf("first coupon: toughness %.2f, strength %.1f\n", h[0][0], h[1][0]);
    return report(ok);
}

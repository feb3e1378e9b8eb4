// Light particles in a detector: every particle sits in one of eight media and
// takes a number of small steps under that medium's law.
#include "common.h"

#define MEDIA 8

__host__ __device__ inline int medium_of(int i, int n)
{
#ifdef GOOD
    return (int)((long long)i * MEDIA / n);            // kept in order of medium
#else
    (void)n;
    return (int)(((unsigned)i * 2654435761u) >> 29);   // as they came
#endif
}

__host__ __device__ inline void advance(float &e, float &a, int medium, int steps)
{
    for (int k = 0; k < steps; k++) {
        float x = e, d;
        switch (medium) {
        case 0: d = 0.01f * expf(-x * x) + 0.002f * a; break;
        case 1: d = 0.02f * sinf(x + a) / (1.0f + x * x); break;
        case 2: d = 0.01f * logf(1.0f + x * x + a * a); break;
        case 3: d = 0.03f * sqrtf(x * x + 0.1f) / (2.0f + a * a); break;
        case 4: d = 0.02f * cosf(3.0f * x) * expf(-a * a); break;
        case 5: d = 0.01f * tanhf(x - a); break;
        case 6: d = 0.01f * atanf(x * a + 0.3f); break;
        default: d = 0.015f / (1.0f + expf(x - a)) ; break;
        }
        e = 0.95f * x - d * 0.5f + 0.02f;
        a = a * 0.95f + d;
    }
}

__global__ void emit(float *e, float *a, unsigned char *med, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s = i * 747796405u + 2891336453u;
    s ^= s >> 16; s *= 2246822519u; s ^= s >> 13;
    e[i] = 0.5f + (s & 0xffff) * (1.0f / 65536.0f);
    a[i] = (s >> 16) * (1.0f / 65536.0f);
    med[i] = (unsigned char)medium_of(i, n);
}

__global__ void transport(float *e, float *a, const unsigned char *__restrict__ med, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = e[i], y = a[i];
    advance(x, y, med[i], steps);
    e[i] = x; a[i] = y;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 6000;
    const int n = 4 << 20;
    float *e, *a;
    unsigned char *med;
    CK(cudaMalloc(&e, n * sizeof(float)));
    CK(cudaMalloc(&a, n * sizeof(float)));
    CK(cudaMalloc(&med, n));
    emit<<<(n + 255) / 256, 256>>>(e, a, med, n);
    CK(cudaGetLastError());

    // some particles from all over the array, to follow on the CPU
    const int some = 64;
    std::vector<float> e0(some), a0(some), e1(some), a1(some);
    auto pick = [&](std::vector<float> &v, const float *p) {
        CK(cudaMemcpy2D(v.data(), sizeof(float), p, (size_t)(n / some) * sizeof(float), sizeof(float), some, cudaMemcpyDeviceToHost));
    };
    pick(e0, e); pick(a0, a);
    transport<<<(n + 255) / 256, 256>>>(e, a, med, n, steps);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    pick(e1, e); pick(a1, a);

    bool ok = true;
    for (int k = 0; k < some; k++) {
        float x = e0[k], y = a0[k];
        advance(x, y, medium_of(k * (n / some), n), steps);
        if (!close_to(e1[k], x, 5e-3) || !close_to(a1[k], y, 5e-3)) ok = false;
    }
    printf("particle 0: %g %g\n", e1[0], a1[0]);
    CK(cudaFree(e)); CK(cudaFree(a)); CK(cudaFree(med));
    return report(ok);
}

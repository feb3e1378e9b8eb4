// Implied volatilities of a chain of options by Newton's method on the Black-Scholes price.
//   volsurf [quotes]
#include "common.h"

#ifndef GOOD
#define C(x) x
#define EXP exp
#define LOG log
#define SQRT sqrt
#define DIV(a, b) ((a) / (b))
#else
#define C(x) x##f
#define EXP __expf
#define LOG __logf
#define SQRT sqrtf
#define DIV(a, b) __fdividef(a, b)
#endif

// Cumulative normal distribution, Abramowitz and Stegun 26.2.17
__device__ float normal_cdf(float x)
{
    float k = DIV(C(1.0), C(1.0) + C(0.2316419) * fabsf(x));
    float p = k * (C(0.319381530) + k * (C(-0.356563782) + k * (C(1.781477937) + k * (C(-1.821255978) + k * C(1.330274429)))));
    float tail = C(0.39894228) * EXP(C(-0.5) * x * x) * p;
    return x > 0 ? C(1.0) - tail : tail;
}

__device__ float call_price(float s, float k, float r, float t, float vol, float *vega)
{
    float root = SQRT(t);
    float d1 = DIV(LOG(DIV(s, k)) + (r + C(0.5) * vol * vol) * t, vol * root);
    float d2 = d1 - vol * root;
    *vega = s * root * C(0.39894228) * EXP(C(-0.5) * d1 * d1);
    return s * normal_cdf(d1) - k * EXP(-r * t) * normal_cdf(d2);
}

__device__ void contract(int i, float *s, float *k, float *t)
{
    *s = 100.0f;
    *k = 80.0f + 40.0f * (i % 1024) / 1024;
    *t = 0.25f + (i / 1024 % 512) / 256.0f;
}

__global__ void quote(float *price, int n, float shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s, k, t, vega;
    contract(i, &s, &k, &t);
    float smile = 0.2f + shift + 0.1f * (k / s - 1) * (k / s - 1);
    price[i] = call_price(s, k, 0.02f, t, smile, &vega);
}

__global__ void implied(const float *__restrict__ price, float *__restrict__ vol, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s, k, t, p = price[i], v = C(0.5);
    contract(i, &s, &k, &t);
    for (int step = 0; step < 8; step++) {
        float vega, off = call_price(s, k, 0.02f, t, v, &vega) - p;
        v = fminf(fmaxf(v - DIV(off, vega + C(1e-4)), 0.01f), 2.0f);
    }
    vol[i] = v;
}

int main(int argc, char **argv)
{
    int quotes = argc > 1 ? atoi(argv[1]) : 100;
    const int n = 1 << 22;
    float *price, *vol;
    CK(cudaMalloc(&price, n * 4));
    CK(cudaMalloc(&vol, n * 4));
    for (int q = 0; q < quotes; q++) {
        quote<<<n / 256, 256>>>(price, n, 0.001f * q);
        implied<<<n / 256, 256>>>(price, vol, n);
        CK(cudaGetLastError());
    }
    std::vector<float> h(n);
    CK(cudaMemcpy(h.data(), vol, n * 4, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float x : h) sum += x;
    printf("mean volatility %.3f\n", sum / n);
    return report(sum / n > 0.1 && sum / n < 0.6);
}

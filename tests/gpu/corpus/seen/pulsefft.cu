// Pulse-Doppler radar: the power spectrum of each pulse of 1024 complex samples; the
// transform is made in shared memory, radix 2.
//   pulsefft [pulses] [times]
#include "common.h"

#define N 1024
#define LOG 10
#define THREADS 256
#define TWO_PI 6.283185307f

__host__ __device__ inline float2 sample(int pulse, int i)
{
    // One tone a pulse, and something else.
    float a = TWO_PI * (float)((long)i * (pulse % N) % N) / N;
    return make_float2(cosf(a) + ((i * 7 + pulse) % 5 - 2) * 0.01f, sinf(a));
}

__global__ void receive(float2 *x)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x) x[(size_t)blockIdx.x * N + i] = sample(blockIdx.x, i);
}

__global__ void twiddles(float2 *w)
{
    // Those of the stage with 2^s of them begin at 2^s.
    int i = blockIdx.x * blockDim.x + threadIdx.x, half = 1;
    while (2 * half <= i) half *= 2;
    float a = TWO_PI * (i - half) / (2 * half);
    if (i > 0 && i < N) w[i] = make_float2(cosf(a), -sinf(a));
}

__global__ void __launch_bounds__(THREADS) spectrum(const float2 *__restrict__ x, const float2 *__restrict__ w, float *__restrict__ power)
{
    __shared__ float re[2][N], im[2][N];
    const float2 *pulse = x + (size_t)blockIdx.x * N;
    for (int i = threadIdx.x; i < N; i += THREADS) {
        float2 v = pulse[i];
        re[0][i] = v.x;
        im[0][i] = v.y;
    }
#ifdef GOOD
    __shared__ float wr[N], wi[N];
    for (int i = threadIdx.x; i < N; i += THREADS) {
        wr[i] = w[i].x;
        wi[i] = w[i].y;
    }
#endif
    // Stockham's form: the result is in order.
    int from = 0;
    for (int s = 0; s < LOG; s++, from ^= 1) {
        __syncthreads();
        int half = 1 << s;
        for (int b = threadIdx.x; b < N / 2; b += THREADS) {
            int k = b & (half - 1), out = ((b - k) << 1) + k;
#ifndef GOOD
            float c, d;
            sincosf(-TWO_PI * k / (2 * half), &d, &c);
#else
            float c = wr[half + k], d = wi[half + k];
#endif
            float ar = re[from][b], ai = im[from][b], br = re[from][b + N / 2], bi = im[from][b + N / 2];
            float tr = br * c - bi * d, ti = br * d + bi * c;
            re[from ^ 1][out] = ar + tr;
            im[from ^ 1][out] = ai + ti;
            re[from ^ 1][out + half] = ar - tr;
            im[from ^ 1][out + half] = ai - ti;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += THREADS)
        power[(size_t)blockIdx.x * N + i] = re[from][i] * re[from][i] + im[from][i] * im[from][i];
}

int main(int argc, char **argv)
{
    int pulses = argc > 1 ? atoi(argv[1]) : 65536, times = argc > 2 ? atoi(argv[2]) : 30;
    float2 *x, *w;
    float *power;
    CK(cudaMalloc(&x, (size_t)pulses * N * sizeof(float2)));
    CK(cudaMalloc(&w, N * sizeof(float2)));
    CK(cudaMalloc(&power, (size_t)pulses * N * sizeof(float)));
    receive<<<pulses, 256>>>(x);
    twiddles<<<N / 128, 128>>>(w);
    for (int t = 0; t < times; t++) spectrum<<<pulses, THREADS>>>(x, w, power);
    CK(cudaGetLastError());
    std::vector<float> h((size_t)pulses * N);
    CK(cudaMemcpy(h.data(), power, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int p = 0; p < pulses; p += pulses / 64 + 1) {
        const float *q = &h[(size_t)p * N];
        int tone = (int)(std::max_element(q, q + N) - q), bin = (p * 5 + 3) % N;
        double re = 0, im = 0;
        for (int i = 0; i < N; i++) {
            double a = -2 * M_PI * ((long)i * bin % N) / N;
            float2 v = sample(p, i);
            re += v.x * cos(a) - v.y * sin(a);
            im += v.x * sin(a) + v.y * cos(a);
        }
        ok = ok && tone == p % N && fabs(re * re + im * im - q[bin]) < 0.05 * (re * re + im * im) + 0.05;
    }
    printf("peak of pulse 1: %.1f\n", h[(size_t)(pulses > 1) * N + 1]);
    return report(ok);
}

// Batched radix-2 FFTs of 1024 points.
#include "common.h"
#define N 1024
__global__ void init(float2 *x, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) x[i] = make_float2((i % N) == 1 ? 1.0f : 0.0f, 0); }
__device__ float2 cmul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
#ifndef GOOD
// Stockham, one stage a launch.
__global__ void stage(const float2 *in, float2 *out, int s)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x, i = k % (N / 2);
    size_t base = (size_t)(k / (N / 2)) * N;
    int p = i / s, q = i % s;
    float si, co;
    __sincosf(-6.2831853f * p * s / N, &si, &co);
    float2 a = in[base + q + s * p], b = in[base + q + s * (p + N / 2 / s)];
    out[base + q + s * 2 * p] = make_float2(a.x + b.x, a.y + b.y);
    out[base + q + s * (2 * p + 1)] = cmul(make_float2(a.x - b.x, a.y - b.y), make_float2(co, si));
}
#else
__global__ void fft(const float2 *in, float2 *out)
{
    __shared__ float2 t[2][N];
    int i = threadIdx.x;
    size_t base = (size_t)blockIdx.x * N;
    t[0][i] = in[base + i]; t[0][i + N / 2] = in[base + i + N / 2];
    int c = 0;
    for (int s = 1; s < N; s *= 2) {
        __syncthreads();
        int p = i / s, q = i % s;
        float si, co;
        __sincosf(-6.2831853f * p * s / N, &si, &co);
        float2 a = t[c][q + s * p], b = t[c][q + s * (p + N / 2 / s)];
        t[1 - c][q + s * 2 * p] = make_float2(a.x + b.x, a.y + b.y);
        t[1 - c][q + s * (2 * p + 1)] = cmul(make_float2(a.x - b.x, a.y - b.y), make_float2(co, si));
        c = 1 - c;
    }
    __syncthreads();
    out[base + i] = t[c][i]; out[base + i + N / 2] = t[c][i + N / 2];
}
#endif
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 20;
    const int batch = 1 << 17;
    size_t n = (size_t)batch * N;
    float2 *a, *b, *c;
    CK(cudaMalloc(&a, n * 8)); CK(cudaMalloc(&b, n * 8)); CK(cudaMalloc(&c, n * 8));
    init<<<n / 256, 256>>>(a, n);
    float2 *res = b;
    for (int r = 0; r < reps; r++) {
#ifndef GOOD
        float2 *from = a, *to = b, *other = c;
        for (int s = 1; s < N; s *= 2) {
            stage<<<n / 2 / 256, 256>>>(from, to, s);
            res = to; float2 *t = from == a ? other : from; from = to; to = t;
        }
#else
        fft<<<batch, N / 2>>>(a, b);
#endif
    }
    std::vector<float2> h(N);
    CK(cudaMemcpy(h.data(), res + 3 * N, N * 8, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int k = 0; k < N; k++) ok = ok && fabs(h[k].x - cos(2 * M_PI * k / N)) < 1e-2 && fabs(h[k].y + sin(2 * M_PI * k / N)) < 1e-2;
    return report(ok);
}

// Pharmacology: a drug passes along a chain of twelve tissue compartments; concentration after a course of doses.
//   compartments [patients' batches]
#include "common.h"

constexpr int C = 12;

struct Body { float uptake, back, clear, dose; };

__host__ __device__ __forceinline__ void advance(const float *in, float *out, const Body &b, float input)
{
    float before = input;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int c = 0; c < C; c++) {
        float after = c < C - 1 ? b.back * in[c + 1] : 0.0f;
        out[c] = in[c] * b.clear + before + after;
        before = b.uptake * in[c];
    }
}

__global__ void course(const Body *__restrict__ bodies, float *__restrict__ level, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Body b = bodies[i];
    float even[C], odd[C];
#pragma unroll
    for (int c = 0; c < C; c++) even[c] = odd[c] = 0;
#ifdef GOOD
    for (int s = 0; s < steps; s += 2) {
        advance(even, odd, b, b.dose);
        advance(odd, even, b, b.dose);
    }
    const float *now = even;
#else
    float *now = even, *next = odd;
#pragma unroll 1
    for (int s = 0; s < steps; s++) {
        advance(now, next, b, b.dose);
        float *t = now; now = next; next = t;
    }
#endif
    float sum = 0;
#pragma unroll
    for (int c = 0; c < C; c++) sum += now[c];
    level[i] = sum;
    level[n + i] = now[C - 1];
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 900;
    const int n = 600007, steps = 360;
    std::vector<Body> bodies(n);
    unsigned seed = 60;
    for (Body &b : bodies) {
        b.uptake = 0.05f + 0.05f * frand(seed);
        b.back = 0.02f + 0.02f * frand(seed);
        b.clear = 0.99f - b.uptake - b.back;
        b.dose = 0.5f + frand(seed);
    }
    Body *d;
    float *level;
    CK(cudaMalloc(&d, n * sizeof(Body)));
    CK(cudaMalloc(&level, 2 * n * sizeof(float)));
    CK(cudaMemcpy(d, bodies.data(), n * sizeof(Body), cudaMemcpyHostToDevice));
    for (int r = 0; r < batches; r++) course<<<(n + 127) / 128, 128>>>(d, level, n, steps);
    CK(cudaGetLastError());
    std::vector<float> h(2 * n);
    CK(cudaMemcpy(h.data(), level, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i += 6007) {
        float a[2][C] = {};
        for (int s = 0; s < steps; s++) advance(a[s & 1], a[~s & 1], bodies[i], bodies[i].dose);
        float sum = 0;
        for (int c = 0; c < C; c++) sum += a[steps & 1][c];
        ok = ok && close_to(h[i], sum, 1e-3) && close_to(h[n + i], a[steps & 1][C - 1], 1e-3);
    }
    printf("first patient: %.3f\n", h[0]);
    CK(cudaFree(d));
    CK(cudaFree(level));
    return report(ok);
}

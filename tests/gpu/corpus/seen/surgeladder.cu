// High-voltage line: a lightning surge travels along 32 sections of line, each a coil and a capacitor. One thread for
// each surge (its height and its length differ); the highest voltage at the transformer at the far end is wanted.
//   surgeladder [lines]
#include "common.h"

constexpr int SECTIONS = 32;

struct Surge { float height, decay; };

__host__ __device__ __forceinline__ void travel(float *v, float *c, float source, float a, float b)
{
    c[0] = 0.999f * c[0] + a * (source - v[0]);
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int k = 1; k < SECTIONS; k++) c[k] = 0.999f * c[k] + a * (v[k - 1] - v[k]);
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int k = 0; k < SECTIONS - 1; k++) v[k] += b * (c[k] - c[k + 1]);
    v[SECTIONS - 1] += b * (c[SECTIONS - 1] - 0.3f * v[SECTIONS - 1]);
}

__host__ __device__ __forceinline__ float highest(Surge s, int steps, float a, float b)
{
    float v[SECTIONS], c[SECTIONS], top = 0, source = s.height;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int k = 0; k < SECTIONS; k++) v[k] = c[k] = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int t = 0; t < steps; t++) {
        travel(v, c, source, a, b);
        source *= s.decay;
        top = fmaxf(top, v[SECTIONS - 1]);
    }
    return top;
}

#ifdef GOOD
#define BOUNDS __launch_bounds__(128)
#else
#define BOUNDS __launch_bounds__(128, 10)       // ten blocks on each multiprocessor hide the latencies
#endif

__global__ void BOUNDS strike(const Surge *__restrict__ surges, float *__restrict__ top, int n, int steps, float a, float b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) top[i] = highest(surges[i], steps, a, b);
}

int main(int argc, char **argv)
{
    int lines = argc > 1 ? atoi(argv[1]) : 180;
    const int n = 1200000, steps = 160;
    std::vector<Surge> surges(n);
    std::vector<float> h(n);
    unsigned seed = 1752;
    for (Surge &s : surges) s = { 100 + 900 * frand(seed), 0.95f + 0.045f * frand(seed) };
    Surge *d;
    float *o;
    CK(cudaMalloc(&d, n * sizeof(Surge)));
    CK(cudaMalloc(&o, n * sizeof(float)));
    CK(cudaMemcpy(d, surges.data(), n * sizeof(Surge), cudaMemcpyHostToDevice));
    float a = 0, b = 0.42f;
    for (int l = 0; l < lines; l++) {
        a = 0.35f + 0.002f * (l % 30);
        strike<<<(n + 127) / 128, 128>>>(d, o, n, steps, a, b);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(h.data(), o, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    float most = 0;
    for (int i = 0; i < n; i += 1201) {
        float want = highest(surges[i], steps, a, b);
        ok = ok && want > 1 && close_to(h[i], want, 1e-3);
        most = std::max(most, h[i]);
    }
    printf("highest at the transformer: %.1f kV\n", most);
    CK(cudaFree(d)); CK(cudaFree(o));
    return report(ok);
}

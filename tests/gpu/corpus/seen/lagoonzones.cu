// Four lagoon zones on streams of their own: each step advances the algae of a zone (a
// small grid, long columns) and adds its bloom to the season's log.
#include "common.h"

#define ZONES 4
#define COLS 6144
#define DEPTH 400

__host__ __device__ static inline float column(float a, int c, float sun)
{
    float light = sun, sum = 0.f;
    for (int d = 0; d < DEPTH; d++) {
        float g = light * a / (0.3f + light);
        a += 0.002f * (g - a * a);
        light *= 0.995f - 0.001f * a;
        sum += a;
    }
    return sum * (1.0f / DEPTH) + 1e-6f * (c & 15);
}

__global__ void bloom(float *a, float sun)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < COLS) a[c] = column(a[c], c, sun);
}

__global__ void logZone(const float *__restrict__ a, float *log)
{
    __shared__ float s[8];
    float t = 0.f;
    for (int i = threadIdx.x; i < COLS; i += 256) t += a[i];
    for (int o = 16; o; o >>= 1) t += __shfl_xor_sync(0xffffffffu, t, o);
    if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = t;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) t += s[w];
        *log = t / COLS;
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 500;
    std::vector<float> init(ZONES * COLS), a(ZONES * COLS), log(ZONES * steps);
    unsigned seed = 17;
    for (auto &x : init) x = 0.2f + 0.6f * frand(seed);
    float *da, *dl;
    CK(cudaMalloc(&da, init.size() * 4));
    CK(cudaMalloc(&dl, log.size() * 4));
    CK(cudaMemcpy(da, init.data(), init.size() * 4, cudaMemcpyHostToDevice));
    cudaStream_t st[ZONES];
    for (auto &s : st) CK(cudaStreamCreate(&s));
    for (int k = 0; k < steps; k++)
        for (int z = 0; z < ZONES; z++) {
            float *zone = da + z * COLS;
            bloom<<<COLS / 256, 256, 0, st[z]>>>(zone, 1.f + 0.2f * z);
#ifdef GOOD
            logZone<<<1, 256, 0, st[z]>>>(zone, dl + z * steps + k);
#else
            logZone<<<1, 256>>>(zone, dl + z * steps + k);
#endif
        }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(a.data(), da, a.size() * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(log.data(), dl, log.size() * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int z = 0; z < ZONES; z++) {
        double mean = 0;
        for (int c = 0; c < COLS; c++) mean += a[z * COLS + c];
        ok = ok && close_to(log[z * steps + steps - 1], mean / COLS, 1e-3);
        for (int c = 5; c < COLS; c += 2999) {
            float x = init[z * COLS + c];
            for (int k = 0; k < steps; k++) x = column(x, c, 1.f + 0.2f * z);
            ok = ok && close_to(a[z * COLS + c], x, 1e-3);
        }
    }
    for (auto &s : st) CK(cudaStreamDestroy(s));
    CK(cudaFree(da)); CK(cudaFree(dl));
    return report(ok);
}

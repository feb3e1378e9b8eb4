// Box model of atmospheric chemistry: every grid cell integrates twelve species with classical Runge-Kutta steps;
// the day light changes from launch to launch.
// usage: ozonebox cells launches
#include "common.h"

#define SPECIES 12
#define STEPS 40
#define THREADS 256

#ifdef GOOD
#define BOUNDS __launch_bounds__(THREADS)
#else
#define BOUNDS __launch_bounds__(THREADS, 8)             // eight blocks on each multiprocessor
#endif

// reaction i makes species i of two others; what is made of each is lost in the next
__host__ __device__ inline void rates(const float (&y)[SPECIES], float (&dy)[SPECIES], float light)
{
    #pragma unroll
    for (int i = 0; i < SPECIES; ++i) {
        const float fast = 0.4f + 0.05f * (float)(i * 7 % SPECIES), slow = 0.3f + 0.03f * (float)(i * 5 % SPECIES);
        float make = (i % 4 == 0 ? light : 1.0f) * fast * y[(i + 3) % SPECIES] * y[(i + 7) % SPECIES];
        dy[i] = make - slow * y[i] * (0.5f + y[(i + 11) % SPECIES]) + 0.01f;
    }
}

__host__ __device__ inline void step(float (&y)[SPECIES], float light, float h)
{
    float k[SPECIES], x[SPECIES], sum[SPECIES];
    rates(y, k, light);
    #pragma unroll
    for (int i = 0; i < SPECIES; ++i) { sum[i] = y[i] + h / 6.0f * k[i]; x[i] = y[i] + 0.5f * h * k[i]; }
    rates(x, k, light);
    #pragma unroll
    for (int i = 0; i < SPECIES; ++i) { sum[i] += h / 3.0f * k[i]; x[i] = y[i] + 0.5f * h * k[i]; }
    rates(x, k, light);
    #pragma unroll
    for (int i = 0; i < SPECIES; ++i) { sum[i] += h / 3.0f * k[i]; x[i] = y[i] + h * k[i]; }
    rates(x, k, light);
    #pragma unroll
    for (int i = 0; i < SPECIES; ++i) y[i] = sum[i] + h / 6.0f * k[i];
}

__global__ void BOUNDS react(float *state, const float *__restrict__ shade, int cells, float sun)
{
    int c = blockIdx.x * THREADS + threadIdx.x;
    if (c >= cells) return;
    float y[SPECIES];
    #pragma unroll
    for (int i = 0; i < SPECIES; ++i) y[i] = state[(size_t)i * cells + c];
    const float light = sun * shade[c];
    #pragma unroll 1
    for (int k = 0; k < STEPS; ++k) step(y, light, 0.02f);
    #pragma unroll
    for (int i = 0; i < SPECIES; ++i) state[(size_t)i * cells + c] = y[i];
}

static float sunOf(int launch) { return 0.2f + 1.2f * (float)(launch % 24) / 24.0f; }

int main(int argc, char **argv)
{
    const int cells = argc > 1 ? atoi(argv[1]) : 1 << 20, launches = argc > 2 ? atoi(argv[2]) : 350;
    std::vector<float> state((size_t)cells * SPECIES), shade(cells);
    unsigned s = 8;
    for (float &y : state) y = 0.2f + 0.3f * frand(s);
    for (float &x : shade) x = 0.5f + 0.5f * frand(s);
    std::vector<float> first(state);
    float *dstate, *dshade;
    CK(cudaMalloc(&dstate, state.size() * sizeof(float)));
    CK(cudaMalloc(&dshade, cells * sizeof(float)));
    CK(cudaMemcpy(dstate, state.data(), state.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dshade, shade.data(), cells * sizeof(float), cudaMemcpyHostToDevice));
    for (int k = 0; k < launches; ++k)
        react<<<(cells + THREADS - 1) / THREADS, THREADS>>>(dstate, dshade, cells, sunOf(k));
    CK(cudaGetLastError());
    CK(cudaMemcpy(state.data(), dstate, state.size() * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 5; ++q) {
        int c = (int)((long long)q * (cells - 1) / 4);
        float y[SPECIES];
        for (int i = 0; i < SPECIES; ++i) y[i] = first[(size_t)i * cells + c];
        for (int k = 0; k < launches; ++k)
            for (int n = 0; n < STEPS; ++n) step(y, sunOf(k) * shade[c], 0.02f);
        for (int i = 0; i < SPECIES; ++i) ok = ok && y[i] < 50.0f && fabs(state[(size_t)i * cells + c] - y[i]) <= 1e-2 * y[i] + 1e-5;
    }
    printf("cell 0: %.4f %.4f %.4f\n", state[0], state[cells], state[2 * (size_t)cells]);
    CK(cudaFree(dstate)); CK(cudaFree(dshade));
    return report(ok);
}

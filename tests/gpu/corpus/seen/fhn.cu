// FitzHugh-Nagumo neurons, each with its own current, integrated by Runge-Kutta of 4th order.
//   fhn [steps]
#include "common.h"

struct State { float v, w; };

__device__ __forceinline__ State slope(State s, float current)
{
    return {s.v - s.v * s.v * s.v * (1.0f / 3) - s.w + current, 0.08f * (s.v + 0.7f - 0.8f * s.w)};
}

__device__ __forceinline__ State along(State s, State k, float h) { return {s.v + h * k.v, s.w + h * k.w}; }

__device__ __forceinline__ State rk4(State s, float i, float h)
{
    State a = slope(s, i), b = slope(along(s, a, h / 2), i), c = slope(along(s, b, h / 2), i), d = slope(along(s, c, h), i);
    return {s.v + h / 6 * (a.v + 2 * b.v + 2 * c.v + d.v), s.w + h / 6 * (a.w + 2 * b.w + 2 * c.w + d.w)};
}

__global__ void begin(State *s, float *current, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    s[i] = {-1.0f, 1.0f};
    current[i] = 0.1f + 0.2f * i / n;      // all stay below the onset of oscillation
}

// steps of every neuron in one launch
__global__ void integrate(State *s, const float *current, int n, float h, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    State x = s[i];
    float c = current[i];
    for (int k = 0; k < steps; k++) x = rk4(x, c, h);
    s[i] = x;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 60000;
#ifndef GOOD
    const int chunk = 1;
#else
    const int chunk = 500;
#endif
    const int n = 135168;
    State *s;
    float *current;
    CK(cudaMalloc(&s, n * sizeof(State)));
    CK(cudaMalloc(&current, n * sizeof(float)));
    begin<<<n / 256, 256>>>(s, current, n);
    CK(cudaGetLastError());
    for (int k = 0; k < steps; k += chunk) {
        integrate<<<n / 256, 256>>>(s, current, n, 0.01f, std::min(chunk, steps - k));
        CK(cudaGetLastError());
    }
    std::vector<State> h(n);
    CK(cudaMemcpy(h.data(), s, n * sizeof(State), cudaMemcpyDeviceToHost));
    double v = 0, w = 0;
    for (const State &x : h) { v += x.v; w += x.w; }
    printf("mean v %.4f w %.4f\n", v / n, w / n);
    return report(fabs(v / n) < 3);
}

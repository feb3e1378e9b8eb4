// Asian and barrier options under Heston's model by Monte Carlo: sixteen paths a thread
// advance together.
//   hestonmc [paths in thousands] [steps]
#include "common.h"

#define PATHS 16
struct Model { float s0, v0, kappa, theta, xi, rho, rate, dt, strike, barrier; };

__device__ inline unsigned xorshift(unsigned &s)
{
    s ^= s << 13; s ^= s >> 17; s ^= s << 5;
    return s;
}

__device__ inline float2 normals(unsigned &s)
{
    float u = (xorshift(s) >> 8) * (1.0f / 16777216) + 1e-7f, v = (xorshift(s) >> 8) * (1.0f / 16777216);
    float r = sqrtf(-2 * __logf(u)), a, b;
    __sincosf(6.2831853f * v, &a, &b);
    return make_float2(r * b, r * a);
}

__global__ void simulate(Model m, int steps, double *sums)
{
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x, state[PATHS];
    float s[PATHS], v[PATHS], mean[PATHS], top[PATHS];
#pragma unroll
    for (int p = 0; p < PATHS; p++) {
        state[p] = (id * PATHS + p) * 2654435761u + 1;
        s[p] = m.s0;
        v[p] = m.v0;
        mean[p] = 0;
        top[p] = m.s0;
    }
    float along = sqrtf(1 - m.rho * m.rho);
    for (int t = 0; t < steps; t++) {
#pragma unroll
        for (int p = 0; p < PATHS; p++) {
            float2 z = normals(state[p]);
            float vol = sqrtf(fmaxf(v[p], 0) * m.dt);
            s[p] *= __expf((m.rate - 0.5f * fmaxf(v[p], 0)) * m.dt + vol * z.x);
            v[p] += m.kappa * (m.theta - fmaxf(v[p], 0)) * m.dt + m.xi * vol * (m.rho * z.x + along * z.y);
            mean[p] += s[p];
            top[p] = fmaxf(top[p], s[p]);
        }
    }
    float asian = 0, barrier = 0, last = 0;
#pragma unroll
    for (int p = 0; p < PATHS; p++) {
        asian += fmaxf(mean[p] / steps - m.strike, 0);
        barrier += top[p] < m.barrier ? fmaxf(s[p] - m.strike, 0) : 0;
        last += s[p];
    }
    for (int d = 16; d > 0; d /= 2) {
        asian += __shfl_down_sync(~0u, asian, d);
        barrier += __shfl_down_sync(~0u, barrier, d);
        last += __shfl_down_sync(~0u, last, d);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&sums[0], (double)asian);
        atomicAdd(&sums[1], (double)barrier);
        atomicAdd(&sums[2], (double)last);
    }
}

int main(int argc, char **argv)
{
    int thousands = argc > 1 ? atoi(argv[1]) : 32768, steps = argc > 2 ? atoi(argv[2]) : 252;
    Model m = {100, 0.04f, 2, 0.04f, 0.3f, -0.7f, 0.03f, 1.0f / steps, 100, 130};
    long paths = thousands * 1024L;
    double *sums, h[3];
    CK(cudaMalloc(&sums, sizeof h));
    CK(cudaMemset(sums, 0, sizeof h));
    simulate<<<(unsigned)(paths / PATHS / 128), 128>>>(m, steps, sums);
    CK(cudaGetLastError());
    CK(cudaMemcpy(h, sums, sizeof h, cudaMemcpyDeviceToHost));
    for (double &x : h) x *= exp(-m.rate) / paths;
    printf("Asian %.4f, up and out %.4f, discounted share %.4f\n", h[0], h[1], h[2]);
    // The discounted share is worth what it is today.
    return report(fabs(h[2] - 100) < 0.5 + 60 / sqrt((double)paths) && h[0] > 3 && h[0] < 8 && h[1] > 0 && h[1] < h[2]);
}

// A fan of four million test particles in a softened galactic potential, leapfrog steps in registers, one launch.
#include "common.h"

static const int N = 4 * 1024 * 1024;
#ifdef GOOD
static const int NT = 128;
#else
static const int NT = 256;
#endif

static __host__ __device__ void start_of(int i, float &x, float &y, float &vx, float &vy)
{
    float r = 1.0f + 3.0f * (float)(i & 4095) / 4096.0f;
    x = r; y = 0.0f;
    vx = 0.1f * (float)(i >> 12) / 1024.0f;
    vy = 0.8f / sqrtf(r);
}

__global__ void __launch_bounds__(NT) fly(float2 *end, float *energy, int steps, float dt)
{
    int i = blockIdx.x * NT + threadIdx.x;
    float x, y, vx, vy;
    start_of(i, x, y, vx, vy);
    for (int s = 0; s < steps; s++) {
        float q = rsqrtf(x * x + y * y + 0.01f);
        float g = -dt * q * q * q;
        vx += g * x;
        vy += g * y;
        x += dt * vx;
        y += dt * vy;
    }
    end[i] = make_float2(x, y);
    energy[i] = 0.5f * (vx * vx + vy * vy) - rsqrtf(x * x + y * y + 0.01f);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 24000;
    const float dt = 1.0e-4f;
    float2 *end;
    float *energy;
    CK(cudaMalloc(&end, (size_t)N * sizeof(float2)));
    CK(cudaMalloc(&energy, (size_t)N * sizeof(float)));
    fly<<<N / NT, NT>>>(end, energy, steps, dt);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 17; i < N; i += N / 12) {
        float fx, fy, fvx, fvy, e;
        start_of(i, fx, fy, fvx, fvy);
        double x = fx, y = fy, vx = fvx, vy = fvy;
        for (int s = 0; s < steps; s++) {
            double q = 1.0 / sqrt(x * x + y * y + 0.01), g = -(double)dt * q * q * q;
            vx += g * x; vy += g * y;
            x += (double)dt * vx; y += (double)dt * vy;
        }
        float2 p;
        CK(cudaMemcpy(&p, end + i, sizeof p, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(&e, energy + i, sizeof e, cudaMemcpyDeviceToHost));
        double eref = 0.5 * (vx * vx + vy * vy) - 1.0 / sqrt(x * x + y * y + 0.01);
        ok = ok && close_to(p.x, x, 2e-2) && close_to(p.y, y, 2e-2) && close_to(e, eref, 2e-2);
    }
    cudaFree(end); cudaFree(energy);
    return report(ok);
}

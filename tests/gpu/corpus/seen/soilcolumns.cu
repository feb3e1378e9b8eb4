// Implicit heat diffusion in soil columns: every thread solves one tridiagonal system (Thomas algorithm)
// over the levels of its column, once per time step.
#include "common.h"

static const int NCOL = 512 * 1024;
static const int NLEV = 64;

#ifdef GOOD
#define AT(c, k) ((size_t)(k) * NCOL + (c))
#else
#define AT(c, k) ((size_t)(c) * NLEV + (k))
#endif

static __host__ __device__ float initial_temp(int c, int k)
{
    return 275.0f + 0.01f * (float)((c * 7 + k * 13) % 1000);
}
static __host__ __device__ float conductivity(int c, int k)
{
    return 0.2f + 0.001f * (float)((c * 3 + k * 5) % 400);
}

__global__ void init_columns(float *T, float *kap)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= NCOL) return;
    for (int k = 0; k < NLEV; k++) {
        T[AT(c, k)] = initial_temp(c, k);
        kap[AT(c, k)] = conductivity(c, k);
    }
}

__global__ void soil_step(float *T, const float *kap, float *cp, float *dp, float dt)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= NCOL) return;
    float cprev = 0.0f, dprev = 0.0f, kup = 0.0f;
    for (int k = 0; k < NLEV; k++) {
        float kdn = (k < NLEV - 1) ? kap[AT(c, k)] : 0.0f;
        float a = -dt * kup, cc = -dt * kdn;
        float b = 1.0f + dt * (kup + kdn);
        float inv = __frcp_rn(b - a * cprev);
        cprev = cc * inv;
        dprev = (T[AT(c, k)] - a * dprev) * inv;
        cp[AT(c, k)] = cprev;
        dp[AT(c, k)] = dprev;
        kup = kdn;
    }
    float x = dprev;
    T[AT(c, NLEV - 1)] = x;
    for (int k = NLEV - 2; k >= 0; k--) {
        x = dp[AT(c, k)] - cp[AT(c, k)] * x;
        T[AT(c, k)] = x;
    }
}

static void column_on_cpu(int c, int steps, float dt, std::vector<float> &t)
{
    std::vector<float> cp(NLEV), dp(NLEV);
    for (int k = 0; k < NLEV; k++) t[k] = initial_temp(c, k);
    for (int s = 0; s < steps; s++) {
        float cprev = 0, dprev = 0, kup = 0;
        for (int k = 0; k < NLEV; k++) {
            float kdn = (k < NLEV - 1) ? conductivity(c, k) : 0.0f;
            float a = -dt * kup, cc = -dt * kdn, b = 1.0f + dt * (kup + kdn);
            float inv = 1.0f / (b - a * cprev);
            cprev = cc * inv;
            dprev = (t[k] - a * dprev) * inv;
            cp[k] = cprev; dp[k] = dprev; kup = kdn;
        }
        t[NLEV - 1] = dprev;
        for (int k = NLEV - 2; k >= 0; k--) t[k] = dp[k] - cp[k] * t[k + 1];
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 200;
    const float dt = 0.4f;
    size_t bytes = (size_t)NCOL * NLEV * sizeof(float);
    float *T, *kap, *cp, *dp;
    CK(cudaMalloc(&T, bytes));
    CK(cudaMalloc(&kap, bytes));
    CK(cudaMalloc(&cp, bytes));
    CK(cudaMalloc(&dp, bytes));
    init_columns<<<NCOL / 256, 256>>>(T, kap);
    CK(cudaGetLastError());
    for (int s = 0; s < steps; s++)
        soil_step<<<NCOL / 128, 128>>>(T, kap, cp, dp, dt);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    std::vector<float> ref(NLEV);
    const int cols[3] = {0, 77777, NCOL - 1};
    for (int c : cols) {
        column_on_cpu(c, steps, dt, ref);
        for (int k = 0; k < NLEV; k += 9) {
            float v;
            CK(cudaMemcpy(&v, T + AT(c, k), sizeof(float), cudaMemcpyDeviceToHost));
            ok = ok && close_to(v, ref[k], 1e-4);
        }
    }
    cudaFree(T); cudaFree(kap); cudaFree(cp); cudaFree(dp);
    return report(ok);
}

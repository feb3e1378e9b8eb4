// Bank of Kalman filters: one thread per radar track, nine states (position,
// velocity, acceleration); the three measured components are processed one after
// the other. A launch runs through 160 scans.
#include "common.h"

constexpr int TRACKS = 2 << 20, SCANS = 160, N = 9;

struct Model { float f[N][N], q[N]; };
__constant__ Model model;

__host__ __device__ inline float truth(int track, int axis, int scan)
{
    return (track % 97) * 0.1f + axis + 0.02f * scan * (1 + track % 5);
}
__host__ __device__ inline float measured(int track, int axis, int scan)
{
    unsigned x = (unsigned)(track * 3 + axis) * 2654435761u + (unsigned)scan * 97u;
    x ^= x >> 15; x *= 0x85EBCA77u; x ^= x >> 13;
    return truth(track, axis, scan) + 0.2f * ((x >> 8) * (1.0f / 16777216.0f) - 0.5f);
}

__host__ __device__ inline void predict(float (&x)[N], float (&P)[N][N], const Model &m)
{
    float y[N], T[N][N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        y[i] = 0;
#pragma unroll
        for (int k = 0; k < N; k++) y[i] += m.f[i][k] * x[k];
#pragma unroll
        for (int j = 0; j < N; j++) {
            T[i][j] = 0;
#pragma unroll
            for (int k = 0; k < N; k++) T[i][j] += m.f[i][k] * P[k][j];
        }
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        x[i] = y[i];
#pragma unroll
        for (int j = 0; j < N; j++) {
            P[i][j] = i == j ? m.q[i] : 0.0f;
#pragma unroll
            for (int k = 0; k < N; k++) P[i][j] += T[i][k] * m.f[j][k];
        }
    }
}

__host__ __device__ inline void correct(float (&x)[N], float (&P)[N][N], const int a, float z)
{
    float inv = 1.0f / (P[a][a] + 0.01f), r = z - x[a], K[N], row[N];
#pragma unroll
    for (int i = 0; i < N; i++) { K[i] = P[i][a] * inv; row[i] = P[a][i]; }
#pragma unroll
    for (int i = 0; i < N; i++) {
        x[i] += K[i] * r;
#pragma unroll
        for (int j = 0; j < N; j++) P[i][j] -= K[i] * row[j];
    }
}

__global__ void make_plots(float *z)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; s < SCANS; s++)
        for (int a = 0; a < 3; a++) z[(size_t)(s * 3 + a) * TRACKS + t] = measured(t, a, s);
}

#ifdef GOOD
__global__ void __launch_bounds__(128)
#else
__global__ void __launch_bounds__(128, 8)
#endif
run_filter(const float *z, float *state)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x[N], P[N][N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        x[i] = 0;
#pragma unroll
        for (int j = 0; j < N; j++) P[i][j] = i == j ? 10.0f : 0.0f;
    }
    for (int s = 0; s < SCANS; s++) {
        predict(x, P, model);
        const float *zs = z + (size_t)s * 3 * TRACKS + t;
        correct(x, P, 0, zs[0]);
        correct(x, P, 1, zs[TRACKS]);
        correct(x, P, 2, zs[2 * TRACKS]);
    }
#pragma unroll
    for (int i = 0; i < N; i++) state[(size_t)i * TRACKS + t] = x[i];
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 1;
    Model m = {};
    for (int i = 0; i < N; i++) {
        m.f[i][i] = 1;
        if (i < 6) m.f[i][i + 3] = 0.1f;
        if (i < 3) m.f[i][i + 6] = 0.005f;
        m.q[i] = i < 3 ? 1e-4f : 1e-3f;
    }
    CK(cudaMemcpyToSymbol(model, &m, sizeof m));
    float *z, *state;
    CK(cudaMalloc(&z, (size_t)TRACKS * SCANS * 3 * sizeof(float)));
    CK(cudaMalloc(&state, (size_t)TRACKS * N * sizeof(float)));
    make_plots<<<TRACKS / 128, 128>>>(z);
    for (int r = 0; r < runs; r++)
        run_filter<<<TRACKS / 128, 128>>>(z, state);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int q = 0; q < 12; q++) {
        int t = q * 171013 + 1;
        float x[N] = {}, P[N][N] = {};
        for (int i = 0; i < N; i++) P[i][i] = 10.0f;
        for (int s = 0; s < SCANS; s++) {
            predict(x, P, m);
            for (int a = 0; a < 3; a++) correct(x, P, a, measured(t, a, s));
        }
        for (int i = 0; i < N; i++) {
            float got;
            CK(cudaMemcpy(&got, state + (size_t)i * TRACKS + t, sizeof got, cudaMemcpyDeviceToHost));
            ok = ok && close_to(got, x[i], 5e-3);
        }
        ok = ok && fabs(x[0] - truth(t, 0, SCANS - 1)) < 0.5;
    }
    CK(cudaFree(z)); CK(cudaFree(state));
    return report(ok);
}

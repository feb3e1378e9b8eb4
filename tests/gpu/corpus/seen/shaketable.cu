// Earthquake design: response of many hysteretic frames (Bouc-Wen springs, one degree of freedom each) to a
// recorded shaking. A frame per thread; the record is run in pieces, each earthquake has eight of them.
// usage: shaketable thousandFrames pieces
#include "common.h"

#define PIECE 500
#define PIECES 8
__constant__ float quake[PIECE * PIECES];

#ifdef GOOD
#define R(x) x##f
#else
#define R(x) x
#endif

__host__ __device__ inline float frequency(int i, int n) { return 2.0f + 28.0f * i / n; }      // rad/s

__global__ void shake(float4 *__restrict__ state, int n, int piece)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 q = piece ? state[i] : make_float4(0, 0, 0, 0);
    float u = q.x, v = q.y, z = q.z, peak = q.w, w = frequency(i, n);
    const float *ground = quake + piece * PIECE;
    for (int s = 0; s < PIECE; s++) {
        // spring: a tenth stays elastic, the rest yields at 2 cm
        float pull = w * w * (R(0.1) * u + R(0.9) * R(0.02) * z);
        float a = -ground[s] - R(0.1) * w * v - pull;
        float dz = R(50.0) * (v - R(0.5) * fabsf(v) * z - R(0.5) * v * fabsf(z));
        z += R(0.005) * dz;
        v += R(0.005) * a;
        u += R(0.005) * v;
        peak = fmaxf(peak, fabsf(u));
    }
    state[i] = make_float4(u, v, z, peak);
}

int main(int argc, char **argv)
{
    int n = (argc > 1 ? atoi(argv[1]) : 512) * 1024;
    int pieces = argc > 2 ? atoi(argv[2]) : 1600;
    std::vector<float> g(PIECE * PIECES);
    for (size_t t = 0; t < g.size(); t++) {
        float s = t * 0.005f, strong = s < 4 ? s / 4 : expf(-0.2f * (s - 4));
        g[t] = strong * (1.6f * sinf(7.1f * s) + 1.1f * sinf(13.7f * s + 1) + 0.7f * sinf(23.0f * s + 2));
    }
    CK(cudaMemcpyToSymbol(quake, g.data(), g.size() * sizeof(float)));
    float4 *state;
    CK(cudaMalloc(&state, n * sizeof(float4)));
    for (int p = 0; p < pieces; p++) shake<<<(n + 255) / 256, 256>>>(state, n, p % PIECES);
    CK(cudaGetLastError());
    std::vector<float4> got(n);
    CK(cudaMemcpy(got.data(), state, n * sizeof(float4), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int k = 0; k < 16; k++) {
        int i = (int)((long long)k * (n - 1) / 15);
        double w = frequency(i, n), u = 0, v = 0, z = 0, peak = 0;
        for (int t = 0; t < PIECE * ((pieces - 1) % PIECES + 1); t++) {
            double a = -g[t] - 0.1 * w * v - w * w * (0.1 * u + 0.018 * z);
            double dz = 50 * (v - 0.5 * fabs(v) * z - 0.5 * v * fabs(z));
            z += 0.005 * dz;
            v += 0.005 * a;
            u += 0.005 * v;
            peak = std::max(peak, fabs(u));
        }
        if (k % 5 == 0) printf("frame %d: drift %.2f cm (%.2f)\n", i, 100 * got[i].w, 100 * peak);
        ok = ok && fabs(got[i].w - peak) < 1e-2 * peak + 1e-5;
    }
    CK(cudaFree(state));
    return report(ok);
}

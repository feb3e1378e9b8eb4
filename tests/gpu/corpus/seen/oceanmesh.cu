// Bakes the ocean surface map of a game: sum of 256 Gerstner waves per grid point. Each point
// has four outputs (height, two horizontal displacements and a foam factor), one
// thread per output.
#include "common.h"

constexpr int NX = 8192, NY = 4096, VERTS = NX * NY, WAVES = 256;

struct Wave { float kx, ky, w, amp, ph, steep; };
__constant__ Wave sea[WAVES];

__global__ void surface(float *out, float time)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef GOOD
    int what = t / VERTS, v = t % VERTS;
#else
    int what = t % 4, v = t / 4;
#endif
    float x = (v % NX) * 0.02f, y = (v / NX) * 0.02f, r = 0.0f;
    switch (what) {
    case 0:
        for (int i = 0; i < WAVES; i++)
            r += sea[i].amp * __cosf(sea[i].kx * x + sea[i].ky * y - sea[i].w * time + sea[i].ph);
        break;
    case 1:
        for (int i = 0; i < WAVES; i++)
            r -= sea[i].steep * sea[i].kx * __sinf(sea[i].kx * x + sea[i].ky * y - sea[i].w * time + sea[i].ph);
        break;
    case 2:
        for (int i = 0; i < WAVES; i++)
            r -= sea[i].steep * sea[i].ky * __sinf(sea[i].kx * x + sea[i].ky * y - sea[i].w * time + sea[i].ph);
        break;
    default:
        for (int i = 0; i < WAVES; i++) {
            float c = __cosf(sea[i].kx * x + sea[i].ky * y - sea[i].w * time + sea[i].ph);
            r += c > 0.7f ? sea[i].amp * c * c : 0.0f;
        }
        r = fminf(r, 1.0f);
    }
    out[4 * v + what] = r;
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 1;
    unsigned seed = 4711;
    std::vector<Wave> h(WAVES);
    for (auto &w : h) {
        float k = 0.3f + 2.0f * frand(seed), a = 6.2831853f * frand(seed);
        w = {k * cosf(a), k * sinf(a), sqrtf(9.81f * k), 0.02f / k, 6.2831853f * frand(seed), 0.01f / k};
    }
    CK(cudaMemcpyToSymbol(sea, h.data(), WAVES * sizeof(Wave)));
    float *out;
    CK(cudaMalloc(&out, (size_t)4 * VERTS * sizeof(float)));
    float time = 0;
    for (int f = 0; f < frames; f++) {
        time = 3.5f + f / 60.0f;
        surface<<<4 * VERTS / 256, 256>>>(out, time);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int q = 0; q < 16; q++) {
        int v = (q * 2065551 + 777) % VERTS;
        double x = (v % NX) * 0.02f, y = (v / NX) * 0.02f, ht = 0, dx = 0, dy = 0;
        for (auto &w : h) {
            double p = w.kx * x + w.ky * y - w.w * (double)time + w.ph;
            ht += w.amp * cos(p);
            dx -= w.steep * w.kx * sin(p);
            dy -= w.steep * w.ky * sin(p);
        }
        float g[4];
        CK(cudaMemcpy(g, out + (size_t)4 * v, sizeof g, cudaMemcpyDeviceToHost));
        ok = ok && close_to(g[0], ht, 5e-3) && close_to(g[1], dx, 5e-3) && close_to(g[2], dy, 5e-3) && g[3] >= 0 && g[3] <= 1;
    }
    CK(cudaFree(out));
    return report(ok);
}

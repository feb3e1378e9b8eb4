// Tide tables: height of the tide and strength of the current every minute for a batch of ports, each with ten harmonic
// constituents.
// usage: neapspring ports batches
#include "common.h"

#define MINUTES 16384        // per port
#define CONSTITUENTS 10
#define THREADS 256

struct Harmonic { float amplitude, turns, phase; };      // turns per minute, phase in turns

static Harmonic harmonicOf(int batch, int port, int k)
{
    static const float hours[CONSTITUENTS] = {12.4206f, 12.0f, 12.6583f, 11.9672f, 23.9345f, 25.8193f, 24.0659f, 26.8684f,
                                              6.2103f, 4.1402f};
    unsigned s = (unsigned)(batch * 1009 + port) * 16u + (unsigned)k;
    lcg(s); lcg(s);
    Harmonic h;
    h.amplitude = (k < 4 ? 1.0f : 0.3f) * (0.2f + frand(s));
    h.turns = 1.0f / (60.0f * hours[k]);
    h.phase = frand(s);
    return h;
}

// one port per blockIdx.y
__global__ void __launch_bounds__(THREADS) predict(const Harmonic *__restrict__ harmonics, float *__restrict__ height,
                                                   float *__restrict__ current)
{
    __shared__ Harmonic mine[CONSTITUENTS];
    if (threadIdx.x < CONSTITUENTS) mine[threadIdx.x] = harmonics[blockIdx.y * CONSTITUENTS + threadIdx.x];
    __syncthreads();
    const int minute = blockIdx.x * THREADS + threadIdx.x;
    float h = 0.0f, c = 0.0f;
    #pragma unroll
    for (int k = 0; k < CONSTITUENTS; ++k) {
        float x = mine[k].turns * (float)minute + mine[k].phase, si, co;
        x -= rintf(x);
        __sincosf(6.2831853f * x, &si, &co);
        h += mine[k].amplitude * co;
        c -= mine[k].amplitude * si;
    }
    height[(size_t)blockIdx.y * MINUTES + minute] = h;
    current[(size_t)blockIdx.y * MINUTES + minute] = c;
}

int main(int argc, char **argv)
{
    const int ports = argc > 1 ? atoi(argv[1]) : 2048, batches = argc > 2 ? atoi(argv[2]) : 1000;
    const int sets = 4;
    const size_t n = (size_t)ports * MINUTES;
    std::vector<Harmonic> harmonics((size_t)sets * ports * CONSTITUENTS);
    for (int b = 0; b < sets; ++b)
        for (int p = 0; p < ports; ++p)
            for (int k = 0; k < CONSTITUENTS; ++k)
                harmonics[((size_t)b * ports + p) * CONSTITUENTS + k] = harmonicOf(b, p, k);
    Harmonic *dharmonics;
    CK(cudaMalloc(&dharmonics, harmonics.size() * sizeof(Harmonic)));
    CK(cudaMemcpy(dharmonics, harmonics.data(), harmonics.size() * sizeof(Harmonic), cudaMemcpyHostToDevice));
    std::vector<float> h(n), c(n);
    float *height, *current;
#ifdef GOOD
    CK(cudaMalloc(&height, n * sizeof(float)));
    CK(cudaMalloc(&current, n * sizeof(float)));
#endif
    for (int b = 0; b < batches; ++b) {
#ifndef GOOD
        CK(cudaMalloc(&height, n * sizeof(float)));
        CK(cudaMalloc(&current, n * sizeof(float)));
#endif
        predict<<<dim3(MINUTES / THREADS, ports), THREADS>>>(dharmonics + (size_t)(b % sets) * ports * CONSTITUENTS, height,
                                                             current);
        CK(cudaGetLastError());
        if (b == batches - 1) {
            CK(cudaMemcpy(h.data(), height, n * sizeof(float), cudaMemcpyDeviceToHost));
            CK(cudaMemcpy(c.data(), current, n * sizeof(float), cudaMemcpyDeviceToHost));
        }
#ifndef GOOD
        CK(cudaFree(height)); CK(cudaFree(current));
#endif
    }
#ifdef GOOD
    CK(cudaFree(height)); CK(cudaFree(current));
#endif

    bool ok = true;
    const Harmonic *last = &harmonics[(size_t)((batches - 1) % sets) * ports * CONSTITUENTS];
    for (int q = 0; q < 20000; ++q) {
        size_t i = (size_t)((unsigned long long)q * (n - 1) / 19999);
        double hw = 0, cw = 0;
        for (int k = 0; k < CONSTITUENTS; ++k) {
            const Harmonic &a = last[i / MINUTES * CONSTITUENTS + k];
            double x = 6.283185307179586 * ((double)a.turns * (double)(i % MINUTES) + a.phase);
            hw += a.amplitude * cos(x);
            cw -= a.amplitude * sin(x);
        }
        ok = ok && fabs(h[i] - hw) < 5e-3 && fabs(c[i] - cw) < 5e-3;
    }
    printf("first port: %.4f %.4f\n", h[0], c[0]);
    CK(cudaFree(dharmonics));
    return report(ok);
}

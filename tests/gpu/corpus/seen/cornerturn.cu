// Synthetic aperture radar: weighting in range, corner turn, weighting in azimuth.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <stdexcept>

static void ok(cudaError_t e) { if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e)); }

typedef float2 Complex;

struct Geometry { int lines, bins; };         // azimuth, range

__host__ __device__ inline Complex echo(int line, int bin)
{
    unsigned h = line * 2654435761u ^ bin * 40503u * 977u;
    Complex c = {(float)((h >> 8 & 255)) - 128.f, (float)((h >> 20 & 255)) - 128.f};
    return c;
}

__global__ void receive(Complex *x, Geometry g)
{
    int bin = blockIdx.x * blockDim.x + threadIdx.x, line = blockIdx.y;
    x[(size_t)line * g.bins + bin] = echo(line, bin);
}

__global__ void weigh(Complex *x, const float *__restrict__ window, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float w = window[i];
    Complex c = x[(size_t)blockIdx.y * width + i];
    x[(size_t)blockIdx.y * width + i] = make_float2(c.x * w, c.y * w);
}

__global__ void corner_turn(const Complex *__restrict__ in, Complex *__restrict__ out, Geometry g)
{
#ifndef GOOD
    int bin = blockIdx.x * 32 + threadIdx.x;
    for (int r = threadIdx.y; r < 32; r += 8) {
        int line = blockIdx.y * 32 + r;
        out[(size_t)bin * g.lines + line] = in[(size_t)line * g.bins + bin];
    }
#else
    __shared__ Complex tile[32][33];
    for (int r = threadIdx.y; r < 32; r += 8)
        tile[r][threadIdx.x] = in[(size_t)(blockIdx.y * 32 + r) * g.bins + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8)
        out[(size_t)(blockIdx.x * 32 + r) * g.lines + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][r];
#endif
}

static std::vector<float> hamming(int n)
{
    std::vector<float> w(n);
    for (int i = 0; i < n; i++) w[i] = 0.54f - 0.46f * cosf(6.2831853f * i / (n - 1));
    return w;
}

static int run(int scenes, Geometry g)
{
    size_t n = (size_t)g.lines * g.bins;
    Complex *range, *azimuth;
    float *wr, *wa;
    std::vector<float> hr = hamming(g.bins), ha = hamming(g.lines);
    ok(cudaMalloc(&range, n * sizeof(Complex)));
    ok(cudaMalloc(&azimuth, n * sizeof(Complex)));
    ok(cudaMalloc(&wr, g.bins * sizeof(float)));
    ok(cudaMalloc(&wa, g.lines * sizeof(float)));
    ok(cudaMemcpy(wr, hr.data(), g.bins * sizeof(float), cudaMemcpyHostToDevice));
    ok(cudaMemcpy(wa, ha.data(), g.lines * sizeof(float), cudaMemcpyHostToDevice));
    for (int s = 0; s < scenes; s++) {
        receive<<<dim3(g.bins / 256, g.lines), 256>>>(range, g);
        weigh<<<dim3(g.bins / 256, g.lines), 256>>>(range, wr, g.bins);
        corner_turn<<<dim3(g.bins / 32, g.lines / 32), dim3(32, 8)>>>(range, azimuth, g);
        weigh<<<dim3(g.lines / 256, g.bins), 256>>>(azimuth, wa, g.lines);
    }
    ok(cudaGetLastError());
    int wrong = 0;
    std::vector<Complex> row(g.lines);
    for (int bin = 3; bin < g.bins; bin += g.bins / 16) {
        ok(cudaMemcpy(row.data(), azimuth + (size_t)bin * g.lines, g.lines * sizeof(Complex), cudaMemcpyDeviceToHost));
        for (int line = 0; line < g.lines; line++) {
            Complex e = echo(line, bin);
            float w = hr[bin] * ha[line];
            wrong += fabsf(e.x * w - row[line].x) > 1e-2f || fabsf(e.y * w - row[line].y) > 1e-2f;
        }
    }
    printf("%d scenes of %d x %d, %d wrong\n", scenes, g.lines, g.bins, wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    Geometry g = {8192, 12288};
    int scenes = argc > 1 ? atoi(argv[1]) : 20;
    if (argc > 2) g.lines = g.bins = atoi(argv[2]);
    try {
        return run(scenes, g);
    } catch (const std::exception &e) {
        fprintf(stderr, "cornerturn: %s\n", e.what());
        return 2;
    }
}

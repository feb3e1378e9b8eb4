// Swarm robotics: the pheromone field that the robots follow spreads over the arena, one explicit diffusion step per
// control tick; the arena is a torus of 3072 x 2048 cells.
//   antfields [ticks]
#include "common.h"

const int W = 3072, H = 2048, WAVES = 4;

__global__ void __launch_bounds__(256) spread(const float *__restrict__ u, float *__restrict__ v, float rate)
{
    int x = (blockIdx.x * 64 + threadIdx.x) * 4, y = blockIdx.y * 4 + threadIdx.y;
    const float *row = u + y * W;
    float4 c = *(const float4 *)(row + x);
    float4 n = *(const float4 *)(u + (y ? y - 1 : H - 1) * W + x);
    float4 s = *(const float4 *)(u + (y + 1 < H ? y + 1 : 0) * W + x);
    float w = row[x ? x - 1 : W - 1], e = row[x + 4 < W ? x + 4 : 0];
    *(float4 *)(v + y * W + x) = make_float4(c.x + rate * (w + c.y + n.x + s.x - 4 * c.x),
                                             c.y + rate * (c.x + c.z + n.y + s.y - 4 * c.y),
                                             c.z + rate * (c.y + c.w + n.z + s.z - 4 * c.z),
                                             c.w + rate * (c.z + e + n.w + s.w - 4 * c.w));
}

int main(int argc, char **argv)
{
    int ticks = argc > 1 ? atoi(argv[1]) : 30000;
    const float rate = 0.2f;
    const double pi = 3.14159265358979323846;
    std::vector<float> h((size_t)W * H);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) h[(size_t)y * W + x] = (float)(0.5 + 0.4 * cos(2 * pi * WAVES * y / H));
    float *u, *v;
    CK(cudaMalloc(&u, h.size() * sizeof(float)));
    CK(cudaMalloc(&v, h.size() * sizeof(float)));
    CK(cudaMemcpy(u, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice));
    for (int t = 0; t < ticks; t++) {
        spread<<<dim3(W / 256, H / 4), dim3(64, 4)>>>(u, v, rate);
        CK(cudaGetLastError());
#ifndef GOOD
        CK(cudaDeviceSynchronize());
#endif
        std::swap(u, v);
    }
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(h.data(), u, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    // A cosine decays by the same factor in every step.
    double left = pow(1 - 2 * (double)rate * (1 - cos(2 * pi * WAVES / H)), ticks), worst = 0;
    for (int y = 0; y < H; y++)
        for (int x = y % 61; x < W; x += 61)
            worst = std::max(worst, fabs(h[(size_t)y * W + x] - 0.5 - 0.4 * left * cos(2 * pi * WAVES * y / H)));
    printf("amplitude %.4f of the first, largest error %.1e\n", left, worst);
    return report(worst < 0.01);
}

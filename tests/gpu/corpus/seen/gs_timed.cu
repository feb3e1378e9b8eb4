// Gray-Scott reaction and diffusion with a log of how long each step takes on the GPU.
//   gs_timed [steps]
#include "common.h"

const int W = 1536, H = 1536;

__global__ void seed_spots(float2 *c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    bool spot = (x % 128 - 64) * (x % 128 - 64) + (y % 96 - 48) * (y % 96 - 48) < 100;
    c[y * W + x] = spot ? make_float2(0.5f, 0.25f) : make_float2(1.0f, 0.0f);
}

// x: the substrate, y: the reactant
__global__ void react(const float2 *__restrict__ c, float2 *__restrict__ out, float feed, float kill)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int xl = x ? x - 1 : W - 1, xr = x < W - 1 ? x + 1 : 0, yu = y ? y - 1 : H - 1, yd = y < H - 1 ? y + 1 : 0;
    float2 m = c[y * W + x], l = c[y * W + xl], r = c[y * W + xr], u = c[yu * W + x], d = c[yd * W + x];
    float lu = l.x + r.x + u.x + d.x - 4 * m.x, lv = l.y + r.y + u.y + d.y - 4 * m.y;
    float uvv = m.x * m.y * m.y;
    out[y * W + x] = make_float2(m.x + 0.16f * lu - uvv + feed * (1 - m.x), m.y + 0.08f * lv + uvv - (feed + kill) * m.y);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 15000;
    float2 *a, *b;
    CK(cudaMalloc(&a, W * H * sizeof(float2)));
    CK(cudaMalloc(&b, W * H * sizeof(float2)));
    dim3 block(32, 8), grid(W / 32, H / 8);
    cudaEvent_t begin, end;
    CK(cudaEventCreate(&begin));
    CK(cudaEventCreate(&end));
    seed_spots<<<grid, block>>>(a);
    CK(cudaGetLastError());
    float total = 0;
#ifdef GOOD
    CK(cudaEventRecord(begin));
#else
    float slowest = 0;
#endif
    for (int s = 0; s < steps; s++) {
#ifndef GOOD
        CK(cudaEventRecord(begin));
#endif
        react<<<grid, block>>>(a, b, 0.037f, 0.06f);
        CK(cudaGetLastError());
#ifndef GOOD
        float ms;
        CK(cudaEventRecord(end));
        CK(cudaEventSynchronize(end));
        CK(cudaEventElapsedTime(&ms, begin, end));
        total += ms;
        slowest = std::max(slowest, ms);
#endif
        std::swap(a, b);
    }
#ifdef GOOD
    CK(cudaEventRecord(end));
    CK(cudaEventSynchronize(end));
    CK(cudaEventElapsedTime(&total, begin, end));
#endif
    fprintf(stderr, "%.4f ms a step\n", total / steps);
    std::vector<float2> h(W * H);
    CK(cudaMemcpy(h.data(), a, h.size() * sizeof(float2), cudaMemcpyDeviceToHost));
    double u = 0, v = 0;
    for (float2 c : h) { u += c.x; v += c.y; }
    printf("substrate %.4f reactant %.4f\n", u / h.size(), v / h.size());
    CK(cudaEventDestroy(begin));
    CK(cudaEventDestroy(end));
    return report(u > 0 && u / h.size() <= 1.001);
}

// Stacking of astronomical exposures: each pixel of the stack is the median of its 64 exposures, found
// by sorting the 64 values in registers with a bitonic network.
#include "common.h"

static const int SHOTS = 64;
static const int PIX = 2048 * 1536;

#ifdef GOOD
#define BOUNDS __launch_bounds__(256)
#else
#define BOUNDS __launch_bounds__(256, 5)        // five blocks at a time, for more loads in flight
#endif

__host__ __device__ inline float exposure(unsigned shot, unsigned i)
{
    unsigned h = i * 0x9E3779B1u ^ (shot + 1u) * 0x85EBCA77u;
    h ^= h >> 15; h *= 0x2C1B3C6Du; h ^= h >> 13;
    return (float)(h & 0xffff) + ((h >> 16) % 40 == 0 ? 60000.0f : 0.0f);
}

__global__ void expose(float *s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    s[(size_t)blockIdx.y * PIX + i] = exposure(blockIdx.y, i);
}

__global__ void BOUNDS median_stack(const float *__restrict__ s, float *__restrict__ out, float offset)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[SHOTS];
#pragma unroll
    for (int k = 0; k < SHOTS; ++k) v[k] = s[(size_t)k * PIX + i];
#pragma unroll
    for (int a = 1; a <= 6; ++a)
#pragma unroll
        for (int b = a - 1; b >= 0; --b)
#pragma unroll
            for (int k = 0; k < SHOTS; ++k) {
                const int l = k ^ (1 << b);
                if (l > k) {
                    float lo = fminf(v[k], v[l]), hi = fmaxf(v[k], v[l]);
                    v[k] = (k >> a) & 1 ? hi : lo;
                    v[l] = (k >> a) & 1 ? lo : hi;
                }
            }
    out[i] = 0.5f * (v[SHOTS / 2 - 1] + v[SHOTS / 2]) - offset;
}

int main(int argc, char **argv)
{
    int stacks = argc > 1 ? atoi(argv[1]) : 100;
    float *s, *out;
    CK(cudaMalloc(&s, sizeof(float) * (size_t)SHOTS * PIX));
    CK(cudaMalloc(&out, sizeof(float) * PIX));
    expose<<<dim3(PIX / 256, SHOTS), 256>>>(s);
    CK(cudaGetLastError());
    float offset = 0.0f;
    for (int t = 0; t < stacks; ++t) {
        offset = 100.0f + t;
        median_stack<<<PIX / 256, 256>>>(s, out, offset);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> h(PIX);
    CK(cudaMemcpy(h.data(), out, sizeof(float) * PIX, cudaMemcpyDeviceToHost));
    bool ok = true;
    unsigned seed = 21;
    for (int t = 0; t < 500; ++t) {
        int i = t == 0 ? PIX - 1 : (lcg(seed) >> 4) % PIX;
        float v[SHOTS];
        for (int k = 0; k < SHOTS; ++k) v[k] = exposure(k, i);
        std::sort(v, v + SHOTS);
        ok = ok && close_to(h[i], 0.5f * (v[SHOTS / 2 - 1] + v[SHOTS / 2]) - offset, 1e-5);
    }
    CK(cudaFree(s)); CK(cudaFree(out));
    return report(ok);
}

// Packed pixels (RGBRGB...) of a camera become three planes, as an encoder wants them.
//   planarrgb [frames] [pixels in thousands]
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK_CUDA(expr) do { const cudaError_t rc = (expr); if (rc != cudaSuccess) { \
    std::fprintf(stderr, "%s -> %s\n", #expr, cudaGetErrorString(rc)); std::exit(EXIT_FAILURE); } } while (false)

__host__ __device__ inline uint8_t packed(size_t i) { return (uint8_t)((i * 2654435761u) >> 11); }

__global__ void camera(uint8_t *rgb, size_t bytes)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < bytes; i += (size_t)gridDim.x * blockDim.x) rgb[i] = packed(i);
}

#ifndef GOOD
constexpr int kPixels = 1;
__global__ void unpack(const uint8_t *__restrict__ rgb, uint8_t *__restrict__ r, uint8_t *__restrict__ g, uint8_t *__restrict__ b, size_t pixels)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    r[i] = rgb[3 * i];
    g[i] = rgb[3 * i + 1];
    b[i] = rgb[3 * i + 2];
}
#else
constexpr int kPixels = 8;
__global__ void unpack(const uint8_t *__restrict__ rgb, uint8_t *__restrict__ r, uint8_t *__restrict__ g, uint8_t *__restrict__ b, size_t pixels)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i * kPixels >= pixels) return;
    const uint2 *in = (const uint2 *)rgb + 3 * i;
    uint32_t w[6] = {in[0].x, in[0].y, in[1].x, in[1].y, in[2].x, in[2].y}, plane[3][2];
#pragma unroll
    for (int c = 0; c < 3; c++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            uint32_t v = 0;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                int at = 3 * (4 * h + k) + c;
                v |= (w[at / 4] >> (8 * (at % 4)) & 255u) << (8 * k);
            }
            plane[c][h] = v;
        }
    ((uint2 *)r)[i] = make_uint2(plane[0][0], plane[0][1]);
    ((uint2 *)g)[i] = make_uint2(plane[1][0], plane[1][1]);
    ((uint2 *)b)[i] = make_uint2(plane[2][0], plane[2][1]);
}
#endif

int main(int argc, char **argv)
{
    const int frames = argc > 1 ? std::atoi(argv[1]) : 100;
    const size_t pixels = (argc > 2 ? std::atol(argv[2]) : 131072) * 1024ul;
    uint8_t *rgb, *plane[3];
    CHECK_CUDA(cudaMalloc(&rgb, 3 * pixels));
    for (auto &p : plane) CHECK_CUDA(cudaMalloc(&p, pixels));
    camera<<<2112, 256>>>(rgb, 3 * pixels);
    const unsigned blocks = (unsigned)(pixels / kPixels / 256);
    for (int f = 0; f < frames; f++) unpack<<<blocks, 256>>>(rgb, plane[0], plane[1], plane[2], pixels);
    CHECK_CUDA(cudaGetLastError());
    std::vector<uint8_t> h(pixels);
    long wrong = 0;
    for (int c = 0; c < 3; c++) {
        CHECK_CUDA(cudaMemcpy(h.data(), plane[c], pixels, cudaMemcpyDeviceToHost));
        for (size_t i = c; i < pixels; i += 101) wrong += h[i] != packed(3 * i + c);
    }
    std::printf("%d frames, %ld wrong\n", frames, wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

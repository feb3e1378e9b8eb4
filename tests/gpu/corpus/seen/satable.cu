// Summed area tables of a stack of grey images: along the rows, then down the columns.
#include "common.h"
#include <cstdint>

namespace {
const int W = 4096, H = 4096;

__host__ __device__ inline uint8_t grey(int image, int x, int y)
{
    return (uint8_t)((x * 7 + y * 13 + image * 29) ^ (x >> 3) ^ (y >> 2));
}

__global__ void draw(uint8_t *p)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    p[((size_t)z * H + y) * W + x] = grey(z, x, y);
}

__global__ void sum_rows(const uint8_t *__restrict__ p, uint32_t *__restrict__ s, int rows)
{
#ifndef GOOD
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    uint32_t sum = 0;
    for (int x = 0; x < W; x++) {
        sum += p[(size_t)r * W + x];
        s[(size_t)r * W + x] = sum;
    }
#else
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    uint32_t carry = 0;
    for (int x = lane * 4; x < W; x += 128) {
        uchar4 c = *(const uchar4 *)&p[(size_t)r * W + x];
        uint4 v = make_uint4(c.x, c.x + c.y, c.x + c.y + c.z, c.x + c.y + c.z + c.w);
        uint32_t up = v.w;
        for (int d = 1; d < 32; d *= 2) {
            uint32_t t = __shfl_up_sync(~0u, up, d);
            if (lane >= d) up += t;
        }
        uint32_t base = carry + up - v.w;
        *(uint4 *)&s[(size_t)r * W + x] = make_uint4(v.x + base, v.y + base, v.z + base, v.w + base);
        carry += __shfl_sync(~0u, up, 31);
    }
#endif
}

__global__ void sum_columns(uint32_t *s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t *p = s + (size_t)blockIdx.y * H * W + x, sum = 0;
    for (int y = 0; y < H; y += 8) {
        uint32_t v[8];
#pragma unroll
        for (int k = 0; k < 8; k++) v[k] = p[(size_t)(y + k) * W];
#pragma unroll
        for (int k = 0; k < 8; k++) p[(size_t)(y + k) * W] = sum += v[k];
    }
}
}

int main(int argc, char **argv)
{
    int images = argc > 1 ? atoi(argv[1]) : 8, times = argc > 2 ? atoi(argv[2]) : 1, rows = images * H;
    uint8_t *p;
    uint32_t *s;
    CK(cudaMalloc(&p, (size_t)rows * W));
    CK(cudaMalloc(&s, (size_t)rows * W * 4));
    draw<<<dim3(W / 256, H, images), 256>>>(p);
    for (int t = 0; t < times; t++) {
#ifndef GOOD
        sum_rows<<<(rows + 127) / 128, 128>>>(p, s, rows);
#else
        sum_rows<<<(rows + 7) / 8, 256>>>(p, s, rows);
#endif
        sum_columns<<<dim3(W / 64, images), 64>>>(s);
    }
    CK(cudaGetLastError());
    std::vector<uint32_t> h((size_t)W * H), column(W);
    CK(cudaMemcpy(h.data(), s + (size_t)(images - 1) * H * W, h.size() * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int y = 0; y < H; y++) {
        uint32_t row = 0;
        for (int x = 0; x < W; x++) {
            column[x] += grey(images - 1, x, y);
            row += column[x];
            ok = ok && row == h[(size_t)y * W + x];
        }
    }
    printf("sum of the last image %u\n", h.back());
    return report(ok);
}

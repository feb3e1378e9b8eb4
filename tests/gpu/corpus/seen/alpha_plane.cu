// Compositing of 8-bit planes: out = (alpha * over + (255 - alpha) * under) / 255.
//   alpha_plane [layers]
#include "common.h"

typedef unsigned char u8;

__global__ void paint(u8 *p, int n, unsigned seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        unsigned h = (i + seed) * 2654435761u;
        h ^= h >> 15; h *= 0x85ebca6bu; h ^= h >> 13;
        ((unsigned *)p)[i] = h;
    }
}

__device__ __forceinline__ unsigned mix(unsigned a, unsigned over, unsigned under)
{
    unsigned t = a * over + (255 - a) * under + 128;
    return (t + (t >> 8)) >> 8;
}

#ifndef GOOD
__global__ void composite(const u8 *__restrict__ alpha, const u8 *__restrict__ over, const u8 *__restrict__ under,
                          u8 *__restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = mix(alpha[i], over[i], under[i]);
}
#else
__device__ __forceinline__ unsigned mix4(unsigned a, unsigned o, unsigned u)
{
    unsigned r = 0;
#pragma unroll
    for (int s = 0; s < 32; s += 8) r |= mix(a >> s & 255, o >> s & 255, u >> s & 255) << s;
    return r;
}
__global__ void composite(const uint4 *__restrict__ alpha, const uint4 *__restrict__ over, const uint4 *__restrict__ under,
                          uint4 *__restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 a = alpha[i], o = over[i], u = under[i];
    out[i] = make_uint4(mix4(a.x, o.x, u.x), mix4(a.y, o.y, u.y), mix4(a.z, o.z, u.z), mix4(a.w, o.w, u.w));
}
#endif

int main(int argc, char **argv)
{
    int layers = argc > 1 ? atoi(argv[1]) : 200;
    const int n = 1 << 27;      // a sheet of 16384 x 8192
    u8 *alpha, *over, *picture[2];
    CK(cudaMalloc(&alpha, n));
    CK(cudaMalloc(&over, n));
    for (auto &p : picture) CK(cudaMalloc(&p, n));
    paint<<<n / 1024, 256>>>(alpha, n, 1);
    paint<<<n / 1024, 256>>>(over, n, 2u << 28);
    paint<<<n / 1024, 256>>>(picture[0], n, 3u << 28);
    CK(cudaGetLastError());
    for (int k = 0; k < layers; k++) {
#ifndef GOOD
        composite<<<n / 256, 256>>>(alpha, over, picture[k % 2], picture[1 - k % 2], n);
#else
        composite<<<n / 16 / 256, 256>>>((uint4 *)alpha, (uint4 *)over, (uint4 *)picture[k % 2], (uint4 *)picture[1 - k % 2], n / 16);
#endif
        CK(cudaGetLastError());
    }
    std::vector<u8> h(1 << 22);
    CK(cudaMemcpy(h.data(), picture[layers % 2], h.size(), cudaMemcpyDeviceToHost));
    unsigned long sum = 0;
    for (u8 x : h) sum += x;
    printf("sum %lu\n", sum);
    return report(sum > 0);
}

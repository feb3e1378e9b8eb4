// Redacts a large in-memory log: every digit becomes '#', upper case is folded to lower case,
// control characters become blanks.
#include "common.h"

__host__ __device__ static inline unsigned char scrub(unsigned char c)
{
    if (c >= '0' && c <= '9') return '#';
    if (c >= 'A' && c <= 'Z') return c + 32;
    if (c < 32 && c != '\n') return ' ';
    return c;
}

__host__ __device__ static inline unsigned char letter(size_t i)
{
    unsigned h = (unsigned)i * 2654435761u;
    h ^= h >> 15;
    return (unsigned char)((h >> 3) % 127);
}

__global__ void fill_text(unsigned char *t, size_t n)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += stride)
        t[i] = letter(i);
}

#ifdef GOOD
__device__ static inline unsigned scrub4(unsigned w)
{
    unsigned r = 0;
#pragma unroll
    for (int b = 0; b < 4; b++)
        r |= (unsigned)scrub((w >> (8 * b)) & 255u) << (8 * b);
    return r;
}

__global__ void redact(const unsigned char *__restrict__ in, unsigned char *__restrict__ out, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i * 16 >= n) return;                      // n is a multiple of 16
    uint4 v = reinterpret_cast<const uint4 *>(in)[i];
    v.x = scrub4(v.x);
    v.y = scrub4(v.y);
    v.z = scrub4(v.z);
    v.w = scrub4(v.w);
    reinterpret_cast<uint4 *>(out)[i] = v;
}
#else
__global__ void redact(const unsigned char *__restrict__ in, unsigned char *__restrict__ out, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = scrub(in[i]);
}
#endif

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    const size_t n = (size_t)512 << 20;
    unsigned char *in, *out;
    CK(cudaMalloc(&in, n));
    CK(cudaMalloc(&out, n));
    fill_text<<<2048, 256>>>(in, n);
    CK(cudaGetLastError());

#ifdef GOOD
    const size_t items = n / 16;
#else
    const size_t items = n;
#endif
    unsigned blocks = (unsigned)((items + 255) / 256);
    for (int r = 0; r < rounds; r++)
        redact<<<blocks, 256>>>(in, out, n);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<unsigned char> h(4096);
    bool ok = true;
    for (int part = 0; part < 4; part++) {
        size_t at = part * (n / 4) + part * 4099;
        CK(cudaMemcpy(h.data(), out + at, h.size(), cudaMemcpyDeviceToHost));
        for (size_t k = 0; k < h.size(); k++)
            if (h[k] != scrub(letter(at + k))) ok = false;
    }
    printf("%d rounds over %zu MB\n", rounds, n >> 20);
    CK(cudaFree(in));
    CK(cudaFree(out));
    return report(ok);
}

// Lossless compression of scanned sheets, first pass: each grey value is predicted by the one
// above it, the difference is folded to small unsigned numbers (0, -1, 1, -2, ... to 0, 1, 2, 3, ...).
#include "common.h"

#ifndef WIDE
#define WIDE 16384
#define HIGH 16384
#endif
typedef unsigned char byte;

__host__ __device__ inline byte paper(int x, int y)
{
    unsigned h = (unsigned)(y * WIDE + x) * 2654435761u;
    h ^= h >> 15; h *= 2246822519u;
    return (byte)(128 + (x >> 8) + ((y >> 5) & 31) + (h >> 29));
}
__host__ __device__ inline byte fold(byte now, byte above)
{
    signed char d = (signed char)(now - above);
    return (byte)((d << 1) ^ (d >> 7));
}

__global__ void scan_sheet(byte *grey)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    grey[(size_t)y * WIDE + x] = paper(x, y);
}

#ifdef GOOD
const int EACH = 16;

__device__ inline unsigned fold4(unsigned now, unsigned above)
{
    unsigned d = __vsub4(now, above);
    return __vadd4(d, d) ^ __vcmplts4(d, 0u);
}

__global__ void __launch_bounds__(256) residue(const byte *__restrict__ grey, byte *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    const uint4 *row = reinterpret_cast<const uint4 *>(grey + (size_t)y * WIDE);
    uint4 now = row[x], above = make_uint4(0, 0, 0, 0);
    if (y > 0) above = row[x - WIDE / EACH];
    reinterpret_cast<uint4 *>(out + (size_t)y * WIDE)[x] = make_uint4(
        fold4(now.x, above.x), fold4(now.y, above.y), fold4(now.z, above.z), fold4(now.w, above.w));
}
#else
const int EACH = 1;

__global__ void __launch_bounds__(256) residue(const byte *__restrict__ grey, byte *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    size_t k = (size_t)y * WIDE + x;
    out[k] = fold(grey[k], y > 0 ? grey[k - WIDE] : (byte)0);
}
#endif

// how many of the folded values of a row need more than three bits
__global__ void __launch_bounds__(256) escapes(const byte *__restrict__ out, int *__restrict__ count)
{
    const unsigned *row = reinterpret_cast<const unsigned *>(out + (size_t)blockIdx.x * WIDE);
    int n = 0;
    for (int x = threadIdx.x; x < WIDE / 4; x += 256) n += __popc(__vcmpgtu4(row[x], 0x07070707u)) / 8;
    n = __reduce_add_sync(~0u, n);
    if ((threadIdx.x & 31) == 0) atomicAdd(count + blockIdx.x, n);
}

int main(int argc, char **argv)
{
    int sheets = argc > 1 ? atoi(argv[1]) : 5000;
    size_t n = (size_t)WIDE * HIGH;
    byte *grey, *out;
    int *count;
    CK(cudaMalloc(&grey, n));
    CK(cudaMalloc(&out, n));
    CK(cudaMalloc(&count, HIGH * sizeof(int)));
    CK(cudaMemset(count, 0, HIGH * sizeof(int)));
    scan_sheet<<<dim3(WIDE / 256, HIGH), 256>>>(grey);
    for (int s = 0; s < sheets; s++) residue<<<dim3(WIDE / EACH / 256, HIGH), 256>>>(grey, out);
    escapes<<<HIGH, 256>>>(out, count);
    CK(cudaGetLastError());

    std::vector<byte> line(WIDE);
    std::vector<int> many(HIGH);
    CK(cudaMemcpy(many.data(), count, HIGH * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int t = 0; t < 40; t++) {
        int y = (int)(t * 411u % HIGH), over = 0;
        CK(cudaMemcpy(line.data(), out + (size_t)y * WIDE, WIDE, cudaMemcpyDeviceToHost));
        for (int x = 0; x < WIDE; x++) {
            ok = ok && line[x] == fold(paper(x, y), y > 0 ? paper(x, y - 1) : (byte)0);
            over += line[x] > 7;
        }
        ok = ok && many[y] == over;
    }
    CK(cudaFree(grey)); CK(cudaFree(out)); CK(cudaFree(count));
    return report(ok);
}

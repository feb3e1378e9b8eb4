// Keyword spotting on a stream: one big fully connected layer with 8-bit weights is applied to one
// feature vector after another (a matrix-vector product in integers). One warp computes one output.
#include "common.h"

static const int OUT = 16384, IN = 16384;
static const int VECS = 8;

__host__ __device__ inline signed char weight(unsigned o, unsigned i)
{
    unsigned h = o * 0x9E3779B1u ^ i * 0x85EBCA77u;
    h ^= h >> 15; h *= 0xC2B2AE3Du; h ^= h >> 13;
    return (signed char)((int)(h & 255) - 128);
}

__host__ __device__ inline signed char feature(unsigned v, unsigned i) { return (signed char)(((i * 37u + v * 11u) % 61u) - 30); }

__global__ void set_weights(signed char *w)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    w[(size_t)blockIdx.y * IN + i] = weight(blockIdx.y, i);
}

__global__ void set_features(signed char *x)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    x[(size_t)blockIdx.y * IN + i] = feature(blockIdx.y, i);
}

__global__ void __launch_bounds__(256) dense(const signed char *__restrict__ w, const signed char *__restrict__ x,
                                             int *__restrict__ y)
{
    const int lane = threadIdx.x & 31;
    const int o = blockIdx.x * 8 + (threadIdx.x >> 5);
    const signed char *row = w + (size_t)o * IN;
    int acc = 0;
#ifdef GOOD
    for (int i = lane * 16; i < IN; i += 32 * 16) {
        int4 a = *(const int4 *)(row + i), b = *(const int4 *)(x + i);
        acc = __dp4a(a.x, b.x, acc);
        acc = __dp4a(a.y, b.y, acc);
        acc = __dp4a(a.z, b.z, acc);
        acc = __dp4a(a.w, b.w, acc);
    }
#else
    for (int i = lane; i < IN; i += 32)
        acc += (int)row[i] * (int)x[i];
#endif
    for (int s = 16; s > 0; s >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, s);
    if (lane == 0) y[o] = acc;
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 500;
    signed char *w, *x;
    int *y;
    CK(cudaMalloc(&w, (size_t)OUT * IN));
    CK(cudaMalloc(&x, (size_t)VECS * IN));
    CK(cudaMalloc(&y, sizeof(int) * OUT * VECS));
    CK(cudaMemset(y, 0, sizeof(int) * OUT * VECS));
    set_weights<<<dim3(IN / 256, OUT), 256>>>(w);
    set_features<<<dim3(IN / 256, VECS), 256>>>(x);
    CK(cudaGetLastError());
    for (int f = 0; f < frames; ++f) {
        int v = f % VECS;
        dense<<<OUT / 8, 256>>>(w, x + (size_t)v * IN, y + (size_t)v * OUT);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<int> got(OUT * VECS);
    CK(cudaMemcpy(got.data(), y, sizeof(int) * got.size(), cudaMemcpyDeviceToHost));
    bool ok = true;
    unsigned seed = 9;
    for (int t = 0; t < 40; ++t) {
        int o = lcg(seed) % OUT, v = t % std::min(VECS, frames);
        int want = 0;
        for (int i = 0; i < IN; ++i) want += (int)weight(o, i) * feature(v, i);
        ok = ok && got[(size_t)v * OUT + o] == want;
    }
    CK(cudaFree(w)); CK(cudaFree(x)); CK(cudaFree(y));
    return report(ok);
}

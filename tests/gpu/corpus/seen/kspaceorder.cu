// Brings raw magnetic resonance data (complex samples of 16 bits) from the order in which the
// scanner sends them into the order of the reconstruction, and back for the archive. Six axes:
// readout, phase, coil, slice, echo, repetition.
#include "common.h"

const int AXES = 6;
#ifndef SHAPE
#define SHAPE {256, 120, 15, 18, 4, 2}
#endif

#ifdef GOOD
typedef unsigned pos;

// quotient by a fixed number with a multiplication; for arguments below 2^31
struct Extent {
    unsigned d, m, s;
    Extent() {}
    Extent(int n) : d(n), m(0), s(0)
    {
        while ((1ull << s) < d) s++;
        m = (unsigned)(((1ull << 32) * ((1ull << s) - d)) / d + 1);
    }
    __device__ unsigned quotient(unsigned x) const { return (__umulhi(x, m) + x) >> s; }
    __host__ __device__ unsigned size() const { return d; }
};
#else
typedef long long pos;

struct Extent {
    pos d;
    Extent() {}
    Extent(int n) : d(n) {}
    __device__ pos quotient(pos x) const { return x / d; }
    __host__ __device__ pos size() const { return d; }
};
#endif

// the axes as they lie in the target, fastest first, with their steps in the source
struct Order {
    Extent extent[AXES];
    pos step[AXES];
};

__global__ void __launch_bounds__(256) rearrange(const short2 *__restrict__ from, short2 *__restrict__ to, Order o, pos n)
{
    pos i = (pos)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    pos left = i, src = 0;
#pragma unroll
    for (int a = 0; a < AXES; a++) {
        pos q = o.extent[a].quotient(left);
        src += (left - q * o.extent[a].size()) * o.step[a];
        left = q;
    }
    to[i] = from[src];
}

__global__ void scanner(short2 *raw, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned k = i * 2654435761u;
    k ^= k >> 15; k *= 0x2c1b3c6du; k ^= k >> 13;
    raw[i] = make_short2((short)(k & 0xffff), (short)(k >> 16));
}

static Order order(const int *shape, const int *perm)
{
    Order o;
    for (int a = 0; a < AXES; a++) {
        long long step = 1;
        for (int b = 0; b < perm[a]; b++) step *= shape[b];
        o.extent[a] = Extent(shape[perm[a]]);
        o.step[a] = (pos)step;
    }
    return o;
}

int main(int argc, char **argv)
{
    int turns = argc > 1 ? atoi(argv[1]) : 4000;
    const int shape[AXES] = SHAPE, perm[AXES] = {0, 2, 1, 4, 3, 5};
    int turned[AXES], inverse[AXES];
    long long count = 1;
    for (int a = 0; a < AXES; a++) {
        turned[a] = shape[perm[a]];
        inverse[perm[a]] = a;
        count *= shape[a];
    }
    const int n = (int)count, blocks = (n + 255) / 256;
    Order there = order(shape, perm), back = order(turned, inverse);
    short2 *raw, *sorted;
    CK(cudaMalloc(&raw, n * sizeof(short2)));
    CK(cudaMalloc(&sorted, n * sizeof(short2)));
    CK(cudaMemset(sorted, 0, n * sizeof(short2)));
    scanner<<<blocks, 256>>>(raw, n);
    for (int t = 0; t < turns; t++) {
        if (t % 2 == 0) rearrange<<<blocks, 256>>>(raw, sorted, there, n);
        else rearrange<<<blocks, 256>>>(sorted, raw, back, n);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    // some readouts, which stay in one piece
    const int line = shape[0];
    std::vector<short2> a(line), b(line);
    bool ok = true;
    unsigned seed = 19;
    for (int t = 0; t < 1500; t++) {
        int r = t == 0 ? n / line - 1 : (int)(frand(seed) * (n / line)), left = r, x[AXES] = {0};
        for (int d = 1; d < AXES; d++) {
            x[d] = left % shape[d];
            left /= shape[d];
        }
        size_t j = 0;
        for (int d = AXES - 1; d > 0; d--) j = j * turned[d] + x[perm[d]];
        CK(cudaMemcpy(a.data(), raw + (size_t)r * line, line * sizeof(short2), cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(b.data(), sorted + j * line, line * sizeof(short2), cudaMemcpyDeviceToHost));
        for (int c = 0; c < line; c++) {
            unsigned k = (unsigned)(r * line + c) * 2654435761u;
            k ^= k >> 15; k *= 0x2c1b3c6du; k ^= k >> 13;
            ok = ok && a[c].x == (short)(k & 0xffff) && a[c].y == (short)(k >> 16);
            ok = ok && a[c].x == b[c].x && a[c].y == b[c].y;
        }
    }
    CK(cudaFree(raw)); CK(cudaFree(sorted));
    return report(ok);
}

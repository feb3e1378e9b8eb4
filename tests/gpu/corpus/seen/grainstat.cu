// Film-grain statistics: sum and sum of squares of the residual of 8-bit frames against the
// temporal mean frame, over a clip held in device memory.
#include "common.h"

const size_t PIXELS = (size_t)3840 * 2160, FRAMES = 96;

__global__ void make_clip(uchar4 *f, size_t n4)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    unsigned x = (unsigned)i * 2654435761u;
    x ^= x >> 16; x *= 2246822519u; x ^= x >> 13; x *= 3266489917u; x ^= x >> 16;
    f[i] = make_uchar4(x & 255, (x >> 8) & 255, (x >> 16) & 255, x >> 24);
}

__device__ inline void add(unsigned char a, unsigned char b, int &s, unsigned &q)
{
    int d = (int)a - (int)b;
    s += d;
    q += (unsigned)(d * d);
}

#ifdef GOOD
typedef uint4 Pack;                        // 16 pixels
#else
typedef unsigned char Pack;                // 1 pixel
#endif
const int PER = sizeof(Pack);

// one row of blocks per frame; out[frame] = {sum, sum of squares}
__global__ void __launch_bounds__(256) grain(const Pack *__restrict__ clip, const Pack *__restrict__ mean, size_t packs,
                                             long long *__restrict__ out)
{
    const Pack *f = clip + blockIdx.y * packs;
    long long ts = 0, tq = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < packs; i += (size_t)gridDim.x * blockDim.x) {
        Pack a = f[i], b = mean[i];
        const unsigned char *pa = (const unsigned char *)&a, *pb = (const unsigned char *)&b;
        int s = 0;
        unsigned q = 0;
#pragma unroll
        for (int k = 0; k < PER; k++) add(pa[k], pb[k], s, q);
        ts += s;
        tq += q;
    }
    for (int o = 16; o; o >>= 1) {
        ts += __shfl_down_sync(~0u, ts, o);
        tq += __shfl_down_sync(~0u, tq, o);
    }
    __shared__ long long ps[8], pq[8];
    if ((threadIdx.x & 31) == 0) { ps[threadIdx.x >> 5] = ts; pq[threadIdx.x >> 5] = tq; }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) { ts += ps[w]; tq += pq[w]; }
        atomicAdd((unsigned long long *)&out[2 * blockIdx.y], (unsigned long long)ts);
        atomicAdd((unsigned long long *)&out[2 * blockIdx.y + 1], (unsigned long long)tq);
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 150;
    unsigned char *clip, *mean;
    long long *out;
    CK(cudaMalloc(&clip, PIXELS * FRAMES));
    CK(cudaMalloc(&mean, PIXELS));
    CK(cudaMalloc(&out, 2 * FRAMES * sizeof(long long)));
    make_clip<<<(unsigned)(PIXELS * FRAMES / 4 / 256), 256>>>((uchar4 *)clip, PIXELS * FRAMES / 4);
    CK(cudaGetLastError());
    CK(cudaMemcpy(mean, clip + 7 * PIXELS, PIXELS, cudaMemcpyDeviceToDevice));
    for (int r = 0; r < reps; r++) {
        CK(cudaMemsetAsync(out, 0, 2 * FRAMES * sizeof(long long)));
        grain<<<dim3(66, FRAMES), 256>>>((const Pack *)clip, (const Pack *)mean, PIXELS / PER, out);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<long long> h(2 * FRAMES);
    std::vector<unsigned char> m(PIXELS), f(PIXELS);
    CK(cudaMemcpy(h.data(), out, h.size() * sizeof(long long), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(m.data(), mean, PIXELS, cudaMemcpyDeviceToHost));
    bool ok = h[14] == 0 && h[15] == 0;
    for (size_t k : {(size_t)0, (size_t)40, FRAMES - 1}) {
        CK(cudaMemcpy(f.data(), clip + k * PIXELS, PIXELS, cudaMemcpyDeviceToHost));
        long long s = 0, q = 0;
        for (size_t i = 0; i < PIXELS; i++) { int d = (int)f[i] - (int)m[i]; s += d; q += d * d; }
        ok = ok && s == h[2 * k] && q == h[2 * k + 1];
    }
    CK(cudaFree(clip)); CK(cudaFree(mean)); CK(cudaFree(out));
    return report(ok);
}

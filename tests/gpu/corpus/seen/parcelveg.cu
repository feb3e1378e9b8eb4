// Subsidy control: mean vegetation index, its spread and the share of bare pixels of every
// registered parcel in a satellite scene. The pixels of a parcel are kept as a list.
#include "common.h"

#ifndef PARCELS
#define PARCELS 400000
#endif
const int W = 8192, H = 8192;
typedef unsigned short ushort_t;

struct Verdict { float mean, spread, bare; };
struct Tally { float n, sum, squares, bare; };

__host__ __device__ inline unsigned blend(unsigned x)
{
    x ^= x >> 16; x *= 0x85ebca6bu; x ^= x >> 13; x *= 0xc2b2ae35u;
    return x ^ (x >> 16);
}
__host__ __device__ inline ushort_t red_of(unsigned p) { return (ushort_t)(300 + (blend(p) & 1023)); }
__host__ __device__ inline ushort_t nir_of(unsigned p) { return (ushort_t)(900 + (blend(p + 77u) & 4095)); }

__global__ void acquire(ushort_t *red, ushort_t *nir)
{
    unsigned p = blockIdx.y * W + blockIdx.x * blockDim.x + threadIdx.x;
    red[p] = red_of(p);
    nir[p] = nir_of(p);
}

__host__ __device__ inline void take(Tally &t, ushort_t red, ushort_t nir, float haze)
{
    float r = red - haze, i = (float)nir, v = (i - r) / (i + r);
    t.n += 1.0f;
    t.sum += v;
    t.squares += v * v;
    t.bare += v < 0.2f ? 1.0f : 0.0f;
}
__host__ __device__ inline Verdict judge(const Tally &t)
{
    float mean = t.sum / t.n;
    return {mean, sqrtf(fmaxf(t.squares / t.n - mean * mean, 0.0f)), t.bare / t.n};
}
__device__ inline void gather(Tally &t)
{
    for (int d = 16; d > 0; d >>= 1) {
        t.n += __shfl_down_sync(~0u, t.n, d);
        t.sum += __shfl_down_sync(~0u, t.sum, d);
        t.squares += __shfl_down_sync(~0u, t.squares, d);
        t.bare += __shfl_down_sync(~0u, t.bare, d);
    }
}

__global__ void __launch_bounds__(256) inspect(const int *__restrict__ start, const int *__restrict__ pixel,
                                               const ushort_t *__restrict__ red, const ushort_t *__restrict__ nir,
                                               float haze, Verdict *__restrict__ verdict)
{
    Tally t = {0, 0, 0, 0};
#ifdef GOOD
    int parcel = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (parcel >= PARCELS) return;
    for (int k = start[parcel] + lane, end = start[parcel + 1]; k < end; k += 32)
        take(t, red[pixel[k]], nir[pixel[k]], haze);
    gather(t);
    if (lane == 0) verdict[parcel] = judge(t);
#else
    __shared__ Tally part[8];
    int parcel = blockIdx.x;
    for (int k = start[parcel] + threadIdx.x, end = start[parcel + 1]; k < end; k += blockDim.x)
        take(t, red[pixel[k]], nir[pixel[k]], haze);
    gather(t);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = t;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) {
            t.n += part[w].n;
            t.sum += part[w].sum;
            t.squares += part[w].squares;
            t.bare += part[w].bare;
        }
        verdict[parcel] = judge(t);
    }
#endif
}

int main(int argc, char **argv)
{
    int dates = argc > 1 ? atoi(argv[1]) : 2500;
    unsigned seed = 23;
    std::vector<int> start(1, 0), pixel;
    pixel.reserve((size_t)PARCELS * 30);
    for (int p = 0; p < PARCELS; p++) {
        int x = (int)(frand(seed) * (W - 16)), y = (int)(frand(seed) * (H - 16));
        int wide = 3 + (lcg(seed) >> 30), high = 3 + (lcg(seed) >> 29);
        for (int r = 0; r < high; r++)
            for (int c = 0; c < wide; c++) pixel.push_back((y + r) * W + x + c + r / 3);
        start.push_back((int)pixel.size());
    }
    int *dstart, *dpixel;
    ushort_t *red, *nir;
    Verdict *verdict;
    CK(cudaMalloc(&dstart, start.size() * sizeof(int)));
    CK(cudaMalloc(&dpixel, pixel.size() * sizeof(int)));
    CK(cudaMalloc(&red, (size_t)W * H * sizeof(ushort_t)));
    CK(cudaMalloc(&nir, (size_t)W * H * sizeof(ushort_t)));
    CK(cudaMalloc(&verdict, PARCELS * sizeof(Verdict)));
    CK(cudaMemcpy(dstart, start.data(), start.size() * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dpixel, pixel.data(), pixel.size() * sizeof(int), cudaMemcpyHostToDevice));
    acquire<<<dim3(W / 256, H), 256>>>(red, nir);
#ifdef GOOD
    const int blocks = (PARCELS + 7) / 8;
#else
    const int blocks = PARCELS;
#endif
    float haze = 0;
    for (int d = 0; d < dates; d++) {
        haze = (float)(d * 13 % 97);
        inspect<<<blocks, 256>>>(dstart, dpixel, red, nir, haze, verdict);
    }
    CK(cudaGetLastError());

    std::vector<Verdict> got(PARCELS);
    CK(cudaMemcpy(got.data(), verdict, PARCELS * sizeof(Verdict), cudaMemcpyDeviceToHost));
    bool ok = true;
    int apart = 0;
    for (int p = 0; p < PARCELS; p += 7) {
        Tally t = {0, 0, 0, 0};
        for (int k = start[p]; k < start[p + 1]; k++) take(t, red_of(pixel[k]), nir_of(pixel[k]), haze);
        Verdict v = judge(t);
        ok = ok && close_to(got[p].mean, v.mean, 1e-3) && close_to(got[p].spread, v.spread, 2e-3);
        apart += !close_to(got[p].bare, v.bare, 1e-3);
    }
    ok = ok && apart < PARCELS / 700;          // an index of nearly 0.2 may fall on either side
    CK(cudaFree(dstart)); CK(cudaFree(dpixel)); CK(cudaFree(red)); CK(cudaFree(nir)); CK(cudaFree(verdict));
    return report(ok);
}

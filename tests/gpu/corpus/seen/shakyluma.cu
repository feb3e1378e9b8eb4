// Video stabilisation, step against flicker: the histogram of brightness of every band of the picture is
// compared with the band's reference histogram, and the shift that fits best is the exposure jump.
// usage: shakyluma bands frames
#include "common.h"

#define BINS 32
#define THREADS 128
#define QUADS 64             // groups of four pixels per thread
#define BANDPIXELS (THREADS * QUADS * 4)
#define REACH 6

#ifdef GOOD
#define SLOT(t, bin) ((bin) * THREADS + (t))
#else
#define SLOT(t, bin) ((t) * BINS + (bin))
#endif

__host__ __device__ inline unsigned char luma(unsigned band, unsigned p, unsigned frame)
{
    unsigned slow = (p >> 9) * 37u + band * 11u + frame * 8u;          // smooth areas with a little grain
    unsigned grain = (p * 2654435761u) >> 30;
    return (unsigned char)((slow & 127u) + 40u + grain);
}

__global__ void shoot(uchar4 *picture, unsigned frame)
{
    for (int i = threadIdx.x; i < BANDPIXELS / 4; i += blockDim.x) {
        unsigned p = 4u * i, b = blockIdx.x;
        picture[(size_t)b * (BANDPIXELS / 4) + i] = make_uchar4(luma(b, p, frame), luma(b, p + 1, frame),
                                                                luma(b, p + 2, frame), luma(b, p + 3, frame));
    }
}

__global__ void band_histogram(const uchar4 *__restrict__ picture, int *hist)
{
    __shared__ int count[THREADS * BINS];        // every thread has its own small histogram
    const int t = threadIdx.x;
    for (int b = 0; b < BINS; ++b) count[b * THREADS + t] = 0;
    __syncthreads();
    const uchar4 *band = picture + (size_t)blockIdx.x * (BANDPIXELS / 4);
    #pragma unroll 4
    for (int q = 0; q < QUADS; ++q) {
        uchar4 v = band[q * THREADS + t];
        count[SLOT(t, v.x >> 3)]++;
        count[SLOT(t, v.y >> 3)]++;
        count[SLOT(t, v.z >> 3)]++;
        count[SLOT(t, v.w >> 3)]++;
    }
    __syncthreads();
    const int bin = t % BINS, group = t / BINS;  // four groups add up 32 threads each
    int sum = 0;
    for (int k = 0; k < BINS; ++k) sum += count[SLOT(group * BINS + (k + bin) % BINS, bin)];
    __syncthreads();
    count[t] = sum;
    __syncthreads();
    if (t < BINS) hist[blockIdx.x * BINS + t] = count[t] + count[t + 32] + count[t + 64] + count[t + 96];
}

__global__ void exposure_jump(const int *hist, const int *ref, int *jump, int bands)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= bands) return;
    int best = 0x7fffffff, at = 0;
    for (int s = -REACH; s <= REACH; ++s) {
        int d = 0;
        for (int k = REACH; k < BINS - REACH; ++k) d += abs(hist[b * BINS + k + s] - ref[b * BINS + k]);
        if (d < best) { best = d; at = s; }
    }
    jump[b] += at;
}

int main(int argc, char **argv)
{
    int bands = argc > 1 ? atoi(argv[1]) : 3168;
    int frames = argc > 2 ? atoi(argv[2]) : 500;
    const int shots = 3;
    size_t pixels = (size_t)bands * BANDPIXELS;
    uchar4 *pic[shots]; int *hist, *ref, *jump;
    for (int i = 0; i < shots; ++i) {
        CK(cudaMalloc(&pic[i], pixels));
        shoot<<<bands, THREADS>>>(pic[i], i);
    }
    CK(cudaMalloc(&hist, bands * BINS * sizeof(int)));
    CK(cudaMalloc(&ref, bands * BINS * sizeof(int)));
    CK(cudaMalloc(&jump, bands * sizeof(int)));
    CK(cudaMemset(jump, 0, bands * sizeof(int)));
    band_histogram<<<bands, THREADS>>>(pic[0], ref);
    for (int f = 0; f < frames; ++f) {
        band_histogram<<<bands, THREADS>>>(pic[f % shots], hist);
        exposure_jump<<<(bands + 63) / 64, 64>>>(hist, ref, jump, bands);
    }
    CK(cudaGetLastError());
    std::vector<int> h(bands * BINS), j(bands);
    CK(cudaMemcpy(h.data(), hist, h.size() * sizeof(int), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(j.data(), jump, j.size() * sizeof(int), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int b : {0, bands / 2, bands - 1}) {
        int want[shots][BINS] = {}, moved[shots];
        for (int i = 0; i < shots; ++i) {
            for (int p = 0; p < BANDPIXELS; ++p) want[i][luma(b, p, i) >> 3]++;
            int best = 0x7fffffff;
            for (int s = -REACH; s <= REACH; ++s) {
                int d = 0;
                for (int k = REACH; k < BINS - REACH; ++k) d += abs(want[i][k + s] - want[0][k]);
                if (d < best) { best = d; moved[i] = s; }
            }
        }
        int sum = 0;
        for (int f = 0; f < frames; ++f) sum += moved[f % shots];
        for (int k = 0; k < BINS; ++k) ok = ok && h[b * BINS + k] == want[(frames - 1) % shots][k];
        ok = ok && j[b] == sum;
    }
    printf("band 0: jumps add up to %d\n", j[0]);
    for (int i = 0; i < shots; ++i) CK(cudaFree(pic[i]));
    CK(cudaFree(hist)); CK(cudaFree(ref)); CK(cudaFree(jump));
    return report(ok);
}

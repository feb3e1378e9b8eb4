// Subtraction angiography of a volume: the contrast phases are subtracted from
// the mask volume and the strongest opacification of each voxel is kept,
// for a series of display gains.
#include "common.h"

typedef unsigned char byte;

constexpr int VOXELS = 512 * 512 * 256;
constexpr int PHASES = 2;
constexpr int GAINS = 60;

__host__ __device__ inline int opacity(int mask, int live, int gain, int before)
{
    int v = ((mask - live) * gain >> 5) + 40;
    v = v < 0 ? 0 : v > 255 ? 255 : v;
    return v > before ? v : before;
}

#ifdef GOOD
__device__ inline unsigned opacity4(unsigned mask, unsigned live, int gain, unsigned before)
{
    unsigned out = 0u;
#pragma unroll
    for (int k = 0; k < 32; k += 8)
        out |= (unsigned)opacity(mask >> k & 255u, live >> k & 255u, gain, before >> k & 255u) << k;
    return out;
}

__global__ void __launch_bounds__(256) keepPeak(const byte *__restrict__ maskVoxels,
                                                const byte *__restrict__ liveVoxels,
                                                int gain, byte *__restrict__ peakVoxels)
{
    const uint4 *mask = (const uint4 *)maskVoxels, *live = (const uint4 *)liveVoxels;
    uint4 *peak = (uint4 *)peakVoxels;
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < VOXELS / 16; i += stride) {
        uint4 m = mask[i], l = live[i], p = peak[i];
        p.x = opacity4(m.x, l.x, gain, p.x);
        p.y = opacity4(m.y, l.y, gain, p.y);
        p.z = opacity4(m.z, l.z, gain, p.z);
        p.w = opacity4(m.w, l.w, gain, p.w);
        peak[i] = p;
    }
}
#else
__global__ void __launch_bounds__(256) keepPeak(const byte *__restrict__ mask,
                                                const byte *__restrict__ live,
                                                int gain, byte *__restrict__ peak)
{
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < VOXELS; i += stride)
        peak[i] = (byte)opacity(mask[i], live[i], gain, peak[i]);
}
#endif

static void scan(std::vector<byte> &volume, unsigned seed, int low, int mean)
{
    for (size_t i = 0; i < volume.size(); i += 4) {
        unsigned v = lcg(seed) >> 4;
        for (int k = 0; k < 4; k++) volume[i + k] = (byte)(low + (int)((v >> (6 * k)) & 63u) * mean / 32);
    }
}

int main()
{
    std::vector<byte> mask(VOXELS), peak(VOXELS), live[PHASES];
    scan(mask, 1u, 90, 40);
    for (int f = 0; f < PHASES; f++) {
        live[f].resize(VOXELS);
        scan(live[f], 50u + f, 60 - 20 * f, 48);
    }
    byte *dMask, *dPeak, *dLive[PHASES];
    CK(cudaMalloc(&dMask, VOXELS));
    CK(cudaMalloc(&dPeak, VOXELS));
    CK(cudaMemcpy(dMask, mask.data(), VOXELS, cudaMemcpyHostToDevice));
    CK(cudaMemset(dPeak, 0, VOXELS));
    for (int f = 0; f < PHASES; f++) {
        CK(cudaMalloc(&dLive[f], VOXELS));
        CK(cudaMemcpy(dLive[f], live[f].data(), VOXELS, cudaMemcpyHostToDevice));
    }
    int sms = 0;
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    for (int g = 0; g < GAINS; g++)
        for (int f = 0; f < PHASES; f++) {
            keepPeak<<<sms * 8, 256>>>(dMask, dLive[f], 8 + g, dPeak);
            CK(cudaGetLastError());
        }
    CK(cudaMemcpy(peak.data(), dPeak, VOXELS, cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int i = 0; i < VOXELS; i += 997) {
        int ref = 0;
        for (int g = 0; g < GAINS; g++)
            for (int f = 0; f < PHASES; f++) ref = opacity(mask[i], live[f][i], 8 + g, ref);
        if (ref != peak[i]) ok = false;
    }
    CK(cudaFree(dMask));
    CK(cudaFree(dPeak));
    for (int f = 0; f < PHASES; f++) CK(cudaFree(dLive[f]));
    return report(ok);
}

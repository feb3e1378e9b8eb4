// Camera identification: energy of the sensor-noise residual per zone of the image
// and per class of brightness, for a list of gains of the camera's fingerprint.
#include "common.h"

const int SIDE = 8192, ZONE = 128, CLASSES = 12, ZONES = (SIDE / ZONE) * (SIDE / ZONE);

__host__ __device__ inline unsigned mix(unsigned x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

// a sky that brightens slowly, with a little grain
__host__ __device__ inline void photo(int x, int y, unsigned char &luma, float &noise)
{
    const unsigned r = mix((unsigned)y * SIDE + x);
    luma = (unsigned char)(20 + (x + 2 * y) / 120 + (r >> 30));
    noise = (r & 0xffffff) * (0.5f / 16777216.0f) - 0.25f;
}

__global__ void take_photo(unsigned char *luma, float *noise)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    photo(x, y, luma[(size_t)y * SIDE + x], noise[(size_t)y * SIDE + x]);
}

__global__ void zone_energy(const uchar4 *luma, const float4 *noise, float gain, float *energy)
{
#ifdef GOOD
    __shared__ float part[CLASSES][256];
    for (int c = 0; c < CLASSES; c++) part[c][threadIdx.x] = 0.0f;
#else
    __shared__ float part[CLASSES];
    if (threadIdx.x < CLASSES) part[threadIdx.x] = 0.0f;
    __syncthreads();
#endif
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int zx = blockIdx.x % (SIDE / ZONE), zy = blockIdx.x / (SIDE / ZONE);
#pragma unroll 4
    for (int y = warp; y < ZONE; y += 8) {
        const int at = (zy * ZONE + y) * (SIDE / 4) + zx * (ZONE / 4) + lane;
        const uchar4 l = luma[at];
        const float4 n = noise[at];
        const int bright[4] = {l.x, l.y, l.z, l.w};
        const float resid[4] = {n.x, n.y, n.z, n.w};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const float r = resid[j] - gain * bright[j];
#ifdef GOOD
            part[bright[j] * CLASSES >> 8][threadIdx.x] += r * r;
#else
            atomicAdd(&part[bright[j] * CLASSES >> 8], r * r);
#endif
        }
    }
    __syncthreads();
#ifdef GOOD
    for (int c = warp; c < CLASSES; c += 8) {
        float e = 0.0f;
        for (int k = lane; k < 256; k += 32) e += part[c][k];
        for (int d = 16; d; d /= 2) e += __shfl_xor_sync(0xffffffffu, e, d);
        if (lane == 0) energy[blockIdx.x * CLASSES + c] = e;
    }
#else
    if (threadIdx.x < CLASSES) energy[blockIdx.x * CLASSES + threadIdx.x] = part[threadIdx.x];
#endif
}

int main(int argc, char **argv)
{
    const int gains = argc > 1 ? atoi(argv[1]) : 24;
    const size_t n = (size_t)SIDE * SIDE;
    uchar4 *dLuma;
    float4 *dNoise;
    float *dEnergy;
    CK(cudaMalloc(&dLuma, n));
    CK(cudaMalloc(&dNoise, n * sizeof(float)));
    CK(cudaMalloc(&dEnergy, (size_t)gains * ZONES * CLASSES * sizeof(float)));
    take_photo<<<dim3(SIDE / 256, SIDE), 256>>>((unsigned char *)dLuma, (float *)dNoise);
    for (int g = 0; g < gains; g++)
        zone_energy<<<ZONES, 256>>>(dLuma, dNoise, 0.0001f * (g + 1), dEnergy + (size_t)g * ZONES * CLASSES);
    CK(cudaGetLastError());
    std::vector<float> energy((size_t)gains * ZONES * CLASSES);
    CK(cudaMemcpy(energy.data(), dEnergy, energy.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int g = 0; g < gains; g += 5)
        for (int z = 7; z < ZONES; z += 611) {
            double ref[CLASSES] = {};
            for (int y = 0; y < ZONE; y++)
                for (int x = 0; x < ZONE; x++) {
                    unsigned char luma;
                    float noise;
                    photo(z % (SIDE / ZONE) * ZONE + x, z / (SIDE / ZONE) * ZONE + y, luma, noise);
                    const float r = noise - 0.0001f * (g + 1) * luma;
                    ref[luma * CLASSES >> 8] += r * r;
                }
            for (int c = 0; c < CLASSES; c++)
                ok = ok && close_to(energy[((size_t)g * ZONES + z) * CLASSES + c], ref[c], 1e-3);
        }
    return report(ok);
}

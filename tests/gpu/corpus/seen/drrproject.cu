// Digitally reconstructed radiograph: line integrals of a CT volume along x for a
// sequence of tissue windows (each window is one projection image of ny x nz).
#include "common.h"

__global__ void fillVolume(float *v, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = (unsigned)i * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    v[i] = (h & 0xffff) * (1.0f / 65536.0f);
}

__device__ __forceinline__ float attenuate(float d, float lo, float hi)
{
    float t = fminf(fmaxf(d, lo), hi) - lo;
    return t * 0.02f;
}

// one ray per (y, z)
__global__ void project(const float *__restrict__ vol, float *__restrict__ img,
                        int nx, int ny, int nz, float lo, float hi)
{
#ifdef GOOD
    // a warp per ray
    int ray = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    if (ray >= ny * nz) return;
    const float *row = vol + (size_t)ray * nx;
    float s = 0.f;
    for (int x = lane; x < nx; x += 32) s += attenuate(row[x], lo, hi);
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if (lane == 0) img[ray] = __expf(-s);
#else
    // a thread per ray
    int ray = blockIdx.x * blockDim.x + threadIdx.x;
    if (ray >= ny * nz) return;
    const float *row = vol + (size_t)ray * nx;
    float s = 0.f;
    for (int x = 0; x < nx; x++) s += attenuate(row[x], lo, hi);
    img[ray] = __expf(-s);
#endif
}

int main(int argc, char **argv)
{
    int windows = argc > 1 ? atoi(argv[1]) : 200;
    const int nx = 512, ny = 512, nz = 640;
    size_t n = (size_t)nx * ny * nz;
    float *vol, *img;
    CK(cudaMalloc(&vol, n * 4));
    CK(cudaMalloc(&img, (size_t)ny * nz * 4));
    fillVolume<<<(unsigned)((n + 255) / 256), 256>>>(vol, n);
    CK(cudaGetLastError());
    float lo = 0.f, hi = 1.f;
#ifdef GOOD
    int blocks = (ny * nz + 7) / 8;
#else
    int blocks = (ny * nz + 255) / 256;
#endif
    for (int w = 0; w < windows; w++) {
        lo = 0.3f * w / windows;
        hi = 0.6f + 0.4f * w / windows;
        project<<<blocks, 256>>>(vol, img, nx, ny, nz, lo, hi);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    std::vector<float> row(nx), out((size_t)ny * nz);
    CK(cudaMemcpy(out.data(), img, out.size() * 4, cudaMemcpyDeviceToHost));
    for (int r = 5; r < ny * nz; r += 40111) {
        CK(cudaMemcpy(row.data(), vol + (size_t)r * nx, nx * 4, cudaMemcpyDeviceToHost));
        double s = 0;
        for (float d : row) s += (std::min(std::max(d, lo), hi) - lo) * 0.02;
        ok = ok && close_to(out[r], exp(-s), 2e-3);
    }
    CK(cudaFree(vol)); CK(cudaFree(img));
    return report(ok);
}

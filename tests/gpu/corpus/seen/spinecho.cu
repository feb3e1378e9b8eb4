// MRI: receive-bias and slice-profile correction of a spin-echo volume stored as [z][y][x].
#include "common.h"

__global__ void fill(float *v, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = 100.0f + (float)(i % 1009);
}

// one thread per voxel; the slice profile is tabulated over z
__global__ void correct(const float *__restrict__ in, float *__restrict__ out, const float *__restrict__ profile,
                        int nx, int ny, int nz, float bx, float by)
{
#ifdef GOOD
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int z = blockIdx.y;
#else
    int z = blockIdx.x * blockDim.x + threadIdx.x;
    int x = blockIdx.y;
#endif
    int y = blockIdx.z;
    if (x >= nx || z >= nz) return;
    size_t i = ((size_t)z * ny + y) * nx + x;
    float u = x - 0.5f * nx, w = y - 0.5f * ny;
    float bias = 1.0f + bx * u * u + by * w * w;
    float s = in[i] * profile[z] / bias;
    out[i] = s > 4095.0f ? 4095.0f : s;
}

int main(int argc, char **argv)
{
    int echoes = argc > 1 ? atoi(argv[1]) : 200;
    const int nx = 512, ny = 512, nz = 256;
    const size_t n = (size_t)nx * ny * nz;
    float *in, *out, *profile;
    CK(cudaMalloc(&in, n * sizeof(float)));
    CK(cudaMalloc(&out, n * sizeof(float)));
    CK(cudaMalloc(&profile, nz * sizeof(float)));
    std::vector<float> p(nz);
    for (int z = 0; z < nz; z++) p[z] = 1.0f + 0.2f * cosf(0.05f * z);
    CK(cudaMemcpy(profile, p.data(), nz * sizeof(float), cudaMemcpyHostToDevice));
    fill<<<(unsigned)((n + 255) / 256), 256>>>(in, n);
    CK(cudaGetLastError());

    dim3 block(128);
#ifdef GOOD
    dim3 grid((nx + 127) / 128, nz, ny);
#else
    dim3 grid((nz + 127) / 128, nx, ny);
#endif
    float bx = 0, by = 0;
    for (int e = 0; e < echoes; e++) {
        bx = 1e-6f * (1 + e % 5); by = 2e-6f * (1 + e % 3);
        correct<<<grid, block>>>(in, out, profile, nx, ny, nz, bx, by);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    unsigned s = 5;
    for (int k = 0; k < 200; k++) {
        size_t x = lcg(s) % nx, y = lcg(s) % ny, z = (lcg(s) >> 7) % nz;
        size_t i = (z * ny + y) * nx + x;
        float g;
        CK(cudaMemcpy(&g, out + i, sizeof(float), cudaMemcpyDeviceToHost));
        double u = (double)x - 0.5 * nx, w = (double)y - 0.5 * ny;
        double r = (100.0 + (double)(i % 1009)) * p[z] / (1.0 + bx * u * u + by * w * w);
        if (!close_to(g, std::min(r, 4095.0), 1e-4)) ok = false;
    }
    CK(cudaFree(in)); CK(cudaFree(out)); CK(cudaFree(profile));
    return report(ok);
}

// Normal maps for a terrain renderer: slopes along x and y (two planes) become unit normals (three planes);
// the exaggeration of the relief changes from frame to frame. Four texels per thread.
// usage: bumpnormals texels frames
#include "common.h"

__device__ inline float shorten(float length2)
{
#ifdef GOOD
    return rsqrtf(length2);
#else
    return 1.0f / sqrtf(length2);
#endif
}

__host__ __device__ inline float slope(unsigned i, unsigned axis)
{
    unsigned h = i * 2654435761u + axis * 374761393u;
    h = (h ^ (h >> 16)) * 2246822519u;
    return (float)(h >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

__global__ void relief(float *sx, float *sy, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    sx[i] = slope(i, 0);
    sy[i] = slope(i, 1);
}

__global__ void normals(const float4 *__restrict__ sx, const float4 *__restrict__ sy, float4 *__restrict__ nx,
                        float4 *__restrict__ ny, float4 *__restrict__ nz, int quads, float steep)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    float4 a = sx[i], b = sy[i];
    a.x *= -steep; a.y *= -steep; a.z *= -steep; a.w *= -steep;
    b.x *= -steep; b.y *= -steep; b.z *= -steep; b.w *= -steep;
    float4 s = make_float4(shorten(1.0f + a.x * a.x + b.x * b.x), shorten(1.0f + a.y * a.y + b.y * b.y),
                           shorten(1.0f + a.z * a.z + b.z * b.z), shorten(1.0f + a.w * a.w + b.w * b.w));
    nx[i] = make_float4(a.x * s.x, a.y * s.y, a.z * s.z, a.w * s.w);
    ny[i] = make_float4(b.x * s.x, b.y * s.y, b.z * s.z, b.w * s.w);
    nz[i] = s;
}

int main(int argc, char **argv)
{
    int n = (argc > 1 ? atoi(argv[1]) : 33554432) / 4 * 4;
    int frames = argc > 2 ? atoi(argv[2]) : 4000;
    float *sx, *sy, *nx, *ny, *nz;
    CK(cudaMalloc(&sx, n * sizeof(float)));
    CK(cudaMalloc(&sy, n * sizeof(float)));
    CK(cudaMalloc(&nx, n * sizeof(float)));
    CK(cudaMalloc(&ny, n * sizeof(float)));
    CK(cudaMalloc(&nz, n * sizeof(float)));
    relief<<<(n + 255) / 256, 256>>>(sx, sy, n);
    float steep = 1.0f;
    for (int k = 0; k < frames; ++k) {
        steep = 0.5f + 2.0f * (float)(k + 1) / (float)frames;
        normals<<<(n / 4 + 255) / 256, 256>>>((const float4 *)sx, (const float4 *)sy, (float4 *)nx, (float4 *)ny,
                                              (float4 *)nz, n / 4, steep);
    }
    CK(cudaGetLastError());
    std::vector<float> x(n), y(n), z(n);
    CK(cudaMemcpy(x.data(), nx, n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(y.data(), ny, n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(z.data(), nz, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int i = 0; i < n; i += 997) {
        double a = -steep * slope(i, 0), b = -steep * slope(i, 1), s = 1.0 / sqrt(1.0 + a * a + b * b);
        ok = ok && fabs(x[i] - a * s) < 1e-5 && fabs(y[i] - b * s) < 1e-5 && fabs(z[i] - s) < 1e-5;
    }
    printf("first normal: %.4f %.4f %.4f\n", x[0], y[0], z[0]);
    CK(cudaFree(sx)); CK(cudaFree(sy)); CK(cudaFree(nx)); CK(cudaFree(ny)); CK(cudaFree(nz));
    return report(ok);
}

// Robot workspace: depth of every sample point in a convex hull that is given by half
// spaces (largest signed distance, and which plane it is).
#include "common.h"

#define PLANES 960

#ifdef GOOD
__constant__ float A[PLANES], Bc[PLANES], C[PLANES], D[PLANES];
#endif

__global__ void depthInHull(const float *__restrict__ px, const float *__restrict__ py, const float *__restrict__ pz,
#ifndef GOOD
                            const float *A, const float *Bc, const float *C, const float *D,
#endif
                            float *depth, int n, int planes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = px[i], y = py[i], z = pz[i], m = -1e30f;
    for (int k = 0; k < planes; k++) m = fmaxf(m, A[k] * x + Bc[k] * y + C[k] * z - D[k]);
    depth[i] = m;
}

__global__ void samplePoints(float *p, int n, unsigned salt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = (unsigned)i * 2654435761u + salt;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    p[i] = (h & 0xffff) * (2.4f / 65536.0f) - 1.2f;
}

int main(int argc, char **argv)
{
    int poses = argc > 1 ? atoi(argv[1]) : 1;
    const int n = 1 << 26;
    float *p[3], *out;
    for (int d = 0; d < 3; d++) {
        CK(cudaMalloc(&p[d], n * 4));
        samplePoints<<<n / 256, 256>>>(p[d], n, 1000u * d);
    }
    CK(cudaMalloc(&out, n * 4));
    std::vector<float> h[4];
    unsigned seed = 12;
    for (int k = 0; k < PLANES; k++) {
        float z = 2 * frand(seed) - 1, a = 6.2831853f * frand(seed), q = sqrtf(1 - z * z);
        h[0].push_back(q * cosf(a));
        h[1].push_back(q * sinf(a));
        h[2].push_back(z);
        h[3].push_back(0.8f + 0.2f * frand(seed));
    }
#ifdef GOOD
    CK(cudaMemcpyToSymbol(A, h[0].data(), PLANES * 4));
    CK(cudaMemcpyToSymbol(Bc, h[1].data(), PLANES * 4));
    CK(cudaMemcpyToSymbol(C, h[2].data(), PLANES * 4));
    CK(cudaMemcpyToSymbol(D, h[3].data(), PLANES * 4));
#else
    float *dev[4];
    for (int c = 0; c < 4; c++) {
        CK(cudaMalloc(&dev[c], PLANES * 4));
        CK(cudaMemcpy(dev[c], h[c].data(), PLANES * 4, cudaMemcpyHostToDevice));
    }
#endif
    for (int k = 0; k < poses; k++)
#ifdef GOOD
        depthInHull<<<n / 256, 256>>>(p[0], p[1], p[2], out, n, PLANES);
#else
        depthInHull<<<n / 256, 256>>>(p[0], p[1], p[2], dev[0], dev[1], dev[2], dev[3], out, n, PLANES);
#endif
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 11; i < n; i += 1000003) {
        float x[3], got;
        for (int d = 0; d < 3; d++) CK(cudaMemcpy(&x[d], p[d] + i, 4, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(&got, out + i, 4, cudaMemcpyDeviceToHost));
        double m = -1e30;
        for (int k = 0; k < PLANES; k++)
            m = std::max(m, (double)h[0][k] * x[0] + (double)h[1][k] * x[1] + (double)h[2][k] * x[2] - h[3][k]);
        ok = ok && close_to(got, m, 1e-4);
    }
    for (auto q : p) CK(cudaFree(q));
    CK(cudaFree(out));
#ifndef GOOD
    for (auto q : dev) CK(cudaFree(q));
#endif
    return report(ok);
}

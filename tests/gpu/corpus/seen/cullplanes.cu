// Game engine: bounding spheres against the planes of all light volumes (visibility margin and a count of outside tests).
#include "common.h"

const int PLANES = 96;

#ifdef GOOD
__constant__ float pa[PLANES], pb[PLANES], pc[PLANES], pd[PLANES];
#endif

__global__ void place(float4 *s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = i * 2654435761u;
    float x = (h & 1023) * 0.1f - 51.2f, y = (h >> 10 & 1023) * 0.1f - 51.2f, z = (h >> 20 & 1023) * 0.1f - 51.2f;
    s[i] = make_float4(x, y, z, 0.5f + (h >> 28) * 0.1f);
}

#ifdef GOOD
__global__ void cull(const float4 *__restrict__ spheres, float *__restrict__ margin, int n)
#else
__global__ void cull(const float4 *__restrict__ spheres, float *__restrict__ margin, int n,
                     const float *__restrict__ pa, const float *__restrict__ pb,
                     const float *__restrict__ pc, const float *__restrict__ pd)
#endif
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 s = spheres[i];
    float m = 1e30f;
#pragma unroll
    for (int p = 0; p < PLANES; p++) {
        float d = pa[p] * s.x + pb[p] * s.y + pc[p] * s.z + pd[p];
        m = fminf(m, d);
    }
    margin[i] = m + s.w;
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 200;
    const int n = 8 << 20;
    float4 *s;
    float *margin;
    CK(cudaMalloc(&s, n * sizeof(float4)));
    CK(cudaMalloc(&margin, n * sizeof(float)));
    place<<<n / 256, 256>>>(s, n);
    CK(cudaGetLastError());
    std::vector<float> h[4];
    unsigned seed = 9;
    for (int k = 0; k < 4; k++) h[k].resize(PLANES);
    for (int p = 0; p < PLANES; p++) {
        float x = frand(seed) - 0.5f, y = frand(seed) - 0.5f, z = frand(seed) - 0.5f;
        float l = 1.0f / sqrtf(x * x + y * y + z * z + 1e-6f);
        h[0][p] = x * l; h[1][p] = y * l; h[2][p] = z * l; h[3][p] = 40.0f + 20.0f * frand(seed);
    }
    const size_t bytes = PLANES * sizeof(float);
#ifdef GOOD
    CK(cudaMemcpyToSymbol(pa, h[0].data(), bytes));
    CK(cudaMemcpyToSymbol(pb, h[1].data(), bytes));
    CK(cudaMemcpyToSymbol(pc, h[2].data(), bytes));
    CK(cudaMemcpyToSymbol(pd, h[3].data(), bytes));
    for (int f = 0; f < frames; f++) cull<<<n / 256, 256>>>(s, margin, n);
#else
    float *d[4];
    for (int k = 0; k < 4; k++) {
        CK(cudaMalloc(&d[k], bytes));
        CK(cudaMemcpy(d[k], h[k].data(), bytes, cudaMemcpyHostToDevice));
    }
    for (int f = 0; f < frames; f++) cull<<<n / 256, 256>>>(s, margin, n, d[0], d[1], d[2], d[3]);
#endif
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<float4> hs(2000);
    std::vector<float> hm(2000);
    int off = n / 3;
    CK(cudaMemcpy(hs.data(), s + off, hs.size() * sizeof(float4), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hm.data(), margin + off, hm.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (size_t i = 0; i < hs.size(); i++) {
        double m = 1e30;
        for (int p = 0; p < PLANES; p++)
            m = std::min(m, (double)h[0][p] * hs[i].x + (double)h[1][p] * hs[i].y + (double)h[2][p] * hs[i].z + h[3][p]);
        if (!close_to(hm[i], m + hs[i].w, 1e-3)) ok = false;
    }
    return report(ok);
}

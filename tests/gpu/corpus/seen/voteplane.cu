// Hough transform: edge points vote for all lines (theta, rho) through them.
#include "common.h"

#define NTHETA 180
#define NRHO 2912

__constant__ float2 c_dir[NTHETA];

__global__ void scatter_edges(float2 *pt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s = i * 747796405u + 2891336453u;
    s ^= s >> 15; s *= 2246822519u; s ^= s >> 13; s *= 3266489917u; s ^= s >> 16;
    unsigned t = s * 1664525u + 1013904223u;
    float x = (s >> 8) * (1024.0f / 16777216.0f);
    float y = (t >> 8) * (1024.0f / 16777216.0f);
    if (i % 4 == 0) y = 200.0f + 0.5f * x;     // a true line among the noise
    pt[i] = make_float2(x, y);
}

__device__ inline int rho_bin(float2 p, float2 d)
{
    int r = (int)floorf(p.x * d.x + p.y * d.y + 0.5f * NRHO);
    return min(max(r, 0), NRHO - 1);
}

#ifdef GOOD
__global__ void vote(const float2 *__restrict__ pt, int n, int *acc)
{
    __shared__ int row[NRHO];
    int t = blockIdx.y;
    float2 d = c_dir[t];
    for (int r = threadIdx.x; r < NRHO; r += blockDim.x) row[r] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&row[rho_bin(pt[i], d)], 1);
    __syncthreads();
    for (int r = threadIdx.x; r < NRHO; r += blockDim.x)
        if (row[r]) atomicAdd(&acc[t * NRHO + r], row[r]);
}
#else
__global__ void vote(const float2 *__restrict__ pt, int n, int *acc)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 p = pt[i];
    for (int t = 0; t < NTHETA; t++)
        atomicAdd(&acc[t * NRHO + rho_bin(p, c_dir[t])], 1);
}
#endif

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 300;
    const int n = 400000;
    float2 *pt;
    int *acc;
    CK(cudaMalloc(&pt, n * sizeof(float2)));
    CK(cudaMalloc(&acc, NTHETA * NRHO * sizeof(int)));
    std::vector<float2> dir(NTHETA);
    for (int t = 0; t < NTHETA; t++) {
        double a = t * M_PI / NTHETA;
        dir[t] = make_float2((float)cos(a), (float)sin(a));
    }
    CK(cudaMemcpyToSymbol(c_dir, dir.data(), NTHETA * sizeof(float2)));
    scatter_edges<<<(n + 255) / 256, 256>>>(pt, n);
    CK(cudaGetLastError());

    for (int f = 0; f < frames; f++) {
        CK(cudaMemsetAsync(acc, 0, NTHETA * NRHO * sizeof(int)));
#ifdef GOOD
        vote<<<dim3(6, NTHETA), 512>>>(pt, n, acc);
#else
        vote<<<(n + 255) / 256, 256>>>(pt, n, acc);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<int> h(NTHETA * NRHO);
    std::vector<float2> hp(n);
    CK(cudaMemcpy(h.data(), acc, h.size() * sizeof(int), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hp.data(), pt, n * sizeof(float2), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int t = 0; t < NTHETA; t++) {
        long sum = 0;
        for (int r = 0; r < NRHO; r++) sum += h[t * NRHO + r];
        if (sum != n) ok = false;
    }
    int t = 37;
    std::vector<int> want(NRHO, 0);
    for (int i = 0; i < n; i++) {
        int r = (int)floorf(hp[i].x * dir[t].x + hp[i].y * dir[t].y + 0.5f * NRHO);
        want[std::min(std::max(r, 0), NRHO - 1)]++;
    }
    long diff = 0;
    for (int r = 0; r < NRHO; r++) diff += labs((long)want[r] - h[t * NRHO + r]);
    if (diff > n / 100) ok = false;            // rounding at the borders of bins
    int best = (int)(std::max_element(h.begin(), h.end()) - h.begin());
    printf("best line: theta %d rho %d votes %d\n", best / NRHO, best % NRHO - NRHO / 2, h[best]);
    CK(cudaFree(pt));
    CK(cudaFree(acc));
    return report(ok);
}

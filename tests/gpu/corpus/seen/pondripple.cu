// Ripples on a pond: damped wave equation, five-point stencil on 8192 x 8192 cells, leapfrog in time.
#include "common.h"

const int N = 8192, BX = 64, BY = 8;

__global__ void drop(float *u, float *old)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float a = 0.0f;
    int dx = x % 1024 - 512, dy = y % 1024 - 512, r2 = dx * dx + dy * dy;
    if (r2 < 900) a = 1.0f - r2 / 900.0f;
    u[y * N + x] = a;
    old[y * N + x] = a;
}

// the next level overwrites the one before last
__global__ void ripple(const float *__restrict__ u, float *old, float c2, float damp)
{
    int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
    int i = y * N + x;
#ifdef GOOD
    __shared__ float t[BY + 2][BX + 2];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    float c = u[i];
    t[ty][tx] = c;
    if (threadIdx.x == 0) t[ty][0] = x > 0 ? u[i - 1] : 0.0f;
    if (threadIdx.x == BX - 1) t[ty][BX + 1] = x < N - 1 ? u[i + 1] : 0.0f;
    if (threadIdx.y == 0) t[0][tx] = y > 0 ? u[i - N] : 0.0f;
    if (threadIdx.y == BY - 1) t[BY + 1][tx] = y < N - 1 ? u[i + N] : 0.0f;
    __syncthreads();
    if (x == 0 || y == 0 || x == N - 1 || y == N - 1) return;
    float lap = t[ty][tx - 1] + t[ty][tx + 1] + t[ty - 1][tx] + t[ty + 1][tx] - 4.0f * c;
#else
    if (x == 0 || y == 0 || x == N - 1 || y == N - 1) return;
    float c = u[i];
    float lap = u[i - 1] + u[i + 1] + u[i - N] + u[i + N] - 4.0f * c;
#endif
    old[i] = c + damp * (c - old[i]) + c2 * lap;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 200;
    float *u, *old;
    CK(cudaMalloc(&u, (size_t)N * N * sizeof(float)));
    CK(cudaMalloc(&old, (size_t)N * N * sizeof(float)));
    drop<<<dim3(N / 256, N), 256>>>(u, old);
    CK(cudaGetLastError());
    for (int s = 0; s < steps; s++) {
        ripple<<<dim3(N / BX, N / BY), dim3(BX, BY)>>>(u, old, 0.25f, 0.999f);
        std::swap(u, old);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    // a window around an inner drop that its front does not leave
    const int M = 512, org = 4096 + 256;
    std::vector<float> a(M * M), b(M * M), g(M);
    for (int y = 0; y < M; y++)
        for (int x = 0; x < M; x++) {
            int r2 = (x - 256) * (x - 256) + (y - 256) * (y - 256);
            a[y * M + x] = b[y * M + x] = r2 < 900 ? 1.0f - r2 / 900.0f : 0.0f;
        }
    for (int s = 0; s < steps; s++) {
        for (int y = 1; y < M - 1; y++)
            for (int x = 1; x < M - 1; x++) {
                float c = a[y * M + x];
                float lap = a[y * M + x - 1] + a[y * M + x + 1] + a[(y - 1) * M + x] + a[(y + 1) * M + x] - 4.0f * c;
                b[y * M + x] = c + 0.999f * (c - b[y * M + x]) + 0.25f * lap;
            }
        std::swap(a, b);
    }
    bool ok = true;
    for (int y = 100; y < 400; y += 30) {
        CK(cudaMemcpy(g.data(), u + (size_t)(org + y) * N + org, M * sizeof(float), cudaMemcpyDeviceToHost));
        for (int x = 0; x < M; x++) if (fabs(g[x] - a[y * M + x]) > 2e-3) ok = false;
    }
    CK(cudaFree(u)); CK(cudaFree(old));
    return report(ok);
}

// Seiche in a long basin: shallow-water wave equation on a large grid, three time levels.
#include "common.h"

#define W 16384
#define H 8192
#ifdef GOOD
#define TPB 128
#else
#define TPB 256
#endif

__global__ void push(float *__restrict__ a, float *__restrict__ b)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float v = cosf(3.14159265f * (x + 0.5f) / W);
    a[(size_t)y * W + x] = v;
    b[(size_t)y * W + x] = v;
}

// next = 2 now - before + c^2 laplacian, written over the oldest level
__global__ void wave(const float *__restrict__ now, float *__restrict__ old, float c2)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    size_t i = (size_t)y * W + x;
    float c = now[i];
    float l = x ? now[i - 1] : c, r = x < W - 1 ? now[i + 1] : c;
    float u = y ? now[i - W] : c, d = y < H - 1 ? now[i + W] : c;
    old[i] = 2.f * c - old[i] + c2 * (l + r + u + d - 4.f * c);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 120;
    size_t bytes = (size_t)W * H * 4;
    float *now, *old;
    CK(cudaMalloc(&now, bytes));
    CK(cudaMalloc(&old, bytes));
    push<<<dim3(W / 256, H), 256>>>(now, old);
    dim3 grid(W / TPB, H);
    for (int s = 0; s < steps; s++) {
        wave<<<grid, TPB>>>(now, old, 0.3f);
        std::swap(now, old);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    // the wave depends on x only: the same in one dimension
    std::vector<double> a(W), b(W);
    for (int x = 0; x < W; x++) a[x] = b[x] = cos(3.14159265358979 * (x + 0.5) / W);
    for (int s = 0; s < steps; s++) {
        for (int x = 0; x < W; x++)
            b[x] = 2 * a[x] - b[x] + 0.3 * (a[std::max(x - 1, 0)] + a[std::min(x + 1, W - 1)] - 2 * a[x]);
        a.swap(b);
    }
    bool ok = true;
    std::vector<float> row(W);
    for (int y = 0; y < H; y += 2047) {
        CK(cudaMemcpy(row.data(), now + (size_t)y * W, W * 4, cudaMemcpyDeviceToHost));
        for (int x = 0; x < W; x += 101) ok = ok && fabs(row[x] - a[x]) < 3e-3;
    }
    CK(cudaFree(now)); CK(cudaFree(old));
    return report(ok);
}

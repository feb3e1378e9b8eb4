// Dune field relaxation: sand slides down wherever the local slope exceeds the angle of repose.
// Height field on a large 2-D grid, explicit steps, ping-pong buffers.
#include "common.h"

const int W = 8192, H = 8192;

__global__ void fill(float *h)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (size_t)W * H) return;
    unsigned x = (unsigned)i * 2654435761u;
    x ^= x >> 15; x *= 2246822519u; x ^= x >> 13;
    h[i] = (x >> 8) * (1.0f / 16777216.0f);
}

__device__ __host__ inline float slide(float c, float n, float repose)
{
    float d = n - c;
    float a = fabsf(d) - repose;
    return a > 0.0f ? copysignf(a, d) : 0.0f;
}

__global__ void avalanche(const float *__restrict__ in, float *__restrict__ out, float rate, float repose)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    size_t i = (size_t)y * W + x;
    float c = in[i];
    if (x == 0 || y == 0 || x == W - 1 || y == H - 1) { out[i] = c; return; }
    float f = slide(c, in[i - 1], repose) + slide(c, in[i + 1], repose)
            + slide(c, in[i - W], repose) + slide(c, in[i + W], repose);
    out[i] = c + rate * f;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 300;
    const float rate = 0.2f, repose = 0.05f;
    size_t n = (size_t)W * H;
    float *a, *b;
    CK(cudaMalloc(&a, n * sizeof(float)));
    CK(cudaMalloc(&b, n * sizeof(float)));
    fill<<<(unsigned)((n + 255) / 256), 256>>>(a);
    CK(cudaGetLastError());

#ifdef GOOD
    dim3 block(32, 8);
#else
    dim3 block(4, 64);
#endif
    dim3 grid((W + block.x - 1) / block.x, (H + block.y - 1) / block.y);
    for (int s = 0; s < steps; s++) {
        avalanche<<<grid, block>>>(a, b, rate, repose);
        std::swap(a, b);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    // one more step, checked on a few rows against the host
    avalanche<<<grid, block>>>(a, b, rate, repose);
    CK(cudaGetLastError());
    bool ok = true;
    std::vector<float> rows(3 * W), got(W);
    for (int y : {1, 777, 4096, H - 2}) {
        CK(cudaMemcpy(rows.data(), a + (size_t)(y - 1) * W, rows.size() * sizeof(float), cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(got.data(), b + (size_t)y * W, W * sizeof(float), cudaMemcpyDeviceToHost));
        for (int x = 1; x < W - 1; x += 13) {
            float c = rows[W + x];
            float f = slide(c, rows[W + x - 1], repose) + slide(c, rows[W + x + 1], repose)
                    + slide(c, rows[x], repose) + slide(c, rows[2 * W + x], repose);
            ok = ok && close_to(got[x], c + rate * f, 1e-4);
        }
    }
    CK(cudaFree(a));
    CK(cudaFree(b));
    return report(ok);
}

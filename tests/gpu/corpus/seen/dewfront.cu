// Moisture front moving through a porous sheet: nine-point diffusion of the moisture with a
// conductivity map and a sink, explicit steps on a 2-D grid.
#include "common.h"

const int W = 8192, H = 4096;

__global__ void wet(float *m, float *k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = (unsigned)i * 2654435761u + 9u;
    x ^= x >> 15; x *= 2246822519u; x ^= x >> 13;
    m[i] = (i % W) < 64 ? 1.0f : 0.1f * (x >> 8) * (1.0f / 16777216.0f);
    k[i] = 0.05f + 0.1f * (x & 255) * (1.0f / 256.0f);
}

__device__ __host__ inline float update(float c, float edges, float corners, float k, float sink)
{
    float d = (4.0f * edges + corners - 20.0f * c) * (1.0f / 6.0f);
    return c + k * d - sink * c;
}

__global__ void __launch_bounds__(256) creep(const float *__restrict__ m, const float *__restrict__ k,
                                             float *__restrict__ out, float sink)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    int i = y * W + x;
    float c = m[i];
    if (x == 0 || y == 0 || x == W - 1 || y == H - 1) { out[i] = c; return; }
    float e = m[i - 1] + m[i + 1] + m[i - W] + m[i + W];
    float d = m[i - W - 1] + m[i - W + 1] + m[i + W - 1] + m[i + W + 1];
    out[i] = update(c, e, d, k[i], sink);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 400;
    size_t n = (size_t)W * H;
    float *a, *b, *k;
    CK(cudaMalloc(&a, n * 4));
    CK(cudaMalloc(&b, n * 4));
    CK(cudaMalloc(&k, n * 4));
    wet<<<(unsigned)(n / 256), 256>>>(a, k);
    CK(cudaGetLastError());
#ifdef GOOD
    dim3 block(64, 4);
#else
    dim3 block(32, 8);
#endif
    dim3 grid(W / block.x, H / block.y);
    for (int s = 0; s <= steps; s++) {
        creep<<<grid, block>>>(a, k, b, 1e-4f);
        std::swap(a, b);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    // b holds the state before the last step
    bool ok = true;
    std::vector<float> m(3 * W), kk(W), g(W);
    for (int y : {1, 100, 2048, H - 2}) {
        CK(cudaMemcpy(m.data(), b + (size_t)(y - 1) * W, 3 * W * 4, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(kk.data(), k + (size_t)y * W, W * 4, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(g.data(), a + (size_t)y * W, W * 4, cudaMemcpyDeviceToHost));
        const float *u = m.data(), *c = u + W, *d = c + W;
        for (int x = 1; x < W - 1; x++)
            ok = ok && close_to(g[x], update(c[x], c[x - 1] + c[x + 1] + u[x] + d[x],
                                             u[x - 1] + u[x + 1] + d[x - 1] + d[x + 1], kk[x], 1e-4f), 1e-4);
    }
    CK(cudaFree(a)); CK(cudaFree(b)); CK(cudaFree(k));
    return report(ok);
}

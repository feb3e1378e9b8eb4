// Avalanche service: snow depth on a 4000 x 9000 slope model drifts with the wind, one step after the other.
//   snowdrift [steps]
#include "common.h"

static const int W = 4000, H = 9000;

__host__ __device__ static inline float drift(float c, float w, float n, float e, float s)
{
    return 0.9f * c + 0.06f * w + 0.02f * n + 0.01f * (e + s);
}

__global__ void blow(const float *__restrict__ from, float *__restrict__ to, size_t pitch)
{
    int x = (blockIdx.x * 64 + threadIdx.x) * 4, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= W || y >= H) return;
    const float *at = from + y * pitch + x;
    float4 c = *(const float4 *)at;
    float4 n = y > 0 ? *(const float4 *)(at - pitch) : c, s = y < H - 1 ? *(const float4 *)(at + pitch) : c;
    float w = x > 0 ? at[-1] : c.x, e = x + 4 < W ? at[4] : c.w;
    *(float4 *)(to + y * pitch + x) = make_float4(drift(c.x, w, n.x, c.y, s.x), drift(c.y, c.x, n.y, c.z, s.y),
                                                  drift(c.z, c.y, n.z, c.w, s.z), drift(c.w, c.z, n.w, e, s.w));
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 16000;
    std::vector<float> h((size_t)W * H);
    unsigned seed = 1;
    for (float &x : h) x = frand(seed);
    float *a, *b;
#ifdef GOOD
    size_t bytes;
    CK(cudaMallocPitch(&a, &bytes, W * sizeof(float), H));
    CK(cudaMallocPitch(&b, &bytes, W * sizeof(float), H));
#else
    size_t bytes = W * sizeof(float);
    CK(cudaMalloc(&a, bytes * H));
    CK(cudaMalloc(&b, bytes * H));
#endif
    CK(cudaMemcpy2D(a, bytes, h.data(), W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice));
    dim3 grid((W / 4 + 63) / 64, (H + 3) / 4), block(64, 4);
    for (int s = 0; s < steps; s++) {
        blow<<<grid, block>>>(a, b, bytes / sizeof(float));
        std::swap(a, b);
        if (s == 7) {
            std::vector<float> g(h.size()), u(h), v(h);
            CK(cudaMemcpy2D(g.data(), W * sizeof(float), a, bytes, W * sizeof(float), H, cudaMemcpyDeviceToHost));
            const int rows = 200;
            for (int k = 0; k < 8; k++) {
                for (int y = 0; y < rows - k; y++)
                    for (int x = 0; x < W; x++) {
                        size_t i = (size_t)y * W + x;
                        float c = u[i];
                        v[i] = drift(c, x ? u[i - 1] : c, y ? u[i - W] : c, x < W - 1 ? u[i + 1] : c, u[i + W]);
                    }
                u.swap(v);
            }
            for (size_t i = 0; i < (size_t)(rows - 16) * W; i += 37)
                if (!close_to(g[i], u[i], 1e-4)) return report(false);
        }
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy2D(h.data(), W * sizeof(float), a, bytes, W * sizeof(float), H, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (size_t i = 0; i < h.size(); i += 997) ok = ok && h[i] >= 0 && h[i] <= 1.001f;
    cudaFree(a);
    cudaFree(b);
    return report(ok);
}

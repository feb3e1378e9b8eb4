// Background estimate for astronomical frames: the vertical pass of a wide Gaussian (radius 16).
#include "common.h"

const int R = 16, W = 4096, H = 4096;
__constant__ float taps[2 * R + 1];

__global__ void make_frame(float *f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= W * H) return;
    unsigned x = (unsigned)i * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28) + 4)) ^ x) * 277803737u;
    f[i] = 100.0f + (x >> 20) * 0.01f;
}

#ifdef GOOD
const int PER = 16;                 // outputs of one thread down the column
#else
const int PER = 1;
#endif

__global__ void column_pass(const float *__restrict__ in, float *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y0 = (blockIdx.y * blockDim.y + threadIdx.y) * PER;
    if (x >= W || y0 >= H) return;
    float acc[PER];
#pragma unroll
    for (int p = 0; p < PER; p++) acc[p] = 0.0f;
#pragma unroll
    for (int k = 0; k < PER + 2 * R; k++) {
        int y = min(max(y0 + k - R, 0), H - 1);
        float v = in[(size_t)y * W + x];
#pragma unroll
        for (int p = 0; p < PER; p++)
            if (k - p >= 0 && k - p <= 2 * R) acc[p] += taps[k - p] * v;
    }
#pragma unroll
    for (int p = 0; p < PER; p++)
        if (y0 + p < H) out[(size_t)(y0 + p) * W + x] = acc[p];
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 800;
    float t[2 * R + 1], sum = 0;
    for (int i = -R; i <= R; i++) sum += t[i + R] = expf(-i * i / (2.0f * 6.0f * 6.0f));
    for (float &v : t) v /= sum;
    CK(cudaMemcpyToSymbol(taps, t, sizeof(t)));

    size_t n = (size_t)W * H;
    float *in, *out;
    CK(cudaMalloc(&in, n * sizeof(float)));
    CK(cudaMalloc(&out, n * sizeof(float)));
    make_frame<<<(W * H + 255) / 256, 256>>>(in);
    CK(cudaGetLastError());

    dim3 block(64, 4);
    dim3 grid(W / block.x, (H + block.y * PER - 1) / (block.y * PER));
    for (int f = 0; f < frames; f++)
        column_pass<<<grid, block>>>(in, out);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> h(n), g(n);
    CK(cudaMemcpy(h.data(), in, n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(g.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int y : {0, 5, 17, 1000, 4080, H - 1})
        for (int x = 0; x < W; x += 37) {
            double s = 0;
            for (int k = -R; k <= R; k++)
                s += (double)t[k + R] * h[(size_t)std::min(std::max(y + k, 0), H - 1) * W + x];
            ok = ok && close_to(g[(size_t)y * W + x], s, 1e-4);
        }
    CK(cudaFree(in));
    CK(cudaFree(out));
    return report(ok);
}

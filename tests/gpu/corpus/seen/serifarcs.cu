// Type design: length of every cubic curve in the outlines of a large font family. A glyph has 40 curves.
//   serifarcs [masters]
#include "common.h"

const int GLYPHS = 200000, CURVES = 40, N = GLYPHS * CURVES, STEPS = 64;

__host__ __device__ static inline float corner(unsigned curve, int k)
{
    unsigned h = curve * 2654435761u + (unsigned)k * 0x9e3779b9u;
    h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 12; h *= 0x297a2d39u; h ^= h >> 15;
    return (float)(h & 1023u);
}

__global__ void outline(float4 *xs, float4 *ys)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= N) return;
    xs[c] = make_float4(corner(c, 0), corner(c, 1), corner(c, 2), corner(c, 3));
    ys[c] = make_float4(corner(c, 4), corner(c, 5), corner(c, 6), corner(c, 7));
}

__global__ void arcs(const float4 *__restrict__ xs, const float4 *__restrict__ ys, float *__restrict__ len)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= N) return;
    float4 x = xs[c], y = ys[c];
    // The derivative is a quadratic in t.
    float ax = 3 * (x.w - 3 * x.z + 3 * x.y - x.x), bx = 6 * (x.z - 2 * x.y + x.x), cx = 3 * (x.y - x.x);
    float ay = 3 * (y.w - 3 * y.z + 3 * y.y - y.x), by = 6 * (y.z - 2 * y.y + y.x), cy = 3 * (y.y - y.x);
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < STEPS; k++) {
        float t = (k + 0.5f) * (1.0f / STEPS);
        float dx = (ax * t + bx) * t + cx, dy = (ay * t + by) * t + cy;
        float v = dx * dx + dy * dy + 1e-12f;
        sum += v * rsqrtf(v);
    }
    len[c] = sum * (1.0f / STEPS);
}

int main(int argc, char **argv)
{
    int masters = argc > 1 ? atoi(argv[1]) : 1500;
    float4 *xs, *ys;
    float *len;
    CK(cudaMalloc(&xs, (size_t)N * sizeof(float4)));
    CK(cudaMalloc(&ys, (size_t)N * sizeof(float4)));
    CK(cudaMalloc(&len, (size_t)N * sizeof(float)));
    outline<<<(N + 255) / 256, 256>>>(xs, ys);
#ifdef GOOD
    const int threads = 256;
#else
    const int threads = CURVES;         // a block for every glyph
#endif
    for (int m = 0; m < masters; m++) arcs<<<(N + threads - 1) / threads, threads>>>(xs, ys, len);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<float> h(N);
    CK(cudaMemcpy(h.data(), len, (size_t)N * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int c = 11; c < N; c += 4001) {
        double p[8], sum = 0;
        for (int k = 0; k < 8; k++) p[k] = corner(c, k);
        for (int k = 0; k < STEPS; k++) {
            double t = (k + 0.5) / STEPS, d[2];
            for (int q = 0; q < 2; q++) {
                const double *z = p + 4 * q;
                d[q] = 3 * ((1 - t) * (1 - t) * (z[1] - z[0]) + 2 * t * (1 - t) * (z[2] - z[1]) + t * t * (z[3] - z[2]));
            }
            sum += sqrt(d[0] * d[0] + d[1] * d[1]);
        }
        ok = ok && fabs(h[c] - sum / STEPS) < 1e-3 * (sum / STEPS) + 0.05;
    }
    printf("first curve is %.1f units long\n", h[0]);
    return report(ok);
}

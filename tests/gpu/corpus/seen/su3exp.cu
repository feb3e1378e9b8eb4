// Lattice gauge theory: links U = exp(H) of 3 x 3 complex matrices, by ten terms of the series.
//   su3exp [sweeps]
#include "common.h"

struct Matrix { float2 e[3][3]; };

#ifndef GOOD
#define BOUNDS __launch_bounds__(256, 8)        // full occupancy
#else
#define BOUNDS __launch_bounds__(256)
#endif

// Component c of link i is at field[c * links + i].
__global__ void momenta(float2 *h, int links)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= links) return;
    for (int c = 0; c < 9; c++) {
        unsigned r = (i * 9u + c) * 2654435761u;
        r ^= r >> 15; r *= 0x2c1b3c6du; r ^= r >> 13;
        h[(size_t)c * links + i] = make_float2(((r & 0xffff) - 32768.0f) * 1e-5f, ((r >> 16) - 32768.0f) * 1e-5f);
    }
}

__global__ void BOUNDS exponential(const float2 *__restrict__ field, float2 *__restrict__ out, int links, float step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= links) return;
    Matrix h, t, s;
#pragma unroll
    for (int r = 0; r < 3; r++)
#pragma unroll
        for (int c = 0; c < 3; c++) {
            float2 v = field[(size_t)(r * 3 + c) * links + i];
            h.e[r][c] = make_float2(v.x * step, v.y * step);
            t.e[r][c] = s.e[r][c] = make_float2(r == c ? 1.0f : 0.0f, 0.0f);
        }
#pragma unroll 1
    for (int k = 1; k <= 10; k++) {
        float inv = __fdividef(1.0f, k);
#pragma unroll
        for (int r = 0; r < 3; r++) {
            float2 row[3];
#pragma unroll
            for (int c = 0; c < 3; c++) {
                float x = 0, y = 0;
#pragma unroll
                for (int m = 0; m < 3; m++) {
                    float2 a = t.e[r][m], b = h.e[m][c];
                    x += a.x * b.x;
                    x -= a.y * b.y;
                    y += a.x * b.y;
                    y += a.y * b.x;
                }
                row[c] = make_float2(x * inv, y * inv);
            }
#pragma unroll
            for (int c = 0; c < 3; c++) {
                t.e[r][c] = row[c];
                s.e[r][c].x += row[c].x;
                s.e[r][c].y += row[c].y;
            }
        }
    }
#pragma unroll
    for (int r = 0; r < 3; r++)
#pragma unroll
        for (int c = 0; c < 3; c++) out[(size_t)(r * 3 + c) * links + i] = s.e[r][c];
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 100;
    const int links = 1 << 22;
    float2 *h, *u;
    CK(cudaMalloc(&h, (size_t)links * 9 * sizeof(float2)));
    CK(cudaMalloc(&u, (size_t)links * 9 * sizeof(float2)));
    momenta<<<links / 256, 256>>>(h, links);
    CK(cudaGetLastError());
    for (int k = 0; k < sweeps; k++) {
        exponential<<<links / 256, 256>>>(h, u, links, 0.5f + 0.004f * k);
        CK(cudaGetLastError());
    }
    std::vector<float2> r(links);
    CK(cudaMemcpy(r.data(), u, links * sizeof(float2), cudaMemcpyDeviceToHost));
    double x = 0, y = 0;
    for (float2 v : r) { x += v.x; y += fabs(v.y); }
    printf("first component %.4f, %.4f\n", x / links, y / links);
    return report(std::isfinite(x));
}

// Parallel beam tomography: filtered projections (angle x detector) are smeared back over
// the slice, with linear interpolation between detector cells.
#include "common.h"

#ifndef SIDE
#define SIDE 4096
#endif
const int CELLS = SIDE, ANGLES = 360, SLICES = 2;

struct Ray { float c, s; };
__constant__ Ray ray[ANGLES];

__host__ __device__ inline float along(Ray r, int x, int y)
{
    return (x - 0.5f * SIDE) * r.c + (y - 0.5f * SIDE) * r.s + 0.5f * CELLS;
}

__device__ inline float look(const float *__restrict__ projection, Ray r, int x, int y)
{
    float u = along(r, x, y), below = floorf(u);
    int k = (int)below;
    if (k < 0 || k >= CELLS - 1) return 0.0f;
    float w = u - below, a = projection[k], b = projection[k + 1];
    return a + w * (b - a);
}

__global__ void blank(float *slice)
{
    slice[(size_t)blockIdx.y * SIDE + blockIdx.x * blockDim.x + threadIdx.x] = 0.0f;
}

__global__ void __launch_bounds__(256) smear(float *__restrict__ slice, const float *__restrict__ sino, int from, int to)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    size_t k = (size_t)y * SIDE + x;
    float sum = slice[k];
    for (int a = from; a < to; a++) sum += look(sino + (size_t)a * CELLS, ray[a], x, y);
    slice[k] = sum;
}

int main(int argc, char **argv)
{
    int slices = argc > 1 ? atoi(argv[1]) : 150;
    unsigned seed = 3;
    std::vector<Ray> rays(ANGLES);
    for (int a = 0; a < ANGLES; a++) rays[a] = {(float)cos(M_PI * a / ANGLES), (float)sin(M_PI * a / ANGLES)};
    std::vector<float> sino((size_t)SLICES * ANGLES * CELLS);
    for (int l = 0; l < SLICES; l++)
        for (int a = 0; a < ANGLES; a++) {
            float mid = CELLS * (0.4f + 0.2f * frand(seed)), wide = CELLS * (0.1f + 0.1f * frand(seed));
            for (int k = 0; k < CELLS; k++) {
                float t = (k - mid) / wide;
                sino[((size_t)l * ANGLES + a) * CELLS + k] = 1.0f / (1.0f + t * t) + 0.01f * frand(seed);
            }
        }
    float *slice, *dsino;
    CK(cudaMalloc(&slice, (size_t)SIDE * SIDE * sizeof(float)));
    CK(cudaMalloc(&dsino, sino.size() * sizeof(float)));
    CK(cudaMemcpy(dsino, sino.data(), sino.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpyToSymbol(ray, rays.data(), ANGLES * sizeof(Ray)));
#ifdef GOOD
    const int views = ANGLES;
#else
    const int views = 1;
#endif
    dim3 block(32, 8), grid(SIDE / 32, SIDE / 8);
    int last = 0;
    for (int l = 0; l < slices; l++) {
        last = l % SLICES;
        blank<<<dim3(SIDE / 256, SIDE), 256>>>(slice);
        for (int a = 0; a < ANGLES; a += views)
            smear<<<grid, block>>>(slice, dsino + (size_t)last * ANGLES * CELLS, a, a + views);
    }
    CK(cudaGetLastError());

    std::vector<float> line(SIDE);
    bool ok = true;
    for (int t = 0; t < 24; t++) {
        int y = SIDE / 8 + t * (SIDE / 32);
        CK(cudaMemcpy(line.data(), slice + (size_t)y * SIDE, SIDE * sizeof(float), cudaMemcpyDeviceToHost));
        for (int q = 0; q < 40; q++) {
            int x = SIDE / 2 + (q - 20) * (SIDE / 80);
            double sum = 0;
            for (int a = 0; a < ANGLES; a++) {
                double u = (x - 0.5 * SIDE) * (double)rays[a].c + (y - 0.5 * SIDE) * (double)rays[a].s + 0.5 * CELLS;
                int k = (int)floor(u);
                if (k < 0 || k >= CELLS - 1) continue;
                const float *p = &sino[((size_t)last * ANGLES + a) * CELLS + k];
                sum += p[0] + (u - k) * (p[1] - p[0]);
            }
            ok = ok && close_to(line[x], sum, 2e-3);
        }
    }
    CK(cudaFree(slice)); CK(cudaFree(dsino));
    return report(ok);
}

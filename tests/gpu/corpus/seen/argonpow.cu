// Liquid argon: the potential and the forces of all pairs after Lennard and Jones, tiled.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

static void check(cudaError_t e, const char *what)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    exit(1);
}

const int TILE = 128;
const float SIGMA = 1.0f, EPS4 = 4.0f;

struct Mie { float repulsion, attraction; };       // the exponents; argon: 12 and 6

__host__ __device__ inline void pair_force(float dx, float dy, float dz, Mie m, float4 &f)
{
    float r = sqrtf(dx * dx + dy * dy + dz * dz);
#ifndef GOOD
    float a = powf(SIGMA / r, m.repulsion), b = powf(SIGMA / r, m.attraction);
#else
    float s = SIGMA / r, s3 = s * s * s, b = s3 * s3, a = b * b;
#endif
    float g = EPS4 * (m.repulsion * a - m.attraction * b) / (r * r);
    f.x += g * dx;
    f.y += g * dy;
    f.z += g * dz;
    f.w += EPS4 * (a - b);
}

__global__ void __launch_bounds__(TILE) forces(const float4 *__restrict__ atoms, float4 *__restrict__ out, Mie m, int n)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 me = atoms[i], f = make_float4(0, 0, 0, 0);
    for (int t = 0; t < n; t += TILE) {
        tile[threadIdx.x] = atoms[t + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < TILE; j++)
            if (t + j != i) pair_force(me.x - tile[j].x, me.y - tile[j].y, me.z - tile[j].z, m, f);
        __syncthreads();
    }
    out[i] = f;
}

int main(int argc, char **argv)
{
    int side = argc > 1 ? atoi(argv[1]) : 40, times = argc > 2 ? atoi(argv[2]) : 1;
    int n = side * side * side / TILE * TILE;
    std::vector<float4> h(n), f(n);
    for (int i = 0; i < n; i++) {
        int x = i % side, y = i / side % side, z = i / (side * side);
        h[i] = make_float4(1.1f * x + 0.05f * (i * 7 % 5), 1.1f * y + 0.05f * (i * 3 % 7), 1.1f * z + 0.05f * (i % 3), 0);
    }
    const Mie argon = {12, 6};
    float4 *atoms, *out;
    check(cudaMalloc((void **)&atoms, n * sizeof(float4)), "cudaMalloc");
    check(cudaMalloc((void **)&out, n * sizeof(float4)), "cudaMalloc");
    check(cudaMemcpy(atoms, h.data(), n * sizeof(float4), cudaMemcpyHostToDevice), "cudaMemcpy");
    for (int t = 0; t < times; t++) forces<<<n / TILE, TILE>>>(atoms, out, argon, n);
    check(cudaGetLastError(), "forces");
    check(cudaMemcpy(f.data(), out, n * sizeof(float4), cudaMemcpyDeviceToHost), "cudaMemcpy");
    int wrong = 0;
    for (int i = 5; i < n; i += n / 16) {
        double e = 0;
        for (int j = 0; j < n; j++) {
            if (j == i) continue;
            double dx = h[i].x - h[j].x, dy = h[i].y - h[j].y, dz = h[i].z - h[j].z;
            double s6 = pow(dx * dx + dy * dy + dz * dz, -3.0);
            e += 4 * (s6 * s6 - s6);
        }
        wrong += !(fabs(e - f[i].w) < 2e-3 * fabs(e) + 1e-3);
    }
    printf("%d atoms, energy of the first %.4f, %d wrong\n", n, f[0].w, wrong);
    return wrong ? 1 : 0;
}

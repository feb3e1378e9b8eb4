// Factorisation L U of the dense stiffness matrix of a frame (column-major, strong diagonal, no
// exchange of rows), repeated for the load steps of a nonlinear analysis.
#include "common.h"

#ifndef ORDER
#define ORDER 4096
#endif

__global__ void assemble(float *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    unsigned k = (unsigned)i * 2654435761u ^ (unsigned)j * 0x9e3779b1u;
    k ^= k >> 15; k *= 0x2c1b3c6du; k ^= k >> 12; k *= 0x297a2d39u; k ^= k >> 15;
    float u = (k >> 8) * (2.0f / 16777216.0f) - 1.0f;
    a[(size_t)j * ORDER + i] = i == j ? 400.0f + u : u;
}

#ifdef GOOD
const int NB = 32, TILE = 64;

// the NB x NB block on the diagonal
__global__ void __launch_bounds__(NB * NB) corner(float *a, int k0)
{
    __shared__ float s[NB][NB + 1];                        // [column][row]
    int i = threadIdx.x % NB, j = threadIdx.x / NB;
    float *p = a + (size_t)(k0 + j) * ORDER + k0 + i;
    s[j][i] = *p;
    __syncthreads();
    for (int k = 0; k < NB - 1; k++) {
        float l = i > k ? s[k][i] / s[k][k] : 0.0f;
        __syncthreads();
        if (i > k && j == k) s[k][i] = l;
        if (i > k && j > k) s[j][i] -= l * s[j][k];
        __syncthreads();
    }
    *p = s[j][i];
}

// the block column below (y = 0, a thread a row) and the block row beside it (y = 1, a thread a column)
__global__ void __launch_bounds__(128) borders(float *a, int k0)
{
    __shared__ float s[NB][NB];                            // [column][row]
    for (int k = threadIdx.x; k < NB * NB; k += 128) s[k / NB][k % NB] = a[(size_t)(k0 + k / NB) * ORDER + k0 + k % NB];
    __syncthreads();
    int r = k0 + NB + blockIdx.x * 128 + threadIdx.x;
    if (r >= ORDER) return;
    size_t base = blockIdx.y == 0 ? (size_t)k0 * ORDER + r : (size_t)r * ORDER + k0, step = blockIdx.y == 0 ? ORDER : 1;
    float x[NB];
#pragma unroll
    for (int q = 0; q < NB; q++) x[q] = a[base + q * step];
#pragma unroll
    for (int q = 0; q < NB; q++) {
        float v = x[q];
#pragma unroll
        for (int m = 0; m < q; m++) v -= x[m] * (blockIdx.y == 0 ? s[q][m] : s[m][q]);
        x[q] = blockIdx.y == 0 ? v / s[q][q] : v;
    }
#pragma unroll
    for (int q = 0; q < NB; q++) a[base + q * step] = x[q];
}

__global__ void __launch_bounds__(256) rest(float *a, int k0)
{
    __shared__ float l[NB][TILE], u[NB][TILE + 1];
    int i0 = k0 + NB + blockIdx.x * TILE, j0 = k0 + NB + blockIdx.y * TILE;
    for (int e = threadIdx.x; e < NB * TILE; e += 256) {
        int i = e % TILE, k = e / TILE, k2 = e % NB, j = e / NB;
        l[k][i] = i0 + i < ORDER ? a[(size_t)(k0 + k) * ORDER + i0 + i] : 0.0f;
        u[k2][j] = j0 + j < ORDER ? a[(size_t)(j0 + j) * ORDER + k0 + k2] : 0.0f;
    }
    __syncthreads();
    int tx = threadIdx.x % 32, ty = threadIdx.x / 32;
    float c[2][8] = {};
    for (int k = 0; k < NB; k++) {
        float p = l[k][tx], q = l[k][tx + 32];
#pragma unroll
        for (int m = 0; m < 8; m++) {
            float w = u[k][ty * 8 + m];
            c[0][m] += p * w;
            c[1][m] += q * w;
        }
    }
#pragma unroll
    for (int m = 0; m < 8; m++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            int i = i0 + tx + 32 * h, j = j0 + ty * 8 + m;
            if (i < ORDER && j < ORDER) a[(size_t)j * ORDER + i] -= c[h][m];
        }
}

static void factorise(float *a)
{
    for (int k0 = 0; k0 < ORDER; k0 += NB) {
        int left = ORDER - k0 - NB;
        corner<<<1, NB * NB>>>(a, k0);
        if (left == 0) break;
        borders<<<dim3((left + 127) / 128, 2), 128>>>(a, k0);
        rest<<<dim3((left + TILE - 1) / TILE, (left + TILE - 1) / TILE), 256>>>(a, k0);
    }
}
#else
const int STRIP = 4;

__global__ void divide(float *a, int k)
{
    int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < ORDER) a[(size_t)k * ORDER + i] /= a[(size_t)k * ORDER + k];
}

__global__ void __launch_bounds__(256) rest(float *a, int k)
{
    int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x, j0 = k + 1 + blockIdx.y * STRIP;
    if (i >= ORDER) return;
    float l = a[(size_t)k * ORDER + i];
#pragma unroll
    for (int m = 0; m < STRIP; m++)
        if (j0 + m < ORDER) a[(size_t)(j0 + m) * ORDER + i] -= l * a[(size_t)(j0 + m) * ORDER + k];
}

static void factorise(float *a)
{
    for (int k = 0; k < ORDER - 1; k++) {
        int left = ORDER - k - 1;
        divide<<<(left + 255) / 256, 256>>>(a, k);
        rest<<<dim3((left + 255) / 256, (left + STRIP - 1) / STRIP), 256>>>(a, k);
    }
}
#endif

int main(int argc, char **argv)
{
    int loads = argc > 1 ? atoi(argv[1]) : 28;
    const size_t n = (size_t)ORDER * ORDER;
    float *k, *lu;
    CK(cudaMalloc(&k, n * sizeof(float)));
    CK(cudaMalloc(&lu, n * sizeof(float)));
    assemble<<<dim3(ORDER / 128, ORDER), 128>>>(k);
    for (int s = 0; s < loads; s++) {
        CK(cudaMemcpyAsync(lu, k, n * sizeof(float), cudaMemcpyDeviceToDevice));
        factorise(lu);
    }
    CK(cudaGetLastError());
    std::vector<float> a(n), f(n);
    CK(cudaMemcpy(a.data(), k, n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(f.data(), lu, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    unsigned seed = 2;
    for (int t = 0; t < 400; t++) {
        int i = (int)(frand(seed) * ORDER), j = t % 5 ? (int)(frand(seed) * ORDER) : i;
        if (t < 4) { i = t & 1 ? ORDER - 1 : 0; j = t & 2 ? ORDER - 1 : 0; }
        double s = 0;
        for (int m = 0; m <= std::min(i, j); m++)
            s += (m == i ? 1.0 : (double)f[(size_t)m * ORDER + i]) * f[(size_t)j * ORDER + m];
        ok = ok && close_to(s, a[(size_t)j * ORDER + i], 1e-3);
    }
    printf("last pivot %.3f\n", f[n - 1]);
    CK(cudaFree(k)); CK(cudaFree(lu));
    return report(ok);
}

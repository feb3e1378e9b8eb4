// Multigroup transport sweep bookkeeping: the flux array [cell][group] is turned into [group][cell]
// by 32 x 32 tiles through shared memory before the group solver, and turned back after it.
#include "common.h"

const int CELLS = 1 << 18, GROUPS = 256;

__global__ void fill(float *p)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    p[i] = (float)(i % 1000003);
}

// in is rows x cols, out is cols x rows; both multiples of 32
__global__ void __launch_bounds__(256) turn(const float *__restrict__ in, float *__restrict__ out, int rows, int cols)
{
    int tx = threadIdx.x, ty = threadIdx.y;
    int c0 = blockIdx.x * 32, r0 = blockIdx.y * 32;
#ifdef GOOD
    __shared__ float tile[32 * 32];                         // column exclusive-or row
#define CELL(r, c) tile[(r) * 32 + ((c) ^ (r))]
#else
    __shared__ float tile[32 * 33];                         // one word of padding
#define CELL(r, c) tile[(r) * 33 + (c)]
#endif
#pragma unroll
    for (int k = 0; k < 32; k += 8)
        CELL(ty + k, tx) = in[(size_t)(r0 + ty + k) * cols + c0 + tx];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k += 8)
        out[(size_t)(c0 + ty + k) * rows + r0 + tx] = CELL(tx, ty + k);
}

__global__ void decay(float *p, float f)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    p[i] *= f;
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 80;
    size_t n = (size_t)CELLS * GROUPS;
    float *a, *b;
    CK(cudaMalloc(&a, n * 4));
    CK(cudaMalloc(&b, n * 4));
    fill<<<(unsigned)(n / 256), 256>>>(a);
    CK(cudaGetLastError());
    dim3 block(32, 8);
    for (int s = 0; s < sweeps; s++) {
        turn<<<dim3(GROUPS / 32, CELLS / 32), block>>>(a, b, CELLS, GROUPS);
        decay<<<(unsigned)(n / 256), 256>>>(b, s & 1 ? 2.0f : 0.5f);
        turn<<<dim3(CELLS / 32, GROUPS / 32), block>>>(b, a, GROUPS, CELLS);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> h(GROUPS), t(CELLS);
    bool ok = true;
    float scale = sweeps & 1 ? 0.5f : 1.0f;
    for (int c = 0; c < CELLS; c += 12007) {
        CK(cudaMemcpy(h.data(), a + (size_t)c * GROUPS, GROUPS * 4, cudaMemcpyDeviceToHost));
        for (int g = 0; g < GROUPS; g++) ok = ok && h[g] == scale * (float)(((size_t)c * GROUPS + g) % 1000003);
    }
    turn<<<dim3(GROUPS / 32, CELLS / 32), block>>>(a, b, CELLS, GROUPS);
    CK(cudaGetLastError());
    for (int g : {0, 31, 100, GROUPS - 1}) {
        CK(cudaMemcpy(t.data(), b + (size_t)g * CELLS, CELLS * 4, cudaMemcpyDeviceToHost));
        for (int c = 0; c < CELLS; c += 7) ok = ok && t[c] == scale * (float)(((size_t)c * GROUPS + g) % 1000003);
    }
    CK(cudaFree(a));
    CK(cudaFree(b));
    return report(ok);
}

// X-engine of a radio interferometer: for each frequency channel the visibility
// V(i,j) = sum over time of x_i(t) conj(x_j(t)) for all antenna pairs.
#include "common.h"

#ifndef NCHAN
#define NCHAN 1024
#define NTIME 2048
#endif
#define NANT 256

static __host__ __device__ inline float2 voltage(size_t k)
{
    unsigned u = (unsigned)k * 2654435761u;
    u ^= u >> 15; u *= 2246822519u; u ^= u >> 13;
    return make_float2((int)(u & 15u) - 7.5f, (int)((u >> 4) & 15u) - 7.5f);
}

__global__ void digitise(float2 *x, size_t n)
{
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n; k += step) x[k] = voltage(k);
}

__device__ __forceinline__ void mac(float2 &v, float2 a, float2 b)
{
    v.x += a.x * b.x + a.y * b.y;
    v.y += a.y * b.x - a.x * b.y;
}

#ifdef GOOD
#define TT 16
__global__ void __launch_bounds__(256) xengine(const float2 *__restrict__ x, float2 *__restrict__ vis)
{
    __shared__ float2 sa[TT][64];
    __shared__ float2 sb[TT][64];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    int i0 = blockIdx.y * 64, j0 = blockIdx.x * 64;
    const float2 *xc = x + (size_t)blockIdx.z * NTIME * NANT;
    float2 v[4][4] = {};
    for (int t0 = 0; t0 < NTIME; t0 += TT) {
        for (int q = tid; q < TT * 64; q += 256) {
            int t = q >> 6, c = q & 63;
            sa[t][c] = xc[(size_t)(t0 + t) * NANT + i0 + c];
            sb[t][c] = xc[(size_t)(t0 + t) * NANT + j0 + c];
        }
        __syncthreads();
#pragma unroll
        for (int t = 0; t < TT; t++) {
            float2 a[4], b[4];
            for (int q = 0; q < 4; q++) { a[q] = sa[t][ty * 4 + q]; b[q] = sb[t][tx + 16 * q]; }
            for (int p = 0; p < 4; p++)
                for (int q = 0; q < 4; q++) mac(v[p][q], a[p], b[q]);
        }
        __syncthreads();
    }
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++)
            vis[((size_t)blockIdx.z * NANT + i0 + ty * 4 + p) * NANT + j0 + tx + 16 * q] = v[p][q];
}
#define PER_BLOCK 64
#else
__global__ void xengine(const float2 *__restrict__ x, float2 *__restrict__ vis)
{
    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    const float2 *xc = x + (size_t)blockIdx.z * NTIME * NANT;
    float2 v = make_float2(0.0f, 0.0f);
#pragma unroll 8
    for (int t = 0; t < NTIME; t++) mac(v, xc[(size_t)t * NANT + i], xc[(size_t)t * NANT + j]);
    vis[((size_t)blockIdx.z * NANT + i) * NANT + j] = v;
}
#define PER_BLOCK 16
#endif

int main(int argc, char **argv)
{
    int dumps = argc > 1 ? atoi(argv[1]) : 1;
    size_t nx = (size_t)NCHAN * NTIME * NANT, nv = (size_t)NCHAN * NANT * NANT;
    float2 *x, *vis;
    CK(cudaMalloc(&x, nx * sizeof(float2)));
    CK(cudaMalloc(&vis, nv * sizeof(float2)));
    digitise<<<2048, 256>>>(x, nx);
    CK(cudaGetLastError());
    dim3 block(16, 16), grid(NANT / PER_BLOCK, NANT / PER_BLOCK, NCHAN);
    for (int d = 0; d < dumps; d++) xengine<<<grid, block>>>(x, vis);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    unsigned seed = 3;
    for (int t = 0; t < 24; t++) {
        int f = (int)(frand(seed) * NCHAN), i = (int)(frand(seed) * NANT), j = t < 4 ? i : (int)(frand(seed) * NANT);
        double re = 0, im = 0;
        for (int k = 0; k < NTIME; k++) {
            size_t row = ((size_t)f * NTIME + k) * NANT;
            float2 a = voltage(row + i), b = voltage(row + j);
            re += (double)a.x * b.x + (double)a.y * b.y;
            im += (double)a.y * b.x - (double)a.x * b.y;
        }
        float2 got;
        CK(cudaMemcpy(&got, vis + ((size_t)f * NANT + i) * NANT + j, sizeof got, cudaMemcpyDeviceToHost));
        ok = ok && fabs(got.x - re) < 1.0 + 1e-4 * fabs(re) && fabs(got.y - im) < 1.0 + 1e-4 * fabs(im);
    }
    CK(cudaFree(x)); CK(cudaFree(vis));
    return report(ok);
}

// One level of the reversible 5/3 wavelet (JPEG 2000) on 64x64 tiles of a picture: every
// thread lifts one row of the tile in shared memory, then one column.
#include "common.h"

#ifndef SIDE
#define SIDE 8192
#endif
#define TS 64
#ifdef GOOD
#define PITCH (TS + 1)
#else
#define PITCH TS
#endif

static __host__ __device__ inline int sample(int x, int y)
{
    unsigned u = ((unsigned)y * 65537u + (unsigned)x) * 2654435761u;
    u ^= u >> 15; u *= 2246822519u; u ^= u >> 13;
    return (int)((x + 2 * y) & 511) - 256 + (int)(u & 31u);
}

__global__ void scene(int *img, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < w) img[(size_t)y * w + x] = sample(x, y);
}

// in-place lifting of TS samples lying s apart; mirrored at the ends
static __host__ __device__ inline void lift(int *v, int s)
{
    for (int i = 1; i < TS; i += 2) {
        int r = i + 1 < TS ? i + 1 : i - 1;
        v[i * s] -= (v[(i - 1) * s] + v[r * s]) >> 1;
    }
    for (int i = 0; i < TS; i += 2) {
        int l = i > 0 ? i - 1 : 1;
        v[i * s] += (v[l * s] + v[(i + 1) * s] + 2) >> 2;
    }
}

__global__ void __launch_bounds__(TS) dwt53(const int *__restrict__ img, int *__restrict__ out, int w)
{
    __shared__ int tile[TS * PITCH];
    int t = threadIdx.x;
    const int *src = img + (size_t)blockIdx.y * TS * w + blockIdx.x * TS;
    int *dst = out + (size_t)blockIdx.y * TS * w + blockIdx.x * TS;
#pragma unroll 16
    for (int r = 0; r < TS; r++) tile[r * PITCH + t] = src[(size_t)r * w + t];
    __syncthreads();
    lift(tile + t * PITCH, 1);
    __syncthreads();
    lift(tile + t, PITCH);
    // even samples to the low half, odd ones to the high half
    int q = t >> 1, x = (t & 1) ? TS / 2 + q : q;
#pragma unroll 16
    for (int r = 0; r < TS; r++) {
        int y = (r & 1) ? TS / 2 + (r >> 1) : r >> 1;
        dst[(size_t)y * w + x] = tile[r * PITCH + t];
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 250;
    const int w = SIDE;
    size_t n = (size_t)w * w;
    int *img, *out;
    CK(cudaMalloc(&img, n * sizeof(int)));
    CK(cudaMalloc(&out, n * sizeof(int)));
    scene<<<dim3((w + 255) / 256, w), 256>>>(img, w);
    CK(cudaGetLastError());
    for (int r = 0; r < rounds; r++) dwt53<<<dim3(w / TS, w / TS), TS>>>(img, out, w);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    std::vector<int> ref(TS * TS), got(TS * TS);
    for (int t = 0; t < 12; t++) {
        int bx = (t * 37 + 5) % (w / TS), by = (t * 53) % (w / TS);
        for (int y = 0; y < TS; y++)
            for (int x = 0; x < TS; x++) ref[y * TS + x] = sample(bx * TS + x, by * TS + y);
        for (int y = 0; y < TS; y++) lift(&ref[y * TS], 1);
        for (int x = 0; x < TS; x++) lift(&ref[x], TS);
        CK(cudaMemcpy2D(got.data(), TS * sizeof(int), out + (size_t)by * TS * w + bx * TS, w * sizeof(int),
                        TS * sizeof(int), TS, cudaMemcpyDeviceToHost));
        for (int y = 0; y < TS; y++)
            for (int x = 0; x < TS; x++) {
                int yy = (y & 1) ? TS / 2 + y / 2 : y / 2, xx = (x & 1) ? TS / 2 + x / 2 : x / 2;
                ok = ok && got[yy * TS + xx] == ref[y * TS + x];
            }
    }
    CK(cudaFree(img)); CK(cudaFree(out));
    return report(ok);
}

// Tile-wise integral images (32 x 32 tiles) of a large frame: each warp stages its tile in shared memory,
// every lane sums along its row, then down its column.
#include "common.h"

static const int W = 8192, H = 8192, TS = 32, WARPS = 4;
#ifdef GOOD
static const int LD = TS + 1;
#else
static const int LD = TS;
#endif

static __host__ __device__ float grey(int x, int y)
{
    unsigned h = (unsigned)(y * W + x) * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return (float)(h & 255u);
}
__global__ void expose(float *img)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    img[(size_t)y * W + x] = grey(x, y);
}

__global__ void __launch_bounds__(WARPS * 32) tile_integral(const float *__restrict__ img, float *sat)
{
    __shared__ float tile[WARPS][TS * LD];
    int lane = threadIdx.x, wp = threadIdx.y;
    float *t = tile[wp];
    size_t base = (size_t)blockIdx.y * TS * W + (blockIdx.x * WARPS + wp) * TS + lane;
#pragma unroll
    for (int r = 0; r < TS; r++) t[r * LD + lane] = img[base + (size_t)r * W];
    __syncwarp();
    float run = 0.0f;
#pragma unroll
    for (int c = 0; c < TS; c++) {              // my row
        run += t[lane * LD + c];
        t[lane * LD + c] = run;
    }
    __syncwarp();
    run = 0.0f;
#pragma unroll
    for (int r = 0; r < TS; r++) {              // my column
        run += t[r * LD + lane];
        sat[base + (size_t)r * W] = run;
    }
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 300;
    float *img, *sat;
    CK(cudaMalloc(&img, (size_t)W * H * sizeof(float)));
    CK(cudaMalloc(&sat, (size_t)W * H * sizeof(float)));
    expose<<<dim3(W / 256, H), 256>>>(img);
    CK(cudaGetLastError());
    for (int f = 0; f < frames; f++)
        tile_integral<<<dim3(W / (TS * WARPS), H / TS), dim3(32, WARPS)>>>(img, sat);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    const int pt[4][2] = {{0, 0}, {31, 31}, {5000, 3333}, {W - 1, H - 1}};
    for (auto &p : pt) {
        float want = 0.0f, v;
        for (int y = p[1] / TS * TS; y <= p[1]; y++)
            for (int x = p[0] / TS * TS; x <= p[0]; x++) want += grey(x, y);
        CK(cudaMemcpy(&v, sat + (size_t)p[1] * W + p[0], sizeof v, cudaMemcpyDeviceToHost));
        ok = ok && v == want;
    }
    cudaFree(img); cudaFree(sat);
    return report(ok);
}

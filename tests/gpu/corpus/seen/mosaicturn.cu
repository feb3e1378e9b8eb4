// A satellite mosaic of 32-bit samples is turned from lines to columns (with a change of the calibration
// on the way). The tile passes through shared memory without bank conflicts.
#include "common.h"

static const int SIDE = 8192, TILE = 32, ROWS = 8;

__host__ __device__ inline float sample(int y, int x) { return (float)((y * 131 + x * 17) & 0xffff); }

__global__ void sense(float *m)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    m[(size_t)y * SIDE + x] = sample(y, x);
}

#ifdef GOOD
static const int PITCH = TILE;                  // the column is mixed with the row
__device__ inline int place(int r, int c) { return c ^ r; }
#else
static const int PITCH = TILE + 1;              // one spare column
__device__ inline int place(int, int c) { return c; }
#endif

__global__ void __launch_bounds__(TILE * ROWS) turn(const float *__restrict__ in, float *__restrict__ out, float gain, float bias)
{
    __shared__ float tile[TILE][PITCH];
    const int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
#pragma unroll
    for (int r = threadIdx.y; r < TILE; r += ROWS)
        tile[r][place(r, threadIdx.x)] = in[(size_t)(y + r) * SIDE + x + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int r = threadIdx.y; r < TILE; r += ROWS)
        out[(size_t)(x + r) * SIDE + y + threadIdx.x] = gain * tile[threadIdx.x][place(threadIdx.x, r)] + bias;
}

int main(int argc, char **argv)
{
    int turns = argc > 1 ? atoi(argv[1]) : 300;
    float *in, *out;
    CK(cudaMalloc(&in, sizeof(float) * (size_t)SIDE * SIDE));
    CK(cudaMalloc(&out, sizeof(float) * (size_t)SIDE * SIDE));
    sense<<<dim3(SIDE / 256, SIDE), 256>>>(in);
    CK(cudaGetLastError());
    const float gain = 0.5f, bias = 3.0f;
    for (int t = 0; t < turns; ++t)
        turn<<<dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, ROWS)>>>(in, out, gain, bias);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    std::vector<float> line(SIDE);
    for (int x : {0, 31, 32, 5000, SIDE - 1}) {
        CK(cudaMemcpy(line.data(), out + (size_t)x * SIDE, sizeof(float) * SIDE, cudaMemcpyDeviceToHost));
        for (int y = 0; y < SIDE; ++y) ok = ok && line[y] == gain * sample(y, x) + bias;
    }
    CK(cudaFree(in)); CK(cudaFree(out));
    return report(ok);
}

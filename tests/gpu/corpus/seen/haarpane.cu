// Face detector, first step: integral images of windows of 64x64 pixels, each window for itself.
// One block per window, a thread sums a row and then a column.
// usage: haarpane side frames
#include "common.h"

#define WIN 64
#ifdef GOOD
#define PITCH (WIN + 1)
#else
#define PITCH WIN
#endif

__host__ __device__ inline float grey(unsigned x, unsigned y)
{
    unsigned h = x * 2654435761u + y * 2246822519u;
    h ^= h >> 15; h *= 3266489917u; h ^= h >> 14;
    return (float)(h & 255);
}

__global__ void camera(float *img, int side)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    img[(size_t)blockIdx.y * side + x] = grey(x, blockIdx.y);
}

__global__ void __launch_bounds__(WIN) integral(const float *__restrict__ img, float *__restrict__ sums, int side)
{
    __shared__ float tile[WIN * PITCH];
    int t = threadIdx.x;
    size_t corner = (size_t)blockIdx.y * WIN * side + blockIdx.x * WIN + t;
#pragma unroll 16
    for (int r = 0; r < WIN; r++) tile[r * PITCH + t] = img[corner + (size_t)r * side];
    __syncthreads();
    float acc = 0.0f;
#pragma unroll 16
    for (int c = 0; c < WIN; c++) {
        acc += tile[t * PITCH + c];
        tile[t * PITCH + c] = acc;
    }
    __syncthreads();
    acc = 0.0f;
#pragma unroll 16
    for (int r = 0; r < WIN; r++) {
        acc += tile[r * PITCH + t];
        sums[corner + (size_t)r * side] = acc;
    }
}

int main(int argc, char **argv)
{
    int side = (argc > 1 ? atoi(argv[1]) : 8192) / WIN * WIN;
    int frames = argc > 2 ? atoi(argv[2]) : 2000;
    size_t n = (size_t)side * side;
    float *img, *sums;
    CK(cudaMalloc(&img, n * sizeof(float)));
    CK(cudaMalloc(&sums, n * sizeof(float)));
    camera<<<dim3(side / WIN, side), WIN>>>(img, side);
    for (int f = 0; f < frames; f++) integral<<<dim3(side / WIN, side / WIN), WIN>>>(img, sums, side);
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), sums, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    unsigned s = 3;
    for (int k = 0; k < 40; k++) {
        int wx = (lcg(s) >> 8) % (side / WIN) * WIN, wy = (lcg(s) >> 8) % (side / WIN) * WIN;
        std::vector<double> above(WIN, 0.0);
        for (int y = 0; y < WIN; y++) {
            double row = 0;
            for (int x = 0; x < WIN; x++) {
                row += grey(wx + x, wy + y);
                above[x] += row;
                ok = ok && got[(size_t)(wy + y) * side + wx + x] == above[x];
            }
        }
    }
    printf("sum of the first window %.0f\n", got[(size_t)(WIN - 1) * side + WIN - 1]);
    CK(cudaFree(img)); CK(cudaFree(sums));
    return report(ok);
}

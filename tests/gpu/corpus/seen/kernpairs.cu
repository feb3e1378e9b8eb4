// Optical kerning: how close the letters of a typeface may come. For each pair, the least sum of white on the right of
// the first and on the left of the second over 128 scan lines, less what the designer wants.
// usage: kernpairs letters weights
#include "common.h"

#define LINES 128
#define SIDE 16
#define TILE 64              // pairs in each direction per block (with 4 by 4 per thread)
#define DEPTH 16             // scan lines in shared memory

__host__ __device__ inline float lighter(float white, float weight) { return white * weight; }

// right, left: [line][letter]
#ifdef GOOD
__global__ void __launch_bounds__(SIDE * SIDE) kern(const float *__restrict__ right, const float *__restrict__ left,
                                                    float *__restrict__ gap, int letters, float wanted)
{
    __shared__ float r[DEPTH][TILE], l[DEPTH][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y, thread = ty * SIDE + tx;
    const int a0 = blockIdx.y * TILE, b0 = blockIdx.x * TILE;
    float least[4][4];
    #pragma unroll
    for (int i = 0; i < 4; ++i)
        #pragma unroll
        for (int j = 0; j < 4; ++j) least[i][j] = 1e30f;
    for (int y0 = 0; y0 < LINES; y0 += DEPTH) {
        #pragma unroll
        for (int k = 0; k < DEPTH * TILE; k += SIDE * SIDE) {
            int y = (k + thread) / TILE, c = (k + thread) % TILE;
            r[y][c] = right[(size_t)(y0 + y) * letters + a0 + c];
            l[y][c] = left[(size_t)(y0 + y) * letters + b0 + c];
        }
        __syncthreads();
        #pragma unroll
        for (int y = 0; y < DEPTH; ++y) {
            float4 p = *(const float4 *)&r[y][ty * 4], q = *(const float4 *)&l[y][tx * 4];
            float ra[4] = {p.x, p.y, p.z, p.w}, lb[4] = {q.x, q.y, q.z, q.w};
            #pragma unroll
            for (int i = 0; i < 4; ++i)
                #pragma unroll
                for (int j = 0; j < 4; ++j) least[i][j] = fminf(least[i][j], ra[i] + lb[j]);
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 4; ++i)
        *(float4 *)&gap[(size_t)(a0 + ty * 4 + i) * letters + b0 + tx * 4] =
            make_float4(least[i][0] - wanted, least[i][1] - wanted, least[i][2] - wanted, least[i][3] - wanted);
}
#else
__global__ void __launch_bounds__(SIDE * SIDE) kern(const float *__restrict__ right, const float *__restrict__ left,
                                                    float *__restrict__ gap, int letters, float wanted)
{
    const int b = blockIdx.x * SIDE + threadIdx.x, a = blockIdx.y * SIDE + threadIdx.y;
    float least = 1e30f;
    #pragma unroll 8
    for (int y = 0; y < LINES; ++y) least = fminf(least, right[(size_t)y * letters + a] + left[(size_t)y * letters + b]);
    gap[(size_t)a * letters + b] = least - wanted;
}
#endif

int main(int argc, char **argv)
{
    const int letters = (argc > 1 ? atoi(argv[1]) : 2816) / TILE * TILE, weights = argc > 2 ? atoi(argv[2]) : 2500;
    const size_t n = (size_t)LINES * letters, pairs = (size_t)letters * letters;
    std::vector<float> right(n), left(n);
    unsigned s = 1450;
    for (int g = 0; g < letters; ++g) {
        float lean = frand(s) - 0.5f, bulge = frand(s) * 20.0f, at = frand(s);
        for (int y = 0; y < LINES; ++y) {
            float t = (float)y / LINES;
            right[(size_t)y * letters + g] = 40.0f + 30.0f * lean * t - bulge * (1.0f - 2.0f * fabsf(t - at)) + frand(s);
            left[(size_t)y * letters + g] = 35.0f - 30.0f * lean * t - bulge * (1.0f - 2.0f * fabsf(t - at)) + frand(s);
        }
    }
    float *dright, *dleft, *gap;
    CK(cudaMalloc(&dright, n * sizeof(float)));
    CK(cudaMalloc(&dleft, n * sizeof(float)));
    CK(cudaMalloc(&gap, pairs * sizeof(float)));
    CK(cudaMemcpy(dright, right.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dleft, left.data(), n * sizeof(float), cudaMemcpyHostToDevice));
#ifdef GOOD
    dim3 grid(letters / TILE, letters / TILE);
#else
    dim3 grid(letters / SIDE, letters / SIDE);
#endif
    float wanted = 0;
    for (int k = 0; k < weights; ++k) {
        wanted = 20.0f + 0.5f * (float)(k % 40);
        kern<<<grid, dim3(SIDE, SIDE)>>>(dright, dleft, gap, letters, wanted);
    }
    CK(cudaGetLastError());
    std::vector<float> got(pairs);
    CK(cudaMemcpy(got.data(), gap, pairs * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    double mean = 0;
    for (int q = 0; q < 10000; ++q) {
        size_t i = (size_t)((unsigned long long)q * (pairs - 1) / 9999);
        float least = 1e30f;
        for (int y = 0; y < LINES; ++y)
            least = std::min(least, right[(size_t)y * letters + i / letters] + left[(size_t)y * letters + i % letters]);
        ok = ok && fabs(got[i] - (least - wanted)) < 1e-3;
        mean += got[i] / 10000.0;
    }
    printf("mean gap: %.3f\n", mean);
    CK(cudaFree(dright)); CK(cudaFree(dleft)); CK(cudaFree(gap));
    return report(ok);
}

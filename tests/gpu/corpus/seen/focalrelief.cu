// Focal statistics of an elevation model: for every cell the topographic position, that is how many standard
// deviations it lies above the mean of its 15 x 15 neighbourhood. The raster carries a border of no interest.
// usage: focalrelief side passes
#include "common.h"

#define R 7
#define WIN (2 * R + 1)
#define BORDER 32            // cells around the raster, so that rows stay aligned
#define TX 32
#define TY 8
#define TILE 32

__host__ __device__ inline float position(float z, float s, float q)
{
    const float inv = 1.0f / (float)(WIN * WIN);
    float mean = s * inv;
    return (z - mean) * rsqrtf(fmaxf(q * inv - mean * mean, 0.0f) + 0.01f);
}

#ifdef GOOD
__global__ void __launch_bounds__(TX *TY) topo_position(const float *__restrict__ z, float *__restrict__ out, int side,
                                                        int pitch, float datum)
{
    __shared__ float t[TILE + 2 * R][TILE + 2 * R + 1];
    __shared__ float hs[TILE + 2 * R][TILE + 1], hq[TILE + 2 * R][TILE + 1];
    const int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
    const float *corner = z + (size_t)(y0 + BORDER - R) * pitch + x0 + BORDER - R;
    for (int y = ty; y < TILE + 2 * R; y += TY)
        for (int x = tx; x < TILE + 2 * R; x += TX) t[y][x] = corner[(size_t)y * pitch + x] - datum;
    __syncthreads();
    for (int y = ty; y < TILE + 2 * R; y += TY) {
        float s = 0.0f, q = 0.0f;
        #pragma unroll
        for (int k = 0; k < WIN; ++k) { float v = t[y][tx + k]; s += v; q += v * v; }
        hs[y][tx] = s;
        hq[y][tx] = q;
    }
    __syncthreads();
    const int first = ty * (TILE / TY);
    float s = 0.0f, q = 0.0f;
    #pragma unroll
    for (int k = 0; k < WIN; ++k) { s += hs[first + k][tx]; q += hq[first + k][tx]; }
    #pragma unroll
    for (int k = 0; k < TILE / TY; ++k) {
        const int y = first + k;
        out[(size_t)(y0 + y) * side + x0 + tx] = position(t[y + R][tx + R], s, q);
        if (k + 1 < TILE / TY) { s += hs[y + WIN][tx] - hs[y][tx]; q += hq[y + WIN][tx] - hq[y][tx]; }
    }
}
#else
__global__ void __launch_bounds__(TX *TY) topo_position(const float *__restrict__ z, float *__restrict__ out, int side,
                                                        int pitch, float datum)
{
    const int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    const float *corner = z + (size_t)(y + BORDER - R) * pitch + x + BORDER - R;
    float s = 0.0f, q = 0.0f;
    for (int dy = 0; dy < WIN; ++dy) {
        #pragma unroll
        for (int dx = 0; dx < WIN; ++dx) { float v = corner[(size_t)dy * pitch + dx] - datum; s += v; q += v * v; }
    }
    out[(size_t)y * side + x] = position(corner[(size_t)R * pitch + R] - datum, s, q);
}
#endif

int main(int argc, char **argv)
{
    const int side = (argc > 1 ? atoi(argv[1]) : 4096) / TILE * TILE, passes = argc > 2 ? atoi(argv[2]) : 1000;
    const int pitch = side + 2 * BORDER;
    std::vector<float> z((size_t)pitch * pitch);
    std::vector<float> ridge(pitch), valley(pitch);
    for (int i = 0; i < pitch; ++i) { ridge[i] = 9.0f * sinf(0.05f * i); valley[i] = 7.0f * cosf(0.031f * i); }
    unsigned s = 12;
    for (int y = 0; y < pitch; ++y)
        for (int x = 0; x < pitch; ++x) z[(size_t)y * pitch + x] = 40.0f + ridge[x] + valley[y] + 2.0f * frand(s);
    float *dz, *dout;
    CK(cudaMalloc(&dz, z.size() * sizeof(float)));
    CK(cudaMalloc(&dout, (size_t)side * side * sizeof(float)));
    CK(cudaMemcpy(dz, z.data(), z.size() * sizeof(float), cudaMemcpyHostToDevice));
#ifdef GOOD
    const dim3 grid(side / TILE, side / TILE);
#else
    const dim3 grid(side / TX, side / TY);
#endif
    const dim3 block(TX, TY);
    float datum = 0.0f;
    for (int p = 0; p < passes; ++p) {
        datum = 38.0f + 0.25f * (float)(p % 16);         // the sea level of the epoch
        topo_position<<<grid, block>>>(dz, dout, side, pitch, datum);
    }
    CK(cudaGetLastError());
    std::vector<float> out((size_t)side * side);
    CK(cudaMemcpy(out.data(), dout, out.size() * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int k = 0; k < 400; ++k) {
        int x = (int)((long long)k * 7919 % side), y = (int)((long long)k * 10007 % side);
        if (k == 0) x = side - 1, y = side - 1;
        double sum = 0, sq = 0;
        for (int dy = -R; dy <= R; ++dy)
            for (int dx = -R; dx <= R; ++dx) {
                double v = z[(size_t)(y + BORDER + dy) * pitch + x + BORDER + dx] - datum;
                sum += v; sq += v * v;
            }
        double mean = sum / (WIN * WIN), var = sq / (WIN * WIN) - mean * mean;
        double want = (z[(size_t)(y + BORDER) * pitch + x + BORDER] - datum - mean) / sqrt(var + 0.01);
        ok = ok && fabs(out[(size_t)y * side + x] - want) <= 1e-2 * (1.0 + fabs(want));
    }
    printf("position of the middle: %.4f\n", out[(size_t)(side / 2) * side + side / 2]);
    CK(cudaFree(dz)); CK(cudaFree(dout));
    return report(ok);
}

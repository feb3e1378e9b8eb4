// Histograms of oriented gradients, as for finding pedestrians: 9 directions in every
// cell of 8 x 8 pixels, weighted by the strength of the edge, then made comparable.
#include "common.h"

const int BINS = 9;

__host__ __device__ inline unsigned char street(int x, int y, int f)
{
    unsigned h = (x / 24 * 73856093u) ^ (y / 40 * 19349663u) ^ (f * 83492791u);
    return (unsigned char)((h >> 13 & 127) + ((x * 3 + f) & 63) + ((y * x) >> 5 & 31));
}

__global__ void film(unsigned char *p, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < w) p[((size_t)blockIdx.z * h + blockIdx.y) * w + x] =
        street(x, blockIdx.y, blockIdx.z);
}

struct Edge { int bin; float low, high; };      // shares of bin and of the next one

template <class Image>
__host__ __device__ inline Edge edge_at(Image p, int x, int y, int w, int h, float floor)
{
    int l = x ? x - 1 : 0, r = x + 1 < w ? x + 1 : x;
    int u = y ? y - 1 : 0, d = y + 1 < h ? y + 1 : y;
    float gx = (float)p(r, y) - p(l, y), gy = (float)p(x, d) - p(x, u);
    float strength = sqrtf(gx * gx + gy * gy) - floor;
    float angle = atan2f(gy, gx) * (BINS / 3.14159265f);
    if (angle < 0) angle += BINS;
    Edge e;
    e.bin = (int)angle;
    float part = angle - e.bin;
    if (e.bin >= BINS) e.bin -= BINS;
    if (strength < 0) strength = 0;
    e.high = strength * part;
    e.low = strength - e.high;
    return e;
}

#ifdef GOOD
// A row of a cell per thread; eight threads put their bins together.
__global__ void histogram(const unsigned char *__restrict__ film, int w, int h,
                          float floor, float *cells)
{
    const unsigned char *p = film + (size_t)blockIdx.z * w * h;
    int cell = blockIdx.x * 16 + threadIdx.y, row = threadIdx.x, across = w / 8;
    float bins[BINS] = {};
    if (cell < across) {
#pragma unroll 2
        for (int k = 0; k < 8; k++) {
            Edge e = edge_at([=](int x, int y) { return p[y * w + x]; }, cell * 8 + k,
                             blockIdx.y * 8 + row, w, h, floor);
#pragma unroll
            for (int b = 0; b < BINS; b++)
                bins[b] += e.bin == b ? e.low : (e.bin + 1) % BINS == b ? e.high : 0.f;
        }
    }
#pragma unroll
    for (int b = 0; b < BINS; b++)
        for (int o = 4; o; o >>= 1) bins[b] += __shfl_xor_sync(~0u, bins[b], o);
    if (cell >= across) return;
    float *out = cells + ((size_t)(blockIdx.z * gridDim.y + blockIdx.y) * across + cell) *
                             BINS;
#pragma unroll
    for (int b = 0; b < BINS; b++)
        if (b % 8 == row) out[b] = bins[b];
}
#else
// A cell per block, a pixel per thread.
__global__ void histogram(const unsigned char *__restrict__ film, int w, int h,
                          float floor, float *cells)
{
    __shared__ float bins[BINS];
    const unsigned char *p = film + (size_t)blockIdx.z * w * h;
    int t = threadIdx.y * 8 + threadIdx.x;
    if (t < BINS) bins[t] = 0;
    __syncthreads();
    Edge e = edge_at([=](int x, int y) { return p[y * w + x]; },
                     blockIdx.x * 8 + threadIdx.x, blockIdx.y * 8 + threadIdx.y, w, h,
                     floor);
    atomicAdd(&bins[e.bin], e.low);
    atomicAdd(&bins[(e.bin + 1) % BINS], e.high);
    __syncthreads();
    size_t cell = (size_t)(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    if (t < BINS) cells[cell * BINS + t] = bins[t];
}
#endif

__global__ void normalise(const float *__restrict__ cells, float *__restrict__ norm,
                          int across, int down)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= across) return;
    float sum = 1;
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++) {
            int cx = min(x + i, across - 1), cy = min(y + j, down - 1);
            const float *c = cells + ((size_t)(blockIdx.z * down + cy) * across + cx) *
                                         BINS;
            for (int b = 0; b < BINS; b++) sum += c[b] * c[b];
        }
    norm[(size_t)(blockIdx.z * down + y) * across + x] = rsqrtf(sum);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 60, frames = argc > 2 ? atoi(argv[2]) : 64;
    int w = argc > 3 ? atoi(argv[3]) : 1920, h = argc > 4 ? atoi(argv[4]) : 1080;
    int across = w / 8, down = h / 8;
    size_t many = (size_t)frames * across * down;
    unsigned char *d;
    float *cells, *norm;
    CK(cudaMalloc(&d, (size_t)frames * w * h));
    CK(cudaMalloc(&cells, many * BINS * 4));
    CK(cudaMalloc(&norm, many * 4));
    film<<<dim3((w + 255) / 256, h, frames), 256>>>(d, w, h);
    float floor = 0;
    for (int r = 0; r < rounds; r++) {
        floor = 0.5f * r;
#ifdef GOOD
        dim3 grid((across + 15) / 16, down, frames);
        histogram<<<grid, dim3(8, 16)>>>(d, w, h, floor, cells);
#else
        dim3 grid(across, down, frames);
        histogram<<<grid, dim3(8, 8)>>>(d, w, h, floor, cells);
#endif
        grid = dim3((across + 63) / 64, down, frames);
        normalise<<<grid, 64>>>(cells, norm, across, down);
    }
    CK(cudaGetLastError());
    std::vector<float> c(many * BINS), n(many);
    CK(cudaMemcpy(c.data(), cells, many * BINS * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(n.data(), norm, many * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int k = 0; k < 200; k++) {
        int f = k * 7 % frames, cx = k * 13 % across, cy = k * 11 % down;
        double want[BINS] = {};
        for (int i = 0; i < 64; i++) {
            Edge e = edge_at([=](int x, int y) { return street(x, y, f); },
                             cx * 8 + i % 8, cy * 8 + i / 8, w, h, floor);
            want[e.bin] += e.low;
            want[(e.bin + 1) % BINS] += e.high;
        }
        for (int b = 0; b < BINS; b++)
            ok &= fabs(want[b] - c[((size_t)(f * down + cy) * across + cx) * BINS + b]) <
                  0.5 + 1e-3 * want[b];
    }
    double sum = 0, weight = 0;
    for (float v : c) sum += v;
    for (float v : n) weight += v;
    printf("mean edge %.2f, mean weight %.4f\n", sum / c.size(), weight / many);
    return report(ok && std::isfinite(weight));
}

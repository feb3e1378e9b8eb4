/*
 * Straightening of fisheye pictures, each colour with its own lens polynomial.
 *   lensdist [pictures]
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef GOOD
typedef float real_t;
#else
typedef double real_t;
#endif

#define cudaTry(expr) do { cudaError_t st = (expr); if (st != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(st)); abort(); } } while (0)

typedef struct { real_t cx, cy, focal, k1, k2, k3; real_t colour[3]; } lens_t;

__host__ __device__ static inline unsigned char texel(int x, int y, int c)
{
    return (unsigned char)(128 + 60 * sinf(x * 0.013f + c) + 50 * cosf(y * 0.017f - c));
}

__global__ void photograph(uchar4 *p, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) p[(size_t)y * w + x] = make_uchar4(texel(x, y, 0), texel(x, y, 1), texel(x, y, 2), 255);
}

/* Where in the fisheye picture the light of (x, y) fell. */
template <typename T>
__host__ __device__ void source(int x, int y, const lens_t &l, int c, T *sx, T *sy)
{
    T dx = ((T)x - (T)l.cx) / (T)l.focal, dy = ((T)y - (T)l.cy) / (T)l.focal;
    T r = sqrt(dx * dx + dy * dy) + (T)1e-9, theta = atan(r), t2 = theta * theta;
    T bent = theta * ((T)1 + t2 * ((T)l.k1 + t2 * ((T)l.k2 + t2 * (T)l.k3))) * (T)l.colour[c];
    *sx = (T)l.cx + dx / r * bent * (T)l.focal;
    *sy = (T)l.cy + dy / r * bent * (T)l.focal;
}

__device__ static inline float channel(uchar4 p, int c) { return c == 0 ? p.x : c == 1 ? p.y : p.z; }

__global__ void straighten(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, int w, int h, lens_t l)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float v[3];
#pragma unroll
    for (int c = 0; c < 3; c++) {
        real_t sx, sy;
        source<real_t>(x, y, l, c, &sx, &sy);
        int ix = (int)sx, iy = (int)sy;
        v[c] = 0;
        if (sx < 0 || sy < 0 || ix >= w - 1 || iy >= h - 1) continue;
        float fx = (float)(sx - ix), fy = (float)(sy - iy);
        const uchar4 *p = in + (size_t)iy * w + ix;
        float top = channel(p[0], c) * (1 - fx) + channel(p[1], c) * fx;
        float low = channel(p[w], c) * (1 - fx) + channel(p[w + 1], c) * fx;
        v[c] = top * (1 - fy) + low * fy;
    }
    out[(size_t)y * w + x] = make_uchar4((unsigned char)v[0], (unsigned char)v[1], (unsigned char)v[2], 255);
}

int main(int argc, char **argv)
{
    int pictures = argc > 1 ? atoi(argv[1]) : 60, w = argc > 2 ? atoi(argv[2]) : 7680, h = argc > 3 ? atoi(argv[3]) : 4320;
    lens_t l = {(real_t)w / 2, (real_t)h / 2, (real_t)w / 3, (real_t)0.01, (real_t)-0.004, (real_t)0.0007,
                {(real_t)1.001, (real_t)1, (real_t)0.9985}};
    size_t n = (size_t)w * h;
    uchar4 *in, *out, *host = (uchar4 *)malloc(n * sizeof(uchar4));
    cudaTry(cudaMalloc((void **)&in, n * sizeof(uchar4)));
    cudaTry(cudaMalloc((void **)&out, n * sizeof(uchar4)));
    dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
    photograph<<<grid, block>>>(in, w, h);
    for (int i = 0; i < pictures; i++) straighten<<<grid, block>>>(in, out, w, h, l);
    cudaTry(cudaGetLastError());
    cudaTry(cudaMemcpy(host, out, n * sizeof(uchar4), cudaMemcpyDeviceToHost));
    int tested = 0, wrong = 0;
    for (int t = 0; t < 3000; t++) {
        int x = (int)((size_t)t * 7919 % w), y = (int)((size_t)t * 104729 % h);
        double sx, sy;
        source<double>(x, y, l, 1, &sx, &sy);
        if (sx < 1 || sy < 1 || sx > w - 2 || sy > h - 2) continue;
        int want = texel((int)sx, (int)sy, 1), got = host[(size_t)y * w + x].y;
        tested++;
        wrong += abs(want - got) > 3;
    }
    printf("%d of %d pixels wrong\n", wrong, tested);
    return tested < 1000 || wrong > 0;
}

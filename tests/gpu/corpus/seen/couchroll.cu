// Paper machine: moisture of the web on the couch roll (machine direction by cross direction) is spread by the felt
// and drained; 64 slice screws add water by a schedule that the control computer works out for every step.
// usage: couchroll width length steps
#include "common.h"

#define SCREWS 64
#define SPREAD 0.2f
#define DRAIN 0.002f
#define THREADS 256

struct Slice { float water[SCREWS]; };

__host__ __device__ inline float across(int x, int w) { return 0.3f * sinf(6.2831853f * 3.0f * (x + 0.5f) / w); }
__host__ __device__ inline float along(int y, int h) { return 1.0f + 0.2f * sinf(6.2831853f * 5.0f * (y + 0.5f) / h); }

__global__ void wet(float *web, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < w) web[(size_t)blockIdx.y * w + x] = across(x, w) + along(blockIdx.y, h);
}

// four neighbours in x per thread, the web is closed in both directions
__global__ void __launch_bounds__(THREADS) drain(const float *__restrict__ web, float *__restrict__ next, int w, int h,
                                                 const Slice slice)
{
    const int x = (blockIdx.x * THREADS + threadIdx.x) * 4, y = blockIdx.y;
    if (x >= w) return;
    const float *row = web + (size_t)y * w;
    float4 c = *(const float4 *)(row + x);
    float4 u = *(const float4 *)(web + (size_t)(y ? y - 1 : h - 1) * w + x);
    float4 d = *(const float4 *)(web + (size_t)(y < h - 1 ? y + 1 : 0) * w + x);
    float l = row[x ? x - 1 : w - 1], r = row[x + 4 < w ? x + 4 : 0];
    const float add = slice.water[x / (w / SCREWS)];
    float4 o;
    o.x = c.x + SPREAD * (u.x + d.x + l + c.y - 4.0f * c.x) - DRAIN * c.x + add;
    o.y = c.y + SPREAD * (u.y + d.y + c.x + c.z - 4.0f * c.y) - DRAIN * c.y + add;
    o.z = c.z + SPREAD * (u.z + d.z + c.y + c.w - 4.0f * c.z) - DRAIN * c.z + add;
    o.w = c.w + SPREAD * (u.w + d.w + c.z + r - 4.0f * c.w) - DRAIN * c.w + add;
    *(float4 *)(next + (size_t)y * w + x) = o;
}

static Slice schedule(int step)
{
    Slice s;
    for (int k = 0; k < SCREWS; ++k) {
        float a = 0.01f * (float)(step % 5000) + 0.7f * (float)k;
        s.water[k] = 0.002f + 0.001f * sinf(a) + 0.0005f * cosf(3.0f * a) + 0.0002f * sinf(7.0f * a);
    }
    return s;
}

int main(int argc, char **argv)
{
    const int w = (argc > 1 ? atoi(argv[1]) : 2048) / (4 * SCREWS) * (4 * SCREWS);
    const int h = argc > 2 ? atoi(argv[2]) : 4096, steps = argc > 3 ? atoi(argv[3]) : 30000;
    const size_t n = (size_t)w * h;
    float *web, *next;
    CK(cudaMalloc(&web, n * sizeof(float)));
    CK(cudaMalloc(&next, n * sizeof(float)));
    wet<<<dim3((w + 255) / 256, h), 256>>>(web, w, h);
    for (int s = 0; s < steps; ++s) {
        Slice slice = schedule(s);
        drain<<<dim3((w / 4 + THREADS - 1) / THREADS, h), THREADS>>>(web, next, w, h, slice);
#ifndef GOOD
        CK(cudaDeviceSynchronize());
#endif
        std::swap(web, next);
    }
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), web, n * sizeof(float), cudaMemcpyDeviceToHost));

    // linear: a part that depends on x (with the water) and one that depends on y
    std::vector<float> a(w), b(w), p(h), q(h);
    for (int x = 0; x < w; ++x) a[x] = across(x, w);
    for (int y = 0; y < h; ++y) p[y] = along(y, h);
    for (int s = 0; s < steps; ++s) {
        Slice slice = schedule(s);
        for (int x = 1; x < w - 1; ++x) b[x] = a[x] + SPREAD * (a[x - 1] + a[x + 1] - 2.0f * a[x]) - DRAIN * a[x];
        b[0] = a[0] + SPREAD * (a[w - 1] + a[1] - 2.0f * a[0]) - DRAIN * a[0];
        b[w - 1] = a[w - 1] + SPREAD * (a[w - 2] + a[0] - 2.0f * a[w - 1]) - DRAIN * a[w - 1];
        for (int k = 0; k < SCREWS; ++k)
            for (int x = k * (w / SCREWS); x < (k + 1) * (w / SCREWS); ++x) b[x] += slice.water[k];
        a.swap(b);
        if (s < 12000) {                                 // this part has drained away by then
            for (int y = 1; y < h - 1; ++y) q[y] = p[y] + SPREAD * (p[y - 1] + p[y + 1] - 2.0f * p[y]) - DRAIN * p[y];
            q[0] = p[0] + SPREAD * (p[h - 1] + p[1] - 2.0f * p[0]) - DRAIN * p[0];
            q[h - 1] = p[h - 1] + SPREAD * (p[h - 2] + p[0] - 2.0f * p[h - 1]) - DRAIN * p[h - 1];
            p.swap(q);
        }
    }
    bool ok = true;
    for (int y = 0; y < h; y += 37)
        for (int x = 0; x < w; x += 5) ok = ok && fabs(got[(size_t)y * w + x] - (a[x] + p[y])) < 1e-2;
    printf("moisture %.4f %.4f\n", got[0], got[n / 2 + w / 3]);
    CK(cudaFree(web)); CK(cudaFree(next));
    return report(ok);
}

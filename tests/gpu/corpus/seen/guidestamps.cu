// Guiding of a telescope: each frame of the camera is corrected and enters a running mean and variance of the pixels;
// small stamps around the guide stars go to the host, where their centroids are looked at after the exposure.
// usage: guidestamps rows frames
#include "common.h"

#define WIDTH 4096
#define STARS 32
#define STAMP 16
#define KINDS 3              // frames in the ring buffer of the camera, on the device

__host__ __device__ inline unsigned short rawPixel(unsigned x, unsigned y, unsigned kind)
{
    unsigned h = x * 2654435761u ^ y * 2246822519u ^ kind * 3266489917u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    int dx = (int)(x % 128) - 60 - (int)kind, dy = (int)(y % 112) - 56;
    int star = 1600 - 60 * (dx * dx + dy * dy);
    return (unsigned short)(400 + (h & 63) + (star > 0 ? star : 0));
}

__host__ __device__ inline float darkPixel(unsigned x, unsigned y) { return 100.0f + (float)((x * 7 + y * 3) % 32); }

__global__ void make_frame(unsigned short *raw, float *dark, int rows, unsigned kind)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    size_t i = (size_t)y * WIDTH + x;
    raw[i] = rawPixel(x, y, kind);
    dark[i] = darkPixel(x, y);
}

__host__ __device__ inline float correct(unsigned short raw, float dark, float gain) { return ((float)raw - dark) * gain; }

__host__ __device__ inline void watch(float v, float &mean, float &var)
{
    float d = v - mean;
    mean += 0.05f * d;
    var = 0.95f * (var + 0.05f * d * d);
}

__global__ void __launch_bounds__(256) take_frame(const ushort4 *__restrict__ raw, const float4 *__restrict__ dark,
                                                  float4 *__restrict__ frame, float4 *__restrict__ mean,
                                                  float4 *__restrict__ var, int n4, float gain)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    ushort4 r = raw[i];
    float4 d = dark[i], m = mean[i], s = var[i], v;
    v.x = correct(r.x, d.x, gain); watch(v.x, m.x, s.x);
    v.y = correct(r.y, d.y, gain); watch(v.y, m.y, s.y);
    v.z = correct(r.z, d.z, gain); watch(v.z, m.z, s.z);
    v.w = correct(r.w, d.w, gain); watch(v.w, m.w, s.w);
    frame[i] = v;
    mean[i] = m;
    var[i] = s;
}

__global__ void cut_stamps(const float *__restrict__ frame, const int2 *__restrict__ corner, float *__restrict__ stamps)
{
    int2 c = corner[blockIdx.x];
    stamps[(blockIdx.x * STAMP + threadIdx.y) * STAMP + threadIdx.x] =
        frame[(size_t)(c.y + threadIdx.y) * WIDTH + c.x + threadIdx.x];
}

static float gainOf(int frame) { return 1.0f + 0.01f * (float)(frame % 11); }

int main(int argc, char **argv)
{
    const int rows = argc > 1 ? atoi(argv[1]) : 6144, frames = argc > 2 ? atoi(argv[2]) : 2000;
    const size_t n = (size_t)rows * WIDTH, all = (size_t)STARS * STAMP * STAMP;
    unsigned short *raw[KINDS]; float *dark, *frame, *mean, *var, *stamps;
    for (int k = 0; k < KINDS; ++k) CK(cudaMalloc(&raw[k], n * sizeof(unsigned short)));
    CK(cudaMalloc(&dark, n * sizeof(float))); CK(cudaMalloc(&frame, n * sizeof(float)));
    CK(cudaMalloc(&mean, n * sizeof(float))); CK(cudaMalloc(&var, n * sizeof(float)));
    CK(cudaMallocHost(&stamps, all * frames * sizeof(float)));
    CK(cudaMemset(mean, 0, n * sizeof(float)));
    CK(cudaMemset(var, 0, n * sizeof(float)));
    for (int k = 0; k < KINDS; ++k) make_frame<<<dim3(WIDTH / 256, rows), 256>>>(raw[k], dark, rows, k);
    std::vector<int2> corner(STARS);
    for (int k = 0; k < STARS; ++k) {
        corner[k].x = 128 * (k * 5 % 31) + 60 - STAMP / 2;
        corner[k].y = 112 * (k * 11 % (rows / 112)) + 56 - STAMP / 2;
    }
#ifdef GOOD
    int2 *dcorner; float *dstamps;
    CK(cudaMalloc(&dcorner, STARS * sizeof(int2)));
    CK(cudaMalloc(&dstamps, all * sizeof(float)));
    CK(cudaMemcpy(dcorner, corner.data(), STARS * sizeof(int2), cudaMemcpyHostToDevice));
#endif
    const int n4 = (int)(n / 4);
    for (int f = 0; f < frames; ++f) {
        take_frame<<<(n4 + 255) / 256, 256>>>((const ushort4 *)raw[f % KINDS], (const float4 *)dark, (float4 *)frame,
                                              (float4 *)mean, (float4 *)var, n4, gainOf(f));
        float *to = stamps + all * f;
#ifdef GOOD
        cut_stamps<<<STARS, dim3(STAMP, STAMP)>>>(frame, dcorner, dstamps);
        CK(cudaMemcpyAsync(to, dstamps, all * sizeof(float), cudaMemcpyDeviceToHost));
#else
        for (int k = 0; k < STARS; ++k)
            CK(cudaMemcpy2D(to + k * STAMP * STAMP, STAMP * sizeof(float), frame + (size_t)corner[k].y * WIDTH + corner[k].x,
                            WIDTH * sizeof(float), STAMP * sizeof(float), STAMP, cudaMemcpyDeviceToHost));
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int f = 0; f < frames; f += 61)
        for (int k = 0; k < STARS; ++k)
            for (int i = 0; i < STAMP * STAMP; ++i) {
                int x = corner[k].x + i % STAMP, y = corner[k].y + i / STAMP;
                float want = correct(rawPixel(x, y, f % KINDS), darkPixel(x, y), gainOf(f));
                ok = ok && close_to(stamps[all * f + k * STAMP * STAMP + i], want, 1e-4);
            }
    float m = 0, v = 0, gm, gv;
    for (int f = 0; f < frames; ++f) watch(correct(rawPixel(17, rows - 1, f % KINDS), darkPixel(17, rows - 1), gainOf(f)), m, v);
    CK(cudaMemcpy(&gm, mean + (n - WIDTH + 17), sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(&gv, var + (n - WIDTH + 17), sizeof(float), cudaMemcpyDeviceToHost));
    ok = ok && close_to(gm, m, 1e-3) && close_to(gv, v, 1e-2);
    double cx = 0, sum = 0;
    for (int i = 0; i < STAMP * STAMP; ++i) { double w = stamps[all * (frames - 1) + i] - 300.0; if (w > 200) { cx += w * (i % STAMP); sum += w; } }
    printf("star 0 is at %.2f of its stamp\n", sum > 0 ? cx / sum : -1.0);
    for (int k = 0; k < KINDS; ++k) CK(cudaFree(raw[k]));
    CK(cudaFree(dark)); CK(cudaFree(frame)); CK(cudaFree(mean)); CK(cudaFree(var)); CK(cudaFreeHost(stamps));
#ifdef GOOD
    CK(cudaFree(dcorner)); CK(cudaFree(dstamps));
#endif
    return report(ok);
}

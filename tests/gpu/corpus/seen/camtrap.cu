// Wildlife camera: every frame is corrected for exposure in 16 x 12 zones and then matched with the
// background. The zone table is worked out on the host for every frame (auto exposure).
#include "common.h"

const int W = 1280, H = 960, ZX = 16, ZY = 12;

struct Zone { float gain, black, gamma_lo, knee; };

__global__ void make_raw(float *raw)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= W * H) return;
    unsigned x = (unsigned)i * 2654435761u;
    x ^= x >> 16; x *= 2246822519u; x ^= x >> 13;
    raw[i] = (x >> 8) * (1.0f / 16777216.0f);
}

__device__ __host__ inline float correct(float v, Zone z)
{
    v = (v - z.black) * z.gain;
    if (v < z.knee) v *= z.gamma_lo;
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

__global__ void expose(const float *__restrict__ raw, const Zone *__restrict__ zones, float *__restrict__ img)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    img[y * W + x] = correct(raw[y * W + x], zones[(y / (H / ZY)) * ZX + x / (W / ZX)]);
}

__global__ void background(const float *__restrict__ img, float *__restrict__ bg, float keep)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < W * H) bg[i] = keep * bg[i] + (1 - keep) * img[i];
}

static Zone zone_at(int frame, int z)
{
    unsigned s = frame * 7919u + z * 104729u;
    lcg(s);
    return Zone{1.0f + 0.2f * frand(s), 0.02f * frand(s), 1.1f, 0.1f + 0.05f * frand(s)};
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 4000;
    float *raw, *img, *bg;
    Zone *zones, *table;
    CK(cudaMalloc(&raw, W * H * 4));
    CK(cudaMalloc(&img, W * H * 4));
    CK(cudaMalloc(&bg, W * H * 4));
    CK(cudaMalloc(&zones, ZX * ZY * sizeof(Zone)));
    CK(cudaMallocHost(&table, ZX * ZY * sizeof(Zone)));
    make_raw<<<W * H / 256, 256>>>(raw);
    CK(cudaGetLastError());
    CK(cudaMemset(bg, 0, W * H * 4));
    dim3 block(32, 8), grid(W / 32, H / 8);
    for (int f = 0; f < frames; f++) {
        for (int z = 0; z < ZX * ZY; z++) table[z] = zone_at(f, z);
#ifdef GOOD
        CK(cudaMemcpy(zones, table, ZX * ZY * sizeof(Zone), cudaMemcpyHostToDevice));
#else
        for (int y = 0; y < ZY; y++)                 // a row of zones at a time
            CK(cudaMemcpy(zones + y * ZX, table + y * ZX, ZX * sizeof(Zone), cudaMemcpyHostToDevice));
#endif
        expose<<<grid, block>>>(raw, zones, img);
        background<<<W * H / 256, 256>>>(img, bg, 0.95f);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> hr(W * H), hi(W * H);
    CK(cudaMemcpy(hr.data(), raw, W * H * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hi.data(), img, W * H * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int y = 0; y < H; y += 7)
        for (int x = 0; x < W; x += 11)
            ok = ok && close_to(hi[y * W + x], correct(hr[y * W + x], zone_at(frames - 1, (y / (H / ZY)) * ZX + x / (W / ZX))), 2e-3);
    CK(cudaFree(raw)); CK(cudaFree(img)); CK(cudaFree(bg)); CK(cudaFree(zones));
    CK(cudaFreeHost(table));
    return report(ok);
}

// Lidar ground filter: tiles of the height raster are opened (lowest, then highest height in a window) with growing
// windows; what stands out above the opened surface is no ground (houses, trees).
// usage: lidarfloor side tiles
#include "common.h"

#define MAXR 12
#define WINDOWS 4
#define KINDS 6              // different tiles, flown again and again

static const int radius[WINDOWS] = {2, 4, 8, MAXR};

template <bool HIGHEST> __device__ inline float pick(float a, float b) { return HIGHEST ? fmaxf(a, b) : fminf(a, b); }

template <bool HIGHEST> __global__ void along_row(const float *__restrict__ in, float *__restrict__ out, int side, int r)
{
    __shared__ float line[256 + 2 * MAXR];
    int x0 = blockIdx.x * 256 - r;
    const float *src = in + (size_t)blockIdx.y * side;
    for (int i = threadIdx.x; i < 256 + 2 * r; i += 256) line[i] = src[min(max(x0 + i, 0), side - 1)];
    __syncthreads();
    float v = line[threadIdx.x];
    for (int k = 1; k <= 2 * r; ++k) v = pick<HIGHEST>(v, line[threadIdx.x + k]);
    int x = blockIdx.x * 256 + threadIdx.x;
    if (x < side) out[(size_t)blockIdx.y * side + x] = v;
}

template <bool HIGHEST> __global__ void along_column(const float *__restrict__ in, float *__restrict__ out, int side, int r)
{
    __shared__ float tile[32 + 2 * MAXR][32];
    const int x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * 32;
    for (int i = threadIdx.y; i < 32 + 2 * r; i += 8)
        tile[i][threadIdx.x] = in[(size_t)min(max(y0 + i - r, 0), side - 1) * side + min(x, side - 1)];
    __syncthreads();
    for (int i = threadIdx.y; i < 32; i += 8) {
        float v = tile[i][threadIdx.x];
        for (int k = 1; k <= 2 * r; ++k) v = pick<HIGHEST>(v, tile[i + k][threadIdx.x]);
        if (x < side && y0 + i < side) out[(size_t)(y0 + i) * side + x] = v;
    }
}

__global__ void cut_off(float *z, const float *opened, unsigned char *ground, int n, float limit, int firstTime)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    ground[i] = (firstTime || ground[i]) && z[i] - opened[i] <= limit;
    z[i] = opened[i];
}

static float limitOf(int w) { return 0.4f + 0.05f * (float)radius[w]; }

static void fillTile(float *z, int side, int kind)
{
    for (int i = 0; i < side * side; ++i) {
        unsigned x = i % side, y = i / side, h = (unsigned)i * 2654435761u ^ (unsigned)kind * 3266489917u;
        h = (h ^ (h >> 15)) * 2246822519u;
        bool house = ((x / 18) * 7 + (y / 14) * 13 + kind) % 11 == 0;
        z[i] = 100.0f + 0.02f * (float)(x + kind * 3u) + 0.01f * (float)y + (house ? 6.0f : 0.0f)
             + ((h >> 24) < 12 ? 3.0f : 0.0f) + (float)(h >> 16 & 255) * 0.0005f;
    }
}

// the same on a corner of the tile, on the CPU; wrong near its inner edges
static std::vector<unsigned char> byHand(const float *z, int side, int w)
{
    std::vector<float> a(w * w), b(w * w), c(w * w);
    std::vector<unsigned char> g(w * w, 1);
    for (int i = 0; i < w * w; ++i) a[i] = z[(i / w) * side + i % w];
    auto pass = [&](const std::vector<float> &p, std::vector<float> &q, int r, int dx, int dy, bool high) {
        q = p;
        for (int i = 0; i < w * w; ++i)
            for (int k = -r; k <= r; ++k) {
                int x = i % w + k * dx, y = i / w + k * dy;
                if (x >= 0 && y >= 0 && x < w && y < w) q[i] = high ? fmaxf(q[i], p[y * w + x]) : fminf(q[i], p[y * w + x]);
            }
    };
    for (int k = 0; k < WINDOWS; ++k) {
        pass(a, b, radius[k], 1, 0, false); pass(b, c, radius[k], 0, 1, false);
        pass(c, b, radius[k], 1, 0, true);  pass(b, c, radius[k], 0, 1, true);
        for (int i = 0; i < w * w; ++i) g[i] = g[i] && a[i] - c[i] <= limitOf(k);
        a = c;
    }
    return g;
}

int main(int argc, char **argv)
{
    int side = argc > 1 ? atoi(argv[1]) : 2048, tiles = argc > 2 ? atoi(argv[2]) : 600;
    const int n = side * side;
#ifdef GOOD
    const int lanes = 3;
#else
    const int lanes = 1;
#endif
    float *raw[KINDS], *z[lanes], *a[lanes], *b[lanes]; unsigned char *mask[KINDS], *ground[lanes];
    cudaStream_t st[lanes];
    for (int k = 0; k < KINDS; ++k) {
        CK(cudaMallocHost(&raw[k], n * sizeof(float))); CK(cudaMallocHost(&mask[k], n));
        fillTile(raw[k], side, k);
    }
    for (int l = 0; l < lanes; ++l) {
        CK(cudaStreamCreate(&st[l]));
        CK(cudaMalloc(&z[l], n * sizeof(float))); CK(cudaMalloc(&a[l], n * sizeof(float)));
        CK(cudaMalloc(&b[l], n * sizeof(float))); CK(cudaMalloc(&ground[l], n));
    }
    const dim3 gr((side + 255) / 256, side), gc((side + 31) / 32, (side + 31) / 32), bc(32, 8);
    for (int t = 0; t < tiles; ++t) {
        const int l = t % lanes, k = t % KINDS;
        CK(cudaMemcpyAsync(z[l], raw[k], n * sizeof(float), cudaMemcpyHostToDevice, st[l]));
        for (int w = 0; w < WINDOWS; ++w) {
            along_row<false><<<gr, 256, 0, st[l]>>>(z[l], a[l], side, radius[w]);
            along_column<false><<<gc, bc, 0, st[l]>>>(a[l], b[l], side, radius[w]);
            along_row<true><<<gr, 256, 0, st[l]>>>(b[l], a[l], side, radius[w]);
            along_column<true><<<gc, bc, 0, st[l]>>>(a[l], b[l], side, radius[w]);
            cut_off<<<(n + 255) / 256, 256, 0, st[l]>>>(z[l], b[l], ground[l], n, limitOf(w), w == 0);
        }
        CK(cudaMemcpyAsync(mask[k], ground[l], n, cudaMemcpyDeviceToHost, st[l]));
    }
    CK(cudaGetLastError()); CK(cudaDeviceSynchronize());
    bool ok = true;
    const int w = std::min(side, 160), safe = w - 56;
    for (int k : {0, 3}) {
        std::vector<unsigned char> want = byHand(raw[k], side, w);
        for (int i = 0; i < safe * safe; ++i)
            ok = ok && mask[k][i / safe * side + i % safe] == want[i / safe * w + i % safe];
    }
    printf("corner of tile 0 is %s\n", mask[0][0] ? "ground" : "no ground");
    for (int k = 0; k < KINDS; ++k) { CK(cudaFreeHost(raw[k])); CK(cudaFreeHost(mask[k])); }
    for (auto s : st) CK(cudaStreamDestroy(s));
    return report(ok);
}

// Moving-object mask for a gate camera: absolute difference to a running background, threshold,
// and slow update of the background, on 8-bit grey frames.
#include "common.h"

static const int W = 8192, H = 8192;
typedef unsigned char u8;

__global__ void make_frame(u8 *f, unsigned seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = (unsigned)i * 2654435761u + seed * 40503u;
    h ^= h >> 15;
    h *= 2246822519u;
    f[i] = (u8)(90 + ((h >> 24) & 63));
}

static __host__ __device__ __forceinline__ int background_step(int b, int f)
{
    return b + ((f - b) >> 3);
}

#ifdef GOOD
__global__ void detect_motion(const u8 *frame, u8 *back, u8 *mask, int n, int thresh)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= n / 4) return;
    uchar4 f = reinterpret_cast<const uchar4 *>(frame)[q];
    uchar4 b = reinterpret_cast<uchar4 *>(back)[q];
    uchar4 m;
    m.x = abs((int)f.x - (int)b.x) > thresh ? 255 : 0;
    m.y = abs((int)f.y - (int)b.y) > thresh ? 255 : 0;
    m.z = abs((int)f.z - (int)b.z) > thresh ? 255 : 0;
    m.w = abs((int)f.w - (int)b.w) > thresh ? 255 : 0;
    b.x = (u8)background_step(b.x, f.x);
    b.y = (u8)background_step(b.y, f.y);
    b.z = (u8)background_step(b.z, f.z);
    b.w = (u8)background_step(b.w, f.w);
    reinterpret_cast<uchar4 *>(back)[q] = b;
    reinterpret_cast<uchar4 *>(mask)[q] = m;
}
#else
__global__ void detect_motion(const u8 *frame, u8 *back, u8 *mask, int n, int thresh)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int f = frame[i], b = back[i];
    mask[i] = abs(f - b) > thresh ? 255 : 0;
    back[i] = (u8)background_step(b, f);
}
#endif

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 900;
    const int n = W * H, thresh = 18;
    u8 *ring[4], *back, *mask;
    for (int r = 0; r < 4; r++) {
        CK(cudaMalloc(&ring[r], n));
        make_frame<<<n / 256, 256>>>(ring[r], r + 1, n);
    }
    CK(cudaMalloc(&back, n));
    CK(cudaMalloc(&mask, n));
    make_frame<<<n / 256, 256>>>(back, 99, n);
    CK(cudaGetLastError());

    const int probe[5] = {0, 4097, 31234567, n / 2 + 3, n - 1};
    int ref_b[5], ref_m[5] = {0, 0, 0, 0, 0};
    u8 seen[4][5], v;
    for (int p = 0; p < 5; p++) {
        for (int r = 0; r < 4; r++)
            CK(cudaMemcpy(&seen[r][p], ring[r] + probe[p], 1, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(&v, back + probe[p], 1, cudaMemcpyDeviceToHost));
        ref_b[p] = v;
    }

    for (int t = 0; t < frames; t++) {
#ifdef GOOD
        detect_motion<<<n / 4 / 256, 256>>>(ring[t % 4], back, mask, n, thresh);
#else
        detect_motion<<<n / 256, 256>>>(ring[t % 4], back, mask, n, thresh);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int p = 0; p < 5; p++) {
        for (int t = 0; t < frames; t++) {
            int f = seen[t % 4][p];
            ref_m[p] = abs(f - ref_b[p]) > thresh ? 255 : 0;
            ref_b[p] = background_step(ref_b[p], f);
        }
        CK(cudaMemcpy(&v, back + probe[p], 1, cudaMemcpyDeviceToHost));
        ok = ok && v == ref_b[p];
        CK(cudaMemcpy(&v, mask + probe[p], 1, cudaMemcpyDeviceToHost));
        ok = ok && v == ref_m[p];
    }
    for (int r = 0; r < 4; r++) cudaFree(ring[r]);
    cudaFree(back); cudaFree(mask);
    return report(ok);
}

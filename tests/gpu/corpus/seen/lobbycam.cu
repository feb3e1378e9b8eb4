// Surveillance: running-average background and foreground mask of 16 UHD cameras, one byte a pixel.
#include "common.h"

__host__ __device__ static inline unsigned char pixel_at(unsigned i, unsigned frame)
{
    unsigned x = i * 2654435761u + frame * 40503u;
    return (unsigned char)((x >> 13) & 127) + (((i >> 9) + frame) % 13 == 0 ? 100 : 20);
}

__global__ void capture(unsigned char *f, unsigned n, unsigned frame)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f[i] = pixel_at(i, frame);
}

__host__ __device__ static inline void model(int p, unsigned char &bg, unsigned char &m, int thr)
{
    int b = bg, d = p - b;
    m = (d > thr || d < -thr) ? 255 : 0;
    bg = (unsigned char)(b + ((d + 4) >> 3));
}

__global__ void subtract(const unsigned char *__restrict__ frame, unsigned char *__restrict__ bg,
                         unsigned char *__restrict__ mask, unsigned n, int thr)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef GOOD
    if (i >= n / 4) return;
    uchar4 p = ((const uchar4 *)frame)[i], b = ((uchar4 *)bg)[i], m;
    model(p.x, b.x, m.x, thr);
    model(p.y, b.y, m.y, thr);
    model(p.z, b.z, m.z, thr);
    model(p.w, b.w, m.w, thr);
    ((uchar4 *)bg)[i] = b;
    ((uchar4 *)mask)[i] = m;
#else
    if (i >= n) return;
    unsigned char b = bg[i], m;
    model(frame[i], b, m, thr);
    bg[i] = b;
    mask[i] = m;
#endif
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 300;
    const unsigned n = 3840u * 2160u * 16u;
    unsigned char *f[2], *bg, *mask;
    CK(cudaMalloc(&f[0], n));
    CK(cudaMalloc(&f[1], n));
    CK(cudaMalloc(&bg, n));
    CK(cudaMalloc(&mask, n));
    for (int k = 0; k < 2; k++) capture<<<n / 256, 256>>>(f[k], n, k);
    CK(cudaGetLastError());
    CK(cudaMemset(bg, 60, n));
    for (int t = 0; t < frames; t++) {
#ifdef GOOD
        subtract<<<(n / 4 + 255) / 256, 256>>>(f[t & 1], bg, mask, n, 25);
#else
        subtract<<<(n + 255) / 256, 256>>>(f[t & 1], bg, mask, n, 25);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<unsigned char> hb(4096), hm(4096);
    unsigned off = n / 2 + 512;
    CK(cudaMemcpy(hb.data(), bg + off, hb.size(), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hm.data(), mask + off, hm.size(), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (unsigned k = 0; k < hb.size(); k++) {
        unsigned char b = 60, m = 0;
        for (int t = 0; t < frames; t++) model(pixel_at(off + k, t & 1), b, m, 25);
        if (b != hb[k] || m != hm[k]) ok = false;
    }
    CK(cudaFree(f[0])); CK(cudaFree(f[1])); CK(cudaFree(bg)); CK(cudaFree(mask));
    return report(ok);
}

// Text rendering: subpixel coverage of a glyph run over a background, blended in linear light; the pixels are kept with
// a display gamma of 1.9.
//   fontgamma [pages]
#include "common.h"

const int N = 1 << 24;

__device__ static inline float power(float x, float y)
{
#ifdef GOOD
    return __powf(x, y);
#else
    return powf(x, y);
#endif
}

__host__ __device__ static inline unsigned noise(unsigned h)
{
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    return h;
}

__global__ void page(uchar4 *back, uchar4 *cover)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, a = noise(i), b = noise(i + 0x51ed270bu);
    back[i] = make_uchar4(a & 255u, a >> 8 & 255u, a >> 16 & 255u, 255);
    cover[i] = make_uchar4(b & 255u, b >> 8 & 255u, b >> 16 & 255u, 255);
}

// The ink is given in linear light already.
__global__ void blend(const uchar4 *__restrict__ back, const uchar4 *__restrict__ cover, uchar4 *__restrict__ out,
                      float3 ink, float gamma, float inverse)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uchar4 b = back[i], c = cover[i];
    const float k = 1.0f / 255.0f;
    float r = power(b.x * k, gamma), g = power(b.y * k, gamma), l = power(b.z * k, gamma);
    r += (ink.x - r) * (c.x * k);
    g += (ink.y - g) * (c.y * k);
    l += (ink.z - l) * (c.z * k);
    out[i] = make_uchar4((unsigned char)(power(r, inverse) * 255.0f + 0.5f),
                         (unsigned char)(power(g, inverse) * 255.0f + 0.5f),
                         (unsigned char)(power(l, inverse) * 255.0f + 0.5f), 255);
}

int main(int argc, char **argv)
{
    int pages = argc > 1 ? atoi(argv[1]) : 2500;
    const float gamma = 1.9f, inverse = 1.0f / 1.9f;
    const float3 ink = make_float3(0.02f, 0.05f, 0.11f);
    uchar4 *back, *cover, *out;
    CK(cudaMalloc(&back, (size_t)N * sizeof(uchar4)));
    CK(cudaMalloc(&cover, (size_t)N * sizeof(uchar4)));
    CK(cudaMalloc(&out, (size_t)N * sizeof(uchar4)));
    page<<<N / 256, 256>>>(back, cover);
    for (int p = 0; p < pages; p++) blend<<<N / 256, 256>>>(back, cover, out, ink, gamma, inverse);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<uchar4> h(1 << 20);
    const int off = N / 2 + 4096;
    CK(cudaMemcpy(h.data(), out + off, h.size() * sizeof(uchar4), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (size_t i = 0; i < h.size(); i += 101) {
        unsigned a = noise((unsigned)(off + i)), b = noise((unsigned)(off + i) + 0x51ed270bu);
        double got[3] = {(double)h[i].x, (double)h[i].y, (double)h[i].z}, in[3] = {ink.x, ink.y, ink.z};
        for (int q = 0; q < 3; q++) {
            double v = pow((a >> (8 * q) & 255u) / 255.0, gamma);
            v += (in[q] - v) * ((b >> (8 * q) & 255u) / 255.0);
            ok = ok && fabs(got[q] - pow(v, inverse) * 255) < 1.1;
        }
    }
    printf("a pixel: %d %d %d\n", h[7].x, h[7].y, h[7].z);
    return report(ok);
}

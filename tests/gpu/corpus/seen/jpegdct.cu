// How large would a film be as JPEG at each quality: DCT of 8 x 8 pixels, quantisation
// and a count of the coefficients that stay, without writing anything.
#include "common.h"

const int GROUP = 32;       // squares of 8 x 8 pixels a block
#ifdef GOOD
const int ROW = 9;
#else
const int ROW = 8;
#endif

const unsigned char luminance[64] = {
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55,
    14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62,
    18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92,
    49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99};

__host__ __device__ inline unsigned char scene(int x, int y, int f)
{
    int wave = ((x * 5 + f * 3) & 255) ^ ((y * 3) & 127);
    unsigned h = (x / 16 * 7919u) ^ (y / 16 * 104729u) ^ (f * 31u);
    return (unsigned char)(wave / 2 + (h * 2654435761u >> 26));
}

__global__ void film(unsigned char *p, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < w) p[((size_t)blockIdx.z * h + blockIdx.y) * w + x] =
        scene(x, blockIdx.y, blockIdx.z);
}

// A one-dimensional DCT of 8 values (Arai, Agui, Nakajima).
__host__ __device__ inline void dct8(float *d)
{
    float a0 = d[0] + d[7], a7 = d[0] - d[7], a1 = d[1] + d[6], a6 = d[1] - d[6];
    float a2 = d[2] + d[5], a5 = d[2] - d[5], a3 = d[3] + d[4], a4 = d[3] - d[4];
    float b0 = a0 + a3, b3 = a0 - a3, b1 = a1 + a2, b2 = a1 - a2;
    d[0] = b0 + b1;
    d[4] = b0 - b1;
    float z1 = (b2 + b3) * 0.707106781f;
    d[2] = b3 + z1;
    d[6] = b3 - z1;
    float c0 = a4 + a5, c1 = a5 + a6, c2 = a6 + a7;
    float z5 = (c0 - c2) * 0.382683433f;
    float z2 = 0.541196100f * c0 + z5, z4 = 1.306562965f * c2 + z5;
    float z3 = c1 * 0.707106781f;
    float z11 = a7 + z3, z13 = a7 - z3;
    d[5] = z13 + z2;
    d[3] = z13 - z2;
    d[1] = z11 + z4;
    d[7] = z11 - z4;
}

__global__ void rate(const unsigned char *__restrict__ frames, int w, int h,
                     const float *__restrict__ step_inverse, unsigned *kept)
{
    __shared__ float tile[GROUP][8 * ROW];
    const unsigned char *p = frames + ((size_t)blockIdx.z * h + blockIdx.y * 8) * w +
                             blockIdx.x * GROUP * 8;
    int t = threadIdx.y * 8 + threadIdx.x;
    for (int y = 0; y < 8; y++)
        tile[t / 8][y * ROW + t % 8] = p[(size_t)y * w + t] - 128.f;
    __syncthreads();
    float *mine = tile[threadIdx.y], d[8];
    int x = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 8; k++) d[k] = mine[x * ROW + k];
    dct8(d);
#pragma unroll
    for (int k = 0; k < 8; k++) mine[x * ROW + k] = d[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) d[k] = mine[k * ROW + x];
    dct8(d);
    int count = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        count += fabsf(d[k] * step_inverse[k * 8 + x]) >= 0.5f;
    for (int o = 16; o; o >>= 1) count += __shfl_xor_sync(~0u, count, o);
    __shared__ int warps[8];
    if (t % 32 == 0) warps[t / 32] = count;
    __syncthreads();
    if (t == 0) {
        for (int i = 1; i < 8; i++) count += warps[i];
        atomicAdd(&kept[blockIdx.z], (unsigned)count);
    }
}

void steps_of(int quality, float *inverse)
{
    static const float scale[8] = {1, 1.387039845f, 1.306562965f, 1.175875602f,
                                   1, 0.785694958f, 0.541196100f, 0.275899379f};
    int s = quality < 50 ? 5000 / quality : 200 - quality * 2;
    for (int i = 0; i < 64; i++) {
        int q = std::min(255, std::max(1, (luminance[i] * s + 50) / 100));
        inverse[i] = 1 / (q * 8.f * scale[i / 8] * scale[i % 8]);
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 96;
    int frames = argc > 2 ? atoi(argv[2]) : 128;
    int w = argc > 3 ? atoi(argv[3]) : 3840, h = argc > 4 ? atoi(argv[4]) : 2160;
    unsigned char *d;
    unsigned *kept;
    float *table, inverse[64];
    CK(cudaMalloc(&d, (size_t)frames * w * h));
    CK(cudaMalloc(&kept, frames * 4));
    CK(cudaMalloc(&table, sizeof inverse));
    film<<<dim3((w + 255) / 256, h, frames), 256>>>(d, w, h);
    CK(cudaGetLastError());
    std::vector<unsigned> n(frames);
    unsigned long long before = 0;
    bool ok = true;
    for (int r = 0; r < rounds; r++) {
        steps_of(r + 2, inverse);
        CK(cudaMemcpy(table, inverse, sizeof inverse, cudaMemcpyHostToDevice));
        CK(cudaMemsetAsync(kept, 0, frames * 4));
        rate<<<dim3(w / (GROUP * 8), h / 8, frames), dim3(8, GROUP)>>>(d, w, h, table,
                                                                      kept);
        CK(cudaGetLastError());
        CK(cudaMemcpy(n.data(), kept, frames * 4, cudaMemcpyDeviceToHost));
        unsigned long long sum = 0;
        for (int f = 0; f < frames; f++) sum += n[f];
        ok &= sum >= before;      // a better quality never keeps fewer
        before = sum;
    }
    // The last quality of the first frame on the host.
    unsigned long long want = 0;
    for (int by = 0; by < h / 8; by++)
        for (int bx = 0; bx < w / 8; bx++) {
            float m[64], c[8];
            for (int i = 0; i < 64; i++)
                m[i] = scene(bx * 8 + i % 8, by * 8 + i / 8, 0) - 128.f;
            for (int y = 0; y < 8; y++) dct8(m + y * 8);
            for (int x = 0; x < 8; x++) {
                for (int y = 0; y < 8; y++) c[y] = m[y * 8 + x];
                dct8(c);
                for (int y = 0; y < 8; y++)
                    want += fabsf(c[y] * inverse[y * 8 + x]) >= 0.5f;
            }
        }
    ok &= fabs((double)want - n[0]) <= 1e-3 * want + 4;
    printf("%.1f million coefficients stay\n", before * 1e-6);
    return report(ok);
}

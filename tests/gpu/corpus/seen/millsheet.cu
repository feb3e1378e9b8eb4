// Paper machine camera: the running sheet is compared with the flat-field picture of a clean sheet, pixels that
// differ too much become defects, and the defects of every scan line are counted.
// usage: millsheet width lines frames
#include "common.h"

__host__ __device__ inline unsigned mixbits(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ inline unsigned char cleanPixel(unsigned x) { return (unsigned char)(150 + mixbits(x) % 40); }
__host__ __device__ inline unsigned char sheetPixel(unsigned x, unsigned y, unsigned roll)
{
    unsigned h = mixbits(x * 9781u + y * 6271u + roll * 77777u);
    int v = cleanPixel(x) + (int)(h % 9) - 4;
    if (((h >> 8) & 1023) == 0) v -= 60;
    return (unsigned char)v;
}

__global__ void expose_clean(unsigned char *flat, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < width) flat[(size_t)blockIdx.y * width + x] = cleanPixel(x);
}

__global__ void expose_sheet(unsigned char *img, int width, unsigned roll)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < width) img[(size_t)blockIdx.y * width + x] = sheetPixel(x, blockIdx.y, roll);
}

__device__ inline unsigned char judge(unsigned char pixel, unsigned char clean, int limit)
{
    int diff = (int)pixel - (int)clean;
    if (diff < 0) diff = -diff;
    return diff > limit ? 1 : 0;
}

__global__ void mark_defects(const unsigned char *__restrict__ img, const unsigned char *__restrict__ flat,
                             unsigned char *__restrict__ mask, int width, int limit)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    size_t line = (size_t)blockIdx.y * width;
#ifdef GOOD
    if (x >= width / 4) return;
    uchar4 p = ((const uchar4 *)(img + line))[x], c = ((const uchar4 *)(flat + line))[x];
    ((uchar4 *)(mask + line))[x] = make_uchar4(judge(p.x, c.x, limit), judge(p.y, c.y, limit),
                                               judge(p.z, c.z, limit), judge(p.w, c.w, limit));
#else
    if (x >= width) return;
    mask[line + x] = judge(img[line + x], flat[line + x], limit);
#endif
}

__global__ void count_lines(const unsigned char *mask, int *perLine, int width)
{
    const uint4 *m = (const uint4 *)(mask + (size_t)blockIdx.x * width);
    int n = 0;
    for (int i = threadIdx.x; i < width / 16; i += blockDim.x) {
        uint4 v = m[i];
        n += __popc(v.x) + __popc(v.y) + __popc(v.z) + __popc(v.w);
    }
    for (int o = 16; o > 0; o >>= 1) n += __shfl_down_sync(0xffffffffu, n, o);
    __shared__ int part[8];
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = n;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < (int)blockDim.x / 32; ++w) n += part[w];
        perLine[blockIdx.x] += n;
    }
}

int main(int argc, char **argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 12288;       // a multiple of 16
    int lines = argc > 2 ? atoi(argv[2]) : 8192;
    int frames = argc > 3 ? atoi(argv[3]) : 1500;
    const int limit = 25, rolls = 2;
    size_t n = (size_t)width * lines;
    unsigned char *flat, *img[rolls], *mask; int *perLine;
    CK(cudaMalloc(&flat, n)); CK(cudaMalloc(&mask, n));
    CK(cudaMalloc(&perLine, lines * sizeof(int)));
    CK(cudaMemset(perLine, 0, lines * sizeof(int)));
    const dim3 pixels((width + 255) / 256, lines);
    expose_clean<<<pixels, 256>>>(flat, width);
    for (int r = 0; r < rolls; ++r) {
        CK(cudaMalloc(&img[r], n));
        expose_sheet<<<pixels, 256>>>(img[r], width, r);
    }
#ifdef GOOD
    const dim3 grid((width / 4 + 255) / 256, lines);
#else
    const dim3 grid((width + 255) / 256, lines);
#endif
    for (int f = 0; f < frames; ++f) {
        mark_defects<<<grid, 256>>>(img[f % rolls], flat, mask, width, limit);
        count_lines<<<lines, 128>>>(mask, perLine, width);
    }
    CK(cudaGetLastError());
    std::vector<int> got(lines);
    CK(cudaMemcpy(got.data(), perLine, lines * sizeof(int), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int y : {0, 1, lines / 3, lines - 1}) {
        int want = 0;
        for (int r = 0; r < rolls; ++r) {
            int c = 0;
            for (int x = 0; x < width; ++x) c += abs((int)sheetPixel(x, y, r) - (int)cleanPixel(x)) > limit;
            want += c * ((frames + rolls - 1 - r) / rolls);
        }
        ok = ok && got[y] == want;
    }
    printf("line 0: %d defects in %d frames\n", got[0], frames);
    for (int r = 0; r < rolls; ++r) CK(cudaFree(img[r]));
    CK(cudaFree(flat)); CK(cudaFree(mask)); CK(cudaFree(perLine));
    return report(ok);
}

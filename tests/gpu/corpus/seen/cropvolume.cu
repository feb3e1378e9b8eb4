// Training-data augmentation: random crop with horizontal flip of a batch of NCHW float images.
#include "common.h"

static const int B = 64, CH = 8, H = 512, W = 512, CROP = 448;

static __host__ __device__ float pixel(size_t i)
{
    unsigned h = (unsigned)i * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return (float)(h & 0xffffu) * (1.0f / 65536.0f);
}
__global__ void load_batch(float *img, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) img[i] = pixel(i);
}

struct Aug { int y0, x0, flip; };
static __host__ __device__ Aug augment_of(int b, int epoch)
{
    unsigned h = (unsigned)(b * 131 + epoch * 7919 + 17) * 2654435761u;
    Aug a;
    a.y0 = (h >> 8) & 63; a.x0 = (h >> 16) & 63; a.flip = (h >> 24) & 1;
    return a;
}

#ifdef GOOD
__global__ void crop_flip(const float *__restrict__ img, float *out, long long c, long long h, long long w,
                          long long crop, int epoch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int ch = blockIdx.z % CH, b = blockIdx.z / CH;
    if (x >= crop) return;
    Aug a = augment_of(b, epoch);
    long long sx = a.x0 + (a.flip ? crop - 1 - x : x), sy = a.y0 + y;
    out[(blockIdx.z * crop + y) * crop + x] = 2.0f * img[((b * c + ch) * h + sy) * w + sx] - 1.0f;
}
#else
__global__ void crop_flip(const float *__restrict__ img, float *out, long long n, long long c, long long h, long long w,
                          long long crop, int epoch)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long x = i % crop;
    long long y = (i / crop) % crop;
    long long ch = (i / (crop * crop)) % c;
    long long b = i / (crop * crop * c);
    Aug a = augment_of((int)b, epoch);
    long long sx = a.x0 + (a.flip ? crop - 1 - x : x), sy = a.y0 + y;
    out[i] = 2.0f * img[((b * c + ch) * h + sy) * w + sx] - 1.0f;
}
#endif

int main(int argc, char **argv)
{
    int epochs = argc > 1 ? atoi(argv[1]) : 200;
    size_t nin = (size_t)B * CH * H * W, nout = (size_t)B * CH * CROP * CROP;
    float *img, *out;
    CK(cudaMalloc(&img, nin * sizeof(float)));
    CK(cudaMalloc(&out, nout * sizeof(float)));
    load_batch<<<(unsigned)(nin / 256), 256>>>(img, nin);
    CK(cudaGetLastError());
    for (int e = 0; e < epochs; e++) {
#ifdef GOOD
        crop_flip<<<dim3(CROP / 224, CROP, B * CH), 224>>>(img, out, CH, H, W, CROP, e);
#else
        crop_flip<<<(unsigned)((nout + 223) / 224), 224>>>(img, out, (long long)nout, CH, H, W, CROP, e);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    for (size_t i = 12345; i < nout; i += nout / 29) {
        int x = (int)(i % CROP), y = (int)(i / CROP % CROP);
        size_t plane = i / ((size_t)CROP * CROP);
        Aug a = augment_of((int)(plane / CH), epochs - 1);
        int sx = a.x0 + (a.flip ? CROP - 1 - x : x), sy = a.y0 + y;
        float v, want = 2.0f * pixel((plane * H + sy) * W + sx) - 1.0f;
        CK(cudaMemcpy(&v, out + i, sizeof v, cudaMemcpyDeviceToHost));
        ok = ok && close_to(v, want, 1e-5);
    }
    cudaFree(img); cudaFree(out);
    return report(ok);
}

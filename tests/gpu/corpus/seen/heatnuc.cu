// Thermal cameras: the counts of each pixel become a temperature with the pixel's own gain and offset, from sixteen
// cameras of 1024x1024 pixels.
// usage: heatnuc side repetitions
#include "common.h"

#define CAMERAS 16
#define FRAMES 3             // different frames

// what is known of a pixel
struct Pixel {
    float gain, offset;      // from the last look at the shutter
    float drift, noise;      // how they change, and how far the counts scatter
    float blackBody[2];      // counts at both temperatures of calibration
    int dead, replacedBy;
};

__host__ __device__ inline unsigned stir(unsigned i, unsigned k)
{
    unsigned h = i * 2654435761u + k * 2246822519u;
    h ^= h >> 15; h *= 3266489917u; h ^= h >> 13;
    return h;
}
__host__ __device__ inline float gainOf(unsigned i) { return 0.9f + (float)(stir(i, 100) & 1023) * (0.2f / 1024.0f); }
__host__ __device__ inline float offsetOf(unsigned i) { return (float)(stir(i, 101) & 255) - 128.0f; }
__host__ __device__ inline unsigned short countOf(unsigned i, unsigned frame) { return (unsigned short)(6000 + (stir(i, frame) & 2047)); }
__host__ __device__ inline float degrees(unsigned short count, float gain, float offset, float shutter)
{
    return shutter + 0.02f * (gain * ((float)count - 7000.0f) + offset);
}

__global__ void warm_up(Pixel *pixel, float *gain, float *offset, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (pixel) {
        Pixel p = {gainOf(i), offsetOf(i), 0.001f, 2.0f, {6200.0f, 7800.0f}, 0, i};
        pixel[i] = p;
    } else {
        gain[i] = gainOf(i);
        offset[i] = offsetOf(i);
    }
}
__global__ void look(unsigned short *raw, int n, int frame)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) raw[i] = countOf(i, frame);
}

#ifdef GOOD
__global__ void __launch_bounds__(256) to_degrees(const ushort4 *__restrict__ raw, const float4 *__restrict__ gain,
                                                  const float4 *__restrict__ offset, float4 *__restrict__ out, float shutter, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    ushort4 r = raw[i];
    float4 g = gain[i], o = offset[i];
    out[i] = make_float4(degrees(r.x, g.x, o.x, shutter), degrees(r.y, g.y, o.y, shutter),
                         degrees(r.z, g.z, o.z, shutter), degrees(r.w, g.w, o.w, shutter));
}
#else
__global__ void __launch_bounds__(256) to_degrees(const unsigned short *__restrict__ raw, const Pixel *__restrict__ pixel,
                                                  float *__restrict__ out, float shutter, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = degrees(raw[i], pixel[i].gain, pixel[i].offset, shutter);
}
#endif

int main(int argc, char **argv)
{
    const int side = (argc > 1 ? atoi(argv[1]) : 1024) / 4 * 4, reps = argc > 2 ? atoi(argv[2]) : 5500;
    const int n = CAMERAS * side * side, blocks = (n + 255) / 256;
    unsigned short *raw[FRAMES]; float *out;
    for (int f = 0; f < FRAMES; ++f) {
        CK(cudaMalloc(&raw[f], n * sizeof(unsigned short)));
        look<<<blocks, 256>>>(raw[f], n, f);
    }
    CK(cudaMalloc(&out, n * sizeof(float)));
    float shutter = 0.0f;
#ifdef GOOD
    float *gain, *offset;
    CK(cudaMalloc(&gain, n * sizeof(float)));
    CK(cudaMalloc(&offset, n * sizeof(float)));
    warm_up<<<blocks, 256>>>(nullptr, gain, offset, n);
#else
    Pixel *pixel;
    CK(cudaMalloc(&pixel, n * sizeof(Pixel)));
    warm_up<<<blocks, 256>>>(pixel, nullptr, nullptr, n);
#endif
    for (int r = 0; r < reps; ++r) {
        shutter = 21.0f + 0.1f * (float)(r % 8);
#ifdef GOOD
        to_degrees<<<(n / 4 + 255) / 256, 256>>>((const ushort4 *)raw[r % FRAMES], (const float4 *)gain, (const float4 *)offset,
                                                 (float4 *)out, shutter, n / 4);
#else
        to_degrees<<<blocks, 256>>>(raw[r % FRAMES], pixel, out, shutter, n);
#endif
    }
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int i = 0; i < n; i += 331)
        ok = ok && fabsf(got[i] - degrees(countOf(i, (reps - 1) % FRAMES), gainOf(i), offsetOf(i), shutter)) < 1e-2f;
    printf("first pixel %.2f degrees, last %.2f\n", got[0], got[n - 1]);
    for (int f = 0; f < FRAMES; ++f) CK(cudaFree(raw[f]));
    CK(cudaFree(out));
#ifdef GOOD
    CK(cudaFree(gain)); CK(cudaFree(offset));
#else
    CK(cudaFree(pixel));
#endif
    return report(ok);
}

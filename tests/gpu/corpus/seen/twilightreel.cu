// Time-lapse of a town at dusk: each frame is lit by street lamps that come on one after the other and by the sky;
// the frames go to the host as RGBA bytes for the encoder.
// usage: twilightreel width height frames
#include "common.h"

#define LAMPS 224
#define THREADS 256
#define SLOTS 4              // frames that the encoder holds

__host__ __device__ inline float lampPower(float onset, float strength, float when)
{
    float s = (when - onset) * 0.05f;                    // lamps warm up over 20 frames
    s = s < 0.0f ? 0.0f : s > 1.0f ? 1.0f : s;
    return strength * s;
}

__host__ __device__ inline float skyLight(float y, float when) { return (40.0f + 60.0f * y) / (1.0f + 0.01f * when); }

__host__ __device__ inline unsigned char tone(float v)
{
    v = v < 0.0f ? 0.0f : v > 255.0f ? 255.0f : v;
    return (unsigned char)(v + 0.5f);
}

// lamp: x, y, onset, strength
__global__ void __launch_bounds__(THREADS) expose(const float4 *__restrict__ lamp, uchar4 *__restrict__ frame, int width,
                                                  int height, float when)
{
    __shared__ float4 lit[LAMPS];
    for (int k = threadIdx.x; k < LAMPS; k += THREADS) {
        float4 l = lamp[k];
        lit[k] = make_float4(l.x, l.y, lampPower(l.z, l.w, when), 40.0f + 2.0f * (float)(k % 16));
    }
    __syncthreads();
    const int x = blockIdx.x * THREADS + threadIdx.x, y = blockIdx.y;
    if (x >= width) return;
    float light = 0.0f;
    #pragma unroll 8
    for (int k = 0; k < LAMPS; ++k) {
        float4 l = lit[k];
        float dx = (float)x - l.x, dy = (float)y - l.y;
        light += __fdividef(l.z, dx * dx + (dy * dy + l.w));
    }
    float sky = skyLight((float)y / (float)height, when);
    frame[(size_t)y * width + x] = make_uchar4(tone(light + sky), tone(0.8f * light + 0.9f * sky),
                                               tone(0.4f * light + 1.2f * sky), 255);
}

int main(int argc, char **argv)
{
    const int width = argc > 1 ? atoi(argv[1]) : 4096, height = argc > 2 ? atoi(argv[2]) : 2048;
    const int frames = argc > 3 ? atoi(argv[3]) : 900;
    const size_t n = (size_t)width * height;
    std::vector<float4> lamp(LAMPS);
    unsigned s = 1893;
    for (auto &l : lamp) {
        l.x = width * frand(s); l.y = height * frand(s);
        l.z = 300.0f * frand(s); l.w = 2000.0f + 8000.0f * frand(s);
    }
#ifdef GOOD
    const int lanes = 2;
#else
    const int lanes = 1;
#endif
    float4 *dlamp; uchar4 *frame[lanes], *host[SLOTS];
    cudaStream_t stream[lanes];
    CK(cudaMalloc(&dlamp, LAMPS * sizeof(float4)));
    CK(cudaMemcpy(dlamp, lamp.data(), LAMPS * sizeof(float4), cudaMemcpyHostToDevice));
    for (int k = 0; k < lanes; ++k) {
        CK(cudaMalloc(&frame[k], n * sizeof(uchar4)));
        CK(cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking));
    }
    for (int k = 0; k < SLOTS; ++k) CK(cudaMallocHost(&host[k], n * sizeof(uchar4)));
    CK(cudaDeviceSynchronize());
    for (int f = 0; f < frames; ++f) {
        const int lane = f % lanes;
        expose<<<dim3((width + THREADS - 1) / THREADS, height), THREADS, 0, stream[lane]>>>(dlamp, frame[lane], width,
                                                                                              height, (float)f);
        CK(cudaMemcpyAsync(host[f % SLOTS], frame[lane], n * sizeof(uchar4), cudaMemcpyDeviceToHost, stream[lane]));
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    double mean = 0;
    for (int f = std::max(0, frames - SLOTS); f < frames; ++f)
        for (int q = 0; q < 300; ++q) {
            int x = (int)(q * 7919ll % width), y = (int)((long long)q * (height - 1) / 299);
            double light = 0;
            for (int k = 0; k < LAMPS; ++k) {
                double dx = x - lamp[k].x, dy = y - lamp[k].y;
                light += lampPower(lamp[k].z, lamp[k].w, (float)f) / (dx * dx + dy * dy + 40.0 + 2.0 * (k % 16));
            }
            double sky = skyLight((float)y / height, (float)f);
            uchar4 p = host[f % SLOTS][(size_t)y * width + x];
            ok = ok && abs((int)p.x - (int)tone((float)(light + sky))) <= 1
                    && abs((int)p.y - (int)tone((float)(0.8 * light + 0.9 * sky))) <= 1
                    && abs((int)p.z - (int)tone((float)(0.4 * light + 1.2 * sky))) <= 1 && p.w == 255;
            mean += p.y / 300.0;
        }
    printf("mean green of the last frames: %.2f\n", mean / SLOTS);
    for (int k = 0; k < lanes; ++k) { CK(cudaFree(frame[k])); CK(cudaStreamDestroy(stream[k])); }
    for (int k = 0; k < SLOTS; ++k) CK(cudaFreeHost(host[k]));
    CK(cudaFree(dlamp));
    return report(ok);
}

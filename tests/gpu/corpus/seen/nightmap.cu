// A night-vision look: dark pixels are lifted, bright ones compressed.
//   nightmap [frames]
#include "common.h"

const int W = 8192, H = 8192;

__host__ __device__ inline float light(int i)
{
    unsigned h = i * 2654435761u;
    h ^= h >> 16; h *= 0x45d9f3bu; h ^= h >> 16;
    return (h & 0xffff) * (1.0f / 65536);
}

__global__ void expose(float *p)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < W * H; i += gridDim.x * blockDim.x) p[i] = light(i);
}

__host__ __device__ inline float tone(float v)
{
#ifndef GOOD
    if (v < 0.3f) {
        float u = v * 2.4f;
        return u + 0.02f * u * u * (1 - u);
    } else {
        float u = 1 - v;
        return 1 - u * (0.4f - 0.0093878f * (u * u - 0.49f));
    }
#else
    float a = v * 2.4f, b = 1 - v;
    float low = a + 0.02f * a * a * (1 - a), high = 1 - b * (0.4f - 0.0093878f * (b * b - 0.49f));
    return v < 0.3f ? low : high;
#endif
}

__global__ void night(const float4 *__restrict__ in, float4 *__restrict__ out)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < W * H / 4; i += gridDim.x * blockDim.x) {
        float4 v = in[i];
        out[i] = make_float4(tone(v.x), tone(v.y), tone(v.z), tone(v.w));
    }
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 150;
    float *in, *out;
    CK(cudaMalloc(&in, (size_t)W * H * sizeof(float)));
    CK(cudaMalloc(&out, (size_t)W * H * sizeof(float)));
    expose<<<1056, 256>>>(in);
    for (int f = 0; f < frames; f++) night<<<1056, 256>>>((const float4 *)in, (float4 *)out);
    CK(cudaGetLastError());
    std::vector<float> h((size_t)W * H);
    CK(cudaMemcpy(h.data(), out, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    double sum = 0;
    for (int i = 0; i < W * H; i += 61) {
        ok = ok && fabsf(h[i] - tone(light(i))) < 1e-5f;
        sum += h[i];
    }
    printf("mean %.4f\n", sum / (W * H / 61));
    return report(ok && sum > 0);
}

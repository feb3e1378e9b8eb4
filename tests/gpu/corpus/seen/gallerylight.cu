// Ray tracer: direct light of 24 lamps at the hit points of a wavefront, five kinds of material.
#include "common.h"

const int LAMPS = 24;

__host__ __device__ static inline void lamp(int k, float &x, float &y, float &z)
{
    x = 0.08f * k - 0.9f; y = 0.05f * (k % 7) - 0.15f; z = 1.0f - 0.02f * k;
}
__host__ __device__ static inline float matte(float4 n)
{
    float s = 0, x, y, z;
    for (int k = 0; k < LAMPS; k++) {
        lamp(k, x, y, z);
        float c = n.x * x + n.y * y + n.z * z;
        s += fmaxf(c, 0.0f) / (1.0f + 0.45f * sqrtf(fmaxf(1.0f - c * c, 0.0f)));
    }
    return s * n.w;
}
__host__ __device__ static inline float plastic(float4 n)
{
    float s = 0, x, y, z;
    for (int k = 0; k < LAMPS; k++) {
        lamp(k, x, y, z);
        float c = fmaxf(n.x * x + n.y * y + n.z * (z + 0.5f), 0.01f);
        s += 0.2f * c + powf(c * 0.8f, 12.0f + k);
    }
    return s * n.w;
}
__host__ __device__ static inline float metal(float4 n)
{
    float s = 0, x, y, z;
    for (int k = 0; k < LAMPS; k++) {
        lamp(k, x, y, z);
        float c = n.x * x + n.y * y + n.z * z, a = 0.2f + 0.01f * k;
        float d = c * c * (a - 1.0f) + 1.0f, f = 1.0f - fabsf(c) * 0.5f;
        s += a / (3.14159f * d * d) * (0.9f + 0.1f * f * f * f * f * f) / (fabsf(c) + a);
    }
    return s * n.w;
}
__host__ __device__ static inline float marble(float4 n)
{
    float s = 0, f = 1.0f;
    for (int k = 0; k < LAMPS; k++) {
        s += sinf(f * n.x + 2.0f * n.y + k) / (1.0f + 0.3f * k);
        f *= 1.15f;
    }
    return (2.0f + s) * n.w;
}
__host__ __device__ static inline float glass(float4 n)
{
    float s = 0, x, y, z;
    for (int k = 0; k < LAMPS; k++) {
        lamp(k, x, y, z);
        float c = fabsf(n.x * x + n.y * y + n.z * z) + 0.05f;
        s += expf(-c * (1.0f + 0.1f * k)) * logf(1.0f + c);
    }
    return s * n.w;
}
__host__ __device__ static inline float shade_one(int material, float4 n)
{
    switch (material) {
    case 0: return matte(n);
    case 1: return plastic(n);
    case 2: return metal(n);
    case 3: return marble(n);
    default: return glass(n);
    }
}

__global__ void shade(const float4 *__restrict__ normal, const int *__restrict__ material, float *__restrict__ light, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) light[i] = shade_one(material[i], normal[i]);
}

__global__ void hits(float4 *normal, int *material, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = i * 2654435761u;
    h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 13;
    float x = (h & 1023) / 512.0f - 1.0f, y = (h >> 10 & 1023) / 512.0f - 1.0f;
    float l = rsqrtf(x * x + y * y + 1.0f);
    normal[i] = make_float4(x * l, y * l, l, 0.5f + (h >> 20) / 8192.0f);
#ifdef GOOD
    material[i] = (int)((long long)i * 5 / n);      // the wavefront is binned by material
#else
    material[i] = (h >> 3) % 5;
#endif
}

int main(int argc, char **argv)
{
    int waves = argc > 1 ? atoi(argv[1]) : 150;
    const int n = 4 << 20;
    float4 *normal;
    int *material;
    float *light;
    CK(cudaMalloc(&normal, n * sizeof(float4)));
    CK(cudaMalloc(&material, n * sizeof(int)));
    CK(cudaMalloc(&light, n * sizeof(float)));
    hits<<<n / 256, 256>>>(normal, material, n);
    CK(cudaGetLastError());
    for (int w = 0; w < waves; w++) shade<<<n / 256, 256>>>(normal, material, light, n);
    CK(cudaGetLastError());
    std::vector<float4> hn(n);
    std::vector<int> hm(n);
    std::vector<float> hl(n);
    CK(cudaMemcpy(hn.data(), normal, n * sizeof(float4), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hm.data(), material, n * sizeof(int), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hl.data(), light, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i += 3001)
        if (!close_to(hl[i], shade_one(hm[i], hn[i]), 5e-3)) ok = false;
    CK(cudaFree(normal)); CK(cudaFree(material)); CK(cudaFree(light));
    return report(ok);
}

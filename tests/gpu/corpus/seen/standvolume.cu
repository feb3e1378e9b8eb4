// Forest inventory: basal area, stem volume and crown area of every district, from a laser survey of single trees.
// usage: standvolume trees-per-district repetitions
#include "common.h"

#define DISTRICTS 12
#define THREADS 1024
#ifdef GOOD
#define PARTS 44             // blocks that share a district
#else
#define PARTS 1
#endif

__host__ __device__ inline float4 treeOf(unsigned i)      // diameter (cm), height (m), crown radius (m), form factor
{
    unsigned h = i * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    float d = 8.0f + (float)(h & 1023) * 0.05f;
    return make_float4(d, 1.3f + 0.45f * d + (float)((h >> 10) & 63) * 0.1f, 0.8f + 0.04f * d, 0.42f + (float)((h >> 16) & 31) * 0.003f);
}

__host__ __device__ inline void measure(float4 t, float minimum, float3 &s)
{
    if (t.x < minimum) return;
    float basal = 0.7853982e-4f * t.x * t.x;
    s.x += basal;
    s.y += basal * t.y * t.w;
    s.z += 3.1415927f * t.z * t.z;
}

__global__ void survey(float4 *tree, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tree[i] = treeOf((unsigned)i);
}

__global__ void __launch_bounds__(THREADS) stock(const float4 *__restrict__ tree, float3 *__restrict__ sums, int perDistrict,
                                                 float minimum)
{
    __shared__ float3 part[THREADS / 32];
    const float4 *mine = tree + (size_t)blockIdx.y * perDistrict;
    float3 s = make_float3(0.0f, 0.0f, 0.0f);
    #pragma unroll 4
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < perDistrict; i += PARTS * THREADS) measure(mine[i], minimum, s);
    for (int o = 16; o; o >>= 1) {
        s.x += __shfl_xor_sync(0xffffffffu, s.x, o);
        s.y += __shfl_xor_sync(0xffffffffu, s.y, o);
        s.z += __shfl_xor_sync(0xffffffffu, s.z, o);
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = part[threadIdx.x];
        for (int o = 16; o; o >>= 1) {
            s.x += __shfl_xor_sync(0xffffffffu, s.x, o);
            s.y += __shfl_xor_sync(0xffffffffu, s.y, o);
            s.z += __shfl_xor_sync(0xffffffffu, s.z, o);
        }
        if (threadIdx.x == 0) sums[blockIdx.y * PARTS + blockIdx.x] = s;
    }
}

int main(int argc, char **argv)
{
    int per = argc > 1 ? atoi(argv[1]) : 786432, reps = argc > 2 ? atoi(argv[2]) : 4500;
    size_t n = (size_t)per * DISTRICTS;
    float4 *tree; float3 *sums;
    CK(cudaMalloc(&tree, n * sizeof(float4)));
    CK(cudaMalloc(&sums, DISTRICTS * PARTS * sizeof(float3)));
    survey<<<(unsigned)((n + 255) / 256), 256>>>(tree, n);
    float minimum = 0.0f;
    for (int r = 0; r < reps; ++r) {
        minimum = 10.02f + (float)(r % 20);              // smallest stem that is counted
        stock<<<dim3(PARTS, DISTRICTS), THREADS>>>(tree, sums, per, minimum);
    }
    CK(cudaGetLastError());
    std::vector<float3> got(DISTRICTS * PARTS);
    CK(cudaMemcpy(got.data(), sums, got.size() * sizeof(float3), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int d = 0; d < DISTRICTS; ++d) {
        double x = 0, y = 0, z = 0, wx = 0, wy = 0, wz = 0;
        for (int p = 0; p < PARTS; ++p) { x += got[d * PARTS + p].x; y += got[d * PARTS + p].y; z += got[d * PARTS + p].z; }
        if (d % 4) continue;
        for (int i = 0; i < per; ++i) {
            float3 one = make_float3(0.0f, 0.0f, 0.0f);
            measure(treeOf((unsigned)((size_t)d * per + i)), minimum, one);
            wx += one.x; wy += one.y; wz += one.z;
        }
        if (d == 0) printf("district 0: %.0f m2, %.0f m3, crowns %.0f m2\n", x, y, z);
        ok = ok && close_to(x, wx, 1e-3) && close_to(y, wy, 1e-3) && close_to(z, wz, 1e-3);
    }
    CK(cudaFree(tree)); CK(cudaFree(sums));
    return report(ok);
}

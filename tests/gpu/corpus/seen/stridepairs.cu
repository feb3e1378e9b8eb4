// Gait laboratory: largest joint-angle deviation between every pair of strides
// over the normalised gait cycle, worst joint of all recorded joints.
#include "common.h"

constexpr int STRIDES = 6144;    // recorded strides
constexpr int PHASES = 160;      // samples of one gait cycle
constexpr int JOINTS = 12;

// angle[(joint * PHASES + phase) * STRIDES + stride], degrees

#ifdef GOOD
constexpr int TILE = 64, STEP = 16, EACH = 4;

__global__ void __launch_bounds__(256) deviation(const float *__restrict__ angle,
                                                 float weight, float *__restrict__ worst)
{
    __shared__ __align__(16) float left[STEP][TILE];
    __shared__ __align__(16) float right[STEP][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    const int i0 = blockIdx.y * TILE, j0 = blockIdx.x * TILE;
    float m[EACH][EACH] = {};
    for (int p0 = 0; p0 < PHASES; p0 += STEP) {
        for (int e = t; e < STEP * TILE; e += 256) {
            int p = e / TILE, s = e % TILE;
            left[p][s] = angle[(size_t)(p0 + p) * STRIDES + i0 + s];
            right[p][s] = angle[(size_t)(p0 + p) * STRIDES + j0 + s];
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < STEP; p++) {
            float4 l = *(const float4 *)&left[p][ty * EACH];
            float4 r = *(const float4 *)&right[p][tx * EACH];
            float a[EACH] = {l.x, l.y, l.z, l.w}, b[EACH] = {r.x, r.y, r.z, r.w};
#pragma unroll
            for (int u = 0; u < EACH; u++)
#pragma unroll
                for (int v = 0; v < EACH; v++)
                    m[u][v] = fmaxf(m[u][v], fabsf(a[u] - b[v]));
        }
        __syncthreads();
    }
#pragma unroll
    for (int u = 0; u < EACH; u++) {
        float4 *cell = (float4 *)&worst[(size_t)(i0 + ty * EACH + u) * STRIDES + j0 + tx * EACH];
        float4 w = *cell;
        w.x = fmaxf(w.x, weight * m[u][0]);
        w.y = fmaxf(w.y, weight * m[u][1]);
        w.z = fmaxf(w.z, weight * m[u][2]);
        w.w = fmaxf(w.w, weight * m[u][3]);
        *cell = w;
    }
}
#else
__global__ void __launch_bounds__(256) deviation(const float *__restrict__ angle,
                                                 float weight, float *__restrict__ worst)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= STRIDES || j >= STRIDES) return;
    float m = 0.0f;
#pragma unroll 8
    for (int p = 0; p < PHASES; p++) {
        float a = angle[(size_t)p * STRIDES + i];
        float b = angle[(size_t)p * STRIDES + j];
        m = fmaxf(m, fabsf(a - b));
    }
    size_t cell = (size_t)i * STRIDES + j;
    worst[cell] = fmaxf(worst[cell], weight * m);
}
#endif

int main()
{
    const size_t perJoint = (size_t)PHASES * STRIDES;
    const size_t pairs = (size_t)STRIDES * STRIDES;
    std::vector<float> angle(perJoint * JOINTS), weight(JOINTS);
    unsigned seed = 5150u;
    std::vector<float> offset(STRIDES);
    for (int g = 0; g < JOINTS; g++) {
        weight[g] = 0.5f + 0.125f * g;
        for (auto &o : offset) o = 6.0f * frand(seed);
        for (int p = 0; p < PHASES; p++) {
            float base = 30.0f * sinf(6.2831853f * p / PHASES + 0.4f * g);
            for (int s = 0; s < STRIDES; s++)
                angle[g * perJoint + (size_t)p * STRIDES + s] = base + offset[s] + 3.0f * frand(seed);
        }
    }

    float *dAngle, *dWorst;
    CK(cudaMalloc(&dAngle, angle.size() * sizeof(float)));
    CK(cudaMalloc(&dWorst, pairs * sizeof(float)));
    CK(cudaMemcpy(dAngle, angle.data(), angle.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemset(dWorst, 0, pairs * sizeof(float)));
#ifdef GOOD
    dim3 block(16, 16), grid(STRIDES / TILE, STRIDES / TILE);
#else
    dim3 block(32, 8), grid(STRIDES / 32, STRIDES / 8);
#endif
    for (int g = 0; g < JOINTS; g++) {
        deviation<<<grid, block>>>(dAngle + g * perJoint, weight[g], dWorst);
        CK(cudaGetLastError());
    }
    std::vector<float> worst(pairs);
    CK(cudaMemcpy(worst.data(), dWorst, pairs * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 4000; q++) {
        int i = lcg(seed) % STRIDES, j = lcg(seed) % STRIDES;
        float ref = 0.0f;
        for (int g = 0; g < JOINTS; g++)
            for (int p = 0; p < PHASES; p++) {
                const float *row = &angle[g * perJoint + (size_t)p * STRIDES];
                ref = std::max(ref, weight[g] * fabsf(row[i] - row[j]));
            }
        if (!close_to(worst[(size_t)i * STRIDES + j], ref, 1e-5)) ok = false;
    }
    CK(cudaFree(dAngle));
    CK(cudaFree(dWorst));
    return report(ok);
}

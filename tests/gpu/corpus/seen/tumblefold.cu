// Gymnastics: joint angles of the gymnasts of a competition from motion capture. For every frame and joint the angle
// at the middle of three markers (hip, knee, ankle) is worked out; coordinates are kept in arrays of their own.
//   tumblefold [passes]
#include "common.h"

#define FRAMES (1u << 24)            // joints times frames

__host__ __device__ inline float jitter(unsigned i, unsigned what)
{
    unsigned h = i * 9u + what;
    h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u; h ^= h >> 16;
    return (float)(h >> 8) * (2.0f / 16777216.0f) - 1.0f;
}
// coordinate axis of a marker (0 hip, 1 knee, 2 ankle), metres
__host__ __device__ inline float marker(unsigned i, unsigned m, unsigned axis)
{
    return 0.1f * jitter(i, 3 * m + axis) + (axis == 2 ? 0.45f * (2.0f - m) : 0.12f * (m == 1));
}

struct Markers { float *at[9]; };

__global__ void capture(Markers all)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= FRAMES) return;
    for (unsigned k = 0; k < 9; ++k) all.at[k][i] = marker(i, k / 3, k % 3);
}

__device__ __forceinline__ float angle(float ax, float ay, float az, float bx, float by, float bz, float cx, float cy, float cz)
{
    float ux = ax - bx, uy = ay - by, uz = az - bz, vx = cx - bx, vy = cy - by, vz = cz - bz;
    float dot = ux * vx + uy * vy + uz * vz;
    float uu = ux * ux + uy * uy + uz * uz, vv = vx * vx + vy * vy + vz * vz;
#ifdef GOOD
    // arc cosine by a short polynomial (Abramowitz and Stegun 4.4.45), no division
    float c = dot * rsqrtf(uu * vv), a = fabsf(c);
    float p = fmaf(fmaf(fmaf(-0.0187293f, a, 0.0742610f), a, -0.2121144f), a, 1.5707288f) * __fsqrt_rn(fmaxf(1.0f - a, 0.0f));
    return c < 0.0f ? 3.14159265f - p : p;
#else
    return acosf(fminf(fmaxf(dot / sqrtf(uu * vv), -1.0f), 1.0f));
#endif
}

__global__ void __launch_bounds__(256) fold(Markers all, float4 *__restrict__ out)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    float4 m[9], r;
    #pragma unroll
    for (int k = 0; k < 9; ++k) m[k] = __ldg((const float4 *)all.at[k] + i);
    #define ANGLE(q) angle(m[0].q, m[1].q, m[2].q, m[3].q, m[4].q, m[5].q, m[6].q, m[7].q, m[8].q)
    r.x = ANGLE(x);
    r.y = ANGLE(y);
    r.z = ANGLE(z);
    r.w = ANGLE(w);
    out[i] = r;
}

int main(int argc, char **argv)
{
    int passes = argc > 1 ? atoi(argv[1]) : 6000;
    Markers all;
    float *out;
    for (int k = 0; k < 9; ++k) CK(cudaMalloc(&all.at[k], FRAMES * sizeof(float)));
    CK(cudaMalloc(&out, FRAMES * sizeof(float)));
    capture<<<FRAMES / 256, 256>>>(all);
    for (int p = 0; p < passes; ++p) fold<<<FRAMES / 4 / 256, 256>>>(all, (float4 *)out);
    CK(cudaGetLastError());
    std::vector<float> r(FRAMES);
    CK(cudaMemcpy(r.data(), out, FRAMES * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    double mean = 0;
    unsigned samples = 0;
    for (unsigned i = 0; i < FRAMES; i += 1511) {
        double u[3], v[3], uv = 0, uu = 0, vv = 0;
        for (unsigned x = 0; x < 3; ++x) {
            u[x] = marker(i, 0, x) - marker(i, 1, x);
            v[x] = marker(i, 2, x) - marker(i, 1, x);
            uv += u[x] * v[x]; uu += u[x] * u[x]; vv += v[x] * v[x];
        }
        double want = acos(std::min(std::max(uv / sqrt(uu * vv), -1.0), 1.0));
        ok = ok && fabs(r[i] - want) < 3e-3;
        mean += r[i];
        ++samples;
    }
    printf("mean angle: %.1f degrees\n", mean / samples * 57.29578);
    for (int k = 0; k < 9; ++k) CK(cudaFree(all.at[k]));
    CK(cudaFree(out));
    return report(ok);
}

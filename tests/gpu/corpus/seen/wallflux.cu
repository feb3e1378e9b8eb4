// Free-molecular flow in a thin channel: particles fly, bounce off the two walls, and each bounce hands momentum
// to one of the 64 segments of the wall it hits. Tallies per segment accumulate over the steps.
#include "common.h"

#define SEG 64
#define DEPTH 1.0f

__host__ __device__ static inline float4 born(unsigned i)
{
    unsigned a = i * 2654435761u; a ^= a >> 15; a *= 0x85ebca6bu; a ^= a >> 13;
    unsigned b = a * 0xc2b2ae35u + i; b ^= b >> 16;
    unsigned c = b * 0x27d4eb2fu + 77u; c ^= c >> 15;
    const float s = 1.0f / 16777216.0f;
    float vy = 0.2f + 0.6f * ((c >> 8) * s);
    return make_float4((a >> 8) * s, DEPTH * ((b >> 8) * s), 0.01f + 0.02f * ((c & 255u) / 256.0f), (a & 1u) ? vy : -vy);
}

__global__ void inject(float4 *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = born(i);
}

// moves a particle by one step; returns the segment it struck (0..63 lower wall, 64..127 upper wall) or -1
__host__ __device__ static inline int fly(float4 &q)
{
    q.x += q.z;
    if (q.x >= 1.0f) q.x -= 1.0f;
    q.y += q.w;
    int hit = -1, seg = (int)(q.x * SEG);
    if (seg > SEG - 1) seg = SEG - 1;
    if (q.y < 0.0f) { q.y = -q.y; q.w = -q.w; hit = seg; }
    else if (q.y > DEPTH) { q.y = 2.0f * DEPTH - q.y; q.w = -q.w; hit = SEG + seg; }
    return hit;
}

__global__ void step_and_tally(float4 *p, int n, float *flux)
{
#ifdef GOOD
    __shared__ float part[2 * SEG];
    for (int k = threadIdx.x; k < 2 * SEG; k += blockDim.x) part[k] = 0;
    __syncthreads();
    float *to = part;
#else
    float *to = flux;
#endif
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 q = p[i];
        int hit = fly(q);
        if (hit >= 0) atomicAdd(&to[hit], 2.0f * fabsf(q.w));
        p[i] = q;
    }
#ifdef GOOD
    __syncthreads();
    for (int k = threadIdx.x; k < 2 * SEG; k += blockDim.x) atomicAdd(&flux[k], part[k]);
#endif
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 200;
    const int n = argc > 2 ? atoi(argv[2]) : 8 << 20;
    float4 *p;
    float *flux;
    CK(cudaMalloc(&p, (size_t)n * sizeof(float4)));
    CK(cudaMalloc(&flux, 2 * SEG * sizeof(float)));
    inject<<<(n + 255) / 256, 256>>>(p, n);
    CK(cudaGetLastError());
    int sms = 1;
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));

    bool ok = true;
    std::vector<float> h(2 * SEG);
    for (int s = 0; s < steps; s++) {
        CK(cudaMemsetAsync(flux, 0, 2 * SEG * sizeof(float)));
        step_and_tally<<<sms * 8, 256>>>(p, n, flux);
        CK(cudaGetLastError());
        if (s == 0) {                                       // the first step is repeated on the CPU
            CK(cudaMemcpy(h.data(), flux, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
            std::vector<double> want(2 * SEG, 0.0);
            for (int i = 0; i < n; i++) {
                float4 q = born(i);
                int hit = fly(q);
                if (hit >= 0) want[hit] += 2.0 * fabsf(q.w);
            }
            for (int k = 0; k < 2 * SEG; k++)
                if (fabs(h[k] - want[k]) > 0.01 * want[k] + 3.0) { printf("segment %d: %g, %g\n", k, h[k], want[k]); ok = false; }
        }
    }
    CK(cudaMemcpy(h.data(), flux, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    double lower = 0, upper = 0;
    for (int k = 0; k < SEG; k++) { lower += h[k]; upper += h[SEG + k]; }
    printf("momentum to the walls in the last step: %.4g below, %.4g above\n", lower, upper);
    if (!(lower > 0 && upper > 0)) ok = false;
    CK(cudaFree(p));
    CK(cudaFree(flux));
    return report(ok);
}

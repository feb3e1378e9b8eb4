// Epidemiology: weekly alert grade of every map cell, from reported cases, population, the reporting delay and last
// year's grade. Eight weeks are kept on the card and gone through again and again.
//   casegrade [passes]
#include "common.h"

const int N = 1 << 25, WEEKS = 8;

__host__ __device__ static inline float draw(unsigned i, unsigned what)
{
    unsigned h = i * 2654435761u + what * 0x9e3779b9u;
    h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 12; h *= 0x297a2d39u; h ^= h >> 15;
    return (float)(h >> 12) * (1.0f / 1048576.0f);
}
__host__ __device__ static inline float cases_of(unsigned i, int week) { return 40.0f * draw(i, 10 + week); }
__host__ __device__ static inline float inverse_pop(unsigned i) { return 0.001f + 0.01f * draw(i, 1); }
__host__ __device__ static inline float delay_of(unsigned i) { return 1.0f + 0.5f * draw(i, 2); }
__host__ __device__ static inline float before_of(unsigned i) { return draw(i, 3); }

__global__ void survey(float *cases, float *ipop, float *delay, float *before, int week)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    cases[i] = cases_of(i, week);
    ipop[i] = inverse_pop(i);
    delay[i] = delay_of(i);
    before[i] = before_of(i);
}

__device__ static inline float4 by(float4 a, float4 b) { return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }
__device__ static inline float4 curb(float4 a)
{
    return make_float4(fminf(a.x, 0.3f) + 0.1f * a.x, fminf(a.y, 0.3f) + 0.1f * a.y,
                       fminf(a.z, 0.3f) + 0.1f * a.z, fminf(a.w, 0.3f) + 0.1f * a.w);
}
__device__ static inline float4 mix(float4 a, float4 b)
{
    return make_float4(0.7f * a.x + 0.3f * b.x, 0.7f * a.y + 0.3f * b.y, 0.7f * a.z + 0.3f * b.z, 0.7f * a.w + 0.3f * b.w);
}

#ifndef GOOD
__global__ void incidence(const float4 *__restrict__ cases, const float4 *__restrict__ ipop, float4 *__restrict__ rate)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    rate[i] = by(cases[i], ipop[i]);
}

__global__ void nowcast(const float4 *__restrict__ rate, const float4 *__restrict__ delay, float4 *__restrict__ full)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    full[i] = by(rate[i], delay[i]);
}

__global__ void dampen(const float4 *__restrict__ full, float4 *__restrict__ soft)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    soft[i] = curb(full[i]);
}

__global__ void grade(const float4 *__restrict__ soft, const float4 *__restrict__ before, float4 *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = mix(soft[i], before[i]);
}
#else
__global__ void alert(const float4 *__restrict__ cases, const float4 *__restrict__ ipop, const float4 *__restrict__ delay,
                      const float4 *__restrict__ before, float4 *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = mix(curb(by(by(cases[i], ipop[i]), delay[i])), before[i]);
}
#endif

int main(int argc, char **argv)
{
    int passes = argc > 1 ? atoi(argv[1]) : 1600;
    const size_t bytes = (size_t)N * sizeof(float);
    float *cases[WEEKS], *ipop, *delay, *before, *out;
    for (int w = 0; w < WEEKS; w++) CK(cudaMalloc(&cases[w], bytes));
    CK(cudaMalloc(&ipop, bytes));
    CK(cudaMalloc(&delay, bytes));
    CK(cudaMalloc(&before, bytes));
    CK(cudaMalloc(&out, bytes));
    for (int w = 0; w < WEEKS; w++) survey<<<N / 256, 256>>>(cases[w], ipop, delay, before, w);
    const int blocks = N / 4 / 256;
    const float4 *p4 = (const float4 *)ipop, *d4 = (const float4 *)delay, *b4 = (const float4 *)before;
    float4 *o4 = (float4 *)out;
#ifndef GOOD
    float4 *s, *t;
    CK(cudaMalloc(&s, bytes));
    CK(cudaMalloc(&t, bytes));
#endif
    for (int p = 0; p < passes; p++) {
        const float4 *c4 = (const float4 *)cases[p % WEEKS];
#ifndef GOOD
        incidence<<<blocks, 256>>>(c4, p4, s);
        nowcast<<<blocks, 256>>>(s, d4, t);
        dampen<<<blocks, 256>>>(t, s);
        grade<<<blocks, 256>>>(s, b4, o4);
#else
        alert<<<blocks, 256>>>(c4, p4, d4, b4, o4);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<float> h(1 << 20);
    const unsigned off = N / 2 + 12345;
    CK(cudaMemcpy(h.data(), out + off, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (unsigned k = 0; k < h.size(); k += 77) {
        double full = (double)cases_of(off + k, (passes - 1) % WEEKS) * inverse_pop(off + k) * delay_of(off + k);
        double want = 0.7 * (std::min(full, 0.3) + 0.1 * full) + 0.3 * before_of(off + k);
        ok = ok && close_to(h[k], want, 1e-4);
    }
    printf("a cell's grade: %.4f\n", h[0]);
    return report(ok);
}

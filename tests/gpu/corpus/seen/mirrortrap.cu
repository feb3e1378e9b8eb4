// Ions in a magnetic mirror trap: Boris rotation in the field of the bottle, many small steps of
// every ion between two outputs.
#include "common.h"

#ifndef IONS
#define IONS (1 << 21)
#endif
#ifdef GOOD
const int TPB = 128;
#else
const int TPB = 256;
#endif
const int SUBSTEPS = 200;
const float CURVE = 0.01f, DT = 0.05f;

template <typename R> struct Ion { R x, y, z, u, v, w; };

__device__ inline float over(float a, float b) { return __fdividef(a, b); }
static inline double over(double a, double b) { return a / b; }

#define BORIS(R, ion) do { \
    R h = R(0.5) * R(DT), c = R(CURVE) * ion.z; \
    R bx = -h * c * ion.x, by = -h * c * ion.y, bz = h + h * c * ion.z; \
    R s = over(R(2), R(1) + bx * bx + by * by + bz * bz); \
    R pu = ion.u + ion.v * bz - ion.w * by, pv = ion.v + ion.w * bx - ion.u * bz, pw = ion.w + ion.u * by - ion.v * bx; \
    ion.u += s * (pv * bz - pw * by); \
    ion.v += s * (pw * bx - pu * bz); \
    ion.w += s * (pu * by - pv * bx); \
    ion.x += R(DT) * ion.u; \
    ion.y += R(DT) * ion.v; \
    ion.z += R(DT) * ion.w; \
} while (0)

__global__ void __launch_bounds__(TPB) fly(float4 *place, float2 *cross)
{
    int i = blockIdx.x * TPB + threadIdx.x;
    float4 p = place[i];
    float2 q = cross[i];
    Ion<float> ion = {p.x, p.y, p.z, p.w, q.x, q.y};
#pragma unroll 4
    for (int k = 0; k < SUBSTEPS; k++) BORIS(float, ion);
    place[i] = make_float4(ion.x, ion.y, ion.z, ion.u);
    cross[i] = make_float2(ion.v, ion.w);
}

__global__ void energies(const float4 *__restrict__ place, const float2 *__restrict__ cross, double *sum, int n)
{
    double e = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float u = place[i].w;
        float2 q = cross[i];
        e += 0.5f * (u * u + q.x * q.x + q.y * q.y);
    }
    for (int d = 16; d > 0; d >>= 1) e += __shfl_xor_sync(0xffffffffu, e, d);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, e);
}

int main(int argc, char **argv)
{
    int outputs = argc > 1 ? atoi(argv[1]) : 3400;
    const int n = IONS;
    std::vector<float4> hp(n);
    std::vector<float2> hq(n);
    unsigned seed = 1957;
    double energy = 0, now;
    for (int i = 0; i < n; i++) {
        float pitch = 0.8f + 0.6f * frand(seed), turn = 6.2831853f * (i & 1023) / 1024.0f;
        hp[i] = make_float4(frand(seed) - 0.5f, frand(seed) - 0.5f, 2.0f * frand(seed) - 1.0f, sinf(pitch) * cosf(turn));
        hq[i] = make_float2(sinf(pitch) * sinf(turn), cosf(pitch));
        energy += 0.5 * ((double)hp[i].w * hp[i].w + (double)hq[i].x * hq[i].x + (double)hq[i].y * hq[i].y);
    }
    float4 *place;
    float2 *cross;
    double *sum;
    CK(cudaMalloc(&place, n * sizeof(float4)));
    CK(cudaMalloc(&cross, n * sizeof(float2)));
    CK(cudaMalloc(&sum, sizeof(double)));
    CK(cudaMemcpy(place, hp.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(cross, hq.data(), n * sizeof(float2), cudaMemcpyHostToDevice));
    CK(cudaMemset(sum, 0, sizeof(double)));

    // some ions before and after the last stretch
    const int probes = 32;
    float4 p0[probes], p1;
    float2 q0[probes], q1;
    for (int k = 0; k < outputs; k++) {
        if (k == outputs - 1)
            for (int t = 0; t < probes; t++) {
                int i = (int)((size_t)t * (n - 1) / (probes - 1));
                CK(cudaMemcpy(&p0[t], place + i, sizeof(float4), cudaMemcpyDeviceToHost));
                CK(cudaMemcpy(&q0[t], cross + i, sizeof(float2), cudaMemcpyDeviceToHost));
            }
        fly<<<n / TPB, TPB>>>(place, cross);
    }
    energies<<<264, 256>>>(place, cross, sum, n);
    CK(cudaGetLastError());
    CK(cudaMemcpy(&now, sum, sizeof now, cudaMemcpyDeviceToHost));
    bool ok = fabs(now / energy - 1) < 0.1;
    for (int t = 0; t < probes; t++) {
        int i = (int)((size_t)t * (n - 1) / (probes - 1));
        CK(cudaMemcpy(&p1, place + i, sizeof(float4), cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(&q1, cross + i, sizeof(float2), cudaMemcpyDeviceToHost));
        Ion<double> ion = {p0[t].x, p0[t].y, p0[t].z, p0[t].w, q0[t].x, q0[t].y};
        for (int k = 0; k < SUBSTEPS; k++) BORIS(double, ion);
        ok = ok && close_to(p1.x, ion.x, 5e-3) && close_to(p1.y, ion.y, 5e-3) && close_to(p1.z, ion.z, 5e-3);
        ok = ok && close_to(p1.w, ion.u, 5e-3) && close_to(q1.x, ion.v, 5e-3) && close_to(q1.y, ion.w, 5e-3);
    }
    printf("energy %.6f of the start\n", now / energy);
    CK(cudaFree(place)); CK(cudaFree(cross)); CK(cudaFree(sum));
    return report(ok);
}

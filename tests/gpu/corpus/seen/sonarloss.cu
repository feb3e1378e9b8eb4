// Range of a sonar over an ocean model: from temperature and salinity follow the speed of sound, the absorption at the
// frequency of the sonar, the transmission loss to each cell and at last the signal above the noise.
// usage: sonarloss cellsInMillions settings
#include "common.h"

__host__ __device__ inline float soundSpeed(float t, float s, float depth)
{
    return 1449.2f + t * (4.6f + t * (-0.055f + t * 0.00029f)) + (1.34f - 0.01f * t) * (s - 35.0f) + 0.016f * depth;
}

__host__ __device__ inline float absorption(float t, float c, float f)
{
    float relax = 21.9f + 3.1f * t + 0.04f * t * t, f2 = f * f;
    return (0.11f * f2 / (1.0f + f2) + 66.0e3f * f2 / ((relax * relax + f2) * c)) * 0.001f;
}

__host__ __device__ inline float loss(float a, float range) { return 4.34294f * logf(range) + a * range; }

__host__ __device__ inline float excess(float tl, float noise, float source) { return fmaxf(source - tl - noise, 0.0f); }

#ifdef GOOD
__global__ void sonar(const float4 *__restrict__ temp, const float4 *__restrict__ salt, const float4 *__restrict__ range,
                      const float4 *__restrict__ noise, float4 *__restrict__ out, int n4, float depth, float f, float source)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 t = temp[i], s = salt[i], r = range[i], b = noise[i], o;
#define ONE(m) o.m = excess(loss(absorption(t.m, soundSpeed(t.m, s.m, depth), f), r.m), b.m, source)
    ONE(x); ONE(y); ONE(z); ONE(w);
#undef ONE
    out[i] = o;
}
#else
__global__ void sound_speed(const float4 *__restrict__ temp, const float4 *__restrict__ salt, float4 *__restrict__ speed,
                            int n4, float depth)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 t = temp[i], s = salt[i];
    speed[i] = make_float4(soundSpeed(t.x, s.x, depth), soundSpeed(t.y, s.y, depth),
                           soundSpeed(t.z, s.z, depth), soundSpeed(t.w, s.w, depth));
}

__global__ void absorb(const float4 *__restrict__ temp, const float4 *__restrict__ speed, float4 *__restrict__ alpha,
                       int n4, float f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 t = temp[i], c = speed[i];
    alpha[i] = make_float4(absorption(t.x, c.x, f), absorption(t.y, c.y, f), absorption(t.z, c.z, f), absorption(t.w, c.w, f));
}

__global__ void spread(const float4 *__restrict__ alpha, const float4 *__restrict__ range, float4 *__restrict__ tl, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 a = alpha[i], r = range[i];
    tl[i] = make_float4(loss(a.x, r.x), loss(a.y, r.y), loss(a.z, r.z), loss(a.w, r.w));
}

__global__ void signal_excess(const float4 *__restrict__ tl, const float4 *__restrict__ noise, float4 *__restrict__ out,
                              int n4, float source)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 l = tl[i], b = noise[i];
    out[i] = make_float4(excess(l.x, b.x, source), excess(l.y, b.y, source), excess(l.z, b.z, source), excess(l.w, b.w, source));
}
#endif

int main(int argc, char **argv)
{
    const int n = (int)((argc > 1 ? atof(argv[1]) : 32.0) * (1 << 20)) / 4 * 4, settings = argc > 2 ? atoi(argv[2]) : 1800;
    const size_t bytes = (size_t)n * sizeof(float);
    const int n4 = n / 4, sample = std::min(n, 1 << 20);         // the ocean repeats itself
    std::vector<float> temp(sample), salt(sample), range(sample), noise(sample), out(sample);
    unsigned s = 41;
    for (int i = 0; i < sample; ++i) {
        temp[i] = 2.0f + 24.0f * frand(s); salt[i] = 33.0f + 4.0f * frand(s);
        range[i] = 200.0f + 20000.0f * frand(s); noise[i] = 40.0f + 30.0f * frand(s);
    }
    float4 *dt, *ds, *dr, *dn, *dout;
    CK(cudaMalloc(&dt, bytes)); CK(cudaMalloc(&ds, bytes)); CK(cudaMalloc(&dr, bytes)); CK(cudaMalloc(&dn, bytes));
    CK(cudaMalloc(&dout, bytes));
    for (int from = 0; from < n; from += sample) {
        size_t part = (size_t)std::min(sample, n - from) * sizeof(float);
        CK(cudaMemcpy((float *)dt + from, temp.data(), part, cudaMemcpyHostToDevice));
        CK(cudaMemcpy((float *)ds + from, salt.data(), part, cudaMemcpyHostToDevice));
        CK(cudaMemcpy((float *)dr + from, range.data(), part, cudaMemcpyHostToDevice));
        CK(cudaMemcpy((float *)dn + from, noise.data(), part, cudaMemcpyHostToDevice));
    }
    const int blocks = (n4 + 255) / 256;
    float depth = 0, f = 0, source = 0;
#ifndef GOOD
    float4 *speed, *alpha, *tl;
    CK(cudaMalloc(&speed, bytes)); CK(cudaMalloc(&alpha, bytes)); CK(cudaMalloc(&tl, bytes));
#endif
    for (int k = 0; k < settings; ++k) {
        depth = 10.0f + (float)(k % 30) * 10.0f; f = 1.0f + 0.2f * (float)(k % 17); source = 180.0f + (float)(k % 7);
#ifdef GOOD
        sonar<<<blocks, 256>>>(dt, ds, dr, dn, dout, n4, depth, f, source);
#else
        sound_speed<<<blocks, 256>>>(dt, ds, speed, n4, depth);
        absorb<<<blocks, 256>>>(dt, speed, alpha, n4, f);
        spread<<<blocks, 256>>>(alpha, dr, tl, n4);
        signal_excess<<<blocks, 256>>>(tl, dn, dout, n4, source);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(out.data(), (float *)dout + (n - sample), sample * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int i = 0; i < sample; i += 37) {
        int j = (int)(((long long)n - sample + i) % sample);
        double c = soundSpeed(temp[j], salt[j], depth), a = absorption(temp[j], (float)c, f);
        double tl = 10.0 * log10((double)range[j]) + a * range[j];
        ok = ok && close_to(out[i], std::max(source - tl - noise[j], 0.0), 2e-3);
    }
    CK(cudaFree(dt)); CK(cudaFree(ds)); CK(cudaFree(dr)); CK(cudaFree(dn)); CK(cudaFree(dout));
#ifndef GOOD
    CK(cudaFree(speed)); CK(cudaFree(alpha)); CK(cudaFree(tl));
#endif
    printf("signal excess of the first cell: %.3f dB\n", out[0]);
    return report(ok);
}

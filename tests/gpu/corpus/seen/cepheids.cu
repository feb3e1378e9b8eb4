// Lomb periodogram of variable stars: for each star the power at a grid of trial
// frequencies from unevenly sampled magnitudes. One big launch.
#include "common.h"

__device__ float lombPower(const float *t, const float *m, int n, float w)
{
    float sc = 0.f, ss = 0.f, cc = 0.f;
    for (int i = 0; i < n; i++) {
        float s, c;
        __sincosf(w * t[i], &s, &c);
        sc += m[i] * c;
        ss += m[i] * s;
        cc += c * c;
    }
    float s2 = fmaxf(n - cc, 1e-3f);
    return 0.5f * (sc * sc / fmaxf(cc, 1e-3f) + ss * ss / s2);
}

#define NS 1024

// blockIdx.x is the star
__global__ void periodogram(const float *t, const float *m, float *power, int nf, float df)
{
    __shared__ float st[NS], sm[NS];
    int star = blockIdx.x;
    for (int i = threadIdx.x; i < NS; i += blockDim.x) {
        st[i] = t[star * NS + i];
        sm[i] = m[star * NS + i];
    }
    __syncthreads();
#ifdef GOOD
    int first = blockIdx.y * blockDim.x + threadIdx.x, step = gridDim.y * blockDim.x;
#else
    int first = threadIdx.x, step = blockDim.x;
#endif
    for (int f = first; f < nf; f += step)
        power[(size_t)star * nf + f] = lombPower(st, sm, NS, (f + 1) * df);
}

int main(int argc, char **argv)
{
    int passes = argc > 1 ? atoi(argv[1]) : 1;
    const int stars = 24, nf = 1 << 19;
    const float df = 1e-5f;
    std::vector<float> t(stars * NS), m(stars * NS);
    unsigned seed = 5;
    for (int s = 0; s < stars; s++) {
        float at = 0, w = 0.3f + 0.15f * s;
        for (int i = 0; i < NS; i++) {
            at += 0.02f + 0.05f * frand(seed);
            t[s * NS + i] = at;
            m[s * NS + i] = sinf(w * at) + 0.4f * (frand(seed) - 0.5f);
        }
    }
    float *dt, *dm, *dp;
    CK(cudaMalloc(&dt, t.size() * 4));
    CK(cudaMalloc(&dm, m.size() * 4));
    CK(cudaMalloc(&dp, (size_t)stars * nf * 4));
    CK(cudaMemcpy(dt, t.data(), t.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dm, m.data(), m.size() * 4, cudaMemcpyHostToDevice));
#ifdef GOOD
    dim3 grid(stars, 88);
#else
    dim3 grid(stars);
#endif
    for (int p = 0; p < passes; p++) periodogram<<<grid, 512>>>(dt, dm, dp, nf, df);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> p((size_t)stars * nf);
    CK(cudaMemcpy(p.data(), dp, p.size() * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int s = 1; s < stars; s += 5) {
        const float *ps = &p[(size_t)s * nf];
        int best = (int)(std::max_element(ps, ps + nf) - ps);
        ok = ok && fabs((best + 1) * df - (0.3 + 0.15 * s)) < 0.08;   // the period that was put in
        int f = 9001 + 977 * s;
        double sc = 0, ss = 0, cc = 0;
        for (int i = 0; i < NS; i++) {
            double w = (double)((f + 1) * df) * t[s * NS + i];
            sc += m[s * NS + i] * cos(w);
            ss += m[s * NS + i] * sin(w);
            cc += cos(w) * cos(w);
        }
        double want = 0.5 * (sc * sc / std::max(cc, 1e-3) + ss * ss / std::max(NS - cc, 1e-3));
        ok = ok && fabs(ps[f] - want) < 0.05 + 0.02 * want;
    }
    CK(cudaFree(dt)); CK(cudaFree(dm)); CK(cudaFree(dp));
    return report(ok);
}

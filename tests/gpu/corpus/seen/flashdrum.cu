// Flash drums of a refinery: how much of a mixture of alkanes evaporates at a given pressure (Rachford-Rice
// equation, by bisection). Most feeds are light gas of three components, every fourth is oil of thirty.
// usage: flashdrum feeds pressures
#include "common.h"

#define HALVINGS 20

struct Feed { float volatility, heavier, thinner; int parts; };

static Feed feedOf(unsigned i)
{
    unsigned s = i * 2654435761u + 99u;
    s ^= s >> 15;
    lcg(s);
    Feed f;
    bool oil = (lcg(s) >> 30) == 0;
    f.parts = oil ? 28 + (int)((lcg(s) >> 16) % 5) : 2 + (int)((lcg(s) >> 16) % 3);
    f.volatility = 6.0f + 6.0f * frand(s);
    f.heavier = oil ? 0.75f + 0.05f * frand(s) : 0.08f + 0.12f * frand(s);
    f.thinner = 0.85f + 0.1f * frand(s);
    return f;
}

// how far a heavier part is from an ideal one
__host__ __device__ inline float activity(float weight)
{
    return 1.0f + weight * (0.3f + weight * (-0.21f + weight * (0.08f - weight * 0.02f)));
}

__global__ void flash(const float *__restrict__ volatility, const float *__restrict__ heavier,
                      const float *__restrict__ thinner, const int *__restrict__ parts,
                      float *__restrict__ vapour, int n, float pressure)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float k0 = volatility[i] * pressure, step = heavier[i], less = thinner[i];
    const int m = parts[i];
    float low = 0.0f, high = 1.0f;
    for (int h = 0; h < HALVINGS; ++h) {
        float v = 0.5f * (low + high), k = k0, z = 1.0f, sum = 0.0f, weight = 0.0f;
        #pragma unroll 2
        for (int c = 0; c < m; ++c) {
            float e = k * activity(weight) - 1.0f;
            sum += z * e * __fdividef(1.0f, 1.0f + v * e);
            k *= step;
            z *= less;
            weight += 0.03f;
        }
        if (sum > 0.0f) low = v; else high = v;
    }
    vapour[i] = 0.5f * (low + high);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2097152;
    int pressures = argc > 2 ? atoi(argv[2]) : 800;
    std::vector<Feed> feed(n);
    for (int i = 0; i < n; ++i) feed[i] = feedOf(i);
#ifdef GOOD
    std::vector<Feed> sorted(n);                         // feeds with as many parts lie together
    std::vector<int> start(40, 0);
    for (const Feed &f : feed) start[f.parts + 1]++;
    for (int p = 1; p < 40; ++p) start[p] += start[p - 1];
    for (const Feed &f : feed) sorted[start[f.parts]++] = f;
    feed.swap(sorted);
#endif
    std::vector<float> a(n), b(n), c(n);
    std::vector<int> m(n);
    for (int i = 0; i < n; ++i) { a[i] = feed[i].volatility; b[i] = feed[i].heavier; c[i] = feed[i].thinner; m[i] = feed[i].parts; }
    float *da, *db, *dc, *vapour;
    int *dm;
    CK(cudaMalloc(&da, n * sizeof(float)));
    CK(cudaMalloc(&db, n * sizeof(float)));
    CK(cudaMalloc(&dc, n * sizeof(float)));
    CK(cudaMalloc(&dm, n * sizeof(int)));
    CK(cudaMalloc(&vapour, n * sizeof(float)));
    CK(cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dc, c.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dm, m.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    float pressure = 1.0f;
    for (int k = 0; k < pressures; ++k) {
        pressure = 0.6f + 0.4f * (float)(k + 1) / (float)pressures;
        flash<<<(n + 255) / 256, 256>>>(da, db, dc, dm, vapour, n, pressure);
    }
    CK(cudaGetLastError());
    std::vector<float> v(n);
    CK(cudaMemcpy(v.data(), vapour, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    double all = 0;
    for (int t = 0; t < 2000; ++t) {
        int i = (int)((long long)t * (n - 1) / 1999);
        double low = 0, high = 1;
        for (int h = 0; h < 40; ++h) {
            double mid = 0.5 * (low + high), k = a[i] * pressure, z = 1, sum = 0;
            float weight = 0.0f;
            for (int q = 0; q < m[i]; ++q) {
                double e = k * activity(weight) - 1;
                sum += z * e / (1 + mid * e);
                weight += 0.03f;
                k *= b[i];
                z *= c[i];
            }
            (sum > 0 ? low : high) = mid;
        }
        ok = ok && fabs(v[i] - 0.5 * (low + high)) < 2e-3;
        all += v[i];
    }
    printf("vapour: %.4f of the feed on average\n", all / 2000);
    CK(cudaFree(da)); CK(cudaFree(db)); CK(cudaFree(dc)); CK(cudaFree(dm)); CK(cudaFree(vapour));
    return report(ok);
}

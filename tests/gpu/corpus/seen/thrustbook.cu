// Revaluation of a book of European calls with Thrust algorithms: moneyness, d1,
// the two normal probabilities and the present value of every contract.
#include "common.h"
#include <thrust/device_vector.h>
#include <thrust/transform.h>
#include <thrust/tabulate.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

constexpr int BOOK = 16 << 20;
constexpr float RATE = 0.03f, TERM = 0.75f;

struct Uniform {
    unsigned seed; float lo, hi;
    __host__ __device__ float operator()(int i) const
    {
        unsigned x = (unsigned)i * 2654435761u + seed;
        x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15;
        return lo + (hi - lo) * (x >> 8) * (1.0f / 16777216.0f);
    }
};
__host__ __device__ inline float ncdf(float x) { return 0.5f * erfcf(-0.70710678f * x); }

struct LogRatio { __device__ float operator()(float s, float k) const { return __logf(s / k); } };
struct D1 {
    float t;
    __device__ float operator()(float lm, float vol) const { return (lm + (RATE + 0.5f * vol * vol) * t) / (vol * sqrtf(t)); }
};
struct D2 {
    float t;
    __device__ float operator()(float d1, float vol) const { return d1 - vol * sqrtf(t); }
};
struct Ncdf { __device__ float operator()(float d) const { return ncdf(d); } };
struct Times { __device__ float operator()(float a, float b) const { return a * b; } };
struct Discounted {
    float df;
    __device__ float operator()(float a, float b) const { return a - df * b; }
};
struct Price {
    float t, df;
    __device__ float operator()(const thrust::tuple<float, float, float> &c) const
    {
        float s = thrust::get<0>(c), k = thrust::get<1>(c), vol = thrust::get<2>(c);
        float d1 = D1{t}(LogRatio{}(s, k), vol), d2 = D2{t}(d1, vol);
        return s * ncdf(d1) - df * k * ncdf(d2);
    }
};

int main(int argc, char **argv)
{
    int revals = argc > 1 ? atoi(argv[1]) : 300;
    thrust::device_vector<float> spot(BOOK), strike(BOOK), vol(BOOK), pv(BOOK);
    const Uniform us{1u, 80, 120}, uk{22222u, 80, 120}, uv{333333333u, 0.1f, 0.5f};
    thrust::tabulate(spot.begin(), spot.end(), us);
    thrust::tabulate(strike.begin(), strike.end(), uk);
    thrust::tabulate(vol.begin(), vol.end(), uv);
#ifndef GOOD
    thrust::device_vector<float> d1(BOOK), d2(BOOK), n1(BOOK), n2(BOOK);
#endif
    auto on = thrust::cuda::par_nosync.on(0);
    float t = TERM;
    for (int r = 0; r < revals; r++) {
        t = TERM - r * 0.001f / revals;
        float df = expf(-RATE * t);
#ifdef GOOD
        auto first = thrust::make_zip_iterator(thrust::make_tuple(spot.begin(), strike.begin(), vol.begin()));
        thrust::transform(on, first, first + BOOK, pv.begin(), Price{t, df});
#else
        thrust::transform(on, spot.begin(), spot.end(), strike.begin(), d1.begin(), LogRatio{});
        thrust::transform(on, d1.begin(), d1.end(), vol.begin(), d1.begin(), D1{t});
        thrust::transform(on, d1.begin(), d1.end(), vol.begin(), d2.begin(), D2{t});
        thrust::transform(on, d1.begin(), d1.end(), n1.begin(), Ncdf{});
        thrust::transform(on, d2.begin(), d2.end(), n2.begin(), Ncdf{});
        thrust::transform(on, n1.begin(), n1.end(), spot.begin(), n1.begin(), Times{});
        thrust::transform(on, n2.begin(), n2.end(), strike.begin(), n2.begin(), Times{});
        thrust::transform(on, n1.begin(), n1.end(), n2.begin(), pv.begin(), Discounted{df});
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int q = 0; q < 16; q++) {
        int i = q * 1000003 + 17;
        double s = us(i), k = uk(i), v = uv(i), sq = v * sqrt((double)t);
        double a = (log(s / k) + (RATE + 0.5 * v * v) * t) / sq, b = a - sq;
        double want = s * 0.5 * erfc(-a * 0.70710678118) - k * exp(-RATE * (double)t) * 0.5 * erfc(-b * 0.70710678118);
        float got = pv[i];
        ok = ok && close_to(got, want, 2e-3);
    }
    return report(ok);
}

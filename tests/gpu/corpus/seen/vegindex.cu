// Vegetation statistics with Thrust: index of two bands, correction for soil, weight of
// the cloud mask, and the sum over the scene.
#include "common.h"
#include <thrust/device_vector.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/reduce.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/tuple.h>

struct Band {
    unsigned salt;
    __host__ __device__ float operator()(unsigned i) const
    {
        unsigned h = i * 2654435761u + salt;
        h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
        return 0.05f + (h & 1023) * (1.0f / 1024.0f);
    }
};
struct Index { __host__ __device__ float operator()(float nir, float red) const { return (nir - red) / (nir + red + 0.01f); } };
struct Soil { float l; __host__ __device__ float operator()(float v) const { return v * (1.f + l) / (1.f + l * v * v); } };
struct Mask { __host__ __device__ float operator()(float v, float cloud) const { return cloud < 0.8f ? v : 0.f; } };
struct Clamp { __host__ __device__ float operator()(float v) const { return v > 0.f ? v : 0.f; } };
struct All {
    float l;
    __host__ __device__ float operator()(const thrust::tuple<float, float, float> &t) const
    {
        return Clamp()(Mask()(Soil{l}(Index()(thrust::get<0>(t), thrust::get<1>(t))), thrust::get<2>(t)));
    }
};

int main(int argc, char **argv)
{
    int dates = argc > 1 ? atoi(argv[1]) : 60;
    const unsigned n = 1u << 26;
    thrust::device_vector<float> nir(n), red(n), cloud(n);
    thrust::counting_iterator<unsigned> c0(0);
    thrust::transform(c0, c0 + n, nir.begin(), Band{1u});
    thrust::transform(c0, c0 + n, red.begin(), Band{77u});
    thrust::transform(c0, c0 + n, cloud.begin(), Band{991u});
    float l = 0.5f;
    double total = 0;
#ifndef GOOD
    thrust::device_vector<float> t(n), u(n);
#endif
    for (int d = 0; d < dates; d++) {
        l = 0.3f + 0.005f * d;
#ifdef GOOD
        auto z = thrust::make_zip_iterator(thrust::make_tuple(nir.begin(), red.begin(), cloud.begin()));
        total = thrust::transform_reduce(z, z + n, All{l}, 0.f, thrust::plus<float>());
#else
        thrust::transform(nir.begin(), nir.end(), red.begin(), t.begin(), Index());
        thrust::transform(t.begin(), t.end(), u.begin(), Soil{l});
        thrust::transform(u.begin(), u.end(), cloud.begin(), t.begin(), Mask());
        thrust::transform(t.begin(), t.end(), u.begin(), Clamp());
        total = thrust::reduce(u.begin(), u.end(), 0.f);
#endif
    }
    CK(cudaGetLastError());
    const unsigned take = 1u << 20;
    double want = 0;
    for (unsigned i = 0; i < take; i++) {
        unsigned k = i * 63u;
        want += All{l}(thrust::make_tuple(Band{1u}(k), Band{77u}(k), Band{991u}(k)));
    }
    return report(close_to(total / n, want / take, 0.01));
}

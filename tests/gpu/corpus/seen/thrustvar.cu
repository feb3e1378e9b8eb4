// Value at risk of many portfolios by historical simulation: profits of each scenario,
// sorted; the five per cent quantile is the answer.
//   thrustvar [portfolios] [scenarios]
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>
#include <cub/cub.cuh>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

struct Profit {
    unsigned portfolio;
    __host__ __device__ float operator()(unsigned scenario) const
    {
        unsigned h = scenario * 2654435761u + portfolio * 40503u;
        h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
        unsigned g = h * 3266489917u;
        g ^= g >> 16;
        // The sum of four is almost normal.
        return ((h & 0xffff) + (h >> 16) + (g & 0xffff) + (g >> 16)) * (1.0f / 32768) - 4 + 0.01f * (portfolio % 10);
    }
};

#ifndef GOOD
class Risk {
    size_t n, at;
public:
    Risk(size_t scenarios, size_t quantile) : n(scenarios), at(quantile) {}
    float operator()(unsigned portfolio)
    {
        thrust::device_vector<float> profit(n);
        thrust::tabulate(profit.begin(), profit.end(), Profit{portfolio});
        thrust::sort(profit.begin(), profit.end());
        return profit[at];
    }
};
#else
class Risk {
    size_t n, at, bytes = 0;
    thrust::device_vector<float> profit, sorted;
    thrust::device_vector<char> temp;
public:
    Risk(size_t scenarios, size_t quantile) : n(scenarios), at(quantile), profit(n), sorted(n)
    {
        cub::DeviceRadixSort::SortKeys(nullptr, bytes, profit.data().get(), sorted.data().get(), (int)n);
        temp.resize(bytes);
    }
    float operator()(unsigned portfolio)
    {
        thrust::tabulate(profit.begin(), profit.end(), Profit{portfolio});
        cub::DeviceRadixSort::SortKeys(temp.data().get(), bytes, profit.data().get(), sorted.data().get(), (int)n);
        return sorted[at];
    }
};
#endif

int main(int argc, char **argv)
{
    unsigned portfolios = argc > 1 ? atoi(argv[1]) : 600;
    size_t n = argc > 2 ? atol(argv[2]) : 1 << 20, at = n / 20;
    Risk risk(n, at);
    double sum = 0;
    int wrong = 0;
    std::vector<float> ref(n);
    for (unsigned p = 0; p < portfolios; p++) {
        float v = risk(p);
        sum += v;
        if (p == 0 || p == portfolios - 1) {
            for (size_t i = 0; i < n; i++) ref[i] = Profit{p}((unsigned)i);
            std::nth_element(ref.begin(), ref.begin() + at, ref.end());
            wrong += std::fabs(ref[at] - v) > 1e-4f;
        }
    }
    std::printf("mean value at risk %.4f, %d wrong\n", sum / portfolios, wrong);
    return wrong || !(sum < 0);
}

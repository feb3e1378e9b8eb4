// Waiting times at a ferry: Lindley's recursion for a queue with exponential arrivals and loadings,
// many independent seasons of simulation, each with its own counter-based random numbers.
#include "common.h"

static const int CARS = 4096;                   // cars in a season
static const float LAMBDA = 0.8f, MU = 1.0f;

__host__ __device__ inline unsigned draw(unsigned &s)
{
    s = s * 747796405u + 2891336453u;
    unsigned w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
    return (w >> 22) ^ w;
}

__host__ __device__ inline float uni(unsigned &s) { return ((draw(s) >> 8) + 0.5f) * (1.0f / 16777216.0f); }

__global__ void __launch_bounds__(256) seasons(int count, float *meanwait)
{
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < count; p += gridDim.x * blockDim.x) {
        unsigned s = p * 2654435761u + 12345u;
        float wait = 0.0f, sum = 0.0f;
        for (int c = 0; c < CARS; ++c) {
            float load = -__logf(uni(s)) * (1.0f / MU);
            float gap = -__logf(uni(s)) * (1.0f / LAMBDA);
            wait = fmaxf(0.0f, wait + load - gap);
            sum += wait;
        }
        meanwait[p] = sum * (1.0f / CARS);
    }
}

int main(int argc, char **argv)
{
    int launches = argc > 1 ? atoi(argv[1]) : 1;
    const int count = 48 * 256 * 384;           // 4.7 million seasons
    float *d;
    CK(cudaMalloc(&d, sizeof(float) * count));
#ifdef GOOD
    int blocks = (count + 255) / 256;
#else
    int blocks = 48;
#endif
    for (int l = 0; l < launches; ++l)
        seasons<<<blocks, 256>>>(count, d);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> h(count);
    CK(cudaMemcpy(h.data(), d, sizeof(float) * count, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int p : {0, 1, 777, 123456, count - 1}) {
        unsigned s = p * 2654435761u + 12345u;
        double wait = 0, sum = 0;
        for (int c = 0; c < CARS; ++c) {
            double load = -log((double)uni(s)) / MU;
            double gap = -log((double)uni(s)) / LAMBDA;
            wait = std::max(0.0, wait + load - gap);
            sum += wait;
        }
        ok = ok && close_to(h[p], sum / CARS, 1e-2);
    }
    double mean = 0;
    for (int p = 0; p < count; ++p) mean += h[p];
    mean /= count;                              // theory: lambda / (mu * (mu - lambda)) = 4
    printf("mean wait %.3f\n", mean);
    ok = ok && mean > 3.6 && mean < 4.2;
    CK(cudaFree(d));
    return report(ok);
}

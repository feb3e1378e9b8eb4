// Bee-hive scales: every hive reports its weight each hour. Smoothed weight, nectar gained and the number of
// swarms (sudden losses) are found for many choices of the swarm threshold.
// usage: hivehum hives thresholds
#include "common.h"

#define HOURS 1000

#ifdef GOOD
#define AT(hive, hour, hives) ((size_t)(hour) * (hives) + (hive))
#else
#define AT(hive, hour, hives) ((size_t)(hive) * HOURS + (hour))
#endif

__host__ __device__ inline float scale(unsigned hive, unsigned hour)
{
    unsigned h = hive * 2654435761u + hour * 40503u;
    h = (h ^ (h >> 15)) * 2246822519u;
    h ^= h >> 13;
    float noise = (float)(h >> 8) * (1.0f / 16777216.0f);
    float swarm = (hour + hive * 7u) % 311u < 150u ? 2.0f : 0.0f;
    return 35.0f + 0.01f * (float)hour + swarm + 0.5f * noise;
}

struct Season { float smooth, nectar; int swarms; };

__global__ void weigh(float *weight, int hives)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= hives) return;
    for (int h = 0; h < HOURS; ++h) weight[AT(b, h, hives)] = scale(b, h);
}

__global__ void season(const float *__restrict__ weight, float *__restrict__ smooth, float *__restrict__ nectar,
                       int *__restrict__ swarms, int hives, float loss)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= hives) return;
    float s = weight[AT(b, 0, hives)], gain = 0.0f;
    int count = 0;
    #pragma unroll 8
    for (int h = 1; h < HOURS; ++h) {
        float w = weight[AT(b, h, hives)], d = w - s;
        gain += fmaxf(d, 0.0f);
        count += d < -loss;
        s += 0.25f * d;
    }
    smooth[b] = s;
    nectar[b] = gain;
    swarms[b] = count;
}

int main(int argc, char **argv)
{
    int hives = argc > 1 ? atoi(argv[1]) : 262144;
    int thresholds = argc > 2 ? atoi(argv[2]) : 700;
    float *weight, *smooth, *nectar;
    int *swarms;
    CK(cudaMalloc(&weight, (size_t)hives * HOURS * sizeof(float)));
    CK(cudaMalloc(&smooth, hives * sizeof(float)));
    CK(cudaMalloc(&nectar, hives * sizeof(float)));
    CK(cudaMalloc(&swarms, hives * sizeof(int)));
    weigh<<<(hives + 255) / 256, 256>>>(weight, hives);
    float loss = 0.0f;
    for (int k = 0; k < thresholds; ++k) {
        loss = 0.8f + 0.001f * (float)k;
        season<<<(hives + 255) / 256, 256>>>(weight, smooth, nectar, swarms, hives, loss);
    }
    CK(cudaGetLastError());
    std::vector<float> s(hives), g(hives);
    std::vector<int> c(hives);
    CK(cudaMemcpy(s.data(), smooth, hives * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(g.data(), nectar, hives * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(c.data(), swarms, hives * sizeof(int), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int t = 0; t < 40; ++t) {
        int b = (int)((long long)t * (hives - 1) / 39);
        double sm = scale(b, 0), gain = 0;
        int least = 0, most = 0;
        for (int h = 1; h < HOURS; ++h) {
            double d = scale(b, h) - sm;
            gain += d > 0 ? d : 0;
            least += d < -loss - 1e-3;
            most += d < -loss + 1e-3;
            sm += 0.25 * d;
        }
        ok = ok && close_to(s[b], sm, 1e-3) && close_to(g[b], gain, 2e-3) && c[b] >= least && c[b] <= most;
    }
    printf("hive 0: %.3f kg, nectar %.2f kg, %d hours of loss\n", s[0], g[0], c[0]);
    CK(cudaFree(weight)); CK(cudaFree(smooth)); CK(cudaFree(nectar)); CK(cudaFree(swarms));
    return report(ok);
}

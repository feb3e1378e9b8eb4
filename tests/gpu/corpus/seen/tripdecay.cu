// Gravity model of travel: trips between the pairs of zones decay with the cost of
// the journey; the matrix is recomputed for each trial value of the decay.
#include "common.h"

const int ZONES = 8192;

__host__ __device__ inline unsigned mix(unsigned x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

__host__ __device__ inline float journey(int from, int to)
{
    return 1.0f + (mix((unsigned)from * ZONES + to) >> 8) * (30.0f / 16777216.0f);
}

__global__ void network_costs(float *cost)
{
    const int to = blockIdx.x * blockDim.x + threadIdx.x, from = blockIdx.y;
    cost[(size_t)from * ZONES + to] = journey(from, to);
}

__device__ inline float deterrence(float beta, float cost)
{
#ifdef GOOD
    return __expf(-beta * cost);
#else
    return expf(-beta * cost);
#endif
}

__global__ void __launch_bounds__(256)
spread_trips(const float4 *cost, const float *out, const float4 *draw, float beta, float4 *trips)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    const size_t at = (size_t)row * (ZONES / 4) + col;
    const float4 c = cost[at], d = draw[col];
    const float o = out[row];
    float4 t;
    t.x = o * d.x * deterrence(beta, c.x);
    t.y = o * d.y * deterrence(beta, c.y);
    t.z = o * d.z * deterrence(beta, c.z);
    t.w = o * d.w * deterrence(beta, c.w);
    trips[at] = t;
}

int main(int argc, char **argv)
{
    const int trials = argc > 1 ? atoi(argv[1]) : 200;
    const size_t n = (size_t)ZONES * ZONES;
    std::vector<float> out(ZONES), draw(ZONES), trips(64 * ZONES);
    unsigned s = 1960;
    for (float &o : out) o = 100.0f + 900.0f * frand(s);
    for (float &d : draw) d = 0.1f + frand(s);
    float *dCost, *dOut, *dDraw, *dTrips;
    CK(cudaMalloc(&dCost, n * sizeof(float)));
    CK(cudaMalloc(&dTrips, n * sizeof(float)));
    CK(cudaMalloc(&dOut, ZONES * sizeof(float)));
    CK(cudaMalloc(&dDraw, ZONES * sizeof(float)));
    network_costs<<<dim3(ZONES / 256, ZONES), 256>>>(dCost);
    CK(cudaMemcpy(dOut, out.data(), ZONES * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dDraw, draw.data(), ZONES * sizeof(float), cudaMemcpyHostToDevice));
    float beta = 0.0f;
    for (int k = 0; k < trials; k++) {
        beta = 0.02f + 0.0005f * k;
        spread_trips<<<dim3(ZONES / 1024, ZONES), 256>>>((const float4 *)dCost, dOut, (const float4 *)dDraw,
                                                         beta, (float4 *)dTrips);
    }
    CK(cudaGetLastError());
    const int row = 5000;
    CK(cudaMemcpy(trips.data(), dTrips + (size_t)row * ZONES, trips.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (size_t i = 11; i < trips.size(); i += 53) {
        const int from = row + (int)(i / ZONES), to = (int)(i % ZONES);
        const double ref = (double)out[from] * draw[to] * exp(-(double)beta * journey(from, to));
        ok = ok && fabs(trips[i] - ref) <= 1e-4 * ref + 1e-6;
    }
    return report(ok);
}

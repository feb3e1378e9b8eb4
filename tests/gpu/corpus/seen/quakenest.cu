// Location of small earthquakes: for every node of a grid below the network, the variance of the residuals between
// picked and computed arrival times at 48 stations (the origin time drops out).
// usage: quakenest events
#include "common.h"

#define NX 256
#define NY 256
#define NZ 32
#define STATIONS 48
#define CATALOGUE 16         // events whose picks are in memory
#define THREADS 256

#ifdef GOOD
typedef float real;
#else
typedef double real;
#endif

// station: x, y, delay, pick
__global__ void __launch_bounds__(THREADS) misfit(const float4 *__restrict__ station, float *__restrict__ variance)
{
    __shared__ float4 s[STATIONS];
    if (threadIdx.x < STATIONS) s[threadIdx.x] = station[threadIdx.x];
    __syncthreads();
    const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    const real px = (real)x * (real)0.5, py = (real)y * (real)0.5, pz = (real)z * (real)0.8 + (real)1.0;
    const real slowness = (real)1.0 / ((real)5.2 + (real)0.03 * pz);
    real sum = 0, squares = 0;
    #pragma unroll 4
    for (int k = 0; k < STATIONS; ++k) {
        real dx = px - s[k].x, dy = py - s[k].y;
        real r = s[k].w - s[k].z - slowness * sqrt(dx * dx + dy * dy + pz * pz);
        sum += r;
        squares += r * r;
    }
    sum /= (real)STATIONS;
    variance[((size_t)z * NY + y) * NX + x] = (float)(squares / (real)STATIONS - sum * sum);
}

int main(int argc, char **argv)
{
    int events = argc > 1 ? atoi(argv[1]) : 3500;
    const size_t n = (size_t)NX * NY * NZ;
    std::vector<float4> station(CATALOGUE * STATIONS);
    std::vector<int> truth(CATALOGUE);
    unsigned seed = 1985;
    for (int e = 0; e < CATALOGUE; ++e) {
        int x = 40 + (int)(176 * frand(seed)), y = 40 + (int)(176 * frand(seed)), z = 4 + (int)(24 * frand(seed));
        truth[e] = (z * NY + y) * NX + x;
        unsigned place = 77;
        for (int k = 0; k < STATIONS; ++k) {
            float4 &s = station[e * STATIONS + k];
            s.x = 128.0f * frand(place); s.y = 128.0f * frand(place); s.z = 0.2f * frand(place);
            double dx = 0.5 * x - s.x, dy = 0.5 * y - s.y, pz = 0.8 * z + 1.0;
            s.w = (float)(3.0 + s.z + sqrt(dx * dx + dy * dy + pz * pz) / (5.2 + 0.03 * pz) + 0.01 * (frand(seed) - 0.5));
        }
    }
    float4 *dstation; float *variance;
    CK(cudaMalloc(&dstation, station.size() * sizeof(float4)));
    CK(cudaMemcpy(dstation, station.data(), station.size() * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMalloc(&variance, n * sizeof(float)));
    for (int e = 0; e < events; ++e)
        misfit<<<dim3(NY, NZ), THREADS>>>(dstation + e % CATALOGUE * STATIONS, variance);
    CK(cudaGetLastError());
    std::vector<float> v(n);
    CK(cudaMemcpy(v.data(), variance, n * sizeof(float), cudaMemcpyDeviceToHost));

    const int last = (events - 1) % CATALOGUE;
    int best = (int)(std::min_element(v.begin(), v.end()) - v.begin());
    bool ok = abs(best % NX - truth[last] % NX) <= 1 && abs(best / NX % NY - truth[last] / NX % NY) <= 1
           && abs(best / NX / NY - truth[last] / NX / NY) <= 3;
    for (size_t i = 0; i < n; i += 1009) {
        double px = 0.5 * (i % NX), py = 0.5 * (i / NX % NY), pz = 0.8 * (i / NX / NY) + 1.0, sum = 0, squares = 0;
        for (int k = 0; k < STATIONS; ++k) {
            const float4 &s = station[last * STATIONS + k];
            double dx = px - s.x, dy = py - s.y, r = s.w - s.z - sqrt(dx * dx + dy * dy + pz * pz) / (5.2 + 0.03 * pz);
            sum += r / STATIONS;
            squares += r * r / STATIONS;
        }
        ok = ok && close_to(v[i], squares - sum * sum, 3e-3);
    }
    printf("last event at node %d %d %d\n", best % NX, best / NX % NY, best / NX / NY);
    CK(cudaFree(dstation)); CK(cudaFree(variance));
    return report(ok);
}

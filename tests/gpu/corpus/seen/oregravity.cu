// Gravity over an ore body: the vertical pull of all its cells at the stations of a survey, flown at one height after
// the other.
// usage: oregravity cells heights
#include "common.h"

#define STATIONS 512         // along each side
#define THREADS 256
#define SPACING 20.0f        // metres

__global__ void __launch_bounds__(THREADS) survey(const float4 *__restrict__ ore, float *__restrict__ pull, int cells, float z)
{
    __shared__ float4 part[THREADS];
    const int s = blockIdx.x * THREADS + threadIdx.x;
    const float x = SPACING * (float)(s % STATIONS), y = SPACING * (float)(s / STATIONS);
    float g = 0.0f;
    for (int first = 0; first < cells; first += THREADS) {       // cells is a multiple of THREADS
        part[threadIdx.x] = ore[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < THREADS; ++k) {
            const float4 c = part[k];
            const float dx = c.x - x, dy = c.y - y, dz = z - c.z;
#ifdef GOOD
            const float near = rsqrtf(dx * dx + dy * dy + dz * dz + 25.0f);
            g += 6.674e-3f * c.w * dz * near * near * near;
#else
            const double near = rsqrt(dx * dx + dy * dy + dz * dz + 25.0);
            g += 6.674e-3 * c.w * dz * near * near * near;
#endif
        }
        __syncthreads();
    }
    pull[s] = g;
}

int main(int argc, char **argv)
{
    int cells = (argc > 1 ? atoi(argv[1]) : 1024) / THREADS * THREADS;
    int heights = argc > 2 ? atoi(argv[2]) : 1200;
    const int stations = STATIONS * STATIONS;
    std::vector<float4> c(cells);
    unsigned s = 78;
    for (float4 &q : c) {
        float along = frand(s), out = 300.0f * (frand(s) - 0.5f);
        q = make_float4(2000.0f + 6000.0f * along + out, 4000.0f + 2500.0f * along - out, -150.0f - 600.0f * frand(s),
                        500.0f + 2500.0f * frand(s));
    }
    float4 *ore; float *pull;
    CK(cudaMalloc(&ore, cells * sizeof(float4)));
    CK(cudaMalloc(&pull, stations * sizeof(float)));
    CK(cudaMemcpy(ore, c.data(), cells * sizeof(float4), cudaMemcpyHostToDevice));
    float z = 0.0f;
    for (int h = 0; h < heights; ++h) {
        z = 40.0f + 2.0f * (float)(h % 100);
        survey<<<stations / THREADS, THREADS>>>(ore, pull, cells, z);
    }
    CK(cudaGetLastError());
    std::vector<float> p(stations);
    CK(cudaMemcpy(p.data(), pull, stations * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    double most = 0;
    for (int i = 0; i < stations; i += 401) {
        double x = SPACING * (i % STATIONS), y = SPACING * (i / STATIONS), g = 0;
        for (const float4 &q : c) {
            double dx = q.x - x, dy = q.y - y, dz = z - q.z, r2 = dx * dx + dy * dy + dz * dz + 25.0;
            g += 6.674e-3 * q.w * dz / (r2 * sqrt(r2));
        }
        ok = ok && fabs(p[i] - g) <= 1e-3 * fabs(g) + 1e-6;
        most = std::max(most, g);
    }
    printf("strongest pull at %.0f m: %.4f\n", z, most);
    CK(cudaFree(ore)); CK(cudaFree(pull));
    return report(ok);
}

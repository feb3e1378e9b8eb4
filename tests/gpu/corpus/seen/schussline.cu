// Downhill race: time of many skiers (mass, drag, wax) over the same piste, a step of half a metre after the other.
// usage: schussline skiers rounds
#include "common.h"

#define PIECES 400           // of half a metre, per round
#define THREADS 256

#ifdef GOOD
#define C(x) x##f            // constants in single precision
#else
#define C(x) x
#endif

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

struct Skier { float mass, drag, friction; };

__host__ __device__ inline Skier skierOf(unsigned i)
{
    unsigned h = scramble(i + 1968u);
    Skier s;
    s.mass = 60.0f + 0.05f * (float)(h & 1023u);
    s.drag = 0.15f + 0.0001f * (float)(h >> 10 & 1023u);
    s.friction = 0.02f + 0.00003f * (float)(h >> 20 & 1023u);
    return s;
}

// piste: sine and cosine of the slope
__global__ void __launch_bounds__(THREADS) race(const float2 *__restrict__ piste, float *__restrict__ time, int n,
                                                float start)
{
    __shared__ float2 slope[PIECES];
    for (int k = threadIdx.x; k < PIECES; k += THREADS) slope[k] = piste[k];
    __syncthreads();
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    const Skier s = skierOf(i);
    float v = start, t = 0.0f;
    const float k = s.drag / s.mass;
    #pragma unroll 4
    for (int p = 0; p < PIECES; ++p) {
        float2 q = slope[p];
        float push = C(9.81) * (q.x - s.friction * q.y) - C(0.5) * C(1.12) * k * v * v;
        float square = v * v + C(2.0) * C(0.5) * push;
        float faster = sqrtf(square > C(1.0) ? square : 1.0f);
        t += C(2.0) * C(0.5) / (v + faster);
        v = faster;
    }
    time[i] = t;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 270336, rounds = argc > 2 ? atoi(argv[2]) : 3000;
    std::vector<float2> piste(PIECES);
    for (int p = 0; p < PIECES; ++p) {
        float a = 0.25f + 0.15f * sinf(0.03f * p) + 0.08f * sinf(0.11f * p);
        piste[p] = make_float2(sinf(a), cosf(a));
    }
    float2 *dpiste; float *time;
    CK(cudaMalloc(&dpiste, PIECES * sizeof(float2)));
    CK(cudaMemcpy(dpiste, piste.data(), PIECES * sizeof(float2), cudaMemcpyHostToDevice));
    CK(cudaMalloc(&time, n * sizeof(float)));
    float start = 0;
    for (int r = 0; r < rounds; ++r) {
        start = 5.0f + 0.1f * (float)(r % 100);
        race<<<(n + THREADS - 1) / THREADS, THREADS>>>(dpiste, time, n, start);
    }
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), time, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    double mean = 0;
    for (int q = 0; q < 2000; ++q) {
        int i = (int)((long long)q * (n - 1) / 1999);
        Skier s = skierOf(i);
        double v = start, t = 0;
        for (int p = 0; p < PIECES; ++p) {
            double push = 9.81 * (piste[p].x - s.friction * piste[p].y) - 0.56 * s.drag / s.mass * v * v;
            double faster = sqrt(std::max(v * v + push, 1.0));
            t += 1.0 / (v + faster);
            v = faster;
        }
        ok = ok && close_to(got[i], t, 1e-3);
        mean += t / 2000;
    }
    printf("mean time: %.3f s\n", mean);
    CK(cudaFree(dpiste)); CK(cudaFree(time));
    return report(ok);
}

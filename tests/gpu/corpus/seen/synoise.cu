// Background noise of a cortical patch: leaky integrate-and-fire neurons, each driven by its own Park-Miller stream.
// usage: synoise neurons launches
#include "common.h"

#define STEPS 400            // time steps in a launch
#define MODULUS 2147483647u  // 2^31 - 1
#define FACTOR 16807u

#ifdef GOOD
__host__ __device__ inline unsigned draw(unsigned s, unsigned)
{
    unsigned long long p = (unsigned long long)s * FACTOR;
    unsigned r = (unsigned)(p & MODULUS) + (unsigned)(p >> 31);      // 2^31 is 1 modulo 2^31 - 1
    return r >= MODULUS ? r - MODULUS : r;
}
#else
__host__ __device__ inline unsigned draw(unsigned s, unsigned modulus)
{
    return (unsigned)((unsigned long long)s * FACTOR % modulus);
}
#endif

__host__ __device__ inline int integrate(float &v, unsigned s)
{
    float u = (float)(s >> 7) * (1.0f / 16777216.0f);
    v = v * 0.95f + 0.14f * u;
    if (v > 1.5f) { v = 0.0f; return 1; }
    return 0;
}

__host__ __device__ inline unsigned seedOf(int i) { return 1u + (unsigned)i * 2011u % 2000000011u; }

__global__ void plant(unsigned *state, float *volt, int *spikes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    state[i] = seedOf(i); volt[i] = 0.0f; spikes[i] = 0;
}

__global__ void __launch_bounds__(256) fire(unsigned *state, float *volt, int *spikes, int n, unsigned modulus)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s = state[i];
    float v = volt[i];
    int count = 0;
    for (int t = 0; t < STEPS; ++t) { s = draw(s, modulus); count += integrate(v, s); }
    state[i] = s; volt[i] = v; spikes[i] += count;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1081344, launches = argc > 2 ? atoi(argv[2]) : 600;
    unsigned *state; float *volt; int *spikes;
    CK(cudaMalloc(&state, n * sizeof(unsigned)));
    CK(cudaMalloc(&volt, n * sizeof(float)));
    CK(cudaMalloc(&spikes, n * sizeof(int)));
    plant<<<(n + 255) / 256, 256>>>(state, volt, spikes, n);
    for (int k = 0; k < launches; ++k) fire<<<(n + 255) / 256, 256>>>(state, volt, spikes, n, MODULUS);
    CK(cudaGetLastError());
    std::vector<unsigned> s(n);
    std::vector<int> c(n);
    CK(cudaMemcpy(s.data(), state, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(c.data(), spikes, n * sizeof(int), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 24; ++q) {
        int i = (int)((long long)q * (n - 1) / 23), count = 0;
        unsigned x = seedOf(i);
        float v = 0.0f;
        for (long long t = 0; t < (long long)launches * STEPS; ++t) {
            x = (unsigned)((unsigned long long)x * FACTOR % MODULUS);
            count += integrate(v, x);
        }
        ok = ok && x == s[i] && abs(count - c[i]) <= 3 + count / 50;
    }
    printf("neuron 0 fired %d times, state %u\n", c[0], s[0]);
    CK(cudaFree(state)); CK(cudaFree(volt)); CK(cudaFree(spikes));
    return report(ok);
}

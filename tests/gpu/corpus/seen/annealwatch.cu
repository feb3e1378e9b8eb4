// Simulated annealing of a +-J spin glass on a periodic lattice: two half sweeps (checkerboard),
// then the energy. The best energy so far is written to the log every 100 sweeps.
#include "common.h"

const int L = 1024;

__device__ __host__ inline unsigned mix(unsigned x)
{
    x *= 2654435761u; x ^= x >> 16; x *= 2246822519u; x ^= x >> 13; x *= 3266489917u;
    return x ^ (x >> 16);
}
__device__ __host__ inline int bond(int site, int dir) { return (mix(2u * site + dir) >> 31) ? 1 : -1; }

__global__ void start(signed char *s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[i] = (mix(i + 12345u) & 1) ? 1 : -1;
}

__device__ inline int field(const signed char *s, int x, int y)
{
    int l = (x + L - 1) % L, r = (x + 1) % L, u = (y + L - 1) % L, d = (y + 1) % L;
    return bond(y * L + x, 0) * s[y * L + r] + bond(y * L + l, 0) * s[y * L + l]
         + bond(y * L + x, 1) * s[d * L + x] + bond(u * L + x, 1) * s[u * L + x];
}

__global__ void half_sweep(signed char *s, int colour, unsigned sweep, float beta)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;       // half the sites
    int y = i / (L / 2), x = 2 * (i % (L / 2)) + ((y + colour) & 1);
    int c = y * L + x, gain = -2 * s[c] * field(s, x, y);   // minus the change of energy
    float u = (mix(c ^ mix(sweep * 2u + colour)) >> 8) * (1.0f / 16777216.0f);
    if (gain >= 0 || u < __expf(beta * gain)) s[c] = -s[c];
}

__global__ void energy(const signed char *__restrict__ s, int *e)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % L, y = i / L;
    int v = -s[i] * (bond(i, 0) * s[y * L + (x + 1) % L] + bond(i, 1) * s[((y + 1) % L) * L + x]);
    v = __reduce_add_sync(~0u, v);
    __shared__ int part[32];
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = __reduce_add_sync(~0u, part[threadIdx.x]);
        if (threadIdx.x == 0) atomicAdd(e, v);
    }
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 4000;
    signed char *s;
    int *e;
    CK(cudaMalloc(&s, L * L));
    CK(cudaMalloc(&e, sweeps * sizeof(int)));
    CK(cudaMemset(e, 0, sweeps * sizeof(int)));
    start<<<L * L / 256, 256>>>(s);
    CK(cudaGetLastError());
    std::vector<int> trace(sweeps);
    int best = 0, seen = 0;
    for (int k = 0; k < sweeps; k++) {
        float beta = 0.2f + 2.0f * k / sweeps;
        half_sweep<<<L * L / 512, 256>>>(s, 0, k, beta);
        half_sweep<<<L * L / 512, 256>>>(s, 1, k, beta);
        energy<<<L * L / 1024, 1024>>>(s, e + k);
        bool log_now = k % 100 == 99 || k == sweeps - 1;
#ifdef GOOD
        if (log_now)
#endif
        {
            CK(cudaMemcpy(trace.data() + seen, e + seen, (k + 1 - seen) * sizeof(int), cudaMemcpyDeviceToHost));
            for (; seen <= k; seen++) best = std::min(best, trace[seen]);
        }
        if (log_now && k % 1000 == 999) printf("sweep %d: best energy per spin %.4f\n", k + 1, best / double(L * L));
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<signed char> h(L * L);
    CK(cudaMemcpy(h.data(), s, L * L, cudaMemcpyDeviceToHost));
    long total = 0;
    for (int y = 0; y < L; y++)
        for (int x = 0; x < L; x++) {
            int i = y * L + x;
            total -= h[i] * (bond(i, 0) * h[y * L + (x + 1) % L] + bond(i, 1) * h[((y + 1) % L) * L + x]);
        }
    bool ok = total == trace[sweeps - 1] && best <= total && best < 0;
    CK(cudaFree(s));
    CK(cudaFree(e));
    return report(ok);
}

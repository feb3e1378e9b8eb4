// The Ising model in two dimensions, Metropolis on the squares of one colour at a time.
//   isingboard [sweeps] [log2 of the side]
#include "common.h"

typedef signed char spin;
const int ROWS = 4;                        // of a thread

__host__ __device__ inline unsigned random_at(unsigned site, unsigned sweep)
{
    unsigned h = site * 0x9e3779b9u ^ sweep * 0x85ebca6bu;
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    h ^= h >> 11; h *= 0x9e3779b1u; h ^= h >> 15;
    return h;
}

__global__ void hot(spin *s, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    s[(size_t)y * n + x] = random_at(y * n + x, 12345) >> 31 ? 1 : -1;
}

__host__ __device__ inline int flips(const spin *s, int x, int y, int n, float beta, unsigned sweep)
{
    int m = n - 1;
    int sum = s[(size_t)y * n + ((x + 1) & m)] + s[(size_t)y * n + ((x - 1) & m)] + s[(size_t)((y + 1) & m) * n + x] + s[(size_t)((y - 1) & m) * n + x];
    int change = 2 * s[(size_t)y * n + x] * sum;
    return change <= 0 || (random_at(y * n + x, sweep) >> 8) * (1.0f / 16777216) < expf(-beta * change);
}

__global__ void metropolis(spin *s, int n, float beta, int colour, unsigned sweep)
{
    for (int r = 0; r < ROWS; r++) {
        int y = blockIdx.y * ROWS + r;
#ifndef GOOD
        int x = blockIdx.x * blockDim.x + threadIdx.x;
        if (((x + y) & 1) != colour) continue;
#else
        int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + ((y + colour) & 1);
#endif
        if (flips(s, x, y, n, beta, sweep)) s[(size_t)y * n + x] = -s[(size_t)y * n + x];
    }
}

static void sweeps_of(spin *s, int n, float beta, unsigned first, unsigned count)
{
#ifndef GOOD
    dim3 grid(n / 128, n / ROWS);
#else
    dim3 grid(n / 256, n / ROWS);
#endif
    for (unsigned t = first; t < first + count; t++) {
        metropolis<<<grid, 128>>>(s, n, beta, 0, 2 * t);
        metropolis<<<grid, 128>>>(s, n, beta, 1, 2 * t + 1);
    }
    CK(cudaGetLastError());
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 60, n = 1 << (argc > 2 ? atoi(argv[2]) : 14);
    const float beta = 0.5f;
    size_t m = (size_t)n * n;
    spin *s;
    CK(cudaMalloc(&s, m));
    hot<<<dim3(n / 128, n), 128>>>(s, n);
    std::vector<spin> before(m), after(m);
    CK(cudaMemcpy(before.data(), s, m, cudaMemcpyDeviceToHost));
    sweeps_of(s, n, beta, 0, 1);
    CK(cudaMemcpy(after.data(), s, m, cudaMemcpyDeviceToHost));
    // The first colour saw the field as it was.
    bool ok = true;
    unsigned seed = 8;
    for (int t = 0; t < 20000; t++) {
        int y = lcg(seed) >> 9 & (n - 1), x = ((lcg(seed) >> 9 & (n - 1)) & ~1) | (y & 1);
        int want = flips(before.data(), x, y, n, beta, 0) ? -before[(size_t)y * n + x] : before[(size_t)y * n + x];
        ok = ok && want == after[(size_t)y * n + x];
    }
    sweeps_of(s, n, beta, 1, sweeps - 1);
    CK(cudaMemcpy(after.data(), s, m, cudaMemcpyDeviceToHost));
    long energy = 0;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            energy -= after[(size_t)y * n + x] * (after[(size_t)y * n + ((x + 1) & (n - 1))] + after[(size_t)((y + 1) & (n - 1)) * n + x]);
    printf("energy a spin %.4f\n", (double)energy / m);
    return report(ok && energy < 0);
}

// Products of polynomials as in homomorphic encryption: number-theoretic transforms of
// 4096 coefficients modulo several primes, in shared memory.
#include "common.h"

const int N = 4096, LOG = 12, THREADS = 512, PRIMES = 4;
typedef unsigned long long u64;

// All of them are 1 modulo 2 N.
const unsigned primes[PRIMES] = {998244353u, 469762049u, 167772161u, 754974721u};
const unsigned roots[PRIMES] = {3, 3, 3, 11};

// A factor; with it what it is over the prime, as a fraction of 2^32.
struct Factor { unsigned w, share; };

struct Tables {
    Factor *forward, *inverse, *key;    // of every prime N of each
    unsigned *prime;
};

unsigned power_mod(unsigned a, unsigned e, unsigned p)
{
    u64 r = 1, b = a;
    for (; e; e >>= 1, b = b * b % p)
        if (e & 1) r = r * b % p;
    return (unsigned)r;
}

__host__ __device__ inline unsigned times(unsigned a, Factor f, unsigned p)
{
#ifdef GOOD
    unsigned q = (unsigned)((u64)a * f.share >> 32);
    unsigned r = a * f.w - q * p;
    return r >= p ? r - p : r;
#else
    return (unsigned)((u64)a * f.w % p);
#endif
}

__host__ __device__ inline unsigned first_value(unsigned poly, unsigned i, unsigned p)
{
    unsigned x = poly * 4096u + i;
    x ^= x >> 16; x *= 0x7feb352du;
    x ^= x >> 15; x *= 0x846ca68bu;
    return (x ^ x >> 16) % p;
}

__global__ void start(unsigned *a, const unsigned *prime)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        a[(size_t)blockIdx.x * N + i] = first_value(blockIdx.x, i,
                                                    prime[blockIdx.x % PRIMES]);
}

// Into the transform's order, times the key, and back.
__global__ void __launch_bounds__(THREADS) multiply(unsigned *polys, Tables tables)
{
    __shared__ unsigned a[N];
    int which = blockIdx.x % PRIMES, t = threadIdx.x;
    unsigned p = tables.prime[which], *mine = polys + (size_t)blockIdx.x * N;
    const Factor *w = tables.forward + which * N;
    for (int i = t; i < N; i += THREADS) a[i] = mine[i];
    for (int half = N / 2; half; half /= 2) {
        __syncthreads();
        for (int k = t; k < N / 2; k += THREADS) {
            int j = k & (half - 1), i = 2 * k - j;
            unsigned x = a[i], y = a[i + half], s = x + y;
            a[i] = s >= p ? s - p : s;
            a[i + half] = times(x >= y ? x - y : x + p - y, w[half + j], p);
        }
    }
    __syncthreads();
    w = tables.key + which * N;
    for (int i = t; i < N; i += THREADS) a[i] = times(a[i], w[i], p);
    w = tables.inverse + which * N;
    for (int half = 1; half < N; half *= 2) {
        __syncthreads();
        for (int k = t; k < N / 2; k += THREADS) {
            int j = k & (half - 1), i = 2 * k - j;
            unsigned x = a[i], y = times(a[i + half], w[half + j], p), s = x + y;
            a[i] = s >= p ? s - p : s;
            a[i + half] = x >= y ? x - y : x + p - y;
        }
    }
    __syncthreads();
    for (int i = t; i < N; i += THREADS) mine[i] = a[i];
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 60, polys = argc > 2 ? atoi(argv[2]) : 16384;
    std::vector<Factor> fw(PRIMES * N), inv(PRIMES * N), key(PRIMES * N);
    for (int m = 0; m < PRIMES; m++) {
        unsigned p = primes[m];
        auto factor = [p](u64 v) {
            return Factor{(unsigned)v, (unsigned)((v << 32) / p)};
        };
        for (int half = 1; half < N; half *= 2) {
            unsigned g = power_mod(roots[m], (p - 1) / (2 * half), p);
            unsigned back = power_mod(g, p - 2, p);
            u64 a = 1, b = 1;
            for (int j = 0; j < half; j++) {
                fw[m * N + half + j] = factor(a);
                inv[m * N + half + j] = factor(b);
                a = a * g % p;
                b = b * back % p;
            }
        }
        // The key is made where it is used, with the 1 / N of the way back in it.
        u64 scale = power_mod(N, p - 2, p);
        for (int i = 0; i < N; i++)
            key[m * N + i] = factor(scale * first_value(999983u + m, i, p) % p);
    }
    Tables d;
    size_t bytes = PRIMES * N * sizeof(Factor);
    for (Factor **f : {&d.forward, &d.inverse, &d.key}) CK(cudaMalloc(f, bytes));
    CK(cudaMalloc(&d.prime, sizeof primes));
    CK(cudaMemcpy(d.forward, fw.data(), bytes, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d.inverse, inv.data(), bytes, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d.key, key.data(), bytes, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d.prime, primes, sizeof primes, cudaMemcpyHostToDevice));
    unsigned *a;
    CK(cudaMalloc(&a, (size_t)polys * N * 4));
    start<<<polys, 256>>>(a, d.prime);
    for (int r = 0; r < rounds; r++) multiply<<<polys, THREADS>>>(a, d);
    CK(cudaGetLastError());
    std::vector<unsigned> h((size_t)polys * N);
    CK(cudaMemcpy(h.data(), a, h.size() * 4, cudaMemcpyDeviceToHost));
    // The sum of all coefficients is the transform at one: times the key's there.
    bool ok = true;
    for (int k = 0; k < polys; k += polys / 64 + 1) {
        unsigned p = primes[k % PRIMES];
        u64 sum = 0, want = 0, factor = (u64)key[k % PRIMES * N].w * N % p;
        for (int i = 0; i < N; i++) {
            sum += h[(size_t)k * N + i];
            want += first_value(k, i, p);
        }
        want %= p;
        for (int r = 0; r < rounds; r++) want = want * factor % p;
        ok &= sum % p == want;
    }
    u64 check = 0;
    for (size_t i = 0; i < h.size(); i += 7) check = check * 31 + h[i];
    printf("checksum %016llx\n", check);
    return report(ok);
}

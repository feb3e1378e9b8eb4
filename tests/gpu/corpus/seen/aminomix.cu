// Composition entropy of protein windows: every thread counts the 20 amino acids of one window of 256 residues.
#include "common.h"

static const int NWIN = 1024 * 1024;
static const int WORDS = 64;                 // 4 residues per word; word-major: res[w * NWIN + i]
static const int AA = 20;
static const int NT = 128;

static __host__ __device__ unsigned residues(int w, int i)
{
    unsigned h = (unsigned)(w * NWIN + i), r = 0;
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    for (int k = 0; k < 4; k++) { r |= (((h & 255u) * AA) >> 8) << (8 * k); h >>= 8; }
    return r;
}
__global__ void translate(unsigned *res)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, w = blockIdx.y;
    res[w * NWIN + i] = residues(w, i);
}

__global__ void __launch_bounds__(NT) window_entropy(const unsigned *__restrict__ res, float *entropy)
{
    int i = blockIdx.x * NT + threadIdx.x;
#ifdef GOOD
    __shared__ int table[AA][NT];
#define COUNT(a) table[a][threadIdx.x]
#else
    int table[AA];
#define COUNT(a) table[a]
#endif
    for (int a = 0; a < AA; a++) COUNT(a) = 0;
    for (int w = 0; w < WORDS; w++) {
        unsigned q = res[w * NWIN + i];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            COUNT(q & 255u)++;
            q >>= 8;
        }
    }
    float e = 0.0f;
    for (int a = 0; a < AA; a++) {
        float p = COUNT(a) * (1.0f / 256.0f);
        if (p > 0.0f) e -= p * __log2f(p);
    }
    entropy[i] = e;
}

int main(int argc, char **argv)
{
    int passes = argc > 1 ? atoi(argv[1]) : 300;
    unsigned *res;
    float *entropy;
    CK(cudaMalloc(&res, (size_t)NWIN * WORDS * sizeof(unsigned)));
    CK(cudaMalloc(&entropy, NWIN * sizeof(float)));
    translate<<<dim3(NWIN / 256, WORDS), 256>>>(res);
    CK(cudaGetLastError());
    for (int p = 0; p < passes; p++)
        window_entropy<<<NWIN / NT, NT>>>(res, entropy);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 9; i < NWIN; i += NWIN / 11) {
        int cnt[AA] = {};
        for (int w = 0; w < WORDS; w++) {
            unsigned q = residues(w, i);
            for (int k = 0; k < 4; k++, q >>= 8) cnt[q & 255u]++;
        }
        double e = 0;
        for (int a = 0; a < AA; a++)
            if (cnt[a]) e -= cnt[a] / 256.0 * log2(cnt[a] / 256.0);
        float v;
        CK(cudaMemcpy(&v, entropy + i, sizeof v, cudaMemcpyDeviceToHost));
        ok = ok && close_to(v, e, 1e-4);
    }
    cudaFree(res); cudaFree(entropy);
    return report(ok);
}

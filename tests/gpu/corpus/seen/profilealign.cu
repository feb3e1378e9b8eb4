// Score of protein fragments against a 32-state profile: a warp per fragment, a lane per
// state, max-plus recursion along the fragment.
#include "common.h"

#define ST 32
#define PER_BLOCK 16
#define SYMS 20
#define LEN 1024

__host__ __device__ static inline unsigned residue(unsigned seq, unsigned i)
{
    unsigned h = seq * 0x9e3779b9u + i * 0x85ebca6bu;
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15;
    return (h >> 8) % SYMS;
}
__global__ void makeFragments(unsigned char *s, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) s[i] = residue(i / LEN, i % LEN);
}
__host__ __device__ static inline float emission(int sym, int st) { return ((sym * 7 + st * 13) % 23) * 0.125f - 1.25f; }

#ifdef GOOD
#define SYNC() __syncwarp()
#else
#define SYNC() __syncthreads()
#endif

__global__ void alignProfile(const unsigned char *__restrict__ frag, float *__restrict__ score, int n)
{
    __shared__ float emit[SYMS][ST];
    __shared__ float a[PER_BLOCK][ST + 1];
    int st = threadIdx.x, me = threadIdx.y;
    for (int k = me; k < SYMS; k += PER_BLOCK) emit[k][st] = emission(k, st);
    a[me][st + 1] = 0.f;
    if (st == 0) a[me][0] = 0.f;
    __syncthreads();
    int f = blockIdx.x * PER_BLOCK + me;
    const unsigned char *s = frag + (size_t)f * LEN;
    unsigned word = 0;
    float best = 0.f;
    for (int i = 0; i < LEN; i++) {
        if ((i & 3) == 0) word = *(const unsigned *)(s + i);
        unsigned c = word & 255;
        word >>= 8;
        float stay = a[me][st + 1] - 0.75f, move = a[me][st];
        SYNC();
        float v = fmaxf(fmaxf(stay, move) + emit[c][st], 0.f);
        a[me][st + 1] = v;
        best = fmaxf(best, v);
        SYNC();
    }
    for (int o = 16; o; o >>= 1) best = fmaxf(best, __shfl_xor_sync(0xffffffffu, best, o));
    if (st == 0 && f < n) score[f] = best;
}

int main(int argc, char **argv)
{
    int profiles = argc > 1 ? atoi(argv[1]) : 50;
    const int n = 1 << 16;
    unsigned char *frag;
    float *score;
    CK(cudaMalloc(&frag, (size_t)n * LEN));
    CK(cudaMalloc(&score, n * 4));
    makeFragments<<<n / 256 * LEN, 256>>>(frag, (unsigned)n * LEN);
    for (int p = 0; p < profiles; p++)
        alignProfile<<<n / PER_BLOCK, dim3(ST, PER_BLOCK)>>>(frag, score, n);
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), score, n * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int f = 5; f < n; f += 2003) {
        float a[ST + 1] = {}, best = 0;
        for (int i = 0; i < LEN; i++) {
            int c = residue(f, i);
            for (int st = ST - 1; st >= 0; st--) {
                a[st + 1] = std::max(std::max(a[st + 1] - 0.75f, a[st]) + emission(c, st), 0.f);
                best = std::max(best, a[st + 1]);
            }
        }
        ok = ok && close_to(got[f], best, 1e-4);
    }
    CK(cudaFree(frag)); CK(cudaFree(score));
    return report(ok);
}

// Bicycle shop: tries every build out of seven lists of parts; the most liked one within a weight limit.
//   bikeconfig [customers]
#include "common.h"

enum { SLOTS = 7, RUN = 62, MOST = 32 };

struct Lists { unsigned size[SLOTS]; };
struct Part { unsigned liking, grams; };

__device__ __forceinline__ void weigh(unsigned liking, unsigned grams, unsigned limit, unsigned long long build, unsigned long long &best)
{
    unsigned long long key = (unsigned long long)liking << 32 | build;
    if (grams <= limit && key > best) best = key;
}

__global__ void __launch_bounds__(256) choose(const Part *__restrict__ parts, Lists lists, unsigned builds, unsigned limit, unsigned long long *winner)
{
    __shared__ Part part[SLOTS][MOST];
    for (int k = threadIdx.x; k < SLOTS * MOST; k += blockDim.x) part[k / MOST][k % MOST] = parts[k];
    __syncthreads();
    unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * RUN;
    unsigned long long best = 0;
#ifdef GOOD
    unsigned digit[SLOTS], rest = first;
    Part now[SLOTS];
#pragma unroll
    for (int s = SLOTS - 1; s >= 0; s--) {
        digit[s] = rest % lists.size[s];
        rest /= lists.size[s];
        now[s] = part[s][digit[s]];
    }
#endif
    for (unsigned b = first; b < first + RUN && b < builds; b++) {
        unsigned liking = 0, grams = 0;
#ifdef GOOD
#pragma unroll
        for (int s = 0; s < SLOTS; s++) { liking += now[s].liking; grams += now[s].grams; }
        bool carry = true;
#pragma unroll
        for (int s = SLOTS - 1; s >= 0; s--)
            if (carry) {
                carry = ++digit[s] == lists.size[s];
                if (carry) digit[s] = 0;
                now[s] = part[s][digit[s]];
            }
#else
        unsigned rest = b;
#pragma unroll
        for (int s = SLOTS - 1; s >= 0; s--) {
            Part p = part[s][rest % lists.size[s]];
            rest /= lists.size[s];
            liking += p.liking;
            grams += p.grams;
        }
#endif
        weigh(liking, grams, limit, b, best);
    }
    for (int d = 16; d; d >>= 1) {
        unsigned long long o = __shfl_xor_sync(0xffffffffu, best, d);
        if (o > best) best = o;
    }
    if ((threadIdx.x & 31) == 0 && best > *(volatile unsigned long long *)winner) atomicMax(winner, best);
}

int main(int argc, char **argv)
{
    int customers = argc > 1 ? atoi(argv[1]) : 2000;
    Lists lists = { { 7, 9, 11, 13, 17, 23, 31 } };
    unsigned builds = 1;
    for (unsigned s : lists.size) builds *= s;
    std::vector<Part> parts(SLOTS * MOST);
    unsigned seed = 1903;
    for (Part &p : parts) { p.liking = lcg(seed) >> 20; p.grams = 300 + (lcg(seed) >> 22); }
    Part *d;
    unsigned long long *winner, got = 0, want = 0;
    CK(cudaMalloc(&d, parts.size() * sizeof(Part)));
    CK(cudaMalloc(&winner, sizeof got));
    CK(cudaMemcpy(d, parts.data(), parts.size() * sizeof(Part), cudaMemcpyHostToDevice));
    unsigned threads = (builds + RUN - 1) / RUN, limit = 0;
    for (int c = 0; c < customers; c++) {
        limit = 4200 + c % 200;
        CK(cudaMemsetAsync(winner, 0, sizeof got));
        choose<<<(threads + 255) / 256, 256>>>(d, lists, builds, limit, winner);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(&got, winner, sizeof got, cudaMemcpyDeviceToHost));
    unsigned inner = 17 * 23 * 31, outer = builds / inner;
    std::vector<Part> half(inner);
    for (unsigned i = 0; i < inner; i++) {
        const Part &a = parts[6 * MOST + i % 31], &b = parts[5 * MOST + i / 31 % 23], &c = parts[4 * MOST + i / 713];
        half[i] = { a.liking + b.liking + c.liking, a.grams + b.grams + c.grams };
    }
    for (unsigned o = 0; o < outer; o++) {
        const Part &a = parts[3 * MOST + o % 13], &b = parts[2 * MOST + o / 13 % 11], &c = parts[MOST + o / 143 % 9], &e = parts[o / 1287];
        unsigned l = a.liking + b.liking + c.liking + e.liking, g = a.grams + b.grams + c.grams + e.grams;
        for (unsigned i = 0; i < inner; i++)
            if (g + half[i].grams <= limit)
                want = std::max(want, (unsigned long long)(l + half[i].liking) << 32 | (o * inner + i));
    }
    printf("build %u, liking %u\n", (unsigned)got, (unsigned)(got >> 32));
    CK(cudaFree(d)); CK(cudaFree(winner));
    return report(got == want && got);
}

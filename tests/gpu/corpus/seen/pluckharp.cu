// Plucked strings (Karplus and Strong): a short burst of noise goes round a delay line and is smoothed a little each
// time. A block plays the strings of one note, each with its own damping; wanted is the energy that each gives off.
// usage: pluckharp notes takes
#include "common.h"

#define STRINGS 128          // per note
#define LONGEST 32           // samples of the longest delay line
#define LENGTH 4096          // samples played

#ifdef GOOD
#define CELL(string, pos) ((pos) * STRINGS + (string))
#else
#define CELL(string, pos) ((string) * LONGEST + (pos))
#endif

__host__ __device__ inline float burst(unsigned string, unsigned pos, unsigned take)
{
    unsigned h = string * 2654435761u + pos * 374761393u + take * 668265263u;
    h = (h ^ (h >> 15)) * 2246822519u;
    h ^= h >> 13;
    return (float)(h >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

__host__ __device__ inline float damping(unsigned string) { return 0.990f + 0.00007f * (float)(string % STRINGS); }
__host__ __device__ inline int delayOf(unsigned note) { return LONGEST - (int)(note % 9u); }

__global__ void pluck(float *__restrict__ energy, unsigned take)
{
    __shared__ float line[STRINGS * LONGEST];
    const unsigned t = threadIdx.x, string = blockIdx.x * STRINGS + t;
    const int len = delayOf(blockIdx.x);
    for (int p = 0; p < len; ++p) line[CELL(t, p)] = burst(string, p, take);
    const float half = 0.5f * damping(string);           // the line is the thread's own: no barrier
    float cur = line[CELL(t, 0)], sum = 0.0f;
    int pos = 0;
    #pragma unroll 8
    for (int k = 0; k < LENGTH; ++k) {
        int next = pos + 1 == len ? 0 : pos + 1;
        float after = line[CELL(t, next)];
        float y = half * (cur + after);
        line[CELL(t, pos)] = y;
        sum += y * y;
        cur = after;
        pos = next;
    }
    energy[string] = sum;
}

int main(int argc, char **argv)
{
    int notes = argc > 1 ? atoi(argv[1]) : 1716;
    int takes = argc > 2 ? atoi(argv[2]) : 120;
    const int n = notes * STRINGS;
    float *energy;
    CK(cudaMalloc(&energy, n * sizeof(float)));
    for (int k = 0; k < takes; ++k) pluck<<<notes, STRINGS>>>(energy, k);
    CK(cudaGetLastError());
    std::vector<float> e(n);
    CK(cudaMemcpy(e.data(), energy, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int t = 0; t < 100; ++t) {
        int s = (int)((long long)t * (n - 1) / 99);
        int len = delayOf(s / STRINGS);
        double line[LONGEST], sum = 0;
        for (int p = 0; p < len; ++p) line[p] = burst(s, p, takes - 1);
        for (int k = 0, p = 0; k < LENGTH; ++k) {
            int q = p + 1 == len ? 0 : p + 1;
            double y = 0.5 * damping(s) * (line[p] + line[q]);
            line[p] = y;
            sum += y * y;
            p = q;
        }
        ok = ok && close_to(e[s], sum, 1e-3);
    }
    printf("first string: energy %.4f\n", e[0]);
    CK(cudaFree(energy));
    return report(ok);
}

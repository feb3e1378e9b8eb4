// Election night: the counts of 192 constituencies (8 lists, 8 groups of voters) come in again and again, and after each
// round many scenarios of turnout are worked out: who wins how many seats?
// usage: seatswing blocks rounds
#include "common.h"

#define SEATS 192
#define LISTS 8
#define GROUPS 8
#define COUNTS (LISTS * GROUPS)
#define THREADS 256
#define EACH 4               // scenarios of a thread

__host__ __device__ inline float turnout(unsigned scenario, unsigned g)
{
    unsigned h = scenario * 2654435761u + g * 40503u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return 0.5f + (float)(h & 4095) * (1.0f / 8192.0f);
}

// the same sums on the host, for a scenario
static int winner(const float *count, const float *w)
{
    float most = -1.0f;
    int who = 0;
    for (int l = 0; l < LISTS; ++l) {
        float votes = 0.0f;
        for (int g = 0; g < GROUPS; ++g) votes = fmaf(count[l * GROUPS + g], w[g], votes);
        if (votes > most) { most = votes; who = l; }
    }
    return who;
}

__global__ void __launch_bounds__(THREADS) project(const float *__restrict__ counts, unsigned long long *__restrict__ seats)
{
    __shared__ __align__(16) float c[SEATS * COUNTS];
    for (int i = threadIdx.x; i < SEATS * COUNTS / 4; i += THREADS) ((float4 *)c)[i] = ((const float4 *)counts)[i];
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
    float w[EACH][GROUPS];
    #pragma unroll
    for (int e = 0; e < EACH; ++e)
        #pragma unroll
        for (int g = 0; g < GROUPS; ++g) w[e][g] = turnout(first + e * THREADS, g);
    __syncthreads();
    unsigned long long won[EACH] = {};                   // eight numbers of a byte each
    for (int p = 0; p < SEATS; ++p) {
        float most[EACH];
        int who[EACH];
        #pragma unroll
        for (int e = 0; e < EACH; ++e) { most[e] = -1.0f; who[e] = 0; }
        #pragma unroll
        for (int l = 0; l < LISTS; ++l) {
            const float4 *row = (const float4 *)(c + p * COUNTS + l * GROUPS);
            float4 a = row[0], b = row[1];
            float n[GROUPS] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
            #pragma unroll
            for (int e = 0; e < EACH; ++e) {
                float votes = 0.0f;
                #pragma unroll
                for (int g = 0; g < GROUPS; ++g) votes = fmaf(n[g], w[e][g], votes);
                if (votes > most[e]) { most[e] = votes; who[e] = 8 * l; }
            }
        }
        #pragma unroll
        for (int e = 0; e < EACH; ++e) won[e] += 1ull << who[e];
    }
    #pragma unroll
    for (int e = 0; e < EACH; ++e) seats[first + e * THREADS] = won[e];
}

// what a constituency has counted by this round
static void come_in(float *counts, int p, unsigned &seed)
{
    for (int i = 0; i < COUNTS; ++i) counts[p * COUNTS + i] = 200.0f + (float)(lcg(seed) >> 22);
}

int main(int argc, char **argv)
{
    const int blocks = argc > 1 ? atoi(argv[1]) : 264, rounds = argc > 2 ? atoi(argv[2]) : 1800;
    const size_t bytes = SEATS * COUNTS * sizeof(float);
    float *host[2], *counts; unsigned long long *seats;
    cudaEvent_t sent[2];
    for (int b = 0; b < 2; ++b) {
        CK(cudaMallocHost(&host[b], bytes));
        CK(cudaEventCreateWithFlags(&sent[b], cudaEventDisableTiming));
    }
    cudaStream_t stream;
    CK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CK(cudaMalloc(&counts, bytes));
    CK(cudaMalloc(&seats, (size_t)blocks * THREADS * EACH * sizeof(*seats)));
    unsigned seed = 1949;
    for (int r = 0; r < rounds; ++r) {
        float *mine = host[r % 2];
        if (r >= 2) CK(cudaEventSynchronize(sent[r % 2]));               // the round before last has left
        for (int p = 0; p < SEATS; ++p) {
            come_in(mine, p, seed);
#ifndef GOOD
            CK(cudaMemcpyAsync(counts + p * COUNTS, mine + p * COUNTS, COUNTS * sizeof(float), cudaMemcpyHostToDevice, stream));
#endif
        }
#ifdef GOOD
        CK(cudaMemcpyAsync(counts, mine, bytes, cudaMemcpyHostToDevice, stream));
#endif
        CK(cudaEventRecord(sent[r % 2], stream));
        project<<<blocks, THREADS, 0, stream>>>(counts, seats);
    }
    CK(cudaStreamSynchronize(stream));
    CK(cudaGetLastError());
    std::vector<unsigned long long> got((size_t)blocks * THREADS * EACH);
    CK(cudaMemcpy(got.data(), seats, got.size() * sizeof(got[0]), cudaMemcpyDeviceToHost));

    int bad = 0;
    const float *last = host[(rounds - 1) % 2];
    for (int q = 0; q < 200; ++q) {
        int s = (int)((long long)q * ((long long)got.size() - 1) / 199);
        float w[GROUPS];
        for (int g = 0; g < GROUPS; ++g) w[g] = turnout(s, g);
        unsigned long long want = 0;
        for (int p = 0; p < SEATS; ++p) want += 1ull << (8 * winner(last + p * COUNTS, w));
        bad += want != got[s];
    }
    printf("first scenario:");
    for (int l = 0; l < LISTS; ++l) printf(" %d", (int)(got[0] >> (8 * l) & 255));
    printf(" seats; %d of 200 scenarios differ\n", bad);
    for (int b = 0; b < 2; ++b) { CK(cudaFreeHost(host[b])); CK(cudaEventDestroy(sent[b])); }
    CK(cudaFree(counts)); CK(cudaFree(seats)); CK(cudaStreamDestroy(stream));
    return report(bad <= 4);
}

// Keyword spotting: best-path score of many observation sequences under one hidden Markov
// model (max-plus recursion, no trace-back).
//   viterbi [rounds]
#include "common.h"

const int STATES = 256, SYMBOLS = 32, LENGTH = 64;

__device__ __forceinline__ unsigned scramble(unsigned h)
{
    h ^= h >> 16; h *= 0x45d9f3bu; h ^= h >> 16; h *= 0x45d9f3bu; h ^= h >> 16;
    return h;
}

__global__ void fill_model(float *trans, float *emit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < STATES * STATES) trans[i] = -0.5f - (scramble(i) >> 8) * (6.0f / 16777216);
    if (i < SYMBOLS * STATES) emit[i] = -0.2f - (scramble(i + 77777) >> 8) * (4.0f / 16777216);
}

__global__ void fill_observations(unsigned char *obs, int n, int round)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) obs[i] = scramble(i + round * 1000003u) % SYMBOLS;
}

#ifndef GOOD
// A block takes a sequence, a thread a state.
__global__ void best_path(const float *__restrict__ trans, const float *__restrict__ emit,
                          const unsigned char *__restrict__ obs, float *__restrict__ score)
{
    __shared__ float d[2][STATES];
    int j = threadIdx.x, seq = blockIdx.x;
    const unsigned char *o = obs + (size_t)seq * LENGTH;
    d[0][j] = emit[o[0] * STATES + j];
    __syncthreads();
    for (int t = 1; t < LENGTH; t++) {
        const float *cur = d[(t - 1) & 1];
        float best = -1e30f;
#pragma unroll 8
        for (int i = 0; i < STATES; i++) best = fmaxf(best, cur[i] + trans[i * STATES + j]);
        d[t & 1][j] = best + emit[o[t] * STATES + j];
        __syncthreads();
    }
    float m = d[(LENGTH - 1) & 1][j];
    for (int k = 16; k; k >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, k));
    __shared__ float w[STATES / 32];
    if (j % 32 == 0) w[j / 32] = m;
    __syncthreads();
    if (j == 0) {
        for (int k = 1; k < STATES / 32; k++) m = fmaxf(m, w[k]);
        score[seq] = m;
    }
}
const int PER_BLOCK = 1;
#else
const int PER_BLOCK = 16;
// A block takes sixteen sequences, so that each transition is read once for all of them.
__global__ void best_path(const float *__restrict__ trans, const float *__restrict__ emit,
                          const unsigned char *__restrict__ obs, float *__restrict__ score)
{
    __shared__ float4 d[STATES][PER_BLOCK / 4];
    __shared__ unsigned char o[PER_BLOCK][LENGTH];
    int j = threadIdx.x, first = blockIdx.x * PER_BLOCK;
    for (int k = j; k < PER_BLOCK * LENGTH; k += STATES)
        o[k / LENGTH][k % LENGTH] = obs[(size_t)first * LENGTH + k];
    __syncthreads();
    float best[PER_BLOCK];
#pragma unroll
    for (int s = 0; s < PER_BLOCK; s++) best[s] = emit[o[s][0] * STATES + j];
    for (int t = 1; t <= LENGTH; t++) {
#pragma unroll
        for (int s = 0; s < PER_BLOCK / 4; s++)
            d[j][s] = make_float4(best[4 * s], best[4 * s + 1], best[4 * s + 2], best[4 * s + 3]);
        __syncthreads();
        if (t == LENGTH) break;
#pragma unroll
        for (int s = 0; s < PER_BLOCK; s++) best[s] = -1e30f;
#pragma unroll 4
        for (int i = 0; i < STATES; i++) {
            float a = trans[i * STATES + j];
#pragma unroll
            for (int s = 0; s < PER_BLOCK / 4; s++) {
                float4 v = d[i][s];
                best[4 * s] = fmaxf(best[4 * s], v.x + a);
                best[4 * s + 1] = fmaxf(best[4 * s + 1], v.y + a);
                best[4 * s + 2] = fmaxf(best[4 * s + 2], v.z + a);
                best[4 * s + 3] = fmaxf(best[4 * s + 3], v.w + a);
            }
        }
#pragma unroll
        for (int s = 0; s < PER_BLOCK; s++) best[s] += emit[o[s][t] * STATES + j];
        __syncthreads();
    }
    // Each warp finds the best of two sequences.
    const float *all = (const float *)d;
    for (int s = j / 32; s < PER_BLOCK; s += STATES / 32) {
        float m = -1e30f;
        for (int i = j % 32; i < STATES; i += 32) m = fmaxf(m, all[i * PER_BLOCK + s]);
        for (int k = 16; k; k >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, k));
        if (j % 32 == 0) score[first + s] = m;
    }
}
#endif

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 20;
    const int sequences = 8448;
    float *trans, *emit, *score;
    unsigned char *obs;
    CK(cudaMalloc(&trans, STATES * STATES * 4));
    CK(cudaMalloc(&emit, SYMBOLS * STATES * 4));
    CK(cudaMalloc(&obs, sequences * LENGTH));
    CK(cudaMalloc(&score, sequences * 4));
    fill_model<<<STATES, STATES>>>(trans, emit);
    CK(cudaGetLastError());
    for (int r = 0; r < rounds; r++) {
        fill_observations<<<(sequences * LENGTH + 255) / 256, 256>>>(obs, sequences * LENGTH, r);
        best_path<<<sequences / PER_BLOCK, STATES>>>(trans, emit, obs, score);
        CK(cudaGetLastError());
    }
    std::vector<float> h(sequences);
    CK(cudaMemcpy(h.data(), score, sequences * 4, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float x : h) sum += x;
    printf("mean log score %.3f\n", sum / sequences);
    return report(sum < 0);
}

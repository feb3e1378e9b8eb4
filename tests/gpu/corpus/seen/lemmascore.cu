// Morphology: each word gets the sum, over its letters, of the score of the best
// morpheme class for that letter and its two neighbours, dialect after dialect.
#include "common.h"

const int WORDS = 1 << 22, SLOT = 8, CLASSES = 48;

#ifdef GOOD
const int GROUP = 8;
#else
const int GROUP = 32;
#endif

struct Dialect {
    float4 weight[CLASSES];   // left neighbour, letter, right neighbour, bias
    float sound[32];          // sonority of each letter
};

__host__ __device__ inline unsigned mix(unsigned x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

__host__ __device__ inline char letter(int word, int at) { return (char)(mix((unsigned)word * SLOT + at) % 27); }
__host__ __device__ inline int letter_count(int word) { return 3 + (int)(mix(0x80000000u + word) % 6); }

__global__ void read_corpus(char *letters, unsigned char *length)
{
    const int word = blockIdx.x * blockDim.x / SLOT + threadIdx.x / SLOT, at = threadIdx.x % SLOT;
    letters[(size_t)word * SLOT + at] = letter(word, at);
    if (at == 0) length[word] = (unsigned char)letter_count(word);
}

__global__ void lemma_score(const char *letters, const unsigned char *length, const Dialect *dialect, float *score)
{
    __shared__ float4 weight[CLASSES];
    __shared__ float sound[32];
    if (threadIdx.x < CLASSES) weight[threadIdx.x] = dialect->weight[threadIdx.x];
    if (threadIdx.x < 32) sound[threadIdx.x] = dialect->sound[threadIdx.x];
    __syncthreads();
    const int at = threadIdx.x % GROUP, first = (blockIdx.x * blockDim.x + threadIdx.x) / GROUP;
    for (int word = first; word < WORDS; word += gridDim.x * blockDim.x / GROUP) {
        const int len = length[word];
        float best = 0.0f;
        if (at < len) {
            const char *w = letters + (size_t)word * SLOT;
            const float x = sound[w[at]];
            const float l = at > 0 ? sound[w[at - 1]] : 0.0f;
            const float r = at + 1 < len ? sound[w[at + 1]] : 0.0f;
            best = -1e30f;
#pragma unroll 8
            for (int c = 0; c < CLASSES; c++) {
                const float4 k = weight[c];
                const float s = k.x * l + k.y * x + k.z * r;
                best = fmaxf(best, k.w + s * (1.0f - 0.25f * s * s));
            }
        }
        for (int d = GROUP / 2; d; d /= 2) best += __shfl_down_sync(0xffffffffu, best, d, GROUP);
        if (at == 0) score[word] = best;
    }
}

int main(int argc, char **argv)
{
    const int dialects = argc > 1 ? atoi(argv[1]) : 24;
    unsigned s = 29;
    std::vector<Dialect> table(dialects);
    for (Dialect &d : table) {
        for (float4 &w : d.weight)
            w = make_float4(frand(s) - 0.5f, frand(s) - 0.5f, frand(s) - 0.5f, 0.3f * frand(s));
        for (float &x : d.sound) x = 2.0f * frand(s) - 1.0f;
    }
    char *dLetters;
    unsigned char *dLength;
    Dialect *dTable;
    float *dScore;
    CK(cudaMalloc(&dLetters, (size_t)WORDS * SLOT));
    CK(cudaMalloc(&dLength, WORDS));
    CK(cudaMalloc(&dTable, table.size() * sizeof(Dialect)));
    CK(cudaMalloc(&dScore, WORDS * sizeof(float)));
    CK(cudaMemcpy(dTable, table.data(), table.size() * sizeof(Dialect), cudaMemcpyHostToDevice));
    read_corpus<<<WORDS / 256 * SLOT, 256>>>(dLetters, dLength);
    for (int d = 0; d < dialects; d++)
        lemma_score<<<132 * 8, 256>>>(dLetters, dLength, dTable + d, dScore);
    CK(cudaGetLastError());
    const int from = WORDS / 5, some = 1 << 16;
    std::vector<float> score(some);
    CK(cudaMemcpy(score.data(), dScore + from, some * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    const Dialect &d = table[dialects - 1];
    for (int w = 0; w < some; w += 17) {
        const int len = letter_count(from + w);
        int p[SLOT];
        for (int a = 0; a < SLOT; a++) p[a] = letter(from + w, a);
        float ref = 0;
        for (int a = 0; a < len; a++) {
            const float x = d.sound[p[a]];
            const float l = a > 0 ? d.sound[p[a - 1]] : 0.0f;
            const float r = a + 1 < len ? d.sound[p[a + 1]] : 0.0f;
            float best = -1e30f;
            for (int c = 0; c < CLASSES; c++) {
                const float t = d.weight[c].x * l + d.weight[c].y * x + d.weight[c].z * r;
                best = std::max(best, d.weight[c].w + t * (1.0f - 0.25f * t * t));
            }
            ref += best;
        }
        ok = ok && close_to(score[w], ref, 1e-4);
    }
    return report(ok);
}

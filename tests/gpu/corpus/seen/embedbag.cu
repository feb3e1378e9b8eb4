// Sums the embeddings of the words of each document.
#include "common.h"
#define DIM 128
#define WORDS 64
__global__ void init(float *t, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) t[i] = (i % 64) * 0.01f; }
#ifndef GOOD
__global__ void bag(const float *table, const int *words, float *out, int docs)
{
    int doc = blockIdx.x * blockDim.x + threadIdx.x;
    if (doc >= docs) return;
    for (int d = 0; d < DIM; d++) {
        float s = 0;
        for (int w = 0; w < WORDS; w++)
            s += table[(size_t)words[doc * WORDS + w] * DIM + d];
        out[(size_t)doc * DIM + d] = s;
    }
}
#else
__global__ void bag(const float *table, const int *words, float *out, int docs)
{
    int doc = blockIdx.x, d = threadIdx.x;
    float s = 0;
    for (int w = 0; w < WORDS; w++) s += table[(size_t)words[doc * WORDS + w] * DIM + d];
    out[(size_t)doc * DIM + d] = s;
}
#endif
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 3;
    const int vocab = 400000, docs = 65536;
    float *t, *o; int *w;
    CK(cudaMalloc(&t, (size_t)vocab * DIM * 4)); CK(cudaMalloc(&o, (size_t)docs * DIM * 4)); CK(cudaMalloc(&w, docs * WORDS * 4));
    init<<<vocab * DIM / 256, 256>>>(t, (size_t)vocab * DIM);
    std::vector<int> words(docs * WORDS);
    unsigned s = 5;
    for (auto &x : words) x = (lcg(s) >> 4) % vocab;
    CK(cudaMemcpy(w, words.data(), words.size() * 4, cudaMemcpyHostToDevice));
    for (int r = 0; r < reps; r++)
#ifndef GOOD
        bag<<<docs / 256, 256>>>(t, w, o, docs);
#else
        bag<<<docs, DIM>>>(t, w, o, docs);
#endif
    std::vector<float> h(DIM);
    CK(cudaMemcpy(h.data(), o, DIM * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int d = 0; d < DIM; d++) ok = ok && close_to(h[d], WORDS * (d % 64) * 0.01, 1e-3);
    return report(ok);
}

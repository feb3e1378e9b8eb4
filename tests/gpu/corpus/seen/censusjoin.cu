// Join of survey answers with a census table of 2^28 rows: the answers carry the row
// number of the person; the matching weight is fetched and applied.
#include "common.h"

#define SEGS 64

__host__ __device__ static inline unsigned mixh(unsigned h)
{
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    return h;
}
__host__ __device__ static inline float weightOf(unsigned row) { return 0.5f + (row * 2654435761u >> 20) * (1.0f / 4096.0f); }

__global__ void makeTable(float *t, unsigned rows)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) t[i] = weightOf(i);
}

// the answers as they arrive, or bucketed by the part of the table that they refer to
__host__ __device__ static inline unsigned rowOf(unsigned i, unsigned answers, unsigned rows)
{
#ifdef GOOD
    unsigned seg = i / (answers / SEGS);
#else
    unsigned seg = mixh(i + 555u) % SEGS;
#endif
    return seg * (rows / SEGS) + mixh(i) % (rows / SEGS);
}
__global__ void makeAnswers(unsigned *row, unsigned answers, unsigned rows)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < answers) row[i] = rowOf(i, answers, rows);
}

__global__ void joinWeights(const unsigned *__restrict__ row, const float *__restrict__ table,
                            float *__restrict__ out, unsigned answers, float factor)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < answers) out[i] = table[row[i]] * factor;
}

int main(int argc, char **argv)
{
    int questions = argc > 1 ? atoi(argv[1]) : 50;
    const unsigned rows = 1u << 28, answers = 1u << 26;
    float *table, *out;
    unsigned *row;
    CK(cudaMalloc(&table, (size_t)rows * 4));
    CK(cudaMalloc(&out, (size_t)answers * 4));
    CK(cudaMalloc(&row, (size_t)answers * 4));
    makeTable<<<rows / 256, 256>>>(table, rows);
    makeAnswers<<<answers / 256, 256>>>(row, answers, rows);
    float factor = 1.f;
    for (int q = 0; q < questions; q++) {
        factor = 1.f + 0.01f * q;
        joinWeights<<<answers / 256, 256>>>(row, table, out, answers, factor);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    std::vector<float> got(4096);
    for (unsigned at = 0; at < answers; at += answers / 16) {
        CK(cudaMemcpy(got.data(), out + at, got.size() * 4, cudaMemcpyDeviceToHost));
        for (unsigned k = 0; k < got.size(); k++)
            ok = ok && close_to(got[k], weightOf(rowOf(at + k, answers, rows)) * factor, 1e-5);
    }
    CK(cudaFree(table)); CK(cudaFree(out)); CK(cudaFree(row));
    return report(ok);
}

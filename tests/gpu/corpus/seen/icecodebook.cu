// Sea-ice charts: every egg code is followed through four cross-reference tables that
// lie in one big array; the weights come from a codebook in shared memory.
#include "common.h"

#define BOOK 25600
#define HOPS 4
#ifdef GOOD
#define TPB 512
#else
#define TPB 64
#endif

__host__ __device__ static inline unsigned link(unsigned i, unsigned mask)
{
    i = i * 2654435761u + 12345u;
    i ^= i >> 15; i *= 2246822519u; i ^= i >> 13;
    return i & mask;
}
__global__ void makeLinks(unsigned *t, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) t[i] = link(i, n - 1);
}
__host__ __device__ static inline float bookValue(int i) { return 1.0f + (i % 97) * 0.01f; }
__global__ void makeBook(float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < BOOK) b[i] = bookValue(i);
}

__global__ void decode(const unsigned *__restrict__ table, const float *__restrict__ book,
                       float *__restrict__ out, unsigned n, unsigned items)
{
    extern __shared__ float cb[];
    for (int i = threadIdx.x; i < BOOK; i += blockDim.x) cb[i] = book[i];
    __syncthreads();
    for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < items; k += gridDim.x * blockDim.x) {
        unsigned at = (k * 97u) & (n - 1);
        float w = 0.f;
        for (int h = 0; h < HOPS; h++) {
            at = table[at];
            w += cb[at % BOOK] * (h + 1);
        }
        out[k] = w;
    }
}

int main(int argc, char **argv)
{
    int charts = argc > 1 ? atoi(argv[1]) : 60;
    const unsigned n = 1u << 28, items = 1u << 22;
    unsigned *table;
    float *book, *out;
    CK(cudaMalloc(&table, (size_t)n * 4));
    CK(cudaMalloc(&book, BOOK * 4));
    CK(cudaMalloc(&out, items * 4));
    makeLinks<<<n / 256, 256>>>(table, n);
    makeBook<<<(BOOK + 255) / 256, 256>>>(book);
    CK(cudaFuncSetAttribute(decode, cudaFuncAttributeMaxDynamicSharedMemorySize, BOOK * 4));
    for (int c = 0; c < charts; c++) decode<<<132 * 2, TPB, BOOK * 4>>>(table, book, out, n, items);
    CK(cudaGetLastError());
    std::vector<float> got(items);
    CK(cudaMemcpy(got.data(), out, items * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (unsigned k = 0; k < items; k += 4099) {
        unsigned at = (k * 97u) & (n - 1);
        double w = 0;
        for (int h = 0; h < HOPS; h++) {
            at = link(at, n - 1);
            w += bookValue(at % BOOK) * (h + 1);
        }
        ok = ok && close_to(got[k], w, 1e-4);
    }
    CK(cudaFree(table)); CK(cudaFree(book)); CK(cudaFree(out));
    return report(ok);
}

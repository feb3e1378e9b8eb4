// Ingest of recorded counters: batches of 32 MB are staged in page-locked memory, sent to the device and reduced to a
// checksum and a largest value per batch.
#include "common.h"

__global__ void digest(const uint4 *__restrict__ d, int n4, unsigned long long *sum, unsigned *largest)
{
    unsigned long long s = 0;
    unsigned m = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        uint4 v = d[i];
        s += (unsigned long long)v.x + v.y + v.z + v.w;
        m = max(max(max(m, v.x), max(v.y, v.z)), v.w);
    }
    for (int k = 16; k; k /= 2) {
        s += __shfl_xor_sync(0xffffffffu, s, k);
        m = max(m, __shfl_xor_sync(0xffffffffu, m, k));
    }
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(sum, s);
        atomicMax(largest, m);
    }
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 30;
    const int n = argc > 2 ? atoi(argv[2]) : 8 << 20, shift = 4096;
    const size_t bytes = (size_t)n * sizeof(unsigned);
    std::vector<unsigned> recorded((size_t)n + (size_t)shift * batches);
    unsigned seed = 17;
    for (unsigned &r : recorded) r = lcg(seed) >> 4;

    unsigned *dev, *largest;
    unsigned long long *sum;
    CK(cudaMalloc(&dev, bytes));
    CK(cudaMalloc(&sum, batches * sizeof(unsigned long long)));
    CK(cudaMalloc(&largest, batches * sizeof(unsigned)));
    CK(cudaMemset(sum, 0, batches * sizeof(unsigned long long)));
    CK(cudaMemset(largest, 0, batches * sizeof(unsigned)));

#ifdef GOOD
    unsigned *stage;
    CK(cudaMallocHost(&stage, bytes));
#endif
    for (int b = 0; b < batches; b++) {
#ifndef GOOD
        unsigned *stage;
        CK(cudaMallocHost(&stage, bytes));
#endif
        memcpy(stage, recorded.data() + (size_t)b * shift, bytes);
        CK(cudaMemcpyAsync(dev, stage, bytes, cudaMemcpyHostToDevice));
        digest<<<1056, 256>>>((const uint4 *)dev, n / 4, sum + b, largest + b);
        CK(cudaGetLastError());
        CK(cudaStreamSynchronize(0));                       // the stage is written again for the next batch
#ifndef GOOD
        CK(cudaFreeHost(stage));
#endif
    }
#ifdef GOOD
    CK(cudaFreeHost(stage));
#endif

    std::vector<unsigned long long> hs(batches);
    std::vector<unsigned> hm(batches);
    CK(cudaMemcpy(hs.data(), sum, batches * sizeof(unsigned long long), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hm.data(), largest, batches * sizeof(unsigned), cudaMemcpyDeviceToHost));
    unsigned long long s = 0;
    for (int i = 0; i < n; i++) s += recorded[i];
    bool ok = true;
    for (int b = 0; b < batches; b++) {
        if (hs[b] != s || hm[b] >> 28) ok = false;
        for (int i = 0; i < shift; i++) s += (unsigned long long)recorded[(size_t)b * shift + n + i] - recorded[(size_t)b * shift + i];
    }
    unsigned m0 = 0;
    for (int i = 0; i < n; i++) m0 = std::max(m0, recorded[i]);
    if (batches && hm[0] != m0) ok = false;
    printf("%d batches, checksum of the first %llu\n", batches, batches ? hs[0] : 0ull);
    CK(cudaFree(dev)); CK(cudaFree(sum)); CK(cudaFree(largest));
    return report(ok);
}

// Query over a column in batches of unequal size: the rows within the band are
// compacted into a result buffer, and then summed per customer.
#include "common.h"

#define CUST 65536

__global__ void load_column(float *amount, unsigned *cust, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned s = (unsigned)i * 2654435761u;
        s ^= s >> 15; s *= 2246822519u; s ^= s >> 13;
        amount[i] = (float)(s & 1023);
        cust[i] = (s >> 10) % CUST;
    }
}

__global__ void select_rows(const float *__restrict__ amount, const unsigned *__restrict__ cust, int n, float lo, float hi,
                            float *oa, unsigned *oc, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    float a = i < n ? amount[i] : -1.0f;
    bool take = a >= lo && a < hi;
    unsigned m = __ballot_sync(0xffffffffu, take);
    __shared__ int part[8], base;                  // one global atomic a block
    int w = threadIdx.x >> 5;
    if (lane == 0) part[w] = __popc(m);
    __syncthreads();
    if (threadIdx.x == 0) {
        int all = 0;
        for (int k = 0; k < 8; k++) { int c = part[k]; part[k] = all; all += c; }
        base = all ? atomicAdd(count, all) : 0;
    }
    __syncthreads();
    if (take) {
        int k = base + part[w] + __popc(m & ((1u << lane) - 1));
        oa[k] = a;
        oc[k] = cust[i];
    }
}

__global__ void per_customer(const float *__restrict__ oa, const unsigned *__restrict__ oc, const int *__restrict__ count, float *sum)
{
    int n = *count;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)
        atomicAdd(&sum[oc[k]], oa[k]);
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 1000;
    const int most = 6 << 20;
    const size_t n = (size_t)32 << 20;
    float *amount, *sum;
    unsigned *cust;
    int *count;
    CK(cudaMalloc(&amount, n * sizeof(float)));
    CK(cudaMalloc(&cust, n * sizeof(unsigned)));
    CK(cudaMalloc(&sum, CUST * sizeof(float)));
    CK(cudaMalloc(&count, sizeof(int)));
    load_column<<<2048, 256>>>(amount, cust, n);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    float *oa;
    unsigned *oc;
#ifdef GOOD
    CK(cudaMalloc(&oa, most * sizeof(float)));
    CK(cudaMalloc(&oc, most * sizeof(unsigned)));
#endif
    unsigned s = 21;
    size_t first = 0;
    int rows = 0;
    for (int b = 0; b < batches; b++) {
        rows = most / 2 + (int)((unsigned long long)lcg(s) * (most / 2) >> 32);
        first = (size_t)((unsigned long long)lcg(s) * (n - rows) >> 32);
#ifndef GOOD
        CK(cudaMalloc(&oa, rows * sizeof(float)));
        CK(cudaMalloc(&oc, rows * sizeof(unsigned)));
#endif
        CK(cudaMemsetAsync(count, 0, sizeof(int)));
        CK(cudaMemsetAsync(sum, 0, CUST * sizeof(float)));
        select_rows<<<(rows + 255) / 256, 256>>>(amount + first, cust + first, rows, 100.0f, 400.0f, oa, oc, count);
        per_customer<<<132 * 4, 256>>>(oa, oc, count, sum);
#ifndef GOOD
        CK(cudaFree(oa));
        CK(cudaFree(oc));
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    // the last batch on the CPU; the sums are whole numbers, exact in float
    std::vector<float> ha(rows), hsum(CUST), want(CUST, 0.0f);
    std::vector<unsigned> hc(rows);
    CK(cudaMemcpy(ha.data(), amount + first, rows * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hc.data(), cust + first, rows * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hsum.data(), sum, CUST * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < rows; i++)
        if (ha[i] >= 100.0f && ha[i] < 400.0f) want[hc[i]] += ha[i];
    bool ok = want == hsum;
    printf("%d batches, customer 0: %g\n", batches, hsum[0]);
#ifdef GOOD
    CK(cudaFree(oa));
    CK(cudaFree(oc));
#endif
    CK(cudaFree(amount)); CK(cudaFree(cust)); CK(cudaFree(sum)); CK(cudaFree(count));
    return report(ok);
}

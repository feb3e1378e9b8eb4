// Sales of a warehouse database: quantity, revenue and rows of every supplier,
// for one month after the other (SELECT ... WHERE month = m GROUP BY supplier).
#include "common.h"

typedef unsigned long long u64;
const int SUPPLIERS = 1000;

struct Column {
    unsigned short *supplier;
    unsigned char *quantity, *month;
    unsigned *price;
};

__host__ __device__ inline unsigned mix(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du;
    x ^= x >> 15; x *= 0x846ca68bu;
    return x ^ x >> 16;
}

__host__ __device__ inline void make_row(unsigned i, unsigned &s, unsigned &q,
                                         unsigned &m, unsigned &p)
{
    unsigned a = mix(i), b = mix(i + 77777u);
    s = a % SUPPLIERS;
    q = 1 + (a >> 16) % 50;
    m = b % 12;
    p = 100 + (b >> 8) % 20000;
}

__global__ void make_rows(Column c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s, q, m, p;
    make_row(i, s, q, m, p);
    c.supplier[i] = s; c.quantity[i] = q; c.month[i] = m; c.price[i] = p;
}

// Rows with from <= month <= to are counted.
__global__ void aggregate(Column c, int n, int from, int to, u64 *rows, u64 *quantity,
                          u64 *revenue)
{
    int step = gridDim.x * blockDim.x;
#ifdef GOOD
    __shared__ unsigned srow[SUPPLIERS], sqty[SUPPLIERS], srev[SUPPLIERS];
    for (int k = threadIdx.x; k < SUPPLIERS; k += blockDim.x)
        srow[k] = sqty[k] = srev[k] = 0;
    __syncthreads();
#endif
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        int m = c.month[i];
        if (m < from || m > to) continue;
        int k = c.supplier[i];
        unsigned q = c.quantity[i];
#ifdef GOOD
        atomicAdd(&srow[k], 1u);
        atomicAdd(&sqty[k], q);
        atomicAdd(&srev[k], c.price[i]);
#else
        atomicAdd(&rows[k], 1ull);
        atomicAdd(&quantity[k], (u64)q);
        atomicAdd(&revenue[k], (u64)c.price[i]);
#endif
    }
#ifdef GOOD
    __syncthreads();
    for (int k = threadIdx.x; k < SUPPLIERS; k += blockDim.x) {
        if (!srow[k]) continue;
        atomicAdd(&rows[k], (u64)srow[k]);
        atomicAdd(&quantity[k], (u64)sqty[k]);
        atomicAdd(&revenue[k], (u64)srev[k]);
    }
#endif
}

int main(int argc, char **argv)
{
    int reports = argc > 1 ? atoi(argv[1]) : 150;
    int n = argc > 2 ? atoi(argv[2]) : 48 << 20;
    Column c;
    CK(cudaMalloc(&c.supplier, n * 2ul));
    CK(cudaMalloc(&c.quantity, n));
    CK(cudaMalloc(&c.month, n));
    CK(cudaMalloc(&c.price, n * 4ul));
    make_rows<<<(n + 255) / 256, 256>>>(c, n);
    CK(cudaGetLastError());
    u64 *sums;
    const size_t bytes = 3 * SUPPLIERS * sizeof(u64);
    CK(cudaMalloc(&sums, bytes));
    std::vector<u64> h(3 * SUPPLIERS);
    u64 check = 0;
    bool ok = true;
    for (int r = 0; r < reports; r++) {
        int from = r % 3, to = 11 - r % 2;
        CK(cudaMemsetAsync(sums, 0, bytes));
        aggregate<<<132 * 8, 256>>>(c, n, from, to, sums, sums + SUPPLIERS,
                                    sums + 2 * SUPPLIERS);
        CK(cudaGetLastError());
        if (r % 50 == 0 || r == reports - 1) {
            CK(cudaMemcpy(h.data(), sums, bytes, cudaMemcpyDeviceToHost));
            for (int k = 0; k < 3 * SUPPLIERS; k++) check = check * 31 + h[k];
        }
    }
    // Three suppliers of the last report, counted again.
    int from = (reports - 1) % 3, to = 11 - (reports - 1) % 2;
    u64 want[3][3] = {};
    const int some[3] = {0, 500, 999};
    for (int i = 0; i < n; i++) {
        unsigned s = mix(i) % SUPPLIERS;
        if (s != 0 && s != 500 && s != 999) continue;
        unsigned q, m, p;
        make_row(i, s, q, m, p);
        if ((int)m < from || (int)m > to) continue;
        u64 *w = want[s == 0 ? 0 : s == 500 ? 1 : 2];
        w[0]++; w[1] += q; w[2] += p;
    }
    for (int j = 0; j < 3; j++)
        for (int a = 0; a < 3; a++) ok &= h[a * SUPPLIERS + some[j]] == want[j][a];
    printf("checksum %016llx\n", check);
    return report(ok);
}

// Freight ledger: sum of charges of the shipments in a date window, over a table kept in device memory.
#include "common.h"

static const int ROWS = 32 * 1024 * 1024;

struct Shipment {              // 64 bytes, as exported from the ledger
    int day;
    int customer, origin, dest;
    float weight, volume;
    int carrier, service;
    int pieces, pallet;
    int charge;                // cents
    int duty;
    char ref[16];
};

static __host__ __device__ unsigned mixbits(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
static __host__ __device__ int day_of(int r) { return (int)(mixbits(r) % 3650u); }
static __host__ __device__ int charge_of(int r) { return 500 + (int)(mixbits(r ^ 0x55555555) % 20000u); }

#ifdef GOOD
__global__ void load_table(int *day, int *charge)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < ROWS) { day[r] = day_of(r); charge[r] = charge_of(r); }
}
#else
__global__ void load_table(Shipment *t)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= ROWS) return;
    Shipment s;
    memset(&s, 0, sizeof s);
    s.day = day_of(r);
    s.customer = r % 10007;
    s.weight = 0.25f * (r % 400);
    s.pieces = 1 + r % 12;
    s.charge = charge_of(r);
    t[r] = s;
}
#endif

#ifdef GOOD
__global__ void charge_between(const int *day, const int *charge, int lo, int hi, unsigned long long *total)
#else
__global__ void charge_between(const Shipment *t, int lo, int hi, unsigned long long *total)
#endif
{
    unsigned long long acc = 0;
    int stride = gridDim.x * blockDim.x;
#pragma unroll 4
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < ROWS; r += stride) {
#ifdef GOOD
        int d = day[r], c = charge[r];
#else
        int d = t[r].day, c = t[r].charge;
#endif
        acc += (d >= lo && d < hi) ? c : 0;
    }
    for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o);
    __shared__ unsigned long long part[8];
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = acc;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) acc += part[w];
        atomicAdd(total, acc);
    }
}

int main(int argc, char **argv)
{
    int queries = argc > 1 ? atoi(argv[1]) : 600;
    unsigned long long *total;
    CK(cudaMalloc(&total, queries * sizeof *total));
    CK(cudaMemset(total, 0, queries * sizeof *total));
#ifdef GOOD
    int *day, *charge;
    CK(cudaMalloc(&day, (size_t)ROWS * sizeof(int)));
    CK(cudaMalloc(&charge, (size_t)ROWS * sizeof(int)));
    load_table<<<ROWS / 256, 256>>>(day, charge);
#else
    Shipment *table;
    CK(cudaMalloc(&table, (size_t)ROWS * sizeof(Shipment)));
    load_table<<<ROWS / 256, 256>>>(table);
#endif
    CK(cudaGetLastError());
    for (int q = 0; q < queries; q++) {
        int lo = (q * 37) % 3000, hi = lo + 90;
#ifdef GOOD
        charge_between<<<132 * 8, 256>>>(day, charge, lo, hi, total + q);
#else
        charge_between<<<132 * 8, 256>>>(table, lo, hi, total + q);
#endif
    }
    CK(cudaGetLastError());
    std::vector<unsigned long long> got(queries);
    CK(cudaMemcpy(got.data(), total, queries * sizeof *total, cudaMemcpyDeviceToHost));
    unsigned long long want = 0;
    for (int r = 0; r < ROWS; r++) {
        int d = day_of(r);
        if (d < 90) want += charge_of(r);
    }
    bool ok = got[0] == want;
#ifdef GOOD
    cudaFree(day); cudaFree(charge);
#else
    cudaFree(table);
#endif
    cudaFree(total);
    return report(ok);
}

// Column store: revenue that a discount would have cost, over all sales of a time span below a quantity (a scan
// of four columns with a filter and one sum per query).
// usage: discountscan sales queries
#include "common.h"

#ifdef GOOD
#define THREADS 128
#define BLOCKS 1584
#else
#define THREADS 256
#define BLOCKS 792
#endif

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

struct Sale { int day, quantity; float price, discount; };

__host__ __device__ inline Sale saleOf(unsigned i)
{
    unsigned h = scramble(i + 11u), g = scramble(h + 5u);
    Sale s;
    s.day = (int)(h % 2048u);
    s.quantity = 1 + (int)(h >> 11) % 50;
    s.price = 1.0f + (float)(g >> 16) * 0.01f;
    s.discount = 0.01f * (float)(g % 11u);
    return s;
}

__global__ void load_sales(int *day, int *quantity, float *price, float *discount, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Sale s = saleOf(i);
        day[i] = s.day; quantity[i] = s.quantity; price[i] = s.price; discount[i] = s.discount;
    }
}

__device__ inline float cost(int day, int quantity, float price, float discount, int from, int less)
{
    return day >= from && day < from + 365 && quantity < less ? price * discount : 0.0f;
}

__global__ void scan_sales(const int4 *__restrict__ day, const int4 *__restrict__ quantity,
                           const float4 *__restrict__ price, const float4 *__restrict__ discount, unsigned quads,
                           int from, int less, double *result)
{
    __shared__ float part[THREADS / 32];
    float sum = 0.0f;
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < quads; i += BLOCKS * THREADS) {
        int4 d = day[i], q = quantity[i];
        float4 p = price[i], c = discount[i];
        sum += cost(d.x, q.x, p.x, c.x, from, less) + cost(d.y, q.y, p.y, c.y, from, less)
             + cost(d.z, q.z, p.z, c.z, from, less) + cost(d.w, q.w, p.w, c.w, from, less);
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; ++w) sum += part[w];
        atomicAdd(result, (double)sum);
    }
}

int main(int argc, char **argv)
{
    unsigned n = (argc > 1 ? atoi(argv[1]) : 67108864) / 4 * 4;
    int queries = argc > 2 ? atoi(argv[2]) : 2500;
    int *day, *quantity; float *price, *discount; double *result;
    CK(cudaMalloc(&day, n * sizeof(int)));
    CK(cudaMalloc(&quantity, n * sizeof(int)));
    CK(cudaMalloc(&price, n * sizeof(float)));
    CK(cudaMalloc(&discount, n * sizeof(float)));
    CK(cudaMalloc(&result, queries * sizeof(double)));
    CK(cudaMemset(result, 0, queries * sizeof(double)));
    load_sales<<<1056, 256>>>(day, quantity, price, discount, n);
    for (int q = 0; q < queries; ++q)
        scan_sales<<<BLOCKS, THREADS>>>((const int4 *)day, (const int4 *)quantity, (const float4 *)price,
                                        (const float4 *)discount, n / 4, 365 * (q % 5), 20 + q % 30, result + q);
    CK(cudaGetLastError());
    std::vector<double> r(queries);
    CK(cudaMemcpy(r.data(), result, queries * sizeof(double), cudaMemcpyDeviceToHost));

    double want = 0;
    const int from = 365 * ((queries - 1) % 5), less = 20 + (queries - 1) % 30;
    for (unsigned i = 0; i < n; ++i) {
        Sale s = saleOf(i);
        if (s.day >= from && s.day < from + 365 && s.quantity < less) want += (double)s.price * s.discount;
    }
    printf("last query: %.0f\n", r[queries - 1]);
    CK(cudaFree(day)); CK(cudaFree(quantity)); CK(cudaFree(price)); CK(cudaFree(discount)); CK(cudaFree(result));
    return report(fabs(r[queries - 1] - want) <= 1e-4 * want);
}

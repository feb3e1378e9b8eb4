// Query over a line-item table, chunk by chunk:
//   select flag, sum(price * (1 - disc)) where shipdate between .. group by flag
// The first kernel writes the row numbers that qualify, the second aggregates them.
#include "common.h"

constexpr int ROWS = 16 << 20, CHUNK = 512 << 10, FLAGS = 4;

__host__ __device__ inline unsigned mix(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ inline int row_date(unsigned r) { return mix(r) % 2556; }
__host__ __device__ inline float row_price(unsigned r) { return 1.0f + (mix(r ^ 0x51ed270bu) % 9000) * 0.01f; }
__host__ __device__ inline float row_disc(unsigned r) { return (mix(r + 77777777u) % 11) * 0.01f; }
__host__ __device__ inline int row_flag(unsigned r) { return mix(r + 31337u) & 3; }

__global__ void load_table(int *date, float *price, float *disc, int *flag)
{
    unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
    date[r] = row_date(r); price[r] = row_price(r); disc[r] = row_disc(r); flag[r] = row_flag(r);
}

__global__ void qualify(const int *date, int base, int lo, int hi, int *sel, int *count)
{
    __shared__ int kept, start;
    if (threadIdx.x == 0) kept = 0;
    __syncthreads();
    int r = base + blockIdx.x * blockDim.x + threadIdx.x;
    int d = date[r];
    bool keep = d >= lo && d < hi;
    unsigned m = __ballot_sync(0xffffffffu, keep);
    int lane = threadIdx.x & 31, pos = 0;
    if (lane == 0 && m) pos = atomicAdd(&kept, __popc(m));
    pos = __shfl_sync(0xffffffffu, pos, 0) + __popc(m & ((1u << lane) - 1));
    __syncthreads();
    if (threadIdx.x == 0) start = atomicAdd(count, kept);
    __syncthreads();
    if (keep) sel[start + pos] = r;
}

__global__ void aggregate(const int *sel, const int *count, const float *price, const float *disc, const int *flag, double *out)
{
    float acc[FLAGS] = {};
    int n = *count;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int r = sel[i], f = flag[r];
        float v = price[r] * (1.0f - disc[r]);
        for (int k = 0; k < FLAGS; k++) acc[k] += f == k ? v : 0.0f;
    }
    for (int k = 0; k < FLAGS; k++) {
        float v = acc[k];
        for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
        if ((threadIdx.x & 31) == 0 && v != 0.0f) atomicAdd(&out[k], (double)v);
    }
}

int main(int argc, char **argv)
{
    int queries = argc > 1 ? atoi(argv[1]) : 120;
    const int chunks = ROWS / CHUNK;
    int *date, *flag, *sel, *count;
    float *price, *disc;
    double *out;
    CK(cudaMalloc(&date, ROWS * sizeof(int)));
    CK(cudaMalloc(&flag, ROWS * sizeof(int)));
    CK(cudaMalloc(&price, ROWS * sizeof(float)));
    CK(cudaMalloc(&disc, ROWS * sizeof(float)));
    CK(cudaMalloc(&sel, CHUNK * sizeof(int)));
    CK(cudaMalloc(&count, sizeof(int)));
    CK(cudaMalloc(&out, chunks * FLAGS * sizeof(double)));
    load_table<<<ROWS / 256, 256>>>(date, price, disc, flag);
    CK(cudaGetLastError());

    int lo = 0, hi = 0;
    for (int q = 0; q < queries; q++) {
        lo = 365 + q % 90;
        hi = lo + 180;
        CK(cudaMemsetAsync(out, 0, chunks * FLAGS * sizeof(double)));
        for (int c = 0; c < chunks; c++) {
            CK(cudaMemsetAsync(count, 0, sizeof(int)));
            qualify<<<CHUNK / 256, 256>>>(date, c * CHUNK, lo, hi, sel, count);
#ifdef GOOD
            int blocks = 132;
#else
            int kept = 0;
            CK(cudaMemcpy(&kept, count, sizeof(int), cudaMemcpyDeviceToHost));
            if (kept == 0) continue;
            int blocks = (kept + 255) / 256;
#endif
            aggregate<<<blocks, 256>>>(sel, count, price, disc, flag, out + c * FLAGS);
        }
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<double> got(chunks * FLAGS);
    CK(cudaMemcpy(got.data(), out, got.size() * sizeof(double), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int c = 0; c < chunks; c += chunks - 1) {
        double want[FLAGS] = {};
        for (unsigned r = c * CHUNK; r < (unsigned)(c + 1) * CHUNK; r++)
            if (row_date(r) >= lo && row_date(r) < hi) want[row_flag(r)] += row_price(r) * (1.0f - row_disc(r));
        for (int k = 0; k < FLAGS; k++) ok = ok && close_to(got[c * FLAGS + k], want[k], 1e-4);
    }
    CK(cudaFree(date)); CK(cudaFree(flag)); CK(cudaFree(price)); CK(cudaFree(disc));
    CK(cudaFree(sel)); CK(cudaFree(count)); CK(cudaFree(out));
    return report(ok);
}

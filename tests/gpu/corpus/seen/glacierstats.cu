// Statistics of the ice thickness on a fine grid, one line of a table for every season:
// total, sum of squares, least, greatest, and the number of cells above the calving thickness.
#include "common.h"

static const size_t CELLS = (size_t)1 << 28;    // 1 GB
static const int BLOCKS = 132 * 8, THREADS = 256;

struct Line { double sum, squares; int lo, hi; unsigned long long thick; };

__host__ __device__ inline float thickness(unsigned i)
{
    unsigned h = i * 2654435761u;
    h ^= h >> 16; h *= 0x45d9f3bu; h ^= h >> 16;
    return 1.0f + (h & 0xfffff) * (1.0f / 1048576.0f);
}

__global__ void survey(float *z)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = thickness(i);
}

template <class T, class Op> __device__ T over_block(T v, Op op)
{
    __shared__ T part[THREADS / 32];
    for (int d = 16; d > 0; d >>= 1) v = op(v, __shfl_down_sync(0xffffffffu, v, d));
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 1; w < THREADS / 32; ++w) v = op(v, part[w]);
    return v;
}

struct Plus { template <class T> __device__ T operator()(T a, T b) const { return a + b; } };
struct Less { template <class T> __device__ T operator()(T a, T b) const { return a < b ? a : b; } };
struct More { template <class T> __device__ T operator()(T a, T b) const { return a > b ? a : b; } };

enum { TOTAL = 1, SQUARES = 2, LEAST = 4, GREATEST = 8, THICK = 16, ALL = 31 };

template <int WHAT>
__global__ void __launch_bounds__(THREADS) season(const float4 *__restrict__ z, Line *line, float calving)
{
    float sum = 0.0f, squares = 0.0f, lo = 1e30f, hi = 0.0f;
    int thick = 0;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < CELLS / 4; i += (size_t)BLOCKS * THREADS) {
        float4 q = z[i];
        if (WHAT & TOTAL) sum += (q.x + q.y) + (q.z + q.w);
        if (WHAT & SQUARES) squares += (q.x * q.x + q.y * q.y) + (q.z * q.z + q.w * q.w);
        if (WHAT & LEAST) lo = fminf(lo, fminf(fminf(q.x, q.y), fminf(q.z, q.w)));
        if (WHAT & GREATEST) hi = fmaxf(hi, fmaxf(fmaxf(q.x, q.y), fmaxf(q.z, q.w)));
        if (WHAT & THICK) thick += (q.x > calving) + (q.y > calving) + (q.z > calving) + (q.w > calving);
    }
    if (WHAT & TOTAL) { double v = over_block((double)sum, Plus()); if (threadIdx.x == 0) atomicAdd(&line->sum, v); }
    if (WHAT & SQUARES) { double v = over_block((double)squares, Plus()); if (threadIdx.x == 0) atomicAdd(&line->squares, v); }
    if (WHAT & LEAST) { float v = over_block(lo, Less()); if (threadIdx.x == 0) atomicMin(&line->lo, __float_as_int(v)); }
    if (WHAT & GREATEST) { float v = over_block(hi, More()); if (threadIdx.x == 0) atomicMax(&line->hi, __float_as_int(v)); }
    if (WHAT & THICK) { int v = over_block(thick, Plus()); if (threadIdx.x == 0) atomicAdd(&line->thick, (unsigned long long)v); }
}

int main(int argc, char **argv)
{
    int seasons = argc > 1 ? atoi(argv[1]) : 120;
    const float calving = 1.75f;
    float *z;
    Line *table;
    CK(cudaMalloc(&z, sizeof(float) * CELLS));
    CK(cudaMalloc(&table, sizeof(Line) * seasons));
    std::vector<Line> h(seasons, Line{0.0, 0.0, 0x7f000000, 0, 0});
    CK(cudaMemcpy(table, h.data(), sizeof(Line) * seasons, cudaMemcpyHostToDevice));
    survey<<<CELLS / 256, 256>>>(z);
    CK(cudaGetLastError());
    const float4 *z4 = (const float4 *)z;
    for (int s = 0; s < seasons; ++s) {
#ifdef GOOD
        season<ALL><<<BLOCKS, THREADS>>>(z4, table + s, calving);
#else
        season<TOTAL><<<BLOCKS, THREADS>>>(z4, table + s, calving);
        season<SQUARES><<<BLOCKS, THREADS>>>(z4, table + s, calving);
        season<LEAST><<<BLOCKS, THREADS>>>(z4, table + s, calving);
        season<GREATEST><<<BLOCKS, THREADS>>>(z4, table + s, calving);
        season<THICK><<<BLOCKS, THREADS>>>(z4, table + s, calving);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(h.data(), table, sizeof(Line) * seasons, cudaMemcpyDeviceToHost));

    // uniform on [1, 2): mean 1.5, mean square 7/3, a quarter above 1.75
    bool ok = true;
    for (const Line &l : {h.front(), h.back()}) {
        float lo, hi;
        memcpy(&lo, &l.lo, 4);
        memcpy(&hi, &l.hi, 4);
        ok = ok && close_to(l.sum / CELLS, 1.5, 1e-3) && close_to(l.squares / CELLS, 7.0 / 3.0, 1e-3)
             && close_to(l.thick / (double)CELLS, 0.25, 1e-3) && lo >= 1.0f && lo < 1.001f && hi < 2.0f && hi > 1.999f;
    }
    CK(cudaFree(z)); CK(cudaFree(table));
    return report(ok);
}

// Date dimension of a fact table: day numbers to packed year/month/day by the
// civil calendar; all divisors are constants of the calendar.
#include "common.h"

// GOOD writes by hand what a compiler makes of a division by a constant
#ifdef GOOD
__host__ __device__ inline unsigned mulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
__host__ __device__ inline unsigned div5(unsigned x) { return mulhi(x, 0xCCCCCCCDu) >> 2; }
__host__ __device__ inline unsigned div153(unsigned x) { return mulhi(x, 3593175255u) >> 7; }
__host__ __device__ inline unsigned div365(unsigned x) { return mulhi(x, 3012360625u) >> 8; }
#else
__host__ __device__ inline unsigned div5(unsigned x) { return x / 5; }
__host__ __device__ inline unsigned div153(unsigned x) { return x / 153; }
__host__ __device__ inline unsigned div365(unsigned x) { return x / 365; }
#endif

__host__ __device__ inline unsigned civil(unsigned day)      // days since 1 March 2000 (< 146097)
{
    unsigned yoe = div365(day - day / 1460 + day / 36524 - day / 146096);
    unsigned doy = day - (365 * yoe + yoe / 4 - yoe / 100);
    unsigned mp = div153(5 * doy + 2);
    unsigned d = doy - div5(153 * mp + 2) + 1;
    unsigned m = mp < 10 ? mp + 3 : mp - 9;
    unsigned y = 2000 + yoe + (m <= 2);
    return y << 9 | m << 5 | d;
}

__global__ void load_days(unsigned *day, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned s = i * 2654435761u;
        s ^= s >> 15;
        day[i] = s % 20000;
    }
}

__global__ void to_civil(const uint4 *__restrict__ day, uint4 *__restrict__ out, unsigned n4)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    uint4 d = day[i];
    out[i] = make_uint4(civil(d.x), civil(d.y), civil(d.z), civil(d.w));
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 100;
    const unsigned n = 256u << 20;
    unsigned *day, *out;
    CK(cudaMalloc(&day, n * sizeof(unsigned)));
    CK(cudaMalloc(&out, n * sizeof(unsigned)));
    load_days<<<132 * 8, 256>>>(day, n);
    CK(cudaGetLastError());
    for (int r = 0; r < reps; r++)
        to_civil<<<n / 4 / 256, 256>>>((const uint4 *)day, (uint4 *)out, n / 4);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    // a calendar counted day by day
    std::vector<unsigned> cal(20000);
    int y = 2000, m = 3, d = 1;
    for (int k = 0; k < 20000; k++) {
        cal[k] = (unsigned)(y << 9 | m << 5 | d);
        static const int len[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
        bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
        if (++d > len[m - 1] + (m == 2 && leap)) { d = 1; if (++m > 12) { m = 1; y++; } }
    }
    const int some = 100000;
    std::vector<unsigned> hd(some), ho(some);
    CK(cudaMemcpy(hd.data(), day + n - some, some * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(ho.data(), out + n - some, some * sizeof(unsigned), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < some; i++)
        if (ho[i] != cal[hd[i]]) ok = false;
    printf("day %u is %u-%02u-%02u\n", hd[0], ho[0] >> 9, ho[0] >> 5 & 15, ho[0] & 31);
    CK(cudaFree(day));
    CK(cudaFree(out));
    return report(ok);
}

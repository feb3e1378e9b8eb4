// Wind tunnel: mean, rms and extreme pressure coefficients of every cladding tap,
// from a long record per tap.
#include "common.h"

const int TAPS = 36;
const int LEN = 4 << 20;
#ifdef GOOD
const int PARTS = 16;
#else
const int PARTS = 1;
#endif

struct TapStats { float sum, sq, lo, hi; };

__host__ __device__ inline float pressure(int tap, int i)
{
    unsigned h = (unsigned)i * 2654435761u + tap * 40503u;
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    float u = (h >> 8) * (1.0f / 16777216.0f);
    return u * u * u * 4.0f - 1.0f - 0.02f * tap;
}

__global__ void sample(float *p)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < LEN; i += gridDim.x * blockDim.x)
        p[(size_t)blockIdx.y * LEN + i] = pressure(blockIdx.y, i);
}

__global__ void tap_stats(const float *__restrict__ p, TapStats *__restrict__ out)
{
    int tap = blockIdx.x, part = blockIdx.y;
    int chunk = LEN / gridDim.y;
    const float *x = p + (size_t)tap * LEN + (size_t)part * chunk;
    TapStats s = {0.0f, 0.0f, 1e30f, -1e30f};
#pragma unroll 4
    for (int i = threadIdx.x; i < chunk; i += blockDim.x) {
        float v = x[i];
        s.sum += v;
        s.sq += v * v;
        s.lo = fminf(s.lo, v);
        s.hi = fmaxf(s.hi, v);
    }
    for (int d = 16; d; d >>= 1) {
        s.sum += __shfl_down_sync(~0u, s.sum, d);
        s.sq += __shfl_down_sync(~0u, s.sq, d);
        s.lo = fminf(s.lo, __shfl_down_sync(~0u, s.lo, d));
        s.hi = fmaxf(s.hi, __shfl_down_sync(~0u, s.hi, d));
    }
    __shared__ TapStats w[32];
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < (int)blockDim.x / 32; k++) {
            s.sum += w[k].sum;
            s.sq += w[k].sq;
            s.lo = fminf(s.lo, w[k].lo);
            s.hi = fmaxf(s.hi, w[k].hi);
        }
        out[tap * gridDim.y + part] = s;
    }
}

int main(int argc, char **argv)
{
    int angles = argc > 1 ? atoi(argv[1]) : 150;
    float *p;
    TapStats *out;
    CK(cudaMalloc(&p, (size_t)TAPS * LEN * 4));
    CK(cudaMalloc(&out, TAPS * PARTS * sizeof(TapStats)));
    sample<<<dim3(64, TAPS), 256>>>(p);
    CK(cudaGetLastError());
    for (int a = 0; a < angles; a++)
        tap_stats<<<dim3(TAPS, PARTS), 1024>>>(p, out);
    CK(cudaGetLastError());
    std::vector<TapStats> st(TAPS * PARTS);
    CK(cudaMemcpy(st.data(), out, st.size() * sizeof(TapStats), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int tap = 0; tap < TAPS; tap += 13) {
        double sum = 0, sq = 0;
        float lo = 1e30f, hi = -1e30f;
        for (int k = 0; k < PARTS; k++) {
            TapStats &s = st[tap * PARTS + k];
            sum += s.sum; sq += s.sq; lo = std::min(lo, s.lo); hi = std::max(hi, s.hi);
        }
        double ws = 0, wq = 0;
        float wl = 1e30f, wh = -1e30f;
        for (int i = 0; i < LEN; i++) {
            float v = pressure(tap, i);
            ws += v; wq += (double)v * v; wl = std::min(wl, v); wh = std::max(wh, v);
        }
        ok = ok && close_to(sum / LEN, ws / LEN, 1e-3) && close_to(sq / LEN, wq / LEN, 1e-3)
                && close_to(lo, wl, 1e-5) && close_to(hi, wh, 1e-5);
    }
    CK(cudaFree(p)); CK(cudaFree(out));
    return report(ok);
}

// Running occupancy of a ferry line: boardings minus departures, prefix-summed within
// each day (a block has one day of 256 slots), then the peak of the day.
#include "common.h"

#define SLOTS 256

__global__ void makeEvents(int *ev, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = (unsigned)i * 2246822519u;
    h ^= h >> 15; h *= 2654435761u; h ^= h >> 13;
    ev[i] = (int)(h % 41u) - 19;
}

__global__ void dayScan(const int *__restrict__ ev, int *__restrict__ occ, int *__restrict__ peak)
{
    __shared__ int s[SLOTS];
    size_t at = (size_t)blockIdx.x * SLOTS + threadIdx.x;
#ifdef GOOD
    __shared__ int tot[SLOTS / 32], top[SLOTS / 32];
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    int v = ev[at];
    for (int o = 1; o < 32; o <<= 1) {
        int u = __shfl_up_sync(0xffffffffu, v, o);
        if (lane >= o) v += u;
    }
    if (lane == 31) tot[w] = v;
    __syncthreads();
    for (int k = 0; k < w; k++) v += tot[k];
    s[threadIdx.x] = v;
    int m = __reduce_max_sync(0xffffffffu, v);
    if (lane == 0) top[w] = m;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < SLOTS / 32; k++) m = max(m, top[k]);
        peak[blockIdx.x] = m;
    }
#else
    s[threadIdx.x] = ev[at];
    __syncthreads();
    if (threadIdx.x == 0) {
        int run = 0, m = -(1 << 30);
        for (int k = 0; k < SLOTS; k++) {
            run += s[k];
            s[k] = run;
            m = max(m, run);
        }
        peak[blockIdx.x] = m;
    }
    __syncthreads();
#endif
    occ[at] = s[threadIdx.x];
}

int main(int argc, char **argv)
{
    int lines = argc > 1 ? atoi(argv[1]) : 60;
    const int days = 400000;
    size_t n = (size_t)days * SLOTS;
    int *ev, *occ, *peak;
    CK(cudaMalloc(&ev, n * 4));
    CK(cudaMalloc(&occ, n * 4));
    CK(cudaMalloc(&peak, days * 4));
    makeEvents<<<days, SLOTS>>>(ev, n);
    for (int l = 0; l < lines; l++) dayScan<<<days, SLOTS>>>(ev, occ, peak);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<int> pk(days), e(SLOTS), o(SLOTS);
    CK(cudaMemcpy(pk.data(), peak, days * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int d = 3; d < days; d += 39989) {
        CK(cudaMemcpy(e.data(), ev + (size_t)d * SLOTS, SLOTS * 4, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(o.data(), occ + (size_t)d * SLOTS, SLOTS * 4, cudaMemcpyDeviceToHost));
        int run = 0, m = -(1 << 30);
        for (int k = 0; k < SLOTS; k++) {
            run += e[k];
            m = std::max(m, run);
            ok = ok && o[k] == run;
        }
        ok = ok && pk[d] == m;
    }
    CK(cudaFree(ev)); CK(cudaFree(occ)); CK(cudaFree(peak));
    return report(ok);
}

// Rumour (SIR without recovery) on a scale-free network: a person believes at
// the next tick if enough of the contacts believe, compared with a dice.
#include "common.h"

__host__ __device__ inline unsigned dice(unsigned v, unsigned tick)
{
    unsigned s = v * 2654435761u ^ tick * 40503u;
    s ^= s >> 16; s *= 2246822519u; s ^= s >> 13; s *= 3266489917u; s ^= s >> 16;
    return s;
}

__host__ __device__ inline unsigned char decide(unsigned char was, int believers, int deg, unsigned v, unsigned tick)
{
    if (was) return dice(v, tick) % 100 >= 20;              // some forget
    return dice(v, tick) % (unsigned)(4 * deg + 4) < (unsigned)believers;
}

#ifdef GOOD
__global__ void tick_all(int n, const int *__restrict__ ptr, const int *__restrict__ nb,
                         const unsigned char *__restrict__ now, unsigned char *next, unsigned tick)
{
    int v = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    if (v >= n) return;
    int b = ptr[v], e = ptr[v + 1], sum = 0;
    for (int k = b + lane; k < e; k += 32) sum += now[nb[k]];
    for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (lane == 0) next[v] = decide(now[v], sum, e - b, v, tick);
}
#else
__global__ void tick_all(int n, const int *__restrict__ ptr, const int *__restrict__ nb,
                         const unsigned char *__restrict__ now, unsigned char *next, unsigned tick)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int b = ptr[v], e = ptr[v + 1], sum = 0;
    for (int k = b; k < e; k++) sum += now[nb[k]];
    next[v] = decide(now[v], sum, e - b, v, tick);
}
#endif

int main(int argc, char **argv)
{
    int ticks = argc > 1 ? atoi(argv[1]) : 1500;
    const int n = 200000;
    unsigned s = 7;
    std::vector<int> ptr(n + 1, 0);
    for (int v = 0; v < n; v++) {
        double u = frand(s) + 1e-6;
        int d = (int)(4.0 * pow(u, -0.7));
        ptr[v + 1] = ptr[v] + std::min(d, 2500);
    }
    std::vector<int> nb(ptr[n]);
    for (size_t k = 0; k < nb.size(); k++) nb[k] = (int)((unsigned long long)lcg(s) * n >> 32);
    std::vector<unsigned char> st(n);
    for (int v = 0; v < n; v++) st[v] = lcg(s) >> 24 < 8;

    int *dptr, *dnb;
    unsigned char *now, *next;
    CK(cudaMalloc(&dptr, ptr.size() * sizeof(int)));
    CK(cudaMalloc(&dnb, nb.size() * sizeof(int)));
    CK(cudaMalloc(&now, n));
    CK(cudaMalloc(&next, n));
    CK(cudaMemcpy(dptr, ptr.data(), ptr.size() * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dnb, nb.data(), nb.size() * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(now, st.data(), n, cudaMemcpyHostToDevice));

    for (int t = 0; t < ticks; t++) {
#ifdef GOOD
        tick_all<<<(n + 7) / 8, 256>>>(n, dptr, dnb, now, next, t);
#else
        tick_all<<<(n + 255) / 256, 256>>>(n, dptr, dnb, now, next, t);
#endif
        std::swap(now, next);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    // the last tick again on the CPU ("next" holds the state before it)
    std::vector<unsigned char> before(n), after(n);
    CK(cudaMemcpy(before.data(), next, n, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(after.data(), now, n, cudaMemcpyDeviceToHost));
    bool ok = true;
    long believers = 0;
    for (int v = 0; v < n; v++) {
        int sum = 0;
        for (int k = ptr[v]; k < ptr[v + 1]; k++) sum += before[nb[k]];
        if (decide(before[v], sum, ptr[v + 1] - ptr[v], v, ticks - 1) != after[v]) ok = false;
        believers += after[v];
    }
    printf("%zu contacts, %ld of %d believe after %d ticks\n", nb.size(), believers, n, ticks);
    CK(cudaFree(dptr)); CK(cudaFree(dnb)); CK(cudaFree(now)); CK(cudaFree(next));
    return report(ok);
}

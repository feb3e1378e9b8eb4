// Triangles of a network with a few well-connected people: neighbours of both ends of an
// edge, from sorted lists of the neighbours with a higher number.
//   triads [people] [edges]
#include "common.h"

struct Csr { std::vector<int> start, to, from; };

static Csr network(int n, int m)
{
    std::vector<std::pair<int, int>> e;
    unsigned s = 99;
    for (int i = 0; i < m; i++) {
        int a = (int)(n * powf(frand(s), 1.3f)), b = (int)(n * powf(frand(s), 1.3f));
        a = std::min(a, n - 1);
        b = std::min(b, n - 1);
        if (a != b) e.push_back({std::min(a, b), std::max(a, b)});
    }
    std::sort(e.begin(), e.end());
    e.erase(std::unique(e.begin(), e.end()), e.end());
    Csr g;
    g.start.resize(n + 1);
    for (auto &p : e) {
        g.start[p.first + 1]++;
        g.from.push_back(p.first);
        g.to.push_back(p.second);
    }
    for (int i = 0; i < n; i++) g.start[i + 1] += g.start[i];
    return g;
}

__host__ __device__ inline int common_neighbours(const int *start, const int *to, int u, int v)
{
    int i = start[u], ei = start[u + 1], j = start[v], ej = start[v + 1], found = 0;
    while (i < ei && j < ej) {
        int a = to[i], b = to[j];
        found += a == b;
        i += a <= b;
        j += b <= a;
    }
    return found;
}

__global__ void triangles(const int *__restrict__ start, const int *__restrict__ to, const int *__restrict__ from, int n, int m, unsigned long long *total)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
#ifndef GOOD
    (void)from;
    (void)m;
    if (t < n)
        for (int e = start[t]; e < start[t + 1]; e++) sum += common_neighbours(start, to, t, to[e]);
#else
    (void)n;
    if (t < m) sum = common_neighbours(start, to, from[t], to[t]);
#endif
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0 && sum) atomicAdd(total, (unsigned long long)sum);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 262144, want = argc > 2 ? atoi(argv[2]) : 3000000;
    Csr g = network(n, want);
    int m = (int)g.to.size();
    int *start, *to, *from;
    unsigned long long *total, count;
    CK(cudaMalloc(&start, (n + 1) * sizeof(int)));
    CK(cudaMalloc(&to, m * sizeof(int)));
    CK(cudaMalloc(&from, m * sizeof(int)));
    CK(cudaMalloc(&total, sizeof *total));
    CK(cudaMemcpy(start, g.start.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(to, g.to.data(), m * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(from, g.from.data(), m * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemset(total, 0, sizeof *total));
#ifndef GOOD
    int threads = n;
#else
    int threads = m;
#endif
    triangles<<<(threads + 255) / 256, 256>>>(start, to, from, n, m, total);
    CK(cudaGetLastError());
    CK(cudaMemcpy(&count, total, sizeof count, cudaMemcpyDeviceToHost));
    unsigned long long host = 0;
    for (int e = 0; e < m; e++) host += common_neighbours(g.start.data(), g.to.data(), g.from[e], g.to[e]);
    printf("%llu triangles in %d edges\n", count, m);
    return report(count == host && count > 0);
}

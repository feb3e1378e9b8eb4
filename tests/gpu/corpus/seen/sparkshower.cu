// Particle shower: every step, living particles age, dead ones leave up to two daughters, and the
// source adds a few primaries.  Particles are kept compact by appending to the next step's list.
#include "common.h"

const int CAP = 65536;
const int SOURCE = 64;

struct Particle { unsigned id; short life, gen; };

__host__ __device__ inline unsigned stir(unsigned h)
{
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu;
    return h ^ (h >> 16);
}

__host__ __device__ inline Particle born(unsigned id, int gen)
{
    Particle p;
    p.id = id;
    p.life = (short)(1 + (stir(id) & 31));
    p.gen = (short)gen;
    return p;
}

// the particles that p leaves to the next step
__host__ __device__ inline int next_step(Particle p, Particle *o)
{
    if (--p.life > 0) { o[0] = p; return 1; }
    if (p.gen == 2) return 0;
    o[0] = born(stir(p.id * 2u + 1u), p.gen + 1);
    o[1] = born(stir(p.id * 2u + 2u), p.gen + 1);
    return 2;
}

__device__ void append(Particle p, Particle *list, int *count)
{
    int at = atomicAdd(count, 1);
    if (at < CAP) list[at] = p;
}

#ifdef GOOD
__global__ void shower(const Particle *__restrict__ now, const int *__restrict__ alive, Particle *next, int *count, int step)
{
    int n = *alive;
#else
__global__ void shower(const Particle *__restrict__ now, int n, Particle *next, int *count, int step)
{
#endif
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        Particle o[2];
        int c = next_step(now[i], o);
        if (c > 0) append(o[0], next, count);
        if (c > 1) append(o[1], next, count);
    }
    if (t < SOURCE) append(born(stir(step * SOURCE + t), 0), next, count);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 3000;
    Particle *list[2];
    int *count;
    CK(cudaMalloc(&list[0], CAP * sizeof(Particle)));
    CK(cudaMalloc(&list[1], CAP * sizeof(Particle)));
    CK(cudaMalloc(&count, (steps + 1) * sizeof(int)));
    CK(cudaMemset(count, 0, (steps + 1) * sizeof(int)));
    for (int s = 0; s < steps; s++) {
#ifdef GOOD
        shower<<<64, 256>>>(list[s & 1], count + s, list[~s & 1], count + s + 1, s);
#else
        int n;
        CK(cudaMemcpy(&n, count + s, sizeof n, cudaMemcpyDeviceToHost));
        shower<<<std::max(1, (n + 255) / 256), 256>>>(list[s & 1], n, list[~s & 1], count + s + 1, s);
#endif
    }
    CK(cudaGetLastError());
    std::vector<int> c(steps + 1);
    CK(cudaMemcpy(c.data(), count, c.size() * sizeof(int), cudaMemcpyDeviceToHost));
    std::vector<Particle> fin(c[steps]);
    bool ok = c[steps] > 0 && c[steps] <= CAP;
    CK(cudaMemcpy(fin.data(), list[steps & 1], (ok ? fin.size() : 0) * sizeof(Particle), cudaMemcpyDeviceToHost));

    std::vector<Particle> a, b;
    for (int s = 0; s < steps; s++) {
        b.clear();
        for (Particle p : a) {
            Particle o[2];
            int k = next_step(p, o);
            for (int q = 0; q < k; q++) b.push_back(o[q]);
        }
        for (int t = 0; t < SOURCE; t++) b.push_back(born(stir(s * SOURCE + t), 0));
        a.swap(b);
        ok = ok && c[s + 1] == (int)a.size();
    }
    unsigned long long x = 0, y = 0;
    for (Particle p : a) x += (unsigned long long)p.id * p.life;
    for (Particle p : fin) y += (unsigned long long)p.id * p.life;
    ok = ok && x == y;
    CK(cudaFree(list[0])); CK(cudaFree(list[1])); CK(cudaFree(count));
    return report(ok);
}

// Monte Carlo of ideal polymer chains on the cubic lattice: mean square end-to-end
// distance and radius of the chains.
#include "common.h"

__device__ unsigned nextRandom(unsigned &s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

struct Site { int x, y, z; };

__device__ Site stepTo(Site p, unsigned r)
{
    int d = (r & 1) ? 1 : -1;
    switch ((r >> 1) % 3) {
    case 0: p.x += d; break;
    case 1: p.y += d; break;
    default: p.z += d;
    }
    return p;
}

__device__ float square(Site p) { return (float)(p.x * p.x + p.y * p.y + p.z * p.z); }

__global__ void grow(float *end2, float *far2, int chains, int beads, unsigned seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= chains) return;
    unsigned s = (i + 1) * 2654435761u ^ seed;
    if (s == 0) s = 1;
    for (int k = 0; k < 8; k++) nextRandom(s);
    Site p = {0, 0, 0};
    float m = 0.f;
    for (int b = 0; b < beads; b++) {
        p = stepTo(p, nextRandom(s) >> 7);
        m = fmaxf(m, square(p));
    }
    end2[i] = square(p);
    far2[i] = m;
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 60;
    const int chains = 1 << 18, beads = 1000;
    float *e, *f;
    CK(cudaMalloc(&e, chains * 4));
    CK(cudaMalloc(&f, chains * 4));
    for (int b = 0; b < batches; b++) grow<<<chains / 256, 256>>>(e, f, chains, beads, 77u * b + 5u);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<float> he(chains), hf(chains);
    CK(cudaMemcpy(he.data(), e, chains * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hf.data(), f, chains * 4, cudaMemcpyDeviceToHost));
    double mean = 0;
    bool ok = true;
    for (int i = 0; i < chains; i++) {
        mean += he[i];
        ok = ok && hf[i] >= he[i] && ((int)he[i] & 1) == (beads & 1);
    }
    ok = ok && close_to(mean / chains, beads, 0.02);        // <R^2> = N for an ideal chain
    CK(cudaFree(e)); CK(cudaFree(f));
    return report(ok);
}

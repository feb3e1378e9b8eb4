// Bonded energies of a polymer melt: four kinds of bond, each with its own potential averaged over
// thermal vibration by a short quadrature. The bond list comes from the topology file.
#include "common.h"

const int BONDS = 1 << 21, NODES = 24;

struct Bond { float len, k; int kind; int id; };

__device__ __host__ inline unsigned mix(unsigned x)
{
    x *= 2654435761u; x ^= x >> 16; x *= 2246822519u; x ^= x >> 13; x *= 3266489917u;
    return x ^ (x >> 16);
}

__device__ __host__ inline Bond bond_of(int id, int kind)
{
    unsigned x = mix((unsigned)id + 77u);
    Bond b;
    b.len = 0.8f + 0.6f * (x >> 8) * (1.0f / 16777216.0f);
    b.k = 1.0f + (x & 255) * (1.0f / 256.0f);
    b.kind = kind;
    b.id = id;
    return b;
}

// as many bonds of every kind in both orders
__global__ void read_topology(Bond *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef GOOD
    int kind = i / (BONDS / 4);                 // list sorted by kind
#else
    int kind = (mix(i / 4) + i) & 3;            // as they come along the chain
#endif
    b[i] = bond_of(i, kind);
}

__device__ __host__ inline float morse(float r, float k)
{
    float s = 0;
    for (int n = 0; n < NODES; n++) {
        float e = 1.0f - expf(-1.8f * (r - 1.0f + 0.01f * (n - NODES / 2)));
        s += k * e * e;
    }
    return s;
}
__device__ __host__ inline float fene(float r, float k)
{
    float s = 0;
    for (int n = 0; n < NODES; n++) {
        float x = (r + 0.01f * (n - NODES / 2)) * (1.0f / 1.7f);
        s -= 0.5f * k * logf(1.0f - x * x);
    }
    return s;
}
__device__ __host__ inline float buckingham(float r, float k)
{
    float s = 0;
    for (int n = 0; n < NODES; n++) {
        float x = r + 0.01f * (n - NODES / 2), q = 1.0f / (x * x);
        s += k * expf(-2.0f * x) - 0.05f * q * q * q;
    }
    return s;
}
__device__ __host__ inline float torsional(float r, float k)
{
    float s = 0;
    for (int n = 0; n < NODES; n++) {
        float x = r + 0.01f * (n - NODES / 2);
        s += k * (1.0f + cosf(3.0f * x)) + sqrtf(x);
    }
    return s;
}

__device__ __host__ inline float energy_of(const Bond &b)
{
    switch (b.kind) {
    case 0: return morse(b.len, b.k);
    case 1: return fene(b.len, b.k);
    case 2: return buckingham(b.len, b.k);
    default: return torsional(b.len, b.k);
    }
}

__global__ void bond_energy(const Bond *__restrict__ b, float *__restrict__ e)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < BONDS) e[i] = energy_of(b[i]);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 1200;
    Bond *b;
    float *e;
    CK(cudaMalloc(&b, BONDS * sizeof(Bond)));
    CK(cudaMalloc(&e, BONDS * sizeof(float)));
    read_topology<<<BONDS / 256, 256>>>(b);
    CK(cudaGetLastError());
    for (int s = 0; s < steps; s++)
        bond_energy<<<BONDS / 256, 256>>>(b, e);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<Bond> hb(BONDS);
    std::vector<float> he(BONDS);
    CK(cudaMemcpy(hb.data(), b, BONDS * sizeof(Bond), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(he.data(), e, BONDS * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < BONDS; i += 4999) ok = ok && close_to(he[i], energy_of(hb[i]), 2e-3);
    CK(cudaFree(b));
    CK(cudaFree(e));
    return report(ok);
}

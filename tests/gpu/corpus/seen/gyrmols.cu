// Radius of gyration of two million small molecules (10 to 16 atoms each) of a virtual screening library.
#include "common.h"

static const int MOLS = 2 * 1024 * 1024;
static const int SLOT = 16;                 // atoms of molecule m start at m * SLOT

static __host__ __device__ int atoms_of(int m) { return 10 + (m * 7 + m / 13) % 7; }
static __host__ __device__ float coord(int a, int axis)
{
    unsigned h = (unsigned)(a * 3 + axis) * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return (float)(h & 1023u) * 0.01f;
}
__global__ void build_library(float4 *atom)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    atom[a] = make_float4(coord(a, 0), coord(a, 1), coord(a, 2), 1.0f + a % 16);
}

#ifdef GOOD
static const int NT = 256, LANES = 16;
__device__ float team_sum(float v)
{
    for (int o = 8; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o, 16);
    return v;
}
#else
static const int NT = 128, LANES = 128;     // one block per molecule
__device__ float team_sum(float v)
{
    __shared__ float part[4];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    __syncthreads();
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
    __syncthreads();
    return part[0] + part[1] + part[2] + part[3];
}
#endif

__global__ void gyration(const float4 *__restrict__ atom, float *rg)
{
    int m = (blockIdx.x * NT + threadIdx.x) / LANES;
    int lane = threadIdx.x % LANES;
    float4 p = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (lane < atoms_of(m)) p = atom[(size_t)m * SLOT + lane];
    float mass = team_sum(p.w);
    float cx = team_sum(p.w * p.x) / mass;
    float cy = team_sum(p.w * p.y) / mass;
    float cz = team_sum(p.w * p.z) / mass;
    float dx = p.x - cx, dy = p.y - cy, dz = p.z - cz;
    float r2 = team_sum(p.w * (dx * dx + dy * dy + dz * dz)) / mass;
    if (lane == 0) rg[m] = sqrtf(r2);
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 150;
    float4 *atom;
    float *rg;
    CK(cudaMalloc(&atom, (size_t)MOLS * SLOT * sizeof(float4)));
    CK(cudaMalloc(&rg, MOLS * sizeof(float)));
    build_library<<<MOLS * SLOT / 256, 256>>>(atom);
    CK(cudaGetLastError());
    for (int r = 0; r < reps; r++)
        gyration<<<MOLS / (NT / LANES), NT>>>(atom, rg);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int m = 3; m < MOLS; m += MOLS / 9) {
        double s[5] = {0, 0, 0, 0, 0};
        int n = atoms_of(m);
        for (int i = 0; i < n; i++) {
            int a = m * SLOT + i;
            double w = 1.0 + a % 16;
            s[0] += w;
            for (int k = 0; k < 3; k++) s[1 + k] += w * coord(a, k);
        }
        for (int i = 0; i < n; i++) {
            int a = m * SLOT + i;
            for (int k = 0; k < 3; k++) {
                double d = coord(a, k) - s[1 + k] / s[0];
                s[4] += (1.0 + a % 16) * d * d;
            }
        }
        float v;
        CK(cudaMemcpy(&v, rg + m, sizeof v, cudaMemcpyDeviceToHost));
        ok = ok && close_to(v, sqrt(s[4] / s[0]), 1e-4);
    }
    cudaFree(atom); cudaFree(rg);
    return report(ok);
}

// Chemistry data set: Coulomb repulsion of the nuclei of a million small molecules (9 to 29 atoms each).
#include "common.h"

const int SLOTS = 32;       // padded atoms a molecule

__host__ __device__ static inline int atoms_of(int m) { return 9 + (m * 7 + (m >> 5)) % 21; }
__host__ __device__ static inline float4 atom_at(int m, int a)
{
    unsigned h = (m * 32u + a) * 2654435761u;
    h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 13;
    float z = (h >> 30) == 0 ? 6.0f : (h >> 30) == 1 ? 8.0f : 1.0f;
    return make_float4((a % 3) * 1.4f + (h & 255) * 0.001f, (a / 3 % 3) * 1.4f + (h >> 8 & 255) * 0.001f,
                       (a / 9) * 1.4f + (h >> 16 & 255) * 0.001f, z);
}

__global__ void load(float4 *atoms, int *count, int molecules)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= molecules * SLOTS) return;
    int m = i / SLOTS, a = i % SLOTS;
    atoms[i] = a < atoms_of(m) ? atom_at(m, a) : make_float4(0, 0, 0, 0);
    if (a == 0) count[m] = atoms_of(m);
}

__device__ __forceinline__ float repulsion(const float4 *s, int n, int a)
{
    float4 p = s[a];
    float e = 0.0f;
    for (int b = 0; b < n; b++) {
        float dx = s[b].x - p.x, dy = s[b].y - p.y, dz = s[b].z - p.z;
        float r2 = dx * dx + dy * dy + dz * dz;
        if (b != a) e += p.w * s[b].w * rsqrtf(r2);
    }
    return 0.5f * e;
}

#ifdef GOOD
// a warp for a molecule, eight molecules a block
__global__ void nuclear(const float4 *__restrict__ atoms, const int *__restrict__ count, float *__restrict__ energy, int molecules)
{
    __shared__ float4 tile[8][SLOTS];
    int w = threadIdx.x >> 5, a = threadIdx.x & 31, m = blockIdx.x * 8 + w;
    if (m >= molecules) return;
    float4 *s = tile[w];
    int n = count[m];
    float e = 0.0f;
    if (a < n) s[a] = atoms[(size_t)m * SLOTS + a];
    __syncwarp();
    if (a < n) e = repulsion(s, n, a);
    __syncwarp();
    for (int o = 16; o; o >>= 1) e += __shfl_down_sync(0xffffffffu, e, o);
    if (a == 0) energy[m] = e;
}
#else
// a block for a molecule
__global__ void nuclear(const float4 *__restrict__ atoms, const int *__restrict__ count, float *__restrict__ energy, int molecules)
{
    __shared__ float4 s[SLOTS];
    __shared__ float part[4];
    int a = threadIdx.x, m = blockIdx.x;
    int n = count[m];
    float e = 0.0f;
    if (a < n) s[a] = atoms[(size_t)m * SLOTS + a];
    __syncthreads();
    if (a < n) e = repulsion(s, n, a);
    for (int o = 16; o; o >>= 1) e += __shfl_down_sync(0xffffffffu, e, o);
    if ((a & 31) == 0) part[a >> 5] = e;
    __syncthreads();
    if (a == 0) energy[m] = part[0] + part[1] + part[2] + part[3];
}
#endif

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    const int molecules = 1 << 20;
    float4 *atoms;
    int *count;
    float *energy;
    CK(cudaMalloc(&atoms, (size_t)molecules * SLOTS * sizeof(float4)));
    CK(cudaMalloc(&count, molecules * sizeof(int)));
    CK(cudaMalloc(&energy, molecules * sizeof(float)));
    load<<<molecules * SLOTS / 256, 256>>>(atoms, count, molecules);
    CK(cudaGetLastError());
    for (int r = 0; r < rounds; r++) {
#ifdef GOOD
        nuclear<<<molecules / 8, 256>>>(atoms, count, energy, molecules);
#else
        nuclear<<<molecules, 128>>>(atoms, count, energy, molecules);
#endif
    }
    CK(cudaGetLastError());
    std::vector<float> e(molecules);
    CK(cudaMemcpy(e.data(), energy, molecules * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int m = 0; m < molecules; m += 4999) {
        int n = atoms_of(m);
        double ref = 0;
        for (int a = 0; a < n; a++)
            for (int b = 0; b < a; b++) {
                float4 p = atom_at(m, a), q = atom_at(m, b);
                double dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
                ref += p.w * q.w / sqrt(dx * dx + dy * dy + dz * dz);
            }
        if (!close_to(e[m], ref, 1e-3)) ok = false;
    }
    CK(cudaFree(atoms)); CK(cudaFree(count)); CK(cudaFree(energy));
    return report(ok);
}

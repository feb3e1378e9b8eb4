// Docking: for each ligand of a library batch (64 atoms, position and charge) the lowest and highest electrostatic
// potential on a grid of 32 x 32 x 32 points around it.
//   ligandgrids [batches]
#include "common.h"

const int LIGANDS = 2000, ATOMS = 64, SIDE = 32, SLABS = 8, THREADS = 256, BATCHES = 8;

__host__ __device__ static inline float place(int i) { return (i - 15.5f) * 0.5f; }

__global__ void __launch_bounds__(THREADS) potential(const float4 *__restrict__ atoms, float2 *__restrict__ range)
{
    __shared__ float4 a[ATOMS];
    __shared__ float2 part[THREADS / 32];
    if (threadIdx.x < ATOMS) a[threadIdx.x] = atoms[blockIdx.x * ATOMS + threadIdx.x];
    __syncthreads();
    float x = place(threadIdx.x % SIDE), lo = 1e30f, hi = -1e30f;
    for (int zi = 0; zi < SIDE / SLABS; zi++) {
        float z = place(blockIdx.y * (SIDE / SLABS) + zi), v[4] = {}, y[4];
#pragma unroll
        for (int k = 0; k < 4; k++) y[k] = place(threadIdx.x / SIDE + k * (THREADS / SIDE));
#pragma unroll 4
        for (int n = 0; n < ATOMS; n++) {
            float4 q = a[n];
            float dx = x - q.x, dz = z - q.z, d = dx * dx + dz * dz + 0.05f;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                float dy = y[k] - q.y;
                v[k] += q.w * rsqrtf(dy * dy + d);
            }
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            lo = fminf(lo, v[k]);
            hi = fmaxf(hi, v[k]);
        }
    }
    for (int d = 16; d > 0; d /= 2) {
        lo = fminf(lo, __shfl_xor_sync(~0u, lo, d));
        hi = fmaxf(hi, __shfl_xor_sync(~0u, hi, d));
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = make_float2(lo, hi);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; w++) {
            lo = fminf(lo, part[w].x);
            hi = fmaxf(hi, part[w].y);
        }
        range[blockIdx.x * SLABS + blockIdx.y] = make_float2(lo, hi);
    }
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 200;
    const size_t ligand = ATOMS * sizeof(float4), batch = LIGANDS * ligand;
    float4 *h, *atoms;
    float2 *range;
    CK(cudaMallocHost(&h, BATCHES * batch));
    CK(cudaMalloc(&atoms, batch));
    CK(cudaMalloc(&range, LIGANDS * SLABS * sizeof(float2)));
    unsigned seed = 31;
    for (int i = 0; i < BATCHES * LIGANDS * ATOMS; i++) {
        float x = 10 * frand(seed) - 5, y = 10 * frand(seed) - 5, z = 10 * frand(seed) - 5;
        h[i] = make_float4(x, y, z, frand(seed) - 0.5f);
    }
    for (int b = 0; b < batches; b++) {
        const float4 *from = h + (size_t)(b % BATCHES) * LIGANDS * ATOMS;
#ifndef GOOD
        for (int l = 0; l < LIGANDS; l++)
            CK(cudaMemcpyAsync(atoms + l * ATOMS, from + l * ATOMS, ligand, cudaMemcpyHostToDevice));
#else
        CK(cudaMemcpyAsync(atoms, from, batch, cudaMemcpyHostToDevice));
#endif
        potential<<<dim3(LIGANDS, SLABS), THREADS>>>(atoms, range);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<float2> r(LIGANDS * SLABS);
    CK(cudaMemcpy(r.data(), range, r.size() * sizeof(float2), cudaMemcpyDeviceToHost));
    const float4 *last = h + (size_t)((batches - 1) % BATCHES) * LIGANDS * ATOMS;
    bool ok = true;
    for (int l = 7; l < LIGANDS; l += 663)
        for (int s = 0; s < SLABS; s++) {
            double lo = 1e30, hi = -1e30;
            for (int p = 0; p < SIDE * SIDE * SIDE / SLABS; p++) {
                double x = place(p % SIDE), y = place(p / SIDE % SIDE), z = place(s * (SIDE / SLABS) + p / SIDE / SIDE), v = 0;
                for (int n = 0; n < ATOMS; n++) {
                    float4 q = last[l * ATOMS + n];
                    v += q.w / sqrt((x - q.x) * (x - q.x) + (y - q.y) * (y - q.y) + (z - q.z) * (z - q.z) + 0.05);
                }
                lo = std::min(lo, v);
                hi = std::max(hi, v);
            }
            float2 g = r[l * SLABS + s];
            ok = ok && fabs(g.x - lo) < 2e-3 && fabs(g.y - hi) < 2e-3;
        }
    printf("last ligand's first slab: %.3f to %.3f\n", r[(LIGANDS - 1) * SLABS].x, r[(LIGANDS - 1) * SLABS].y);
    CK(cudaFreeHost(h));
    return report(ok);
}

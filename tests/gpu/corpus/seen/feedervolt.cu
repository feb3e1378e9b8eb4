// Low-voltage grid: forward-backward sweeps on radial feeders for a quarter of an hour, many random
// load cases each; the planner keeps the lowest voltage of every house over all cases.
#include "common.h"

#ifndef FEEDERS
#define FEEDERS 96
#define CASES 256
#endif
const int HOUSES = 256, SWEEPS = 10;
const float SOURCE = 400.0f;

struct Feeder
{
    char name[16];
    float ohm[HOUSES];         // resistance of the cable piece before each house
    float lowest[HOUSES];      // lowest voltage so far this quarter
    float worst;               // lowest of the day
};

__host__ __device__ inline unsigned shake(unsigned x)
{
    x ^= x >> 17; x *= 0xed5ad4bbu; x ^= x >> 11; x *= 0xac4c1b51u; x ^= x >> 15; x *= 0x31848babu;
    return x ^ (x >> 14);
}
__host__ __device__ inline float watts(int feeder, int house, int load_case, int quarter)
{
    unsigned h = shake(shake(feeder * HOUSES + house) ^ (unsigned)(load_case * 4099 + quarter));
    return 150.0f + 600.0f * ((h >> 8) * (1.0f / 16777216.0f));
}

// inclusive sum over the block of 256 threads
__device__ inline float running(float v, float *part)
{
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int d = 1; d < 32; d <<= 1) {
        float u = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += u;
    }
    __syncthreads();
    if (lane == 31) part[warp] = v;
    __syncthreads();
    for (int w = 0; w < warp; w++) v += part[w];
    return v;
}

__global__ void __launch_bounds__(HOUSES) sweep(const float *__restrict__ ohm, float *__restrict__ lowest, int quarter)
{
    __shared__ float part[8], all;
    int h = threadIdx.x, f = blockIdx.y;
    float r = ohm[f * HOUSES + h], p = watts(f, h, blockIdx.x, quarter), volt = SOURCE;
    for (int s = 0; s < SWEEPS; s++) {
        float amps = p / volt, upto = running(amps, part);
        if (h == HOUSES - 1) all = upto;
        __syncthreads();
        volt = SOURCE - running(r * (all - upto + amps), part);
    }
    atomicMin(reinterpret_cast<int *>(lowest + f * HOUSES + h), __float_as_int(volt));
}

__global__ void reset(float *lowest) { lowest[blockIdx.x * HOUSES + threadIdx.x] = SOURCE; }

int main(int argc, char **argv)
{
    int quarters = argc > 1 ? atoi(argv[1]) : 1800;
    unsigned seed = 50;
    std::vector<Feeder> grid(FEEDERS);
    std::vector<float> flat(FEEDERS * HOUSES);
    for (int f = 0; f < FEEDERS; f++) {
        snprintf(grid[f].name, sizeof(grid[f].name), "feeder %d", f);
        grid[f].worst = SOURCE;
        for (int h = 0; h < HOUSES; h++) flat[f * HOUSES + h] = grid[f].ohm[h] = 0.0004f + 0.0004f * frand(seed);
    }
    float *ohm, *lowest;
    CK(cudaMalloc(&ohm, flat.size() * sizeof(float)));
    CK(cudaMalloc(&lowest, flat.size() * sizeof(float)));
    CK(cudaMemcpy(ohm, flat.data(), flat.size() * sizeof(float), cudaMemcpyHostToDevice));
#ifdef GOOD
    float *inbox;
    CK(cudaMallocHost(&inbox, flat.size() * sizeof(float)));
#endif
    for (int q = 0; q < quarters; q++) {
        reset<<<FEEDERS, HOUSES>>>(lowest);
        sweep<<<dim3(CASES, FEEDERS), HOUSES>>>(ohm, lowest, q);
#ifdef GOOD
        CK(cudaMemcpy(inbox, lowest, flat.size() * sizeof(float), cudaMemcpyDeviceToHost));
#endif
        for (int f = 0; f < FEEDERS; f++) {
#ifdef GOOD
            memcpy(grid[f].lowest, inbox + f * HOUSES, sizeof(grid[f].lowest));
#else
            CK(cudaMemcpy(grid[f].lowest, lowest + f * HOUSES, sizeof(grid[f].lowest), cudaMemcpyDeviceToHost));
#endif
            grid[f].worst = std::min(grid[f].worst, *std::min_element(grid[f].lowest, grid[f].lowest + HOUSES));
        }
    }
    CK(cudaGetLastError());

    bool ok = true;
    for (int t = 0; t < 5; t++) {
        int f = (t * 37 + 3) % FEEDERS;
        std::vector<double> low(HOUSES, SOURCE), amps(HOUSES), volt(HOUSES);
        for (int c = 0; c < CASES; c++) {
            std::fill(volt.begin(), volt.end(), (double)SOURCE);
            for (int s = 0; s < SWEEPS; s++) {
                double beyond = 0, now = SOURCE;
                for (int h = 0; h < HOUSES; h++) beyond += amps[h] = watts(f, h, c, quarters - 1) / volt[h];
                for (int h = 0; h < HOUSES; h++) {
                    now -= grid[f].ohm[h] * beyond;
                    beyond -= amps[h];
                    volt[h] = now;
                }
            }
            for (int h = 0; h < HOUSES; h++) low[h] = std::min(low[h], volt[h]);
        }
        for (int h = 0; h < HOUSES; h++) ok = ok && close_to(SOURCE - grid[f].lowest[h], SOURCE - low[h], 2e-3);
        ok = ok && grid[f].worst <= grid[f].lowest[HOUSES - 1] && grid[f].worst > 0.5f * SOURCE;
    }
    CK(cudaFree(ohm)); CK(cudaFree(lowest));
#ifdef GOOD
    CK(cudaFreeHost(inbox));
#endif
    return report(ok);
}

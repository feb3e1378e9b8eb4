// Wear of a bicycle drive train, three chainrings by twelve cogs.  Many riders, each over a ride of some hundred sections: on each section
// he picks a gear for the slope, and that pair of wheels wears by the chain force.
// usage: cogwear RIDERS SECTIONS RIDES
#include "common.h"

const int COGS = 12;
const int GEARS = 3 * COGS;       // every pair of chainring and cog is booked by itself
const int BLOCK = 128;
__constant__ float teeth[COGS] = {11, 12, 13, 14, 15, 17, 19, 21, 24, 28, 32, 36};

__host__ __device__ static inline unsigned nextrand(unsigned s) { return s * 1664525u + 1013904223u; }

// hills come and go: the gear wanders with the slope
__host__ __device__ static inline int choose(unsigned r, int gear)
{
    int step = (int)((r >> 20) % 15u) - 7;
    gear += step;
    if (gear < 0) gear = -gear;
    if (gear > GEARS - 1) gear = 2 * (GEARS - 1) - gear;
    return gear;
}

__global__ void ride(float *__restrict__ worn, const float *__restrict__ power, int riders, int sections, unsigned day)
{
    int id = blockIdx.x * BLOCK + threadIdx.x;
    if (id >= riders) return;
#ifdef GOOD
    __shared__ float pairs[GEARS][BLOCK];
#define WEAR(k) pairs[k][threadIdx.x]
#else
    float pairs[GEARS];
#define WEAR(k) pairs[k]
#endif
#pragma unroll 4
    for (int k = 0; k < GEARS; k++) WEAR(k) = worn[(size_t)k * riders + id];
    unsigned r = (unsigned)id * 2654435761u + day * 40503u;
    float force = power[id];
    int gear = id % GEARS;
    for (int s = 0; s < sections; s++) {
        r = nextrand(r);
        gear = choose(r, gear);
        float pull = force * (float)((r >> 12) & 255u) * (1.0f / 256.0f);
        // a worn wheel lets the chain ride up, which wears it faster
        WEAR(gear) += pull * (1.0f + 0.02f * WEAR(gear));
    }
#pragma unroll 4
    for (int k = 0; k < GEARS; k++) worn[(size_t)k * riders + id] = WEAR(k);
}

// share of the cassettes which have to be replaced, counted in pairs
__global__ void inspect(const float *__restrict__ worn, int *replace, int riders)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= riders) return;
    int bad = 0;
#pragma unroll 4
    for (int k = 0; k < GEARS; k++)
        if (worn[(size_t)k * riders + id] > 0.04f * teeth[k % COGS]) bad++;
    replace[id] = bad;
}

int main(int argc, char **argv)
{
    int riders = argc > 1 ? atoi(argv[1]) : 1 << 19;
    int sections = argc > 2 ? atoi(argv[2]) : 400;
    int rides = argc > 3 ? atoi(argv[3]) : 350;

    std::vector<float> power(riders), worn((size_t)riders * GEARS);
    unsigned s = 3;
    for (float &p : power) p = 1e-4f * (0.5f + frand(s));

    float *dworn, *dpower;
    int *dreplace;
    CK(cudaMalloc(&dworn, worn.size() * sizeof(float)));
    CK(cudaMalloc(&dpower, riders * sizeof(float)));
    CK(cudaMalloc(&dreplace, riders * sizeof(int)));
    CK(cudaMemset(dworn, 0, worn.size() * sizeof(float)));
    CK(cudaMemcpy(dpower, power.data(), riders * sizeof(float), cudaMemcpyHostToDevice));

    int blocks = (riders + BLOCK - 1) / BLOCK;
    for (int day = 0; day < rides; day++)
        ride<<<blocks, BLOCK>>>(dworn, dpower, riders, sections, day);
    inspect<<<blocks, BLOCK>>>(dworn, dreplace, riders);
    CK(cudaGetLastError());
    std::vector<int> replace(riders);
    CK(cudaMemcpy(worn.data(), dworn, worn.size() * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(replace.data(), dreplace, riders * sizeof(int), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 4; q++) {
        int id = (int)((long long)q * (riders - 1) / 3);
        double w[GEARS] = {0};
        for (int day = 0; day < rides; day++) {
            unsigned r = (unsigned)id * 2654435761u + (unsigned)day * 40503u;
            int gear = id % GEARS;
            for (int k = 0; k < sections; k++) {
                r = nextrand(r);
                gear = choose(r, gear);
                double pull = power[id] * ((r >> 12) & 255u) / 256.0;
                w[gear] += pull * (1.0 + 0.02 * w[gear]);
            }
        }
        printf("rider %d: %.4f %.4f %.4f (%.4f %.4f %.4f), %d to replace\n", id, worn[id], worn[17 * (size_t)riders + id],
               worn[35 * (size_t)riders + id], w[0], w[17], w[35], replace[id]);
        for (int k = 0; k < GEARS; k++) if (!close_to(worn[(size_t)k * riders + id], w[k], 3e-3)) ok = false;
        if (replace[id] < 0 || replace[id] > GEARS) ok = false;
    }
    CK(cudaFree(dworn)); CK(cudaFree(dpower)); CK(cudaFree(dreplace));
    return report(ok);
}

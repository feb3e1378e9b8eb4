// Parcel lockers: every town has 64 lockers and its parcels of the day; each parcel goes to the locker with the
// least driving time from its address (streets run east-west and north-south at different speeds). Some of the
// towns are big cities.
// usage: lockerzones towns traffic
#include "common.h"

#define LOCKERS 64
#define THREADS 256
#ifdef GOOD
#define SHARE 1024           // parcels per block at most
#else
#define SHARE 0x7fffffff     // a town per block
#endif

struct Round { int town, first, count; };

__host__ __device__ inline float drive(float2 a, float2 b, float slowX, float slowY)
{
    return slowX * fabsf(a.x - b.x) + slowY * fabsf(a.y - b.y);
}

__global__ void assign(const float2 *__restrict__ parcel, const float2 *__restrict__ locker,
                       const Round *__restrict__ rounds, unsigned char *__restrict__ goesTo,
                       float *__restrict__ time, float slowX, float slowY)
{
    __shared__ float2 at[LOCKERS];
    __shared__ float part[THREADS / 32];
    const Round r = rounds[blockIdx.x];
    if (threadIdx.x < LOCKERS) at[threadIdx.x] = locker[r.town * LOCKERS + threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    for (int i = threadIdx.x; i < r.count; i += THREADS) {
        float2 p = parcel[r.first + i];
        float best = 1e30f;
        int which = 0;
        #pragma unroll 16
        for (int l = 0; l < LOCKERS; ++l) {
            float t = drive(p, at[l], slowX, slowY);
            if (t < best) { best = t; which = l; }
        }
        goesTo[r.first + i] = (unsigned char)which;
        sum += best;
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; ++w) sum += part[w];
        time[blockIdx.x] = sum;
    }
}

int main(int argc, char **argv)
{
    int towns = argc > 1 ? atoi(argv[1]) : 1056;
    int traffic = argc > 2 ? atoi(argv[2]) : 1800;
    unsigned s = 31;
    std::vector<Round> rounds;
    std::vector<int> first(towns + 1, 0);
    for (int t = 0; t < towns; ++t) {
        int count = 3700 + (int)(lcg(s) >> 16) % 600;
        if (t % 176 == 90) count = 110000 + (int)(lcg(s) >> 16) % 15000;
        first[t + 1] = first[t] + count;
        for (int f = 0; f < count;) {
            int share = std::min(SHARE, count - f);
            rounds.push_back({t, first[t] + f, share});
            f += share;
        }
    }
    const int n = first[towns], blocks = (int)rounds.size();
    std::vector<float2> parcel(n), locker(towns * LOCKERS);
    for (auto &p : parcel) { p.x = 12.0f * frand(s); p.y = 9.0f * frand(s); }
    for (auto &l : locker) { l.x = 12.0f * frand(s); l.y = 9.0f * frand(s); }

    float2 *dparcel, *dlocker; Round *drounds; unsigned char *dgoes; float *dtime;
    CK(cudaMalloc(&dparcel, n * sizeof(float2)));
    CK(cudaMalloc(&dlocker, locker.size() * sizeof(float2)));
    CK(cudaMalloc(&drounds, blocks * sizeof(Round)));
    CK(cudaMalloc(&dgoes, n));
    CK(cudaMalloc(&dtime, blocks * sizeof(float)));
    CK(cudaMemcpy(dparcel, parcel.data(), n * sizeof(float2), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dlocker, locker.data(), locker.size() * sizeof(float2), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(drounds, rounds.data(), blocks * sizeof(Round), cudaMemcpyHostToDevice));
    float slowX = 1.0f, slowY = 1.0f;
    for (int k = 0; k < traffic; ++k) {
        slowX = 1.0f + 0.01f * (float)(k % 90);
        slowY = 2.0f - 0.008f * (float)(k % 70);
        assign<<<blocks, THREADS>>>(dparcel, dlocker, drounds, dgoes, dtime, slowX, slowY);
    }
    CK(cudaGetLastError());
    std::vector<unsigned char> goes(n);
    std::vector<float> time(blocks);
    CK(cudaMemcpy(goes.data(), dgoes, n, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(time.data(), dtime, blocks * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    double all = 0, again = 0;
    for (float t : time) all += t;
    for (int t = 0; t < towns; ++t)
        for (int i = first[t]; i < first[t + 1]; ++i) {
            float mine = drive(parcel[i], locker[t * LOCKERS + goes[i] % LOCKERS], slowX, slowY);
            again += mine;
            if (i % 97 == 0) {
                float best = 1e30f;
                for (int l = 0; l < LOCKERS; ++l)
                    best = std::min(best, drive(parcel[i], locker[t * LOCKERS + l], slowX, slowY));
                ok = ok && mine <= best + 1e-4f;
            }
        }
    ok = ok && close_to(all, again, 1e-4);
    printf("%d parcels, %.1f driving hours\n", n, all / 60.0);
    CK(cudaFree(dparcel)); CK(cudaFree(dlocker)); CK(cudaFree(drounds)); CK(cudaFree(dgoes)); CK(cudaFree(dtime));
    return report(ok);
}

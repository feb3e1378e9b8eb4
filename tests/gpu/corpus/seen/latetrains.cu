// How late do the trains get?  A year of operation is played day by day: every train runs through its stops,
// loses time by chance, and wins some back from the slack in the timetable.  Many variants ("rolls") per day.
// usage: latetrains TRAINS STOPS ROLLS DAYS
#include "common.h"

__host__ __device__ static inline unsigned mix(unsigned a)
{
    a ^= a >> 16; a *= 0x7feb352du;
    a ^= a >> 15; a *= 0x846ca68bu;
    return a ^ (a >> 16);
}

// seconds lost on a section which takes 'run' seconds
__host__ __device__ static inline int mishap(unsigned h, int run)
{
    int lost = (run * (int)((h >> 8) & 31)) >> 6;
    return (h & 255u) < 40u ? lost : 0;
}

__global__ void run_day(const int *__restrict__ run, const int *__restrict__ slack, int *__restrict__ late,
                        int trains, int stops, int day)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int roll = blockIdx.y;
    if (t >= trains) return;
    unsigned seed = mix(day * 7919u + roll * 104729u) + t * 31u;
    int delay = 0;
    for (int s = 0; s < stops; s++) {
        size_t k = (size_t)s * trains + t;
        unsigned h = mix(seed + s * 0x9e3779b9u);
        delay += mishap(h, run[k]) - slack[k];
        delay = max(delay, 0);
    }
    late[(size_t)roll * trains + t] = delay;
}

// lateness at the terminus, added over the rolls
__global__ void terminus(const int *__restrict__ late, unsigned long long *total, int trains, int rolls)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= trains) return;
    unsigned sum = 0;
    for (int r = 0; r < rolls; r++) sum += late[(size_t)r * trains + t];
    total[t] += sum;
}

int main(int argc, char **argv)
{
    int trains = argc > 1 ? atoi(argv[1]) : 65536;
    int stops = argc > 2 ? atoi(argv[2]) : 64;
    int rolls = argc > 3 ? atoi(argv[3]) : 48;
    int days = argc > 4 ? atoi(argv[4]) : 365;
    size_t entries = (size_t)trains * stops;

    int *run, *slack;                       // the timetable: [stop][train]
    CK(cudaMallocHost(&run, entries * sizeof(int)));
    CK(cudaMallocHost(&slack, entries * sizeof(int)));
    unsigned s = 11;
    for (size_t i = 0; i < entries; i++) {
        unsigned r = lcg(s) >> 10;
        run[i] = 180 + r % 900;
        slack[i] = 5 + (r >> 12) % 60;
    }

    int *drun, *dslack, *dlate;
    unsigned long long *dtotal;
    CK(cudaMalloc(&drun, entries * sizeof(int)));
    CK(cudaMalloc(&dslack, entries * sizeof(int)));
    CK(cudaMalloc(&dlate, (size_t)trains * rolls * sizeof(int)));
    CK(cudaMalloc(&dtotal, trains * sizeof(unsigned long long)));
    CK(cudaMemset(dtotal, 0, trains * sizeof(unsigned long long)));

    dim3 block(256), grid((trains + 255) / 256, rolls);
#ifdef GOOD
    CK(cudaMemcpyAsync(drun, run, entries * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpyAsync(dslack, slack, entries * sizeof(int), cudaMemcpyHostToDevice));
#endif
    for (int day = 0; day < days; day++) {
#ifndef GOOD
        CK(cudaMemcpyAsync(drun, run, entries * sizeof(int), cudaMemcpyHostToDevice));
        CK(cudaMemcpyAsync(dslack, slack, entries * sizeof(int), cudaMemcpyHostToDevice));
#endif
        run_day<<<grid, block>>>(drun, dslack, dlate, trains, stops, day);
        terminus<<<grid.x, block>>>(dlate, dtotal, trains, rolls);
    }
    CK(cudaGetLastError());
    std::vector<unsigned long long> total(trains);
    CK(cudaMemcpy(total.data(), dtotal, trains * sizeof(unsigned long long), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 4; q++) {
        int t = (int)((long long)q * (trains - 1) / 3);
        unsigned long long want = 0;
        for (int day = 0; day < days; day++)
            for (int roll = 0; roll < rolls; roll++) {
                unsigned seed = mix(day * 7919u + roll * 104729u) + t * 31u;
                int delay = 0;
                for (int st = 0; st < stops; st++) {
                    size_t k = (size_t)st * trains + t;
                    delay = std::max(0, delay + mishap(mix(seed + st * 0x9e3779b9u), run[k]) - slack[k]);
                }
                want += delay;
            }
        printf("train %d: %.1f s late on average\n", t, (double)total[t] / days / rolls);
        if (total[t] != want) ok = false;
    }
    CK(cudaFree(drun)); CK(cudaFree(dslack)); CK(cudaFree(dlate)); CK(cudaFree(dtotal));
    CK(cudaFreeHost(run)); CK(cudaFreeHost(slack));
    return report(ok);
}

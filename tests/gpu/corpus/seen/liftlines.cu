// Queues at the ski lifts of a valley, minute by minute through a day, played many times with other arrivals;
// then the average and the worst wait of each lift.     usage: liftlines LIFTS PLAYS DAYS
#include "common.h"

const int MINUTES = 480;

struct Lift { int seats, arrivals, peak; };      // per minute; minute of the rush

__host__ __device__ static inline unsigned shuffle_bits(unsigned h)
{
    h ^= h >> 15; h *= 0x2c1b3c6du;
    h ^= h >> 12; h *= 0x297a2d39u;
    return h ^ (h >> 15);
}

// skier-minutes spent in the queue in one day
__host__ __device__ static inline int play_day(const Lift &l, unsigned seed)
{
    int queue = 0, waited = 0;
    for (int m = 0; m < MINUTES; m++) {
        unsigned h = shuffle_bits(seed + m * 0x9e3779b9u);
        int away = m > l.peak ? m - l.peak : l.peak - m;
        int come = (l.arrivals * (640 - away)) >> 9;
        come += (int)(h & 15) - (int)((h >> 4) & 15);
        int stopped = ((h >> 8) & 127) == 0;         // somebody fell at the exit
        queue = max(0, queue + max(0, come) - (stopped ? 0 : l.seats));
        waited += queue;
    }
    return waited;
}

__global__ void simulate(const Lift *__restrict__ lifts, int *__restrict__ waits, int plays, int day)
{
    Lift l = lifts[blockIdx.x];
    int *mine = waits + (size_t)blockIdx.x * plays;
    int step = gridDim.y * blockDim.x;
    for (int p = blockIdx.y * blockDim.x + threadIdx.x; p < plays; p += step)
        mine[p] = play_day(l, shuffle_bits(blockIdx.x * 7927u + day * 65537u) + p);
}

__global__ void summary(const int *__restrict__ waits, unsigned long long *total, int *worst, int plays)
{
    __shared__ unsigned long long sum[256];
    __shared__ int top[256];
    unsigned long long s = 0;
    int t = 0;
    for (int p = blockIdx.y * blockDim.x + threadIdx.x; p < plays; p += gridDim.y * blockDim.x) {
        int w = waits[(size_t)blockIdx.x * plays + p];
        s += w;
        t = max(t, w);
    }
    sum[threadIdx.x] = s;
    top[threadIdx.x] = t;
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < k) {
            sum[threadIdx.x] += sum[threadIdx.x + k];
            top[threadIdx.x] = max(top[threadIdx.x], top[threadIdx.x + k]);
        }
    }
    if (threadIdx.x == 0) {
        atomicAdd(&total[blockIdx.x], sum[0]);
        atomicMax(&worst[blockIdx.x], top[0]);
    }
}

int main(int argc, char **argv)
{
    int lifts = argc > 1 ? atoi(argv[1]) : 46;
    int plays = argc > 2 ? atoi(argv[2]) : 16384;
    int days = argc > 3 ? atoi(argv[3]) : 150;

    std::vector<Lift> list(lifts);
    unsigned s = 2033;
    for (Lift &l : list) {
        l.seats = 20 + (int)((lcg(s) >> 16) % 30);
        l.arrivals = l.seats - 3 + (int)((lcg(s) >> 16) % 6);
        l.peak = 90 + (int)((lcg(s) >> 16) % 200);
    }
    Lift *dlifts;
    int *dwaits, *dworst;
    unsigned long long *dtotal;
    CK(cudaMalloc(&dlifts, lifts * sizeof(Lift)));
    CK(cudaMalloc(&dwaits, (size_t)lifts * plays * sizeof(int)));
    CK(cudaMalloc(&dworst, lifts * sizeof(int)));
    CK(cudaMalloc(&dtotal, lifts * sizeof(unsigned long long)));
    CK(cudaMemcpy(dlifts, list.data(), lifts * sizeof(Lift), cudaMemcpyHostToDevice));
    CK(cudaMemset(dworst, 0, lifts * sizeof(int)));
    CK(cudaMemset(dtotal, 0, lifts * sizeof(unsigned long long)));

#ifdef GOOD
    dim3 grid(lifts, (plays + 255) / 256);
#else
    dim3 grid(lifts);
#endif
    for (int day = 0; day < days; day++) {
        simulate<<<grid, 256>>>(dlifts, dwaits, plays, day);
        summary<<<dim3(lifts, 8), 256>>>(dwaits, dtotal, dworst, plays);
    }
    CK(cudaGetLastError());
    std::vector<unsigned long long> total(lifts);
    std::vector<int> worst(lifts), waits((size_t)lifts * plays);
    CK(cudaMemcpy(total.data(), dtotal, lifts * sizeof(unsigned long long), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(worst.data(), dworst, lifts * sizeof(int), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(waits.data(), dwaits, waits.size() * sizeof(int), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int l = 0; l < lifts; l += 5) {
        for (int q = 0; q < 20; q++) {
            int p = (int)((long long)q * (plays - 1) / 19);
            int want = play_day(list[l], shuffle_bits(l * 7927u + (unsigned)(days - 1) * 65537u) + p);
            if (waits[(size_t)l * plays + p] != want || want > worst[l]) ok = false;
        }
        printf("lift %d: %.0f skier-minutes, worst %d\n", l, (double)total[l] / days / plays, worst[l]);
        if (total[l] > (unsigned long long)worst[l] * (unsigned)days * (unsigned)plays) ok = false;
    }
    CK(cudaFree(dlifts)); CK(cudaFree(dwaits)); CK(cudaFree(dworst)); CK(cudaFree(dtotal));
    return report(ok);
}

// Elevator group study: many random working days are played through in parallel, one day per thread, to see
// how long people wait when the car always goes to the fullest landing.
// usage: carcalls days blocksOfTime
#include "common.h"

#define FLOORS 24
#define STEPS 480            // time steps of 2 s in one block of time

struct Car { int pos; int served; int waited; unsigned seed; };

__constant__ int arrive[FLOORS];     // arrivals per step, in 1/64 persons
__constant__ int burst[FLOORS];      // what a burst adds

__host__ __device__ inline unsigned nextRand(unsigned s) { return s * 1664525u + 1013904223u; }

__global__ void play_days(int *queue, Car *cars, int days, int floors)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    if (d >= days) return;
    int waiting[FLOORS];
#ifdef GOOD
    #pragma unroll
    for (int f = 0; f < FLOORS; ++f)
#else
    for (int f = 0; f < floors; ++f)
#endif
        waiting[f] = queue[(size_t)f * days + d];
    Car c = cars[d];
    for (int s = 0; s < STEPS; ++s) {
        c.seed = nextRand(c.seed);
        const int busy = (int)(c.seed >> 24);
        int fullest = -1, target = 0, sum = 0;
#ifdef GOOD
        #pragma unroll
        for (int f = 0; f < FLOORS; ++f) {
#else
        for (int f = 0; f < floors; ++f) {
#endif
            int w = waiting[f] + arrive[f] + ((burst[f] * busy) >> 8);
            if (f == c.pos) {                    // doors open here
                int in = min(w, 13 * 64);
                c.served += in >> 6;
                w -= in;
            }
            if (w > fullest) { fullest = w; target = f; }
            sum += w;
            waiting[f] = w;
        }
        c.waited += sum >> 10;
        c.pos += target > c.pos ? 1 : (target < c.pos ? -1 : 0);
    }
#ifdef GOOD
    #pragma unroll
    for (int f = 0; f < FLOORS; ++f)
#else
    for (int f = 0; f < floors; ++f)
#endif
        queue[(size_t)f * days + d] = waiting[f];
    cars[d] = c;
}

int main(int argc, char **argv)
{
    int days = argc > 1 ? atoi(argv[1]) : 131072;
    int blocks = argc > 2 ? atoi(argv[2]) : 200;
    int floors = FLOORS;
    std::vector<int> arr(floors), bur(floors), q((size_t)floors * days);
    for (int f = 0; f < floors; ++f) {
        arr[f] = f == 0 ? 9 : 1 + f % 3;
        bur[f] = f == 0 ? 24 : 3 + (f * 7) % 5;
    }
    unsigned s = 4711;
    std::vector<Car> cars(days);
    for (int d = 0; d < days; ++d) {
        cars[d].pos = (int)(lcg(s) >> 16) % floors;
        cars[d].served = cars[d].waited = 0;
        cars[d].seed = lcg(s);
        for (int f = 0; f < floors; ++f) q[(size_t)f * days + d] = (int)(lcg(s) >> 26) * 8;
    }
    CK(cudaMemcpyToSymbol(arrive, arr.data(), floors * sizeof(int)));
    CK(cudaMemcpyToSymbol(burst, bur.data(), floors * sizeof(int)));
    int *dq; Car *dc;
    CK(cudaMalloc(&dq, q.size() * sizeof(int)));
    CK(cudaMalloc(&dc, cars.size() * sizeof(Car)));
    CK(cudaMemcpy(dq, q.data(), q.size() * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dc, cars.data(), cars.size() * sizeof(Car), cudaMemcpyHostToDevice));
    for (int b = 0; b < blocks; ++b)
        play_days<<<(days + 127) / 128, 128>>>(dq, dc, days, floors);
    CK(cudaGetLastError());
    std::vector<Car> res(days);
    CK(cudaMemcpy(res.data(), dc, res.size() * sizeof(Car), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int t = 0; t < 5; ++t) {                // some days by hand
        int d = (int)((long long)t * (days - 1) / 4);
        Car c = cars[d];
        unsigned waited = 0;
        std::vector<int> w(floors);
        for (int f = 0; f < floors; ++f) w[f] = q[(size_t)f * days + d];
        for (int k = 0; k < blocks * STEPS; ++k) {
            c.seed = nextRand(c.seed);
            int busy = (int)(c.seed >> 24), fullest = -1, target = 0, sum = 0;
            for (int f = 0; f < floors; ++f) {
                w[f] += arr[f] + ((bur[f] * busy) >> 8);
                if (f == c.pos) { int in = std::min(w[f], 13 * 64); c.served += in >> 6; w[f] -= in; }
                if (w[f] > fullest) { fullest = w[f]; target = f; }
                sum += w[f];
            }
            waited += (unsigned)(sum >> 10);
            c.pos += target > c.pos ? 1 : (target < c.pos ? -1 : 0);
        }
        ok = ok && res[d].served == c.served && (unsigned)res[d].waited == waited && res[d].pos == c.pos;
    }
    printf("day 0: %d people served\n", res[0].served);
    CK(cudaFree(dq)); CK(cudaFree(dc));
    return report(ok);
}

// Delivery round: improvement of a closed tour by reversing the stretch between two legs. In each
// round all pairs of legs are priced and the best exchange is made.
#include "common.h"
typedef unsigned long long u64;

#ifndef STOPS
#define STOPS 33792
#endif

__device__ __host__ inline float apart(float2 a, float2 b)
{
    float dx = a.x - b.x, dy = a.y - b.y;
    return sqrtf(dx * dx + dy * dy);
}

// positions in the order of the tour, once more behind the end, and the length of the leg after each
__global__ void extend(const int *__restrict__ tour, const float2 *__restrict__ place, float2 *__restrict__ at,
                       float *__restrict__ leg)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= 2 * STOPS) return;
    float2 here = place[tour[k % STOPS]], next = place[tour[(k + 1) % STOPS]];
    at[k] = here;
    leg[k] = apart(here, next);
}

__global__ void __launch_bounds__(256) price(const float2 *__restrict__ at, const float *__restrict__ leg, u64 *best)
{
    int i = blockIdx.x * 256 + threadIdx.x, other = i;
    float2 a = at[i], b = at[i + 1], c = b;
    float mine = leg[i], most = 0.0f;
#ifdef GOOD
    int end = i + STOPS / 2;
#else
    int end = STOPS - 1;
#endif
    for (int j = i + 1; j <= end; j++) {
        float2 d = at[j + 1];
        float gain = (mine + leg[j]) - (apart(a, c) + apart(b, d));
        if (gain > most) { most = gain; other = j; }
        c = d;
    }
    if (other >= STOPS) other -= STOPS;
    u64 key = ((u64)__float_as_uint(most) << 32) | ((unsigned)min(i, other) << 16) | (unsigned)max(i, other);
    for (int s = 16; s > 0; s >>= 1) key = max(key, __shfl_xor_sync(~0u, key, s));
    if ((threadIdx.x & 31) == 0) atomicMax(best, key);
}

__global__ void turn(int *__restrict__ tour, const u64 *__restrict__ best)
{
    u64 key = *best;
    int i = (int)(key >> 16 & 0xffff), j = (int)(key & 0xffff), k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < (j - i) / 2) {
        int t = tour[i + 1 + k];
        tour[i + 1 + k] = tour[j - k];
        tour[j - k] = t;
    }
}

static double around(const std::vector<int> &tour, const std::vector<float2> &place)
{
    double sum = 0;
    for (size_t k = 0; k < tour.size(); k++) sum += apart(place[tour[k]], place[tour[(k + 1) % tour.size()]]);
    return sum;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 800;
    unsigned seed = 19;
    std::vector<float2> place(STOPS);
    std::vector<int> tour(STOPS), got(STOPS);
    for (auto &p : place) { p.x = frand(seed); p.y = frand(seed); }
    for (int k = 0; k < STOPS; k++) tour[k] = k;
    float2 *dplace, *at;
    float *leg;
    int *dtour;
    u64 *best;
    CK(cudaMalloc(&dplace, STOPS * sizeof(float2)));
    CK(cudaMalloc(&at, 2 * STOPS * sizeof(float2)));
    CK(cudaMalloc(&leg, 2 * STOPS * sizeof(float)));
    CK(cudaMalloc(&dtour, STOPS * sizeof(int)));
    CK(cudaMalloc(&best, rounds * sizeof(u64)));
    CK(cudaMemset(best, 0, rounds * sizeof(u64)));
    CK(cudaMemcpy(dplace, place.data(), STOPS * sizeof(float2), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dtour, tour.data(), STOPS * sizeof(int), cudaMemcpyHostToDevice));
    for (int r = 0; r < rounds; r++) {
        extend<<<(2 * STOPS + 255) / 256, 256>>>(dtour, dplace, at, leg);
        price<<<STOPS / 256, 256>>>(at, leg, best + r);
        turn<<<(STOPS / 2 + 255) / 256, 256>>>(dtour, best + r);
    }
    CK(cudaGetLastError());

    std::vector<u64> keys(rounds);
    CK(cudaMemcpy(got.data(), dtour, STOPS * sizeof(int), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(keys.data(), best, rounds * sizeof(u64), cudaMemcpyDeviceToHost));
    double saved = 0, first = 0;
    for (int r = 0; r < rounds; r++) {
        unsigned bits = (unsigned)(keys[r] >> 32);
        float gain;
        memcpy(&gain, &bits, sizeof(gain));
        saved += gain;
        if (r == 0) first = gain;
    }
    double before = around(tour, place), after = around(got, place);
    printf("tour %.2f, after %d rounds %.2f\n", before, rounds, after);
    bool ok = saved > 0 && close_to(before - after, saved, 1e-3) && fabs(before - after - saved) < 0.02;
    std::vector<char> met(STOPS, 0);
    for (int s : got) ok = ok && s >= 0 && s < STOPS && !met[s]++;
    for (int i = 5; i < STOPS; i += STOPS / 24)          // no pair of the first round was better than the one taken
        for (int j = 0; j < STOPS; j++) {
            int i1 = (i + 1) % STOPS, j1 = (j + 1) % STOPS;
            double gain = apart(place[i], place[i1]) + apart(place[j], place[j1])
                        - apart(place[i], place[j]) - apart(place[i1], place[j1]);
            ok = ok && gain < first + 1e-4;
        }
    CK(cudaFree(dplace)); CK(cudaFree(at)); CK(cudaFree(leg)); CK(cudaFree(dtour)); CK(cudaFree(best));
    return report(ok);
}

// Epidemic on a contact network: a day is one kernel; the ward planner wants the number of the ill every day.
#include "common.h"

const int PEOPLE = 1 << 20, CONTACTS = 12, ILL_DAYS = 9, IMMUNE = 60;

__host__ __device__ static inline unsigned mix(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ static inline int friend_of(unsigned i, unsigned k)
{
    unsigned h = mix(i * CONTACTS + k);
    return k < 8 ? (int)((i + h % 2000) % PEOPLE) : (int)(h % PEOPLE);
}

__global__ void meet(int *contact)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y;
    contact[k * PEOPLE + i] = friend_of(i, k);
}

// state: 0 healthy, 1..ILL_DAYS day of illness, below 0: days of immunity left
__global__ void day_of(const int *__restrict__ contact, const float *__restrict__ frail, const int *__restrict__ now,
                       int *__restrict__ next, unsigned day, int curfew)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int s = now[i];
    if (s > 0) {
        s = s == ILL_DAYS ? -IMMUNE : s + 1;
    } else if (s < 0) {
        s++;
    } else {
        int sick = 0, meets = curfew ? CONTACTS / 2 : CONTACTS;
        for (int k = 0; k < meets; k++) sick += now[contact[k * PEOPLE + i]] > 0;
        float u = (mix(i ^ day * 0x9e3779b9u) >> 8) * (1.0f / 16777216.0f);
        if (u < frail[i] * sick) s = 1;
    }
    next[i] = s;
}

#ifdef GOOD
__global__ void count_ill(const int *__restrict__ state, int *ill)
{
    int c = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < PEOPLE; i += gridDim.x * blockDim.x) c += state[i] > 0;
    c = __reduce_add_sync(0xffffffffu, c);
    if ((threadIdx.x & 31) == 0) atomicAdd(ill, c);
}
#endif

int main(int argc, char **argv)
{
    int days = argc > 1 ? atoi(argv[1]) : 1000;
    int *contact, *now, *next, *state;
    float *frail, *hfrail;
    CK(cudaMalloc(&contact, (size_t)PEOPLE * CONTACTS * sizeof(int)));
    CK(cudaMalloc(&now, PEOPLE * sizeof(int)));
    CK(cudaMalloc(&next, PEOPLE * sizeof(int)));
    CK(cudaMalloc(&frail, PEOPLE * sizeof(float)));
    CK(cudaMallocHost(&state, PEOPLE * sizeof(int)));
    CK(cudaMallocHost(&hfrail, PEOPLE * sizeof(float)));
    for (int i = 0; i < PEOPLE; i++) {
        hfrail[i] = 0.02f + 0.0001f * (i % 100);
        state[i] = i % 5000 == 0;
    }
    meet<<<dim3(PEOPLE / 256, CONTACTS), 256>>>(contact);
    CK(cudaGetLastError());
    CK(cudaMemcpy(now, state, PEOPLE * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(frail, hfrail, PEOPLE * sizeof(float), cudaMemcpyHostToDevice));
#ifdef GOOD
    int *dill, *hill;
    CK(cudaMalloc(&dill, sizeof(int)));
    CK(cudaMallocHost(&hill, sizeof(int)));
#endif
    int ill = 0, peak = 0;
    for (int d = 0; d < days; d++) {
#ifndef GOOD
        CK(cudaMemcpyAsync(frail, hfrail, PEOPLE * sizeof(float), cudaMemcpyHostToDevice));
#endif
        day_of<<<PEOPLE / 256, 256>>>(contact, frail, now, next, d, ill > PEOPLE / 8);
        std::swap(now, next);
#ifdef GOOD
        CK(cudaMemsetAsync(dill, 0, sizeof(int)));
        count_ill<<<256, 256>>>(now, dill);
        CK(cudaMemcpyAsync(hill, dill, sizeof(int), cudaMemcpyDeviceToHost));
        CK(cudaDeviceSynchronize());
        ill = *hill;
#else
        CK(cudaMemcpyAsync(state, now, PEOPLE * sizeof(int), cudaMemcpyDeviceToHost));
        CK(cudaDeviceSynchronize());
        ill = 0;
        for (int i = 0; i < PEOPLE; i++) ill += state[i] > 0;
#endif
        peak = std::max(peak, ill);
    }
    CK(cudaGetLastError());
    // the last day: each person's state follows from the day before
    std::vector<int> before(PEOPLE), after(PEOPLE);
    CK(cudaMemcpy(before.data(), next, PEOPLE * sizeof(int), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(after.data(), now, PEOPLE * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = peak > 200 && peak <= PEOPLE;
    int n = 0;
    for (int i = 0; i < PEOPLE; i++) {
        n += after[i] > 0;
        int s = before[i];
        if (s > 0 && after[i] != (s == ILL_DAYS ? -IMMUNE : s + 1)) ok = false;
        if (s < 0 && after[i] != s + 1) ok = false;
        if (s == 0 && after[i] != 0 && after[i] != 1) ok = false;
    }
    printf("peak %d, ill at the end %d\n", peak, n);
    return report(ok && n == ill);
}

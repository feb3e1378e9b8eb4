// Lift control: in each of many buildings ten lifts go round (up and down is one long loop), and every hall call is given
// to the lift that is there first; then the calls move on to other floors.
// usage: liftgroups buildings repetitions
#include "common.h"

#define LIFTS 10
#define CALLS 30
#define TICKS 16
#define LOOP 48.0f           // floors up and down again
#ifdef GOOD
#define GROUPS 16            // buildings in a block
#else
#define GROUPS 1
#endif
#define PITCH 33             // of a lift's times; the first banks of ten lifts follow one another

__host__ __device__ inline float wrap(float x) { return x >= LOOP ? x - LOOP : x; }
__host__ __device__ inline float firstCall(int b, int k)
{
    unsigned h = (unsigned)b * 2654435761u + (unsigned)k * 40503u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return (float)(h & 1023) * (LOOP / 1024.0f);
}
__host__ __device__ inline float firstPlace(int b, int c) { return firstCall(b, 1000 + c); }
__host__ __device__ inline float arrival(float call, float place, float door)
{
    float d = call - place;
    return (d < 0.0f ? d + LOOP : d) + door;
}

__global__ void morning(float *call, float *place, int buildings)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < buildings * CALLS) call[i] = firstCall(i / CALLS, i % CALLS);
    if (i < buildings * LIFTS) place[i] = firstPlace(i / LIFTS, i % LIFTS);
}

__global__ void __launch_bounds__(GROUPS * LIFTS) dispatch(const float *__restrict__ call, const float *__restrict__ place,
                                                           float *__restrict__ wait, float speed)
{
    __shared__ float calls[GROUPS][PITCH], eta[GROUPS][LIFTS][PITCH];
    const int g = threadIdx.x / LIFTS, c = threadIdx.x % LIFTS, b = blockIdx.x * GROUPS + g;
    #pragma unroll
    for (int k = c; k < CALLS; k += LIFTS) calls[g][k] = call[b * CALLS + k];
    float at = place[b * LIFTS + c], waited = 0.0f;
    const float door = 0.15f * (float)c, step = speed + 0.1f * (float)c;
    __syncthreads();
    for (int t = 0; t < TICKS; ++t) {
        #pragma unroll
        for (int k = 0; k < CALLS; ++k) eta[g][c][k] = arrival(calls[g][k], at, door);
        __syncthreads();
        #pragma unroll
        for (int k = c; k < CALLS; k += LIFTS) {
            float first = eta[g][0][k];
            #pragma unroll
            for (int l = 1; l < LIFTS; ++l) first = fminf(first, eta[g][l][k]);
            waited += first;
            calls[g][k] = wrap(calls[g][k] + 17.25f);
        }
        at = wrap(at + step);
        __syncthreads();
    }
    wait[b * LIFTS + c] = waited;
}

int main(int argc, char **argv)
{
    int buildings = (argc > 1 ? atoi(argv[1]) : 131072) / 16 * 16, reps = argc > 2 ? atoi(argv[2]) : 1100;
    float *call, *place, *wait;
    CK(cudaMalloc(&call, (size_t)buildings * CALLS * sizeof(float)));
    CK(cudaMalloc(&place, (size_t)buildings * LIFTS * sizeof(float)));
    CK(cudaMalloc(&wait, (size_t)buildings * LIFTS * sizeof(float)));
    morning<<<(buildings * CALLS + 255) / 256, 256>>>(call, place, buildings);
    float speed = 0.0f;
    for (int r = 0; r < reps; ++r) {
        speed = 1.0f + 0.05f * (float)(r % 10);
        dispatch<<<buildings / GROUPS, GROUPS * LIFTS>>>(call, place, wait, speed);
    }
    CK(cudaGetLastError());
    std::vector<float> got((size_t)buildings * LIFTS);
    CK(cudaMemcpy(got.data(), wait, got.size() * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 100; ++q) {
        int b = (int)((long long)q * (buildings - 1) / 99);
        double want = 0, have = 0;
        float calls[CALLS], at[LIFTS];
        for (int k = 0; k < CALLS; ++k) calls[k] = firstCall(b, k);
        for (int c = 0; c < LIFTS; ++c) at[c] = firstPlace(b, c);
        for (int t = 0; t < TICKS; ++t) {
            for (int k = 0; k < CALLS; ++k) {
                float first = 1e30f;
                for (int c = 0; c < LIFTS; ++c) first = std::min(first, arrival(calls[k], at[c], 0.15f * (float)c));
                want += first;
                calls[k] = wrap(calls[k] + 17.25f);
            }
            for (int c = 0; c < LIFTS; ++c) at[c] = wrap(at[c] + speed + 0.1f * (float)c);
        }
        for (int c = 0; c < LIFTS; ++c) have += got[(size_t)b * LIFTS + c];
        ok = ok && close_to(have, want, 0.02);           // a lift that is just there may count as just gone
        if (q == 50) printf("building %d: waited %.2f (%.2f)\n", b, have, want);
    }
    CK(cudaFree(call)); CK(cudaFree(place)); CK(cudaFree(wait));
    return report(ok);
}

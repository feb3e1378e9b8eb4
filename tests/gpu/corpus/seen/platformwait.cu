// Robustness of a timetable: lateness of 256 trains in many scenarios. At each stop a train catches up its slack, meets
// with a disturbance now and then, and waits (a while) for a late partner. What remains at night is carried on.
// usage: platformwait scenarios stops days
#include "common.h"

#define TRAINS 256
#define PATIENCE 4.0f        // minutes that a train waits for its partner at most

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

struct Call { float slack, buffer; int partner; float pad; };

__host__ __device__ inline float disturbance(unsigned day, unsigned scenario, unsigned stop, unsigned train)
{
    unsigned h = scramble((day * 4099u + scenario) * 0x9e3779b9u ^ (stop * TRAINS + train));
    return (h & 127u) == 0u ? 0.01f * (float)(h >> 8 & 1023u) : 0.0f;
}

__host__ __device__ inline float arrive(float late, float slack, float extra)
{
    late -= slack;
    return (late > 0.0f ? late : 0.0f) + extra;
}

__host__ __device__ inline float leave(float own, float partner, float buffer)
{
    float wait = partner - buffer, most = own + PATIENCE;
    wait = wait < most ? wait : most;
    return wait > own ? wait : own;
}

__global__ void start(float *late, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) late[i] = 0.0f;
}

#ifdef GOOD
__global__ void __launch_bounds__(TRAINS) operate(const Call *__restrict__ calls, float *late, unsigned day, int stops)
{
    __shared__ float arrived[2][TRAINS];
    const unsigned scenario = blockIdx.x, train = threadIdx.x;
    float l = late[scenario * TRAINS + train] * 0.25f;
    Call c = calls[train];
    for (int stop = 0; stop < stops; ++stop) {
        float a = arrive(l, c.slack, disturbance(day, scenario, stop, train));
        arrived[stop & 1][train] = a;
        Call next = calls[(size_t)(stop + 1 < stops ? stop + 1 : stop) * TRAINS + train];
        __syncthreads();
        l = leave(a, arrived[stop & 1][c.partner], c.buffer);
        c = next;
    }
    late[scenario * TRAINS + train] = l;
}
#else
__global__ void __launch_bounds__(TRAINS) call_at(const Call *__restrict__ calls, const float *__restrict__ late,
                                                  float *__restrict__ next, unsigned day, int stop)
{
    __shared__ float arrived[TRAINS];
    const unsigned scenario = blockIdx.x, train = threadIdx.x;
    Call c = calls[(size_t)stop * TRAINS + train];
    float l = late[scenario * TRAINS + train];
    if (stop == 0) l *= 0.25f;
    float a = arrive(l, c.slack, disturbance(day, scenario, stop, train));
    arrived[train] = a;
    __syncthreads();
    next[scenario * TRAINS + train] = leave(a, arrived[c.partner], c.buffer);
}
#endif

int main(int argc, char **argv)
{
    const int scenarios = argc > 1 ? atoi(argv[1]) : 264, stops = argc > 2 ? atoi(argv[2]) : 240;
    const int days = argc > 3 ? atoi(argv[3]) : 2000;
    const int n = scenarios * TRAINS;
    std::vector<Call> calls((size_t)stops * TRAINS);
    unsigned s = 1879;
    for (auto &c : calls) {
        c.slack = 0.4f + 0.8f * frand(s);
        c.buffer = 3.0f + 6.0f * frand(s);
        c.partner = (int)(lcg(s) >> 24);
        c.pad = 0.0f;
    }
    Call *dcalls; float *late, *next;
    CK(cudaMalloc(&dcalls, calls.size() * sizeof(Call)));
    CK(cudaMemcpy(dcalls, calls.data(), calls.size() * sizeof(Call), cudaMemcpyHostToDevice));
    CK(cudaMalloc(&late, n * sizeof(float)));
    CK(cudaMalloc(&next, n * sizeof(float)));
    start<<<(n + 255) / 256, 256>>>(late, n);
    for (int d = 0; d < days; ++d) {
#ifdef GOOD
        operate<<<scenarios, TRAINS>>>(dcalls, late, (unsigned)d, stops);
#else
        for (int stop = 0; stop < stops; ++stop) {
            call_at<<<scenarios, TRAINS>>>(dcalls, late, next, (unsigned)d, stop);
            std::swap(late, next);
        }
#endif
    }
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), late, n * sizeof(float), cudaMemcpyDeviceToHost));

    // the last days of some scenarios; what remains of earlier ones has died down
    bool ok = true;
    double mean = 0;
    std::vector<float> l(TRAINS), a(TRAINS);
    for (int q = 0; q < 6; ++q) {
        const unsigned scenario = (unsigned)((long long)q * (scenarios - 1) / 5);
        std::fill(l.begin(), l.end(), 0.0f);
        for (int d = std::max(0, days - 4); d < days; ++d)
            for (int stop = 0; stop < stops; ++stop) {
                const Call *c = &calls[(size_t)stop * TRAINS];
                for (int t = 0; t < TRAINS; ++t)
                    a[t] = arrive(stop ? l[t] : l[t] * 0.25f, c[t].slack, disturbance(d, scenario, stop, t));
                for (int t = 0; t < TRAINS; ++t) l[t] = leave(a[t], a[c[t].partner], c[t].buffer);
            }
        for (int t = 0; t < TRAINS; ++t) {
            ok = ok && fabs(got[scenario * TRAINS + t] - l[t]) < 1e-2;
            mean += l[t] / (6.0 * TRAINS);
        }
    }
    printf("mean lateness at the end: %.3f minutes\n", mean);
    CK(cudaFree(dcalls)); CK(cudaFree(late)); CK(cudaFree(next));
    return report(ok);
}

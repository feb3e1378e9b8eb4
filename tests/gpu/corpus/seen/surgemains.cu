// Pressure surges in water mains (method of characteristics): every main leads from a reservoir to a valve that opens
// and closes; 256 sections each, all mains by themselves.
// usage: surgemains mains steps
#include "common.h"

#define SECTIONS 256
#define IMPEDANCE 50.0f      // head per flow
#define FRICTION 0.05f
#define RESERVOIR 60.0f
#define CYCLE 4000           // steps in which the valve closes and opens
#ifdef GOOD
#define STEPS 2000           // in a launch
#else
#define STEPS 1
#endif

__host__ __device__ inline float opening(int t, int main)
{
    int phase = (t + main * 13) % CYCLE - CYCLE / 2;
    return 0.02f * (float)(phase < 0 ? -phase : phase) * (2.0f / CYCLE);
}

// head and flow of section i from its neighbours'
__host__ __device__ inline float2 section(int i, float2 left, float2 right, float valve)
{
    float plus = left.x + IMPEDANCE * left.y - FRICTION * left.y * fabsf(left.y);
    float minus = right.x - IMPEDANCE * right.y + FRICTION * right.y * fabsf(right.y);
    if (i == 0) return make_float2(RESERVOIR, (RESERVOIR - minus) * (1.0f / IMPEDANCE));
    if (i == SECTIONS - 1) {
        float q = valve * plus / (1.0f + valve * IMPEDANCE);
        return make_float2(plus - IMPEDANCE * q, q);
    }
    return make_float2(0.5f * (plus + minus), (plus - minus) * (0.5f / IMPEDANCE));
}

__global__ void __launch_bounds__(SECTIONS) surge(const float2 *__restrict__ from, float2 *__restrict__ to, int step)
{
    const int i = threadIdx.x, l = max(i - 1, 0), r = min(i + 1, SECTIONS - 1);
    const size_t base = (size_t)blockIdx.x * SECTIONS;
#ifdef GOOD
    __shared__ float2 state[2][SECTIONS];
    state[0][i] = from[base + i];
    __syncthreads();
    for (int t = 0; t < STEPS; ++t) {
        state[(t + 1) % 2][i] = section(i, state[t % 2][l], state[t % 2][r], opening(step + t, blockIdx.x));
        __syncthreads();
    }
    to[base + i] = state[STEPS % 2][i];
#else
    to[base + i] = section(i, from[base + l], from[base + r], opening(step, blockIdx.x));
#endif
}

int main(int argc, char **argv)
{
    const int mains = argc > 1 ? atoi(argv[1]) : 264, steps = (argc > 2 ? atoi(argv[2]) : 320000) / 2000 * 2000;
    const size_t n = (size_t)mains * SECTIONS;
    std::vector<float2> state(n, make_float2(RESERVOIR, 0.0f));
    float2 *buffer[2];
    for (int b = 0; b < 2; ++b) CK(cudaMalloc(&buffer[b], n * sizeof(float2)));
    CK(cudaMemcpy(buffer[0], state.data(), n * sizeof(float2), cudaMemcpyHostToDevice));
    int now = 0;
    for (int t = 0; t < steps; t += STEPS, now = 1 - now) surge<<<mains, SECTIONS>>>(buffer[now], buffer[1 - now], t);
    CK(cudaGetLastError());
    CK(cudaMemcpy(state.data(), buffer[now], n * sizeof(float2), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int m : {0, mains - 1}) {
        std::vector<float2> a(SECTIONS, make_float2(RESERVOIR, 0.0f)), b(SECTIONS);
        for (int t = 0; t < steps; ++t) {
            float valve = opening(t, m);
            for (int i = 0; i < SECTIONS; ++i) b[i] = section(i, a[std::max(i - 1, 0)], a[std::min(i + 1, SECTIONS - 1)], valve);
            a.swap(b);
        }
        for (int i = 0; i < SECTIONS; ++i)
            ok = ok && fabsf(state[m * SECTIONS + i].x - a[i].x) < 0.2f && fabsf(state[m * SECTIONS + i].y - a[i].y) < 0.01f;
        printf("main %d: %.3f m at the valve (%.3f)\n", m, state[m * SECTIONS + SECTIONS - 1].x, a[SECTIONS - 1].x);
    }
    CK(cudaFree(buffer[0])); CK(cudaFree(buffer[1]));
    return report(ok);
}

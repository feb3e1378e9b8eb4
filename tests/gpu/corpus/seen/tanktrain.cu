// Train of stirred-tank reactors: flow, exothermic reaction, jacket cooling and
// one PI controller per tank. Each physical effect is its own kernel, as in the
// process model it was ported from; the plant is advanced in small time steps.
#include "common.h"

constexpr int TANKS = 16384;
constexpr float DT = 0.001f;

struct Plant { float *c, *t, *tj, *rate, *heat, *valve, *integ, *flow; };

__host__ __device__ inline float feed_temp(int i) { return 300.0f + 10.0f * ((i * 37 % 100) * 0.01f); }

__global__ void start_up(Plant p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p.c[i] = 1.0f; p.t[i] = feed_temp(i); p.tj[i] = 290.0f;
    p.rate[i] = p.heat[i] = p.integ[i] = p.flow[i] = 0.0f; p.valve[i] = 0.5f;
}
__global__ void reaction(Plant p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p.rate[i] = 7.0e4f * __expf(-4000.0f / p.t[i]) * p.c[i];
}
__global__ void throughflow(Plant p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p.flow[i] = 0.4f * (1.0f - p.c[i]);
}
__global__ void jacket(Plant p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float q = 1.5f * (p.t[i] - p.tj[i]);
    p.heat[i] = q;
    p.tj[i] += DT * (0.3f * q - 6.0f * p.valve[i] * (p.tj[i] - 285.0f));
}
__global__ void controller(Plant p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float err = p.t[i] - 330.0f;
    float s = p.integ[i] + DT * err;
    p.integ[i] = fminf(fmaxf(s, -20.0f), 20.0f);
    p.valve[i] = fminf(fmaxf(0.5f + 0.02f * err + 0.01f * s, 0.0f), 1.0f);
}
__global__ void advance(Plant p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = p.rate[i];
    p.c[i] += DT * (p.flow[i] - r);
    p.t[i] += DT * (0.4f * (feed_temp(i) - p.t[i]) + 200.0f * r - p.heat[i]);
}

static void step(const Plant &p, cudaStream_t st)
{
    const int g = TANKS / 128;
    reaction<<<g, 128, 0, st>>>(p);
    throughflow<<<g, 128, 0, st>>>(p);
    jacket<<<g, 128, 0, st>>>(p);
    controller<<<g, 128, 0, st>>>(p);
    advance<<<g, 128, 0, st>>>(p);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 8000;
    const int chunk = 40;
    steps = (steps + chunk - 1) / chunk * chunk;
    float *mem;
    CK(cudaMalloc(&mem, 8 * TANKS * sizeof(float)));
    Plant p{mem, mem + TANKS, mem + 2 * TANKS, mem + 3 * TANKS, mem + 4 * TANKS, mem + 5 * TANKS, mem + 6 * TANKS, mem + 7 * TANKS};
    cudaStream_t st;
    CK(cudaStreamCreate(&st));
    start_up<<<TANKS / 128, 128, 0, st>>>(p);
#ifdef GOOD
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CK(cudaStreamBeginCapture(st, cudaStreamCaptureModeGlobal));
    for (int s = 0; s < chunk; s++) step(p, st);
    CK(cudaStreamEndCapture(st, &graph));
    CK(cudaGraphInstantiate(&exec, graph, 0));
    for (int s = 0; s < steps; s += chunk) CK(cudaGraphLaunch(exec, st));
    CK(cudaStreamSynchronize(st));
    CK(cudaGraphExecDestroy(exec));
    CK(cudaGraphDestroy(graph));
#else
    for (int s = 0; s < steps; s++) step(p, st);
    CK(cudaGetLastError());
    CK(cudaStreamSynchronize(st));
#endif

    bool ok = true;
    for (int q = 0; q < 4; q++) {
        int i = (q * 5003 + 11) % TANKS;
        float c = 1, t = feed_temp(i), tj = 290, valve = 0.5f, integ = 0;
        for (int s = 0; s < steps; s++) {
            float r = 7.0e4f * expf(-4000.0f / t) * c, fl = 0.4f * (1.0f - c), qh = 1.5f * (t - tj);
            tj += DT * (0.3f * qh - 6.0f * valve * (tj - 285.0f));
            float err = t - 330.0f, si = integ + DT * err;
            integ = std::min(std::max(si, -20.0f), 20.0f);
            valve = std::min(std::max(0.5f + 0.02f * err + 0.01f * si, 0.0f), 1.0f);
            c += DT * (fl - r);
            t += DT * (0.4f * (feed_temp(i) - t) + 200.0f * r - qh);
        }
        float gc, gt;
        CK(cudaMemcpy(&gc, p.c + i, sizeof(float), cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(&gt, p.t + i, sizeof(float), cudaMemcpyDeviceToHost));
        ok = ok && close_to(gc, c, 2e-2) && close_to(gt, t, 5e-3);
    }
    CK(cudaFree(mem));
    CK(cudaStreamDestroy(st));
    return report(ok);
}

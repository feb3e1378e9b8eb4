// Nerve cable of 4096 compartments (FitzHugh-type membrane): explicit steps, four small kernels a step.
#include "common.h"

const int N = 4096, STEPS = 100;    // steps between two reports

__global__ void ionic(const float *v, const float *w, float *cur)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) cur[i] = v[i] * (v[i] - 0.1f) * (1.0f - v[i]) - w[i];
}
__global__ void axial(const float *v, float *flux)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) flux[i] = i + 1 < N ? 0.8f * (v[i + 1] - v[i]) : 0.0f;
}
__global__ void advance(float *v, float *w, const float *cur, const float *flux, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float in = i > 0 ? flux[i - 1] : 0.0f, old = v[i];
    v[i] = old + dt * (cur[i] + flux[i] - in);
    w[i] += dt * 0.01f * (0.5f * old - w[i]);
}
__global__ void electrode(const float *v, float *trace, int *step)
{
    if (threadIdx.x < 16) trace[(*step % STEPS) * 16 + threadIdx.x] = v[threadIdx.x * 256];
    __syncwarp();
    if (threadIdx.x == 0) ++*step;
}

static void enqueue(float *v, float *w, float *cur, float *flux, float *trace, int *step, cudaStream_t st)
{
    for (int s = 0; s < STEPS; s++) {
        ionic<<<N / 256, 256, 0, st>>>(v, w, cur);
        axial<<<N / 256, 256, 0, st>>>(v, flux);
        advance<<<N / 256, 256, 0, st>>>(v, w, cur, flux, 0.1f);
        electrode<<<1, 32, 0, st>>>(v, trace, step);
    }
}

int main(int argc, char **argv)
{
    int reports = argc > 1 ? atoi(argv[1]) : 80;
    std::vector<float> hv(N, 0.0f), hw(N, 0.0f);
    for (int i = 0; i < 40; i++) hv[i] = 1.0f;
    float *v, *w, *cur, *flux, *trace;
    int *step;
    CK(cudaMalloc(&v, N * sizeof(float)));
    CK(cudaMalloc(&w, N * sizeof(float)));
    CK(cudaMalloc(&cur, N * sizeof(float)));
    CK(cudaMalloc(&flux, N * sizeof(float)));
    CK(cudaMalloc(&trace, STEPS * 16 * sizeof(float)));
    CK(cudaMalloc(&step, sizeof(int)));
    CK(cudaMemcpy(v, hv.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemset(w, 0, N * sizeof(float)));
    CK(cudaMemset(step, 0, sizeof(int)));
    cudaStream_t st;
    CK(cudaStreamCreateWithFlags(&st, cudaStreamNonBlocking));
    CK(cudaDeviceSynchronize());
#ifdef GOOD
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CK(cudaStreamBeginCapture(st, cudaStreamCaptureModeGlobal));
    enqueue(v, w, cur, flux, trace, step, st);
    CK(cudaStreamEndCapture(st, &graph));
    CK(cudaGraphInstantiate(&exec, graph, 0));
    for (int r = 0; r < reports; r++) CK(cudaGraphLaunch(exec, st));
#else
    for (int r = 0; r < reports; r++) enqueue(v, w, cur, flux, trace, step, st);
#endif
    CK(cudaGetLastError());
    CK(cudaStreamSynchronize(st));

    std::vector<float> dv(N), fl(N);
    CK(cudaMemcpy(dv.data(), v, N * sizeof(float), cudaMemcpyDeviceToHost));
    for (int s = 0; s < reports * STEPS; s++) {
        for (int i = 0; i < N; i++) fl[i] = i + 1 < N ? 0.8f * (hv[i + 1] - hv[i]) : 0.0f;
        for (int i = 0; i < N; i++) {
            float c = hv[i] * (hv[i] - 0.1f) * (1.0f - hv[i]) - hw[i], old = hv[i];
            hv[i] = old + 0.1f * (c + fl[i] - (i > 0 ? fl[i - 1] : 0.0f));
            hw[i] += 0.1f * 0.01f * (0.5f * old - hw[i]);
        }
    }
    bool ok = true;
    for (int i = 0; i < N; i++) if (!(fabs(dv[i] - hv[i]) < 0.03)) ok = false;
    return report(ok);
}

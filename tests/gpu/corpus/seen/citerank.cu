// Citation ranking: every paper collects the rank of the papers that cite it, each
// divided by the number of its references (pull iteration, 12 citations per paper,
// lists stored column by column).
#include "common.h"

constexpr int PAPERS = 4 << 20, CITES = 12, ROUND = 10;

__host__ __device__ inline unsigned mix(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ inline int citing(int p, int k) { return mix(p * CITES + k) & (PAPERS - 1); }

// how likely a reader starts with this paper
__host__ __device__ inline float prior(int p) { return 0.5f + (p & 255) * (1.0f / 255); }

__global__ void make_graph(int *src, float *share)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < CITES; k++) src[(size_t)k * PAPERS + p] = citing(p, k);
    share[p] = 1.0f / CITES;
}

// share = rank divided by the (mean) number of references
__global__ void collect(const int *src, const float *share, float *next)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
#pragma unroll
    for (int k = 0; k < CITES; k++) s += share[src[(size_t)k * PAPERS + p]];
    next[p] = (0.15f * prior(p) + 0.85f * s) * (1.0f / CITES);
}

static void round_of(const int *src, float *a, float *b, cudaStream_t st)
{
    for (int i = 0; i < ROUND; i += 2) {
        collect<<<PAPERS / 256, 256, 0, st>>>(src, a, b);
        collect<<<PAPERS / 256, 256, 0, st>>>(src, b, a);
    }
}

int main(int argc, char **argv)
{
    int iters = argc > 1 ? atoi(argv[1]) : 200;
    iters = (iters + ROUND - 1) / ROUND * ROUND;
    int *src;
    float *a, *b;
    cudaStream_t st;
    CK(cudaStreamCreate(&st));
    CK(cudaMalloc(&src, (size_t)PAPERS * CITES * sizeof(int)));
    CK(cudaMalloc(&a, PAPERS * sizeof(float)));
    CK(cudaMalloc(&b, PAPERS * sizeof(float)));
    make_graph<<<PAPERS / 256, 256, 0, st>>>(src, a);
    CK(cudaGetLastError());
#ifdef GOOD
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CK(cudaStreamBeginCapture(st, cudaStreamCaptureModeGlobal));
    round_of(src, a, b, st);
    CK(cudaStreamEndCapture(st, &graph));
    CK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < iters; i += ROUND) CK(cudaGraphLaunch(exec, st));
    CK(cudaStreamSynchronize(st));
    CK(cudaGraphExecDestroy(exec));
    CK(cudaGraphDestroy(graph));
#else
    for (int i = 0; i < iters; i += ROUND) round_of(src, a, b, st);
    CK(cudaGetLastError());
    CK(cudaStreamSynchronize(st));
#endif

    // the last step from the device's own ranks, and the mean rank
    std::vector<float> h(PAPERS), g(PAPERS);
    CK(cudaMemcpy(h.data(), a, PAPERS * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(g.data(), b, PAPERS * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int q = 0; q < 1000; q++) {
        int p = (q * 41943 + 5) & (PAPERS - 1);
        double s = 0;
        for (int k = 0; k < CITES; k++) s += g[citing(p, k)];
        ok = ok && close_to(h[p] * CITES, 0.15 * prior(p) + 0.85 * s, 1e-5);
    }
    double mean = 0;
    for (int p = 0; p < PAPERS; p++) mean += h[p];
    ok = ok && close_to(mean * CITES / PAPERS, 1.0, 1e-2);
    CK(cudaFree(src)); CK(cudaFree(a)); CK(cudaFree(b));
    CK(cudaStreamDestroy(st));
    return report(ok);
}

// Odd-even transposition sort of the shelf marks of a library: one launch per phase.
#include "common.h"

__global__ void phase(unsigned *key, int n, int odd)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + odd;
    if (i + 1 < n) {
        unsigned a = key[i], b = key[i + 1];
        if (a > b) {
            key[i] = b;
            key[i + 1] = a;
        }
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 2;
    const int n = 16384, tpb = 256, blocks = n / 2 / tpb;
    std::vector<unsigned> marks(n), got(n);
    unsigned *key;
    CK(cudaMalloc(&key, n * 4));
    cudaStream_t st;
    CK(cudaStreamCreate(&st));
#ifdef GOOD
    const int inGraph = 256;
    cudaGraph_t g;
    cudaGraphExec_t exec;
    CK(cudaStreamBeginCapture(st, cudaStreamCaptureModeGlobal));
    for (int p = 0; p < inGraph; p++) phase<<<blocks, tpb, 0, st>>>(key, n, p & 1);
    CK(cudaStreamEndCapture(st, &g));
    CK(cudaGraphInstantiate(&exec, g, 0));
#endif
    bool ok = true;
    unsigned seed = 1;
    for (int r = 0; r < rounds; r++) {
        unsigned long long before = 0, after = 0;
        for (auto &m : marks) { m = lcg(seed) >> 4; before += m; }
        CK(cudaMemcpyAsync(key, marks.data(), n * 4, cudaMemcpyHostToDevice, st));
#ifdef GOOD
        for (int p = 0; p < n; p += inGraph) CK(cudaGraphLaunch(exec, st));
#else
        for (int p = 0; p < n; p++) phase<<<blocks, tpb, 0, st>>>(key, n, p & 1);
#endif
        CK(cudaGetLastError());
        CK(cudaMemcpyAsync(got.data(), key, n * 4, cudaMemcpyDeviceToHost, st));
        CK(cudaStreamSynchronize(st));
        for (auto m : got) after += m;
        ok = ok && before == after && std::is_sorted(got.begin(), got.end());
    }
#ifdef GOOD
    CK(cudaGraphExecDestroy(exec));
    CK(cudaGraphDestroy(g));
#endif
    CK(cudaStreamDestroy(st));
    CK(cudaFree(key));
    return report(ok);
}

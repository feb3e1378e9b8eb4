// Tension of the warp ends in a weaving shed.  For every end the loom logs the tension over one pattern repeat
// (64 picks); the controller evens it out forwards and backwards so that the selvedge stays straight.
// usage: selvedge ENDS PASSES
#include "common.h"

const int ENDS = 64;      // ends handled together
const int PICKS = 64;     // picks of a repeat

__global__ void even_out(const float *__restrict__ in, float *__restrict__ out, float follow, int pitch)
{
    __shared__ float rec[ENDS * (PICKS + 1)];
    size_t first = (size_t)blockIdx.x * ENDS * PICKS;
#pragma unroll 16
    for (int e = 0; e < ENDS; e++)
        rec[e * pitch + threadIdx.x] = in[first + e * PICKS + threadIdx.x];
    __syncthreads();

    float *mine = rec + threadIdx.x * pitch;
    float level = mine[0];
    for (int p = 1; p < PICKS; p++) {
        level += follow * (mine[p] - level);
        mine[p] = level;
    }
    for (int p = PICKS - 2; p >= 0; p--) {
        level += follow * (mine[p] - level);
        mine[p] = level;
    }
    __syncthreads();
    for (int e = 0; e < ENDS; e++)
        out[first + e * PICKS + threadIdx.x] = rec[e * pitch + threadIdx.x];
}

// the let-off motion jerks each end a little, at a pick of its own
__global__ void let_off(float *tension, int ends, int pass)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (size_t)ends * PICKS) return;
    int end = (int)(i / PICKS), pick = (int)(i % PICKS);
    if ((end * 5 + pass * 11) % PICKS == pick) tension[i] += 1.5f;
}

int main(int argc, char **argv)
{
    int ends = argc > 1 ? atoi(argv[1]) : 1 << 19;
    int passes = argc > 2 ? atoi(argv[2]) : 1200;
    ends = std::max(ENDS, ends / ENDS * ENDS);
    size_t n = (size_t)ends * PICKS, bytes = n * sizeof(float);
    const float follow = 0.35f;
#ifdef GOOD
    const int pitch = PICKS + 1;
#else
    const int pitch = PICKS;
#endif

    std::vector<float> log(n);
    unsigned seed = 77;
    for (size_t i = 0; i < n; i++) log[i] = 20.0f + 8.0f * frand(seed);

    float *before, *after;
    CK(cudaMalloc(&before, bytes));
    CK(cudaMalloc(&after, bytes));
    CK(cudaMemcpy(before, log.data(), bytes, cudaMemcpyHostToDevice));
    CK(cudaMemset(after, 0, bytes));

    for (int pass = 0; pass < passes; pass++) {
        if (pass % 16 == 0)
            let_off<<<(unsigned)((n + 255) / 256), 256>>>(before, ends, pass);
        even_out<<<ends / ENDS, PICKS>>>(before, after, follow, pitch);
        std::swap(before, after);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    // replay some ends from the start
    bool ok = true;
    for (int q = 0; q < 5; q++) {
        int end = (int)((long long)q * (ends - 1) / 4);
        double t[PICKS];
        for (int p = 0; p < PICKS; p++) t[p] = log[(size_t)end * PICKS + p];
        for (int pass = 0; pass < passes; pass++) {
            if (pass % 16 == 0) t[(end * 5 + pass * 11) % PICKS] += 1.5;
            double level = t[0];
            for (int p = 1; p < PICKS; p++) { level += follow * (t[p] - level); t[p] = level; }
            for (int p = PICKS - 2; p >= 0; p--) { level += follow * (t[p] - level); t[p] = level; }
        }
        float got[PICKS];
        CK(cudaMemcpy(got, before + (size_t)end * PICKS, sizeof got, cudaMemcpyDeviceToHost));
        printf("end %d: %.3f .. %.3f cN (%.3f .. %.3f)\n", end, got[0], got[PICKS - 1], t[0], t[PICKS - 1]);
        for (int p = 0; p < PICKS; p++) if (!close_to(got[p], t[p], 1e-3)) ok = false;
    }
    CK(cudaFree(before)); CK(cudaFree(after));
    return report(ok);
}

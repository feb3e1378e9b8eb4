// Chromatography: columns of 256 plates. In every step the liquid moves on by one plate and exchanges with the
// packing (isotherm with a quadratic term); a new pulse is injected every 3000 steps.
// usage: chromaplates columns steps
#include "common.h"

#define PLATES 256
#ifdef GOOD
#define CHUNK 500            // steps per launch
#else
#define CHUNK 1
#endif

__host__ __device__ inline float affinity(int column) { return 0.5f + 0.01f * column; }
__host__ __device__ inline float inlet(int step) { return step % 3000 < 60 ? 1.0f : 0.0f; }
__host__ __device__ inline void exchange(float &liquid, float &packing, float k)
{
    float d = 0.2f * (k * liquid * (1.0f - 0.2f * liquid) - packing);
    liquid -= d;
    packing += d;
}

__global__ void __launch_bounds__(PLATES) elute(float *__restrict__ liquid, float *__restrict__ packing,
                                                double *__restrict__ detected, int step, int steps)
{
    __shared__ float outlet[2][PLATES + 1];
    int p = threadIdx.x, at = blockIdx.x * PLATES + p;
    float m = liquid[at], s = packing[at], k = affinity(blockIdx.x), seen = 0.0f;
    for (int i = 0; i < steps; i++) {
        float *now = outlet[i & 1], feed = inlet(step + i);
        now[p + 1] = m;
        if (p == 0) now[0] = feed;
        __syncthreads();
        seen += m;                       // of interest on the last plate
        m = now[p];
        exchange(m, s, k);
    }
    liquid[at] = m;
    packing[at] = s;
    if (p == PLATES - 1) detected[blockIdx.x] += seen;
}

int main(int argc, char **argv)
{
    int columns = argc > 1 ? atoi(argv[1]) : 128;
    int steps = (argc > 2 ? atoi(argv[2]) : 400000) / 500 * 500;
    size_t bytes = (size_t)columns * PLATES * sizeof(float);
    float *liquid, *packing; double *detected;
    CK(cudaMalloc(&liquid, bytes)); CK(cudaMalloc(&packing, bytes));
    CK(cudaMalloc(&detected, columns * sizeof(double)));
    CK(cudaMemset(liquid, 0, bytes)); CK(cudaMemset(packing, 0, bytes));
    CK(cudaMemset(detected, 0, columns * sizeof(double)));
    for (int s = 0; s < steps; s += CHUNK) elute<<<columns, PLATES>>>(liquid, packing, detected, s, CHUNK);
    CK(cudaGetLastError());
    std::vector<double> got(columns);
    std::vector<float> end((size_t)columns * PLATES);
    CK(cudaMemcpy(got.data(), detected, columns * sizeof(double), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(end.data(), liquid, bytes, cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int c : {columns / 3, columns - 1}) {
        std::vector<float> m(PLATES, 0.0f), s(PLATES, 0.0f);
        double seen = 0;
        for (int i = 0; i < steps; i++) {
            seen += m[PLATES - 1];
            for (int p = PLATES - 1; p > 0; p--) m[p] = m[p - 1];
            m[0] = inlet(i);
            for (int p = 0; p < PLATES; p++) exchange(m[p], s[p], affinity(c));
        }
        printf("column %d: %.2f came out (%.2f)\n", c, got[c], seen);
        ok = ok && close_to(got[c], seen, 2e-3);
        for (int p = 0; p < PLATES; p++) ok = ok && fabs(end[(size_t)c * PLATES + p] - m[p]) < 1e-3;
    }
    CK(cudaFree(liquid)); CK(cudaFree(packing)); CK(cudaFree(detected));
    return report(ok);
}

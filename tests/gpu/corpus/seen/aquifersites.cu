// Drawdown of independent aquifers: at each the wells lower the water table of 4096
// nodes, hour by hour (Theis with the logarithmic approximation and damping).
#include "common.h"

#define SITES 8
#define NODES 4096
#define WELLS 384

struct Well { float x, y, q, t0; };

__global__ void drawdown(const Well *__restrict__ w, float *__restrict__ head, float hour)
{
    __shared__ Well s[WELLS];
    for (int i = threadIdx.x; i < WELLS; i += blockDim.x) s[i] = w[i];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = (i & 63) + 0.5f, y = (i >> 6) + 0.5f, d = 0.f;
    for (int k = 0; k < WELLS; k++) {
        float dx = x - s[k].x, dy = y - s[k].y;
        float u = (dx * dx + dy * dy + 1.f) / (4.f * (hour + s[k].t0));
        d += s[k].q * (__logf(1.f + 1.f / u) * __expf(-u));
    }
    head[i] = 0.95f * head[i] + 0.05f * d;
}

int main(int argc, char **argv)
{
    int hours = argc > 1 ? atoi(argv[1]) : 300;
    std::vector<Well> w(SITES * WELLS);
    unsigned seed = 31;
    for (auto &k : w) k = {64 * frand(seed), 64 * frand(seed), 0.01f + 0.1f * frand(seed), 1 + 10 * frand(seed)};
    Well *dw;
    float *dh;
    CK(cudaMalloc(&dw, w.size() * sizeof(Well)));
    CK(cudaMalloc(&dh, SITES * NODES * 4));
    CK(cudaMemcpy(dw, w.data(), w.size() * sizeof(Well), cudaMemcpyHostToDevice));
    CK(cudaMemset(dh, 0, SITES * NODES * 4));
    CK(cudaDeviceSynchronize());
    cudaStream_t st[SITES];
    for (auto &s : st) CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    for (int h = 0; h < hours; h++)
        for (int k = 0; k < SITES; k++) {
#ifdef GOOD
            cudaStream_t s = st[k];
#else
            cudaStream_t s = st[0];
#endif
            drawdown<<<NODES / 256, 256, 0, s>>>(dw + k * WELLS, dh + k * NODES, 1.f + h);
        }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<float> head(SITES * NODES);
    CK(cudaMemcpy(head.data(), dh, head.size() * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int p = 100; p < SITES * NODES; p += 9001) {
        int k = p / NODES, i = p % NODES;
        double v = 0, x = (i & 63) + 0.5, y = (i >> 6) + 0.5;
        for (int h = 0; h < hours; h++) {
            double d = 0;
            for (int j = 0; j < WELLS; j++) {
                const Well &q = w[k * WELLS + j];
                double u = ((x - q.x) * (x - q.x) + (y - q.y) * (y - q.y) + 1) / (4 * (1.0 + h + q.t0));
                d += q.q * log(1 + 1 / u) * exp(-u);
            }
            v = 0.95 * v + 0.05 * d;
        }
        ok = ok && close_to(head[p], v, 2e-3);
    }
    for (auto &s : st) CK(cudaStreamDestroy(s));
    CK(cudaFree(dw)); CK(cudaFree(dh));
    return report(ok);
}

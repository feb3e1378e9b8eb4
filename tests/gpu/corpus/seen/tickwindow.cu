// Replay of a recorded market: after every 32 ticks the z-score of each instrument over the last 4096 ticks.
//   tickwindow [batches]
#include "common.h"

const int INSTR = 1500, WINDOW = 4096, FRESH = 32;

__global__ void sums(const float *__restrict__ win, float2 *acc)
{
    int k = blockIdx.x * 64 + threadIdx.x;
    __shared__ float2 part[4][64];
    float s = 0, q = 0;
    if (k < INSTR) {
        const float *p = win + (size_t)(blockIdx.y * 128 + threadIdx.y) * INSTR + k;
#pragma unroll 8
        for (int r = 0; r < 32; r++) {
            float x = p[(size_t)r * 4 * INSTR];
            s += x;
            q += x * x;
        }
    }
    part[threadIdx.y][threadIdx.x] = make_float2(s, q);
    __syncthreads();
    if (threadIdx.y == 0 && k < INSTR) {
        for (int y = 1; y < 4; y++) { s += part[y][threadIdx.x].x; q += part[y][threadIdx.x].y; }
        atomicAdd(&acc[k].x, s);
        atomicAdd(&acc[k].y, q);
    }
}

__global__ void score(float2 *acc, const float *__restrict__ newest, float *__restrict__ z)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= INSTR) return;
    float2 a = acc[k];
    float m = a.x / WINDOW, var = a.y / WINDOW - m * m;
    z[k] = (newest[k] - m) * rsqrtf(var);
    acc[k] = make_float2(0, 0);
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 2400;
    const size_t ticks = WINDOW + (size_t)batches * FRESH;
    float *tape, *win, *z;
    float2 *acc;
    CK(cudaMallocHost(&tape, ticks * INSTR * sizeof(float)));
    unsigned seed = 1987;
    for (size_t i = 0; i < ticks * INSTR; i++) tape[i] = frand(seed) - 0.5f;
    CK(cudaMalloc(&win, (size_t)WINDOW * INSTR * sizeof(float)));
    CK(cudaMalloc(&z, (size_t)batches * INSTR * sizeof(float)));
    CK(cudaMalloc(&acc, INSTR * sizeof(float2)));
    CK(cudaMemset(acc, 0, INSTR * sizeof(float2)));
    const size_t fresh = (size_t)FRESH * INSTR;
    CK(cudaMemcpy(win, tape, (size_t)WINDOW * INSTR * sizeof(float), cudaMemcpyHostToDevice));
    for (int b = 0; b < batches; b++) {
#ifdef GOOD
        float *at = win + (size_t)(b % (WINDOW / FRESH)) * fresh;
        CK(cudaMemcpyAsync(at, tape + (size_t)WINDOW * INSTR + b * fresh, fresh * sizeof(float), cudaMemcpyHostToDevice));
        const float *newest = at + fresh - INSTR;
#else
        CK(cudaMemcpyAsync(win, tape + (b + 1) * fresh, (size_t)WINDOW * INSTR * sizeof(float), cudaMemcpyHostToDevice));
        const float *newest = win + (size_t)(WINDOW - 1) * INSTR;
#endif
        sums<<<dim3((INSTR + 63) / 64, WINDOW / 128), dim3(64, 4)>>>(win, acc);
        score<<<(INSTR + 127) / 128, 128>>>(acc, newest, z + (size_t)b * INSTR);
    }
    CK(cudaGetLastError());
    std::vector<float> h((size_t)batches * INSTR);
    CK(cudaMemcpy(h.data(), z, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int b = 0; b < batches; b += 311)
        for (int k = 0; k < INSTR; k += 97) {
            double s = 0, q = 0;
            for (int t = 0; t < WINDOW; t++) {
                double x = tape[((size_t)(b + 1) * FRESH + t) * INSTR + k];
                s += x;
                q += x * x;
            }
            double m = s / WINDOW, last = tape[((size_t)(b + 1) * FRESH + WINDOW - 1) * INSTR + k];
            ok = ok && close_to(h[(size_t)b * INSTR + k], (last - m) / sqrt(q / WINDOW - m * m), 2e-3);
        }
    CK(cudaFreeHost(tape)); CK(cudaFree(win)); CK(cudaFree(z)); CK(cudaFree(acc));
    return report(ok);
}

// Polder with a weir: the water level spreads over the polder, a brook flows in, and the weir is open while the level
// at the gauge is high (it opens above one mark and closes below another).
// usage: weirkeeper rows steps
#include "common.h"

#define WIDTH 4096
#define WEIR 64              // cells in the middle of the last row
#define OPEN_AT 1.10f
#define CLOSE_AT 1.02f

__host__ __device__ inline int decide(int gate, float level)
{
    return level > OPEN_AT ? 1 : level < CLOSE_AT ? 0 : gate;
}

__host__ __device__ inline float spreadOf(float mid, float l, float r, float u, float d)
{
    return mid + 0.2f * ((l - mid) + (r - mid) + (u - mid) + (d - mid));
}

#ifdef GOOD
__global__ void flood(const float *__restrict__ h, float *__restrict__ next, int rows, int gauge, const int *gateIn,
                      int *gateOut, float brook, double *gone, int *open)
#else
__global__ void flood(const float *__restrict__ h, float *__restrict__ next, int rows, int gate, float brook, double *gone)
#endif
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const size_t i = (size_t)y * WIDTH + x;
    const float mid = h[i];
    float v = spreadOf(mid, x > 0 ? h[i - 1] : mid, x + 1 < WIDTH ? h[i + 1] : mid, y > 0 ? h[i - WIDTH] : mid,
                       y + 1 < rows ? h[i + WIDTH] : mid);
    if (y == rows - 1 && x >= (WIDTH - WEIR) / 2 && x < (WIDTH + WEIR) / 2) {
#ifdef GOOD
        const int gate = decide(*gateIn, h[gauge]);
        if (x == WIDTH / 2) { *gateOut = gate; *open += gate; }
#endif
        if (gate) {
            float out = 0.02f * v;
            v -= out;
            atomicAdd(gone, (double)out);
        }
    }
    if (y == rows - 20 && x >= (WIDTH - WEIR) / 2 && x < (WIDTH + WEIR) / 2) v += brook;
    next[i] = v;
}

int main(int argc, char **argv)
{
    const int rows = (argc > 1 ? atoi(argv[1]) : 3584) / 4 * 4, steps = argc > 2 ? atoi(argv[2]) : 15000;
    const size_t n = (size_t)rows * WIDTH;
    const int gauge = (rows - 4) * WIDTH + WIDTH / 2;
    const float brook = 0.008f;
    std::vector<float> h(n), last(n);
    unsigned s = 1287;
    double before = 0;
    for (float &x : h) { x = 1.0f + 0.02f * (frand(s) - 0.5f); before += x; }
    float *dh[2]; double *dgone;
    CK(cudaMalloc(&dh[0], n * sizeof(float)));
    CK(cudaMalloc(&dh[1], n * sizeof(float)));
    CK(cudaMalloc(&dgone, sizeof(double)));
    CK(cudaMemset(dgone, 0, sizeof(double)));
    CK(cudaMemcpy(dh[0], h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    const dim3 block(64, 4), grid(WIDTH / 64, rows / 4);
    int opened = 0;
#ifdef GOOD
    int *dgate;                                          // two gate positions by turns, and the steps it was open
    CK(cudaMalloc(&dgate, 3 * sizeof(int)));
    CK(cudaMemset(dgate, 0, 3 * sizeof(int)));
    for (int k = 0; k < steps; ++k)
        flood<<<grid, block>>>(dh[k % 2], dh[(k + 1) % 2], rows, gauge, dgate + k % 2, dgate + (k + 1) % 2, brook, dgone,
                               dgate + 2);
    CK(cudaGetLastError());
    CK(cudaMemcpy(&opened, dgate + 2, sizeof(int), cudaMemcpyDeviceToHost));
    CK(cudaFree(dgate));
#else
    int gate = decide(0, h[gauge]);
    for (int k = 0; k < steps; ++k) {
        flood<<<grid, block>>>(dh[k % 2], dh[(k + 1) % 2], rows, gate, brook, dgone);
        opened += gate;
        CK(cudaDeviceSynchronize());
        float level;
        CK(cudaMemcpy(&level, dh[(k + 1) % 2] + gauge, sizeof(float), cudaMemcpyDeviceToHost));
        gate = decide(gate, level);
    }
#endif
    double gone, after = 0;
    CK(cudaMemcpy(&gone, dgone, sizeof(double), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(h.data(), dh[steps % 2], n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(last.data(), dh[(steps + 1) % 2], n * sizeof(float), cudaMemcpyDeviceToHost));
    for (float x : h) after += x;

    // the water that came and went, and the last step once more
    double came = (double)brook * WEIR * steps;
    bool ok = fabs(after - (before + came - gone)) <= 0.1 * came + 1e-5 * before && opened > 0 && gone > 0;
    for (int q = 0; q < 500; ++q) {
        int x = (int)((long long)q * 7907 % WIDTH), y = (int)((long long)q * 5003 % (rows - 24));
        size_t i = (size_t)y * WIDTH + x;
        float mid = last[i];
        float want = spreadOf(mid, x > 0 ? last[i - 1] : mid, x + 1 < WIDTH ? last[i + 1] : mid,
                              y > 0 ? last[i - WIDTH] : mid, last[i + WIDTH]);
        ok = ok && close_to(h[i], want, 1e-5);
    }
    printf("weir open in %d of %d steps, %.1f gone; %.1f of %.1f left\n", opened, steps, gone, after, before + came);
    CK(cudaFree(dh[0])); CK(cudaFree(dh[1])); CK(cudaFree(dgone));
    return report(ok);
}

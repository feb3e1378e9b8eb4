// Hyperspectral scanner for drill core: every tray of rock arrives as a cube of
// raw counts, and the power of the clay absorption band is averaged per pixel row.
#include "common.h"

typedef unsigned short count_t;

constexpr int ROWS = 512, COLS = 512, BANDS = 64;   // count[(band * ROWS + row) * COLS + col]
constexpr int TRAYS = 200;
constexpr int SLOTS = 2;
constexpr int WIDTHS = 32;         // widths of the band that are tried

__device__ inline float bandDepth(const count_t *__restrict__ cube, int pixel)
{
    float power = 0.0f, trace[WIDTHS] = {};
    float window[5] = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
    for (int b = 0; b < BANDS; b++) {
        float r = __logf(1.0f + cube[b * (ROWS * COLS) + pixel]);
        window[0] = window[1];
        window[1] = window[2];
        window[2] = window[3];
        window[3] = window[4];
        window[4] = r;
        if (b < 4) continue;
        float shoulder = 0.5f * (window[0] + window[4]);
#pragma unroll
        for (int k = 0; k < WIDTHS; k++) {
            trace[k] += (shoulder - window[2] - trace[k]) * (0.9f / (k + 1));
            power += trace[k] * trace[k];
        }
    }
    return power;
}

__global__ void __launch_bounds__(COLS) clayRows(const count_t *__restrict__ cube,
                                                 float *__restrict__ rowDepth)
{
    __shared__ float part[COLS / 32];
    float v = bandDepth(cube, blockIdx.x * COLS + threadIdx.x);
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int w = 0; w < COLS / 32; w++) sum += part[w];
        rowDepth[blockIdx.x] = sum / COLS;
    }
}

static count_t drift(int tray, int row) { return (count_t)(900 + (tray * 37 + row * 11) % 500); }

// The camera overwrites the marker column of a tray in place.
static void readTray(count_t *cube, int tray)
{
    for (int b = 0; b < BANDS; b += 8)
        for (int r = 0; r < ROWS; r++) cube[((size_t)b * ROWS + r) * COLS] = drift(tray, r);
}

static float rowHost(const count_t *cube, int row)
{
    double sum = 0.0;
    for (int c = 0; c < COLS; c++) {
        double trace[WIDTHS] = {}, log1[BANDS];
        for (int b = 0; b < BANDS; b++) log1[b] = log(1.0 + cube[((size_t)b * ROWS + row) * COLS + c]);
        for (int b = 4; b < BANDS; b++) {
            double dip = 0.5 * (log1[b - 4] + log1[b]) - log1[b - 2];
            for (int k = 0; k < WIDTHS; k++) {
                trace[k] += (dip - trace[k]) * (0.9 / (k + 1));
                sum += trace[k] * trace[k];
            }
        }
    }
    return (float)(sum / COLS);
}

int main()
{
    const size_t n = (size_t)ROWS * COLS * BANDS;
    count_t *raw[SLOTS], *dCube[SLOTS];
    float *dDepth;
    cudaStream_t belt[SLOTS];
    CK(cudaMalloc(&dDepth, TRAYS * ROWS * sizeof(float)));
    unsigned seed = 44u;
    for (int s = 0; s < SLOTS; s++) {
#ifdef GOOD
        CK(cudaMallocHost(&raw[s], n * sizeof(count_t)));
#else
        raw[s] = (count_t *)malloc(n * sizeof(count_t));
#endif
        for (size_t i = 0; i < n; i++) raw[s][i] = (count_t)(800 + (lcg(seed) >> 20) / 4);
        CK(cudaMalloc(&dCube[s], n * sizeof(count_t)));
        CK(cudaStreamCreate(&belt[s]));
    }

    bool ok = true;
    std::vector<float> expect(TRAYS);
    for (int t = 0; t < TRAYS; t++) {
        int s = t % SLOTS;
        CK(cudaStreamSynchronize(belt[s]));
        readTray(raw[s], t);
        CK(cudaMemcpyAsync(dCube[s], raw[s], n * sizeof(count_t), cudaMemcpyHostToDevice, belt[s]));
        clayRows<<<ROWS, COLS, 0, belt[s]>>>(dCube[s], dDepth + t * ROWS);
        CK(cudaGetLastError());
        if (t >= TRAYS - 6) expect[t] = rowHost(raw[s], 13 * (t % 32));
    }
    CK(cudaDeviceSynchronize());
    std::vector<float> depth(TRAYS * ROWS);
    CK(cudaMemcpy(depth.data(), dDepth, depth.size() * sizeof(float), cudaMemcpyDeviceToHost));

    for (int t = TRAYS - 6; t < TRAYS; t++)
        if (!close_to(depth[t * ROWS + 13 * (t % 32)], expect[t], 2e-3)) ok = false;
    for (float d : depth)
        if (!(d > 0.0f)) ok = false;
    for (int s = 0; s < SLOTS; s++) {
#ifdef GOOD
        CK(cudaFreeHost(raw[s]));
#else
        free(raw[s]);
#endif
        CK(cudaFree(dCube[s]));
        CK(cudaStreamDestroy(belt[s]));
    }
    CK(cudaFree(dDepth));
    return report(ok);
}

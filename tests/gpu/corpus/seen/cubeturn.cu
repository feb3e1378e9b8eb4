// Hyperspectral camera: the cube comes line by line as bands x samples (BIL) and is wanted as
// samples x bands (BIP), calibrated on the way with the dark level and the gain of each band.
#include "common.h"

#ifndef LINES
#define LINES 512
#define SAMPLES 2048
#endif
const int BANDS = 224, T = 32, ROWS = 8;
#ifdef GOOD
const int PITCH = T + 1;
#else
const int PITCH = T;
#endif

struct Calib { float dark, gain; };

__host__ __device__ inline unsigned scatter(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu;
    return x ^ (x >> 16);
}
__host__ __device__ inline float raw_count(size_t k) { return (float)(scatter((unsigned)k) >> 20); }

__global__ void expose(float *bil, size_t n)
{
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n; k += (size_t)gridDim.x * blockDim.x)
        bil[k] = raw_count(k);
}

__global__ void __launch_bounds__(T *ROWS) to_bip(const float *__restrict__ bil, float *__restrict__ bip,
                                                  const Calib *__restrict__ calib)
{
    __shared__ float patch[T][PITCH];
    size_t line = (size_t)blockIdx.z * BANDS * SAMPLES;
    int s0 = blockIdx.x * T, b0 = blockIdx.y * T;
    for (int r = threadIdx.y; r < T; r += ROWS)
        patch[r][threadIdx.x] = bil[line + (size_t)(b0 + r) * SAMPLES + s0 + threadIdx.x];
    __syncthreads();
    Calib c = calib[b0 + threadIdx.x];
    for (int r = threadIdx.y; r < T; r += ROWS)
        bip[line + (size_t)(s0 + r) * BANDS + b0 + threadIdx.x] = (patch[threadIdx.x][r] - c.dark) * c.gain;
}

// what the calibrated cube must hold at a line, sample and band
static double expected(int line, int sample, int band, const Calib &c)
{
    size_t k = ((size_t)line * BANDS + band) * SAMPLES + sample;
    return ((double)raw_count(k) - c.dark) * c.gain;
}

int main(int argc, char **argv)
{
    int cubes = argc > 1 ? atoi(argv[1]) : 2000;
    size_t n = (size_t)LINES * BANDS * SAMPLES;
    unsigned seed = 21;
    std::vector<Calib> calib(BANDS);
    for (auto &c : calib) c = {20.0f + 10.0f * frand(seed), 0.5f + frand(seed)};
    float *bil, *bip;
    Calib *dcal;
    CK(cudaMalloc(&bil, n * sizeof(float)));
    CK(cudaMalloc(&bip, n * sizeof(float)));
    CK(cudaMalloc(&dcal, BANDS * sizeof(Calib)));
    CK(cudaMemcpy(dcal, calib.data(), BANDS * sizeof(Calib), cudaMemcpyHostToDevice));
    expose<<<132 * 8, 256>>>(bil, n);
    dim3 grid(SAMPLES / T, BANDS / T, LINES), block(T, ROWS);
    for (int c = 0; c < cubes; c++) to_bip<<<grid, block>>>(bil, bip, dcal);
    CK(cudaGetLastError());

    std::vector<float> spectrum(BANDS);
    bool ok = true;
    for (int t = 0; t < 40; t++) {
        int l = t * 59 % LINES, s = t * 607 % SAMPLES;
        CK(cudaMemcpy(spectrum.data(), bip + ((size_t)l * SAMPLES + s) * BANDS, BANDS * sizeof(float),
                      cudaMemcpyDeviceToHost));
        for (int b = 0; b < BANDS; b++) ok = ok && close_to(spectrum[b], expected(l, s, b, calib[b]), 1e-3);
    }
    CK(cudaFree(bil)); CK(cudaFree(bip)); CK(cudaFree(dcal));
    return report(ok);
}

// Echo cancellers of a conference bridge: every line has an LMS filter of 128 taps that learns the echo path
// from the far-end signal and subtracts the echo from the microphone.
// usage: doubletalk lines frames
#include "common.h"

#define TAPS 128
#define FRAME 256
#define RING 1024            // the far-end signal of a line repeats itself after so many samples

__host__ __device__ inline float noise(unsigned line, unsigned t)
{
    unsigned h = line * 40503u + (t & (RING - 1)) * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13; h *= 3266489917u; h ^= h >> 16;
    return (h >> 8) * (2.0f / 16777216.0f) - 1.0f;
}
__host__ __device__ inline float path(unsigned line, int tap)
{
    return tap < 16 ? noise(line + 77777u, tap) / (1.0f + 0.5f * tap) : 0.0f;
}

__global__ void record(float *far, float *mic)
{
    unsigned line = blockIdx.y, t = blockIdx.x * blockDim.x + threadIdx.x;
    float echo = 0.0f;
    for (int k = 0; k < 16; k++) echo += path(line, k) * noise(line, t + RING - k);
    far[(size_t)line * RING + t] = noise(line, t);
    mic[(size_t)line * RING + t] = echo;
}

#ifdef GOOD

// a warp per line, four taps a lane
__global__ void __launch_bounds__(128) cancel(const float *__restrict__ far, const float *__restrict__ mic,
                                              float *__restrict__ taps, float *__restrict__ left, int start, float mu)
{
    __shared__ float xs[4][TAPS + FRAME], ds[4][FRAME];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, line = blockIdx.x * 4 + warp;
    float *x = xs[warp], *d = ds[warp];
    const float *f = far + (size_t)line * RING, *m = mic + (size_t)line * RING + start;
    for (int i = lane; i < TAPS + FRAME; i += 32) x[i] = f[(start + i + RING - TAPS) & (RING - 1)];
    for (int i = lane; i < FRAME; i += 32) d[i] = m[i];
    float w[4], energy = 0.0f;
#pragma unroll
    for (int j = 0; j < 4; j++) w[j] = taps[(size_t)line * TAPS + 32 * j + lane];
    __syncwarp();
    for (int n = 0; n < FRAME; n++) {
        float v[4], y = 0.0f;
#pragma unroll
        for (int j = 0; j < 4; j++) { v[j] = x[TAPS + n - 32 * j - lane]; y += w[j] * v[j]; }
        for (int o = 16; o; o >>= 1) y += __shfl_xor_sync(0xffffffffu, y, o);
        float e = d[n] - y, g = mu * e;
        energy += e * e;
#pragma unroll
        for (int j = 0; j < 4; j++) w[j] += g * v[j];
    }
#pragma unroll
    for (int j = 0; j < 4; j++) taps[(size_t)line * TAPS + 32 * j + lane] = w[j];
    if (lane == 0) left[line] = energy;
}

#else

// a block per line, a thread per tap
__global__ void __launch_bounds__(128) cancel(const float *__restrict__ far, const float *__restrict__ mic,
                                              float *__restrict__ taps, float *__restrict__ left, int start, float mu)
{
    __shared__ float x[TAPS + FRAME], d[FRAME], sum[TAPS];
    int k = threadIdx.x, line = blockIdx.x;
    const float *f = far + (size_t)line * RING, *m = mic + (size_t)line * RING + start;
    for (int i = k; i < TAPS + FRAME; i += TAPS) x[i] = f[(start + i + RING - TAPS) & (RING - 1)];
    for (int i = k; i < FRAME; i += TAPS) d[i] = m[i];
    float w = taps[(size_t)line * TAPS + k], energy = 0.0f;
    __syncthreads();
    for (int n = 0; n < FRAME; n++) {
        float v = x[TAPS + n - k];
        sum[k] = w * v;
        __syncthreads();
        for (int s = TAPS / 2; s > 0; s >>= 1) {
            if (k < s) sum[k] += sum[k + s];
            __syncthreads();
        }
        float e = d[n] - sum[0];
        energy += e * e;
        w += mu * e * v;
        __syncthreads();
    }
    taps[(size_t)line * TAPS + k] = w;
    if (k == 0) left[line] = energy;
}

#endif

int main(int argc, char **argv)
{
    int lines = argc > 1 ? atoi(argv[1]) : 8192;         // a multiple of 4
    int frames = argc > 2 ? atoi(argv[2]) : 2000;
    size_t bytes = (size_t)lines * RING * sizeof(float);
    float *far, *mic, *taps, *left;
    CK(cudaMalloc(&far, bytes)); CK(cudaMalloc(&mic, bytes));
    CK(cudaMalloc(&taps, (size_t)lines * TAPS * sizeof(float)));
    CK(cudaMalloc(&left, lines * sizeof(float)));
    CK(cudaMemset(taps, 0, (size_t)lines * TAPS * sizeof(float)));
    record<<<dim3(RING / 256, lines), 256>>>(far, mic);
#ifdef GOOD
    int blocks = lines / 4;
#else
    int blocks = lines;
#endif
    for (int f = 0; f < frames; f++) cancel<<<blocks, 128>>>(far, mic, taps, left, f * FRAME % RING, 0.01f);
    CK(cudaGetLastError());
    std::vector<float> w((size_t)lines * TAPS), e(lines);
    CK(cudaMemcpy(w.data(), taps, w.size() * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(e.data(), left, lines * sizeof(float), cudaMemcpyDeviceToHost));

    // the same for three lines on the host
    bool ok = true;
    double worst = 0;
    for (int l : {0, lines / 2, lines - 1}) {
        std::vector<float> x(2 * RING), d(RING), ref(TAPS, 0.0f);
        for (int t = 0; t < 2 * RING; t++) x[t] = noise(l, t);
        for (int t = 0; t < RING; t++)
            for (int k = 0; k < 16; k++) d[t] += path(l, k) * x[t + RING - k];
        float energy = 0.0f;
        for (int f = 0; f < frames; f++) {
            energy = 0.0f;
            for (int n = 0; n < FRAME; n++) {
                const int t = (f * FRAME + n) % RING;
                const float *now = &x[t + RING];
                float part[4] = {0, 0, 0, 0};
                for (int k = 0; k < TAPS; k++) part[k & 3] += ref[k] * now[-k];
                float e = d[t] - (part[0] + part[1] + part[2] + part[3]);
                energy += e * e;
                for (int k = 0; k < TAPS; k++) ref[k] += 0.01f * e * now[-k];
            }
        }
        for (int k = 0; k < TAPS; k++) worst = std::max(worst, (double)fabsf(w[(size_t)l * TAPS + k] - ref[k]));
        ok = ok && fabsf(e[l] - energy) < 1e-3f + 1e-3f * energy;
    }
    printf("worst tap off by %.2g, echo left on line 0: %.2g\n", worst, e[0]);
    CK(cudaFree(far)); CK(cudaFree(mic)); CK(cudaFree(taps)); CK(cudaFree(left));
    return report(ok && worst < 5e-3);
}

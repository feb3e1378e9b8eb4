// Tomography: projections come from the detector in pinned memory, are turned to attenuation and smoothed, and go back.
#include "common.h"

#ifdef GOOD
const int STREAMS = 4;
#else
const int STREAMS = 1;
#endif
const int W = 2048, H = 1024, N = W * H, SLOTS = 8;

__global__ void attenuation(const float *__restrict__ counts, float *__restrict__ out, float dark, float flat)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= W) return;
    float s = 0.0f;
#pragma unroll
    for (int d = -3; d <= 3; d++) {
        int q = min(max(x + d, 0), W - 1);
        float t = (counts[y * W + q] - dark) / (flat - dark);
        s -= (4 - abs(d)) * (1.0f / 16.0f) * logf(fmaxf(t, 1e-6f));
    }
    out[y * W + x] = s;
}

int main(int argc, char **argv)
{
    int projections = argc > 1 ? atoi(argv[1]) : 400;
    const size_t bytes = N * sizeof(float);
    float *in[SLOTS], *out[SLOTS];
    for (int s = 0; s < SLOTS; s++) {
        CK(cudaMallocHost(&in[s], bytes));
        CK(cudaMallocHost(&out[s], bytes));
        for (int i = 0; i < N; i++) in[s][i] = 200.0f + (float)((i * 7 + (i >> 11) * 13 + s * 101) & 2047);
    }
    cudaStream_t st[STREAMS];
    float *din[STREAMS], *dout[STREAMS];
    for (int s = 0; s < STREAMS; s++) {
        CK(cudaStreamCreateWithFlags(&st[s], cudaStreamNonBlocking));
        CK(cudaMalloc(&din[s], bytes));
        CK(cudaMalloc(&dout[s], bytes));
    }
    CK(cudaDeviceSynchronize());
    for (int p = 0; p < projections; p++) {
        int k = p % STREAMS, slot = p % SLOTS;
        CK(cudaMemcpyAsync(din[k], in[slot], bytes, cudaMemcpyHostToDevice, st[k]));
        attenuation<<<dim3(W / 256, H), 256, 0, st[k]>>>(din[k], dout[k], 100.0f, 4000.0f);
        CK(cudaGetLastError());
        CK(cudaMemcpyAsync(out[slot], dout[k], bytes, cudaMemcpyDeviceToHost, st[k]));
    }
    CK(cudaDeviceSynchronize());
    bool ok = true;
    int last = std::min(projections, SLOTS);
    for (int s = 0; s < last; s++)
        for (int i = 5; i < N; i += 4099) {
            int y = i / W, x = i % W;
            double r = 0;
            for (int d = -3; d <= 3; d++) {
                int q = std::min(std::max(x + d, 0), W - 1);
                r -= (4 - abs(d)) / 16.0 * log(((double)in[s][y * W + q] - 100.0) / 3900.0);
            }
            if (!close_to(out[s][i], r, 1e-4)) ok = false;
        }
    for (int s = 0; s < SLOTS; s++) { CK(cudaFreeHost(in[s])); CK(cudaFreeHost(out[s])); }
    for (int s = 0; s < STREAMS; s++) { CK(cudaFree(din[s])); CK(cudaFree(dout[s])); CK(cudaStreamDestroy(st[s])); }
    return report(ok);
}

// Batches of measured growth rates come in; for each the Lyapunov exponent of the logistic
// map, 400 iterations, and the batch's share of chaotic ones.
//   lyapunov [batches]
#include "common.h"

const int BATCH = 1 << 23;

__global__ void __launch_bounds__(256) exponent(const float *__restrict__ rate, int n, unsigned *chaotic)
{
    unsigned count = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float r = rate[i], x = 0.4f, sum = 0;
        for (int outer = 0; outer < 50; outer++) {
            float p = 1;
#pragma unroll
            for (int k = 0; k < 8; k++) {
                p *= r - 2 * r * x;
                x = r * x * (1 - x);
            }
            sum += __log2f(fabsf(p) + 1e-30f);
        }
        count += sum > 0;
    }
    for (int o = 16; o; o >>= 1) count += __shfl_down_sync(~0u, count, o);
    if (threadIdx.x % 32 == 0) atomicAdd(chaotic, count);
}

// A new batch: one 32nd of the sensors has moved.
static void sample(float *rate, int batch)
{
    const int part = BATCH / 32;
    float *p = rate + (size_t)(batch % 32) * part, base = 3.4f + 0.005f * (batch % 100);
    for (int i = 0; i < part; i++) p[i] = base + i * (0.05f / part);
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 100;
    unsigned *chaotic;
    CK(cudaMalloc(&chaotic, batches * sizeof(unsigned)));
    CK(cudaMemset(chaotic, 0, batches * sizeof(unsigned)));
#ifndef GOOD
    const int buffers = 1;
#else
    const int buffers = 2;
#endif
    float *host[2], *device[2];
    cudaStream_t stream[2];
    for (int k = 0; k < buffers; k++) {
        CK(cudaMallocHost(&host[k], BATCH * sizeof(float)));
        CK(cudaMalloc(&device[k], BATCH * sizeof(float)));
        CK(cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking));
        for (int i = 0; i < BATCH; i++) host[k][i] = 3.5f + (i & 1023) * (0.45f / 1024);
    }
    CK(cudaDeviceSynchronize());
    for (int b = 0; b < batches; b++) {
        int k = b % buffers;
        CK(cudaStreamSynchronize(stream[k]));
        if (buffers == 2 && b > 0) sample(host[k], b - 1);      // what went into the other buffer
        sample(host[k], b);
        CK(cudaMemcpyAsync(device[k], host[k], BATCH * sizeof(float), cudaMemcpyHostToDevice, stream[k]));
        exponent<<<132 * 8, 256, 0, stream[k]>>>(device[k], BATCH, chaotic + b);
        CK(cudaGetLastError());
    }
    CK(cudaDeviceSynchronize());
    std::vector<unsigned> h(batches);
    CK(cudaMemcpy(h.data(), chaotic, batches * sizeof(unsigned), cudaMemcpyDeviceToHost));
    double share = 0;
    for (unsigned c : h) share += (double)c / BATCH;
    printf("chaotic share %.2f\n", share / batches);
    for (int k = 0; k < buffers; k++) {
        CK(cudaFreeHost(host[k]));
        CK(cudaFree(device[k]));
        CK(cudaStreamDestroy(stream[k]));
    }
    return report(share >= 0);
}

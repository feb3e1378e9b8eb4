// Heat in a block of 256 x 256 x 256 cells; a snapshot goes to the host after every 40 steps.
//   bake_snap [snapshots]
#include "common.h"

const int S = 256;
const size_t CELLS = (size_t)S * S * S;

__global__ void light(float *t)
{
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    t[((size_t)z * S + y) * S + x] = (x - 128) * (x - 128) + (y - 100) * (y - 100) + (z - 90) * (z - 90) < 900 ? 1000.0f : 20.0f;
}

__global__ void conduct(const float *__restrict__ t, float *__restrict__ u, float k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    size_t i = ((size_t)z * S + y) * S + x;
    float m = t[i];
    float xm = x > 0 ? t[i - 1] : m, xp = x < S - 1 ? t[i + 1] : m;
    float ym = y > 0 ? t[i - S] : m, yp = y < S - 1 ? t[i + S] : m;
    float zm = z > 0 ? t[i - S * S] : m, zp = z < S - 1 ? t[i + S * S] : m;
    u[i] = m + k * (xm + xp + ym + yp + zm + zp - 6 * m);
}

static double look(const float *field)
{
    double s = 0;
    for (int k = 0; k < 64; k++) s += field[((size_t)(60 + k) * S + 100) * S + 128];
    return s / 64;
}

int main(int argc, char **argv)
{
    int snapshots = argc > 1 ? atoi(argv[1]) : 60;
    const int between = 40;
    float *a, *b;
    CK(cudaMalloc(&a, CELLS * 4));
    CK(cudaMalloc(&b, CELLS * 4));
    light<<<dim3(S, S), S>>>(a);
    CK(cudaGetLastError());
    dim3 block(64, 4), grid(S / 64, S / 4, S);
    double history = 0;
    cudaStream_t compute;
    CK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
    CK(cudaDeviceSynchronize());
#ifndef GOOD
    float *host;
    CK(cudaMallocHost(&host, CELLS * 4));
    for (int k = 0; k < snapshots; k++) {
        for (int s = 0; s < between; s++) {
            conduct<<<grid, block, 0, compute>>>(a, b, 0.15f);
            CK(cudaGetLastError());
            std::swap(a, b);
        }
        CK(cudaMemcpyAsync(host, a, CELLS * 4, cudaMemcpyDeviceToHost, compute));
        CK(cudaStreamSynchronize(compute));
        history += look(host);
    }
    CK(cudaFreeHost(host));
#else
    // The snapshot is set aside on the GPU and travels while the next 40 steps run.
    float *host[2], *aside[2];
    cudaStream_t transfer;
    cudaEvent_t ready[2], there[2];
    CK(cudaStreamCreateWithFlags(&transfer, cudaStreamNonBlocking));
    for (int k = 0; k < 2; k++) {
        CK(cudaMallocHost(&host[k], CELLS * 4));
        CK(cudaMalloc(&aside[k], CELLS * 4));
        CK(cudaEventCreateWithFlags(&ready[k], cudaEventDisableTiming));
        CK(cudaEventCreateWithFlags(&there[k], cudaEventDisableTiming));
    }
    for (int k = 0; k < snapshots; k++) {
        int w = k % 2;
        for (int s = 0; s < between; s++) {
            conduct<<<grid, block, 0, compute>>>(a, b, 0.15f);
            CK(cudaGetLastError());
            std::swap(a, b);
        }
        CK(cudaMemcpyAsync(aside[w], a, CELLS * 4, cudaMemcpyDeviceToDevice, compute));
        CK(cudaEventRecord(ready[w], compute));
        CK(cudaStreamWaitEvent(transfer, ready[w], 0));
        CK(cudaMemcpyAsync(host[w], aside[w], CELLS * 4, cudaMemcpyDeviceToHost, transfer));
        CK(cudaEventRecord(there[w], transfer));
        if (k > 0) {
            CK(cudaEventSynchronize(there[1 - w]));
            history += look(host[1 - w]);
        }
    }
    CK(cudaEventSynchronize(there[(snapshots - 1) % 2]));
    history += look(host[(snapshots - 1) % 2]);
    for (int k = 0; k < 2; k++) CK(cudaFreeHost(host[k]));
#endif
    printf("mean temperature along the probe %.3f\n", history / snapshots);
    return report(history > 0);
}

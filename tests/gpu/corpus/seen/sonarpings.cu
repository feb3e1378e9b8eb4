// Sonar: pings arrive in pinned buffers, are sent to the card, matched with the chirp, and the
// filtered trace goes back. Four streams take the pings in turn.
#include "common.h"

static const int S = 4;                         // streams
static const int N = 1 << 21, TAPS = 512;

__constant__ float c_chirp[TAPS];

__global__ void __launch_bounds__(256) match(const float *__restrict__ ping, float *__restrict__ out)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
    float a = 0.0f, b = 0.0f, x = ping[i];
#pragma unroll 16
    for (int k = 0; k < TAPS; ++k) {
        float y = ping[i + k + 1];
        a += c_chirp[k] * x;
        b += c_chirp[k] * y;
        x = y;
    }
    *(float2 *)&out[i] = make_float2(a, b);
}

int main(int argc, char **argv)
{
    int pings = argc > 1 ? atoi(argv[1]) : 200;
    std::vector<float> chirp(TAPS);
    for (int k = 0; k < TAPS; ++k) chirp[k] = sinf(0.001f * k * k) / TAPS;
    CK(cudaMemcpyToSymbol(c_chirp, chirp.data(), sizeof(float) * TAPS));

    float *hin[S], *hout[S], *din[S], *dout[S];
    cudaStream_t st[S];
    cudaEvent_t done[S];
    unsigned seed = 1;
    for (int s = 0; s < S; ++s) {
        CK(cudaMallocHost(&hin[s], sizeof(float) * (N + TAPS)));
        CK(cudaMallocHost(&hout[s], sizeof(float) * N));
        CK(cudaMalloc(&din[s], sizeof(float) * (N + TAPS)));
        CK(cudaMalloc(&dout[s], sizeof(float) * N));
        CK(cudaStreamCreateWithFlags(&st[s], cudaStreamNonBlocking));
        CK(cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming));
        for (int i = 0; i < N + TAPS; ++i) hin[s][i] = frand(seed) - 0.5f;
    }
    CK(cudaDeviceSynchronize());
    for (int p = 0; p < pings; ++p) {
        int s = p % S;
#ifndef GOOD
        if (p > 0)                              // keep the pings in order
            CK(cudaStreamWaitEvent(st[s], done[(p - 1) % S], 0));
#endif
        CK(cudaMemcpyAsync(din[s], hin[s], sizeof(float) * (N + TAPS), cudaMemcpyHostToDevice, st[s]));
        match<<<N / 512, 256, 0, st[s]>>>(din[s], dout[s]);
        CK(cudaMemcpyAsync(hout[s], dout[s], sizeof(float) * N, cudaMemcpyDeviceToHost, st[s]));
        CK(cudaEventRecord(done[s], st[s]));
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int s = 0; s < std::min(S, pings); ++s)
        for (int t = 0; t < 50; ++t) {
            int i = t == 0 ? N - 1 : lcg(seed) % N;
            double want = 0;
            for (int k = 0; k < TAPS; ++k) want += (double)chirp[k] * hin[s][i + k];
            ok = ok && close_to(hout[s][i], want, 1e-4);
        }
    for (int s = 0; s < S; ++s) {
        CK(cudaFreeHost(hin[s])); CK(cudaFreeHost(hout[s]));
        CK(cudaFree(din[s])); CK(cudaFree(dout[s]));
        CK(cudaStreamDestroy(st[s])); CK(cudaEventDestroy(done[s]));
    }
    return report(ok);
}

// Contrast ultrasound: frames stream through the GPU from pinned buffers; for each sample the
// amplitude equation of a microbubble is integrated, and the result goes back.
#include "common.h"

const int PIX = 8 << 20;
const int RING = 6;        // host buffers
const int SLOTS = 3;       // device buffers

__host__ __device__ inline float bubble(float drive)
{
    float a = 0.1f;
    for (int s = 0; s < 400; s++)
        a += 0.01f * (drive + a * (0.8f - a * a));
    return a;
}

__global__ void contrast(const float *__restrict__ in, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < PIX) out[i] = bubble(in[i]);
}

static float probe(int buf, int i) { return 0.001f * ((i * 7 + buf * 131) % 1000); }

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 60;
    const size_t bytes = (size_t)PIX * sizeof(float);
    float *hin[RING], *hout[RING], *din[SLOTS], *dout[SLOTS];
    for (int b = 0; b < RING; b++) {
        CK(cudaMallocHost(&hin[b], bytes));
        CK(cudaMallocHost(&hout[b], bytes));
        for (int i = 0; i < 1000; i++) hin[b][i] = probe(b, i);
        for (int i = 1000; i < PIX; i += 1000) memcpy(hin[b] + i, hin[b], std::min(1000, PIX - i) * sizeof(float));
    }
    cudaStream_t st[SLOTS];
    for (int s = 0; s < SLOTS; s++) {
        CK(cudaMalloc(&din[s], bytes));
        CK(cudaMalloc(&dout[s], bytes));
        CK(cudaStreamCreate(&st[s]));
    }
    for (int f = 0; f < frames; f++) {
        int b = f % RING, s = f % SLOTS;
#ifdef GOOD
        cudaStream_t q = st[s];
#else
        cudaStream_t q = st[0];
#endif
        CK(cudaMemcpyAsync(din[s], hin[b], bytes, cudaMemcpyHostToDevice, q));
        contrast<<<PIX / 256, 256, 0, q>>>(din[s], dout[s]);
        CK(cudaGetLastError());
        CK(cudaMemcpyAsync(hout[b], dout[s], bytes, cudaMemcpyDeviceToHost, q));
    }
    CK(cudaDeviceSynchronize());
    bool ok = true;
    for (int b = 0; b < std::min(frames, RING); b++)
        for (int i = 17; i < PIX; i += PIX / 40)
            ok = ok && close_to(hout[b][i], bubble(probe(b, i % 1000)), 1e-3);
    for (int b = 0; b < RING; b++) { CK(cudaFreeHost(hin[b])); CK(cudaFreeHost(hout[b])); }
    for (int s = 0; s < SLOTS; s++) { CK(cudaFree(din[s])); CK(cudaFree(dout[s])); CK(cudaStreamDestroy(st[s])); }
    return report(ok);
}

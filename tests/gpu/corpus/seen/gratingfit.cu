// Streamed calibration: blocks of detector readings go up, each reading is inverted by relaxation
// (find x with x^3 + x = reading), the results come back.
#include "common.h"

static const int CHUNK = 2 * 1024 * 1024, CHUNKS = 16, ITER = 300;

static __host__ __device__ float invert(float r)
{
    float x = 0.5f * r;
    for (int k = 0; k < ITER; k++) {
        float f = x * x * x + x - r;
        x = x - 0.2f * f;
    }
    return x;
}
__global__ void invert_block(const float *r, float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = invert(r[i]);
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 40;
#ifdef GOOD
    const int NS = 4;
#else
    const int NS = 1;
#endif
    const size_t cb = (size_t)CHUNK * sizeof(float);
    float *in, *out, *din[NS], *dout[NS];
    cudaStream_t st[NS];
    CK(cudaMallocHost(&in, cb * CHUNKS));
    CK(cudaMallocHost(&out, cb * CHUNKS));
    for (int s = 0; s < NS; s++) {
        CK(cudaMalloc(&din[s], cb));
        CK(cudaMalloc(&dout[s], cb));
        CK(cudaStreamCreateWithFlags(&st[s], cudaStreamNonBlocking));
    }
    unsigned seed = 3;
    for (size_t i = 0; i < (size_t)CHUNK * CHUNKS; i++) in[i] = frand(seed);

    for (int w = 0; w < sweeps; w++) {
        for (int c = 0; c < CHUNKS; c++) {
            int s = c % NS;
            CK(cudaMemcpyAsync(din[s], in + (size_t)c * CHUNK, cb, cudaMemcpyHostToDevice, st[s]));
            invert_block<<<CHUNK / 256, 256, 0, st[s]>>>(din[s], dout[s], CHUNK);
            CK(cudaMemcpyAsync(out + (size_t)c * CHUNK, dout[s], cb, cudaMemcpyDeviceToHost, st[s]));
        }
        CK(cudaGetLastError());
        for (int s = 0; s < NS; s++) CK(cudaStreamSynchronize(st[s]));    // the readings are handed over
    }
    bool ok = true;
    for (size_t i = 1; i < (size_t)CHUNK * CHUNKS; i += (size_t)CHUNK * CHUNKS / 40)
        ok = ok && close_to(out[i], invert(in[i]), 1e-4);
    for (int s = 0; s < NS; s++) {
        cudaFree(din[s]); cudaFree(dout[s]);
        cudaStreamDestroy(st[s]);
    }
    cudaFreeHost(in); cudaFreeHost(out);
    return report(ok);
}

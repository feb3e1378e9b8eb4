// Decoder of a vector-quantised feature store: each byte names one of 256
// code vectors of 8 floats, scaled by the gain of its page.
#include "common.h"

#define DIM 8

__global__ void make_codes(unsigned char *code, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned s = (unsigned)i * 2654435761u;
        code[i] = (unsigned char)((s ^ s >> 15) >> 7);
    }
}

__global__ void decode(const unsigned char *__restrict__ code, const float *__restrict__ book,
                       const float *__restrict__ gain, float *__restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = code[i];
    float g = gain[i >> 12];
#ifdef GOOD
    const float4 *b = (const float4 *)(book + c * DIM);
    float4 *o = (float4 *)(out + (size_t)i * DIM);
    float4 x = b[0], y = b[1];
    o[0] = make_float4(g * x.x, g * x.y, g * x.z, g * x.w);
    o[1] = make_float4(g * y.x, g * y.y, g * y.z, g * y.w);
#else
    const float *b = book + c * DIM;
    float *o = out + (size_t)i * DIM;
#pragma unroll
    for (int d = 0; d < DIM; d++) o[d] = g * b[d];
#endif
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 250;
    const int n = 16 << 20;
    std::vector<float> book(256 * DIM), gain(n >> 12);
    unsigned s = 11;
    for (auto &b : book) b = frand(s) - 0.5f;
    for (auto &g : gain) g = 0.5f + frand(s);

    unsigned char *code;
    float *dbook, *dgain, *out;
    CK(cudaMalloc(&code, n));
    CK(cudaMalloc(&dbook, book.size() * sizeof(float)));
    CK(cudaMalloc(&dgain, gain.size() * sizeof(float)));
    CK(cudaMalloc(&out, (size_t)n * DIM * sizeof(float)));
    CK(cudaMemcpy(dbook, book.data(), book.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dgain, gain.data(), gain.size() * sizeof(float), cudaMemcpyHostToDevice));
    make_codes<<<1024, 256>>>(code, n);
    CK(cudaGetLastError());

    for (int r = 0; r < reps; r++)
        decode<<<(n + 255) / 256, 256>>>(code, dbook, dgain, out, n);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    const int some = 1000;
    bool ok = true;
    for (int part = 0; part < 3; part++) {
        int first = part * ((n - some) / 2);
        std::vector<unsigned char> hc(some);
        std::vector<float> ho(some * DIM);
        CK(cudaMemcpy(hc.data(), code + first, some, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(ho.data(), out + (size_t)first * DIM, some * DIM * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < some; i++)
            for (int d = 0; d < DIM; d++)
                if (!close_to(ho[i * DIM + d], gain[(first + i) >> 12] * book[hc[i] * DIM + d], 1e-5)) ok = false;
    }
    CK(cudaFree(code)); CK(cudaFree(dbook)); CK(cudaFree(dgain)); CK(cudaFree(out));
    return report(ok);
}

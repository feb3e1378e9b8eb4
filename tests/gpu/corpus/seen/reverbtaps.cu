// Convolution reverb without FFT: y[i] = sum_k h[k] x[i-k], the room response 4096 samples long.
#include "common.h"

const int TAPS = 4096;
const int N = 64 << 20;

__host__ __device__ inline float dry(int i)
{
    if (i < 0) return 0.0f;
    unsigned h = (unsigned)i * 2654435761u; h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 13;
    return (h & 0xffff) / 32768.0f - 1.0f;
}

__global__ void record(float *buf)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N + TAPS) buf[i] = dry(i - TAPS);
}

#ifdef GOOD
const int OUT = 2048, CH = 256;       // outputs of a block; taps per round
__device__ __host__ constexpr int pad(int i) { return i + (i >> 3); }
__global__ void __launch_bounds__(256) reverb(const float *__restrict__ x, const float *__restrict__ h, float *__restrict__ y)
{
    __shared__ float xs[pad(OUT + CH) + 1];
    __shared__ __align__(16) float hs[CH];
    int t = threadIdx.x, base = blockIdx.x * OUT;
    float acc[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int c = 0; c < TAPS; c += CH) {
        for (int q = t; q < OUT + CH - 1; q += 256) xs[pad(q)] = x[base - c - (CH - 1) + q];
        hs[t] = h[c + t];
        __syncthreads();
        float w[15];
#pragma unroll
        for (int q = 8; q < 15; q++) w[q] = xs[pad(8 * t + CH - 8 + q)];
        for (int k = 0; k < CH; k += 8) {
#pragma unroll
            for (int q = 0; q < 8; q++) w[q] = xs[pad(8 * t + CH - 8 - k + q)];
#pragma unroll
            for (int j = 0; j < 8; j++)
#pragma unroll
                for (int m = 0; m < 8; m++) acc[m] += hs[k + j] * w[m + 7 - j];
#pragma unroll
            for (int q = 0; q < 7; q++) w[q + 8] = w[q];
        }
        __syncthreads();
    }
    float4 *o = reinterpret_cast<float4 *>(y + base + 8 * t);
    o[0] = make_float4(acc[0], acc[1], acc[2], acc[3]);
    o[1] = make_float4(acc[4], acc[5], acc[6], acc[7]);
}
const int PERBLOCK = OUT;
#else
__global__ void reverb(const float *__restrict__ x, const float *__restrict__ h, float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float acc = 0.0f;
    for (int k = 0; k < TAPS; k++)
        acc += h[k] * x[i - k];
    y[i] = acc;
}
const int PERBLOCK = 256;
#endif

int main(int argc, char **argv)
{
    int tracks = argc > 1 ? atoi(argv[1]) : 1;
    std::vector<float> room(TAPS);
    unsigned s = 9;
    float env = 1.0f;
    for (int k = 0; k < TAPS; k++, env *= 0.9985f) room[k] = env * (frand(s) - 0.5f);
    float *buf, *h, *y;
    CK(cudaMalloc(&buf, ((size_t)N + TAPS) * 4));
    CK(cudaMalloc(&y, (size_t)N * 4));
    CK(cudaMalloc(&h, TAPS * 4));
    CK(cudaMemcpy(h, room.data(), TAPS * 4, cudaMemcpyHostToDevice));
    record<<<(N + TAPS + 255) / 256, 256>>>(buf);
    CK(cudaGetLastError());
    for (int t = 0; t < tracks; t++)
        reverb<<<N / PERBLOCK, 256>>>(buf + TAPS, h, y);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    for (int q = 0; q < 40; q++) {
        int i = q < 20 ? q * 311 : (int)((lcg(s) >> 6) % N);
        double want = 0;
        for (int k = 0; k < TAPS; k++) want += (double)room[k] * dry(i - k);
        float got;
        CK(cudaMemcpy(&got, y + i, 4, cudaMemcpyDeviceToHost));
        ok = ok && close_to(got, want, 2e-3);
    }
    CK(cudaFree(buf)); CK(cudaFree(h)); CK(cudaFree(y));
    return report(ok);
}

// Randomised Hadamard mixing of activation rows before 4-bit quantisation: six rounds of
// "random signs, then 1024-point Walsh-Hadamard transform" per row, one block per row.
#include "common.h"

const int LEN = 1024, ROWS = 131072, ROUNDS = 6;

__device__ __host__ inline float sign_of(int round, int i)
{
    unsigned x = (unsigned)i * 2654435761u + round * 40503u;
    x ^= x >> 15; x *= 2246822519u;
    return (x >> 31) ? -1.0f : 1.0f;
}

__global__ void fill(float *p)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = (unsigned)i * 747796405u + 1u;
    x ^= x >> 16; x *= 2246822519u; x ^= x >> 13;
    p[i] = (x >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

__global__ void __launch_bounds__(LEN) mix_rows(const float *__restrict__ in, float *__restrict__ out)
{
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * LEN;
    float v = in[base + t];
#ifdef GOOD
    __shared__ float s[32][33];
    int lane = t & 31, warp = t >> 5;
    for (int r = 0; r < ROUNDS; r++) {
        v *= sign_of(r, t) * (1.0f / 32.0f);
#pragma unroll
        for (int h = 1; h < 32; h <<= 1) {               // bits 0-4 inside the warp
            float o = __shfl_xor_sync(~0u, v, h);
            v = (lane & h) ? o - v : v + o;
        }
        s[warp][lane] = v;
        __syncthreads();
        v = s[lane][warp];
#pragma unroll
        for (int h = 1; h < 32; h <<= 1) {               // bits 5-9, turned into the lane number
            float o = __shfl_xor_sync(~0u, v, h);
            v = (lane & h) ? o - v : v + o;
        }
        s[lane][warp] = v;
        __syncthreads();
        v = s[warp][lane];
    }
#else
    __shared__ float s[LEN];
    for (int r = 0; r < ROUNDS; r++) {
        s[t] = v * sign_of(r, t) * (1.0f / 32.0f);
        __syncthreads();
        for (int h = 1; h < LEN; h <<= 1) {
            float a = s[t], o = s[t ^ h];
            __syncthreads();
            s[t] = (t & h) ? o - a : a + o;
            __syncthreads();
        }
        v = s[t];
    }
#endif
    out[base + t] = v;
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 40;
    size_t n = (size_t)ROWS * LEN;
    float *in, *out;
    CK(cudaMalloc(&in, n * sizeof(float)));
    CK(cudaMalloc(&out, n * sizeof(float)));
    fill<<<(unsigned)(n / 256), 256>>>(in);
    CK(cudaGetLastError());
    for (int r = 0; r < reps; r++)
        mix_rows<<<ROWS, LEN>>>(in, out);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    std::vector<float> h(LEN), g(LEN);
    for (int row : {0, 1, 4097, ROWS - 1}) {
        CK(cudaMemcpy(h.data(), in + (size_t)row * LEN, LEN * sizeof(float), cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(g.data(), out + (size_t)row * LEN, LEN * sizeof(float), cudaMemcpyDeviceToHost));
        std::vector<double> d(h.begin(), h.end());
        for (int r = 0; r < ROUNDS; r++) {
            for (int i = 0; i < LEN; i++) d[i] *= sign_of(r, i) / 32.0;
            for (int s = 1; s < LEN; s <<= 1)
                for (int i = 0; i < LEN; i++)
                    if (!(i & s)) { double a = d[i], b = d[i + s]; d[i] = a + b; d[i + s] = a - b; }
        }
        for (int i = 0; i < LEN; i++) ok = ok && close_to(g[i], d[i], 1e-3);
    }
    CK(cudaFree(in));
    CK(cudaFree(out));
    return report(ok);
}

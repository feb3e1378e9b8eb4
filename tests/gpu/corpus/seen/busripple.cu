// Power quality: for each bus a window of 2048 voltage samples (eight cycles of 256); its RMS, its peak and how far it
// is from half-wave symmetry (even harmonics). A block stages a window in shared memory.
//   busripple [snapshots]
#include "common.h"

const int BUSES = 65536, WINDOW = 2048, HALF = 128, THREADS = 256;

__host__ __device__ static inline float volt(unsigned bus, int k)
{
    unsigned h = bus * 2654435761u + (unsigned)k * 0x9e3779b9u;
    h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 12;
    int p = k & 255, q = p & 127;
    float half = (float)(q * (128 - q)) * (1.0f / 4096.0f);          // parabolas for a sine
    return (p < 128 ? half : -half) * (1.0f + (float)(bus & 63u) * 0.001f) + ((float)(h & 255u) - 127.5f) * 0.0002f;
}

__global__ void sample(float *v)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    v[i] = volt((unsigned)(i / WINDOW), (int)(i % WINDOW));
}

__global__ void __launch_bounds__(THREADS) quality(const float *__restrict__ v, float4 *__restrict__ out)
{
    extern __shared__ float s[];
    __shared__ float part[3][THREADS / 32];
    const float *mine = v + (size_t)blockIdx.x * WINDOW;
#pragma unroll
    for (int q = 0; q < WINDOW / THREADS; q++) s[q * THREADS + threadIdx.x] = mine[q * THREADS + threadIdx.x];
    __syncthreads();
    float square = 0, peak = 0, even = 0;
#pragma unroll
    for (int q = 0; q < WINDOW / THREADS; q++) {
        int k = q * THREADS + threadIdx.x;
        float x = s[k], y = s[(k + HALF) % WINDOW];
        square += x * x;
        peak = fmaxf(peak, fabsf(x));
        even += (x + y) * (x + y);
    }
    for (int d = 16; d > 0; d /= 2) {
        square += __shfl_xor_sync(~0u, square, d);
        even += __shfl_xor_sync(~0u, even, d);
        peak = fmaxf(peak, __shfl_xor_sync(~0u, peak, d));
    }
    if (threadIdx.x % 32 == 0) {
        part[0][threadIdx.x / 32] = square;
        part[1][threadIdx.x / 32] = peak;
        part[2][threadIdx.x / 32] = even;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; w++) {
            square += part[0][w];
            peak = fmaxf(peak, part[1][w]);
            even += part[2][w];
        }
        out[blockIdx.x] = make_float4(sqrtf(square / WINDOW), peak, sqrtf(even / WINDOW), 0);
    }
}

int main(int argc, char **argv)
{
    int snapshots = argc > 1 ? atoi(argv[1]) : 1200;
#ifdef GOOD
    const int room = WINDOW * sizeof(float);
#else
    const int room = 25 * WINDOW * sizeof(float);    // for the longest window that the standard knows
#endif
    float *v;
    float4 *out;
    CK(cudaMalloc(&v, (size_t)BUSES * WINDOW * sizeof(float)));
    CK(cudaMalloc(&out, BUSES * sizeof(float4)));
    CK(cudaFuncSetAttribute(quality, cudaFuncAttributeMaxDynamicSharedMemorySize, room));
    sample<<<BUSES / 256 * WINDOW, 256>>>(v);
    for (int n = 0; n < snapshots; n++) quality<<<BUSES, THREADS, room>>>(v, out);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<float4> h(BUSES);
    CK(cudaMemcpy(h.data(), out, BUSES * sizeof(float4), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int b = 1; b < BUSES; b += 499) {
        double square = 0, peak = 0, even = 0;
        for (int k = 0; k < WINDOW; k++) {
            double x = volt(b, k), e = x + volt(b, (k + HALF) % WINDOW);
            square += x * x;
            peak = std::max(peak, fabs(x));
            even += e * e;
        }
        ok = ok && close_to(h[b].x, sqrt(square / WINDOW), 1e-3) && close_to(h[b].y, peak, 1e-3) &&
             close_to(h[b].z, sqrt(even / WINDOW), 2e-3);
    }
    printf("first bus: %.4f, peak %.4f, even %.5f\n", h[0].x, h[0].y, h[0].z);
    return report(ok);
}

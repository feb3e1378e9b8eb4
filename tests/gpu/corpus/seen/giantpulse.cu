// Search for giant pulses: blocks of samples of a radio telescope's receiver run through a filter matched to the pulse,
// and the strongest answer of each stretch of 2048 samples is kept.
// usage: giantpulse samples-per-block blocks
#include "common.h"

#define TAPS 512
#define EACH 8               // answers of a thread
#define THREADS 256
#define STRETCH (EACH * THREADS)
#define RECEIVER 4           // blocks in the receiver's ring buffer
#ifdef GOOD
#define SLOTS 2
#else
#define SLOTS 1
#endif

__constant__ float pulse[TAPS];

__host__ __device__ inline int padded(int i) { return i + i / EACH; }

__global__ void __launch_bounds__(THREADS) match(const signed char *__restrict__ volts, float *__restrict__ peak)
{
    __shared__ float x[(STRETCH + TAPS) / EACH * (EACH + 1)];
    __shared__ float best[THREADS / 32];
    const char4 *in = (const char4 *)(volts + (size_t)blockIdx.x * STRETCH);
    for (int i = threadIdx.x; i < (STRETCH + TAPS) / 4; i += THREADS) {
        char4 c = in[i];
        int at = padded(4 * i);                          // four neighbours lie in one group of eight
        x[at] = c.x; x[at + 1] = c.y; x[at + 2] = c.z; x[at + 3] = c.w;
    }
    __syncthreads();
    float acc[EACH] = {}, now[EACH], next[EACH];
    const float *mine = x + threadIdx.x * (EACH + 1);
    #pragma unroll
    for (int j = 0; j < EACH; ++j) now[j] = mine[j];
    for (int k = 0; k < TAPS; k += EACH) {
        mine += EACH + 1;
        #pragma unroll
        for (int j = 0; j < EACH; ++j) next[j] = mine[j];
        #pragma unroll
        for (int q = 0; q < EACH; ++q) {
            float c = pulse[k + q];
            #pragma unroll
            for (int j = 0; j < EACH; ++j) acc[j] += c * (q + j < EACH ? now[(q + j) % EACH] : next[(q + j) % EACH]);
        }
        #pragma unroll
        for (int j = 0; j < EACH; ++j) now[j] = next[j];
    }
    float m = acc[0];
    #pragma unroll
    for (int j = 1; j < EACH; ++j) m = fmaxf(m, acc[j]);
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    if (threadIdx.x % 32 == 0) best[threadIdx.x / 32] = m;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; ++w) m = fmaxf(m, best[w]);
        peak[blockIdx.x] = m;
    }
}

int main(int argc, char **argv)
{
    const int n = (argc > 1 ? atoi(argv[1]) : 16777216) / STRETCH * STRETCH, rounds = argc > 2 ? atoi(argv[2]) : 1200;
    const int stretches = n / STRETCH;
    const size_t bytes = (size_t)n + TAPS;               // the next block's first samples follow
    std::vector<float> shape(TAPS);
    for (int k = 0; k < TAPS; ++k) shape[k] = expf(-0.008f * k) * (k % 64 < 32 ? 1.0f : -0.6f);
    CK(cudaMemcpyToSymbol(pulse, shape.data(), TAPS * sizeof(float)));
    signed char *host[RECEIVER], *volts[SLOTS];
    float *peak, *seen;
    cudaStream_t stream[SLOTS];
    unsigned s = 77;
    for (int r = 0; r < RECEIVER; ++r) {
        CK(cudaMallocHost(&host[r], bytes));
        for (size_t i = 0; i < bytes; ++i) host[r][i] = (signed char)((int)(lcg(s) >> 27) - 16);
        for (int k = 0; k < TAPS; ++k) host[r][(size_t)(n / 3) + 5000 * r + k] += (signed char)(20.0f * shape[k]);
    }
    for (int b = 0; b < SLOTS; ++b) {
        CK(cudaMalloc(&volts[b], bytes));
        CK(cudaStreamCreateWithFlags(&stream[b], cudaStreamNonBlocking));
    }
    CK(cudaMalloc(&peak, (size_t)rounds * stretches * sizeof(float)));
    for (int r = 0; r < rounds; ++r) {
        int b = r % SLOTS;
        CK(cudaMemcpyAsync(volts[b], host[r % RECEIVER], bytes, cudaMemcpyHostToDevice, stream[b]));
        match<<<stretches, THREADS, 0, stream[b]>>>(volts[b], peak + (size_t)r * stretches);
    }
    CK(cudaDeviceSynchronize());
    CK(cudaMallocHost(&seen, (size_t)rounds * stretches * sizeof(float)));
    CK(cudaMemcpy(seen, peak, (size_t)rounds * stretches * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int r : {0, 1, rounds / 2, rounds - 1}) {
        const signed char *v = host[r % RECEIVER];
        int where = (n / 3 + 5000 * (r % RECEIVER)) / STRETCH;
        for (int b : {0, where, stretches - 1}) {
            double best = -1e30;
            for (int i = b * STRETCH; i < (b + 1) * STRETCH; ++i) {
                double a = 0;
                for (int k = 0; k < TAPS; ++k) a += (double)shape[k] * v[(size_t)i + k];
                best = std::max(best, a);
            }
            ok = ok && close_to(seen[(size_t)r * stretches + b], best, 1e-3);
            if (r == 0 && b == where) printf("pulse of block 0 in stretch %d: %.1f (%.1f)\n", b, seen[b], best);
        }
    }
    for (int r = 0; r < RECEIVER; ++r) CK(cudaFreeHost(host[r]));
    for (int b = 0; b < SLOTS; ++b) { CK(cudaFree(volts[b])); CK(cudaStreamDestroy(stream[b])); }
    CK(cudaFree(peak)); CK(cudaFreeHost(seen));
    return report(ok);
}

// Decoding of the convolutional code of 3G telephones (rate 1/2, 256 states): a forward
// pass over the trellis of every frame, then the way back along the best decisions.
#include "common.h"

const int STATES = 256, POLY0 = 0561, POLY1 = 0753;

__host__ __device__ inline int parity(int v)
{
    v ^= v >> 8; v ^= v >> 4; v ^= v >> 2; v ^= v >> 1;
    return v & 1;
}

__host__ __device__ inline unsigned scatter(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du;
    x ^= x >> 15; x *= 0x846ca68bu;
    return x ^ x >> 16;
}

__host__ __device__ inline int message(unsigned frame, unsigned t, unsigned length)
{
    return t + 8 < length ? scatter(frame * 5003u + t) >> 7 & 1 : 0;
}

// Two soft bits a step, 0 for a sure 0 and 15 for a sure 1, with noise. A register of
// nine bits: the newest bit is the highest.
__global__ void transmit(unsigned char *soft, int frames, int length)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= frames) return;
    int reg = 0;
    for (int t = 0; t < length; t++) {
        reg = reg >> 1 | message(f, t, length) << 8;
        unsigned r = scatter(f * 7919u + t * 31u);
        int a = parity(reg & POLY0) ? 15 - (r & 7) : r & 7;
        int b = parity(reg & POLY1) ? 15 - (r >> 3 & 7) : r >> 3 & 7;
        if ((r >> 10) % 61 == 0) a = 15 - a;
        soft[(size_t)f * length + t] = a | b << 4;
    }
}

// Cost of having sent the two bits of this register when these were received.
__device__ inline int cost(int reg, int s)
{
    int a = s & 15, b = s >> 4;
    return (parity(reg & POLY0) ? 15 - a : a) + (parity(reg & POLY1) ? 15 - b : b);
}

// State s (the newest eight bits) was reached from 2 s or 2 s + 1 (modulo 256).
#ifdef GOOD
__global__ void __launch_bounds__(128) forward(const unsigned char *__restrict__ soft,
                                               unsigned char *__restrict__ decision,
                                               int frames, int length)
{
    const int EACH = STATES / 32;
    int f = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (f >= frames) return;
    int metric[EACH];
    // The two sent bits of both ways into each state of this lane.
    unsigned sent0 = 0, sent1 = 0;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        int s = lane * EACH + j;
        metric[j] = s == 0 ? 0 : 100000;
        sent0 |= (parity(s << 1 & POLY0) | parity(s << 1 & POLY1) << 1) << 2 * j;
        sent1 |= (parity((s << 1 | 1) & POLY0) | parity((s << 1 | 1) & POLY1) << 1)
                 << 2 * j;
    }
    const unsigned char *in = soft + (size_t)f * length;
    unsigned char *out = decision + (size_t)f * length * 32;
    for (int t = 0; t < length; t++) {
        int s = in[t], a = s & 15, b = s >> 4;
        int old[2 * EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            old[j] = __shfl_sync(~0u, metric[j], 2 * lane & 31);
            old[EACH + j] = __shfl_sync(~0u, metric[j], 2 * lane + 1 & 31);
        }
        unsigned bits = 0;
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            int c0 = (sent0 >> 2 * j & 1 ? 15 - a : a) +
                     (sent0 >> 2 * j & 2 ? 15 - b : b);
            int c1 = (sent1 >> 2 * j & 1 ? 15 - a : a) +
                     (sent1 >> 2 * j & 2 ? 15 - b : b);
            int m0 = old[2 * j] + c0, m1 = old[2 * j + 1] + c1;
            bits |= (m1 < m0) << j;
            metric[j] = min(m0, m1);
        }
        out[t * 32 + lane] = bits;
    }
}
#else
__global__ void forward(const unsigned char *__restrict__ soft,
                        unsigned *__restrict__ decision, int frames, int length)
{
    __shared__ int metric[STATES];
    int f = blockIdx.x, s = threadIdx.x;
    metric[s] = s == 0 ? 0 : 100000;
    const unsigned char *in = soft + (size_t)f * length;
    unsigned *out = decision + (size_t)f * length * 8;
    int reg0 = s << 1, reg1 = s << 1 | 1;
    __syncthreads();
    for (int t = 0; t < length; t++) {
        int m0 = metric[reg0 & 255] + cost(reg0, in[t]);
        int m1 = metric[reg1 & 255] + cost(reg1, in[t]);
        __syncthreads();
        unsigned bits = __ballot_sync(~0u, m1 < m0);
        metric[s] = min(m0, m1);
        if (s % 32 == 0) out[t * 8 + s / 32] = bits;
        __syncthreads();
    }
}
#endif

__global__ void way_back(const unsigned *__restrict__ decision, unsigned *text,
                         int frames, int length)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= frames) return;
    const unsigned *d = decision + (size_t)f * length * 8;
    int s = 0;
    unsigned word = 0;
    for (int t = length - 1; t >= 0; t--) {
        word |= (unsigned)(s >> 7) << (t & 31);
        if ((t & 31) == 0) {
            text[(size_t)(t >> 5) * frames + f] = word;
            word = 0;
        }
        s = (s << 1 | (d[t * 8 + s / 32] >> (s & 31) & 1)) & 255;
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 32;
    int frames = argc > 2 ? atoi(argv[2]) : 16384;
    int length = argc > 3 ? atoi(argv[3]) : 1024, words = length / 32;
    unsigned char *soft;
    unsigned *decision, *text;
    CK(cudaMalloc(&soft, (size_t)frames * length));
    CK(cudaMalloc(&decision, (size_t)frames * length * 32));
    CK(cudaMalloc(&text, (size_t)frames * words * 4));
    transmit<<<(frames + 63) / 64, 64>>>(soft, frames, length);
    CK(cudaGetLastError());
    for (int r = 0; r < rounds; r++) {
#ifdef GOOD
        forward<<<(frames + 3) / 4, 128>>>(soft, (unsigned char *)decision, frames,
                                           length);
#else
        forward<<<frames, STATES>>>(soft, decision, frames, length);
#endif
        way_back<<<(frames + 63) / 64, 64>>>(decision, text, frames, length);
        CK(cudaGetLastError());
    }
    std::vector<unsigned> h((size_t)frames * words);
    CK(cudaMemcpy(h.data(), text, h.size() * 4, cudaMemcpyDeviceToHost));
    long wrong = 0, bits = 0;
    unsigned long long check = 0;
    for (int f = 0; f < frames; f += frames / 500 + 1)
        for (int t = 0; t < length; t++, bits++)
            wrong += (int)(h[(size_t)(t >> 5) * frames + f] >> (t & 31) & 1) !=
                     message(f, t, length);
    for (unsigned v : h) check = check * 31 + v;
    printf("checksum %016llx, %ld of %ld bits wrong\n", check, wrong, bits);
    return report(wrong * 1000 < bits);
}

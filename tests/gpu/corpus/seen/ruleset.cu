// Scores a batch of transactions against a rule engine: every record names one of eight rules, each of which is
// a small iterative computation of its own. Records arrive in time order, so the rules are mixed.
#include "common.h"

#define RULES 8

__host__ __device__ static inline unsigned mixbits(unsigned h)
{
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    return h;
}

__host__ __device__ static inline unsigned score(unsigned rule, unsigned v)
{
    unsigned s = v;
    switch (rule) {
    case 0: for (int k = 0; k < 384; k++) s = s * 1664525u + 1013904223u; break;
    case 1: for (int k = 0; k < 320; k++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; } break;
    case 2: for (int k = 0; k < 280; k++) s = (s << 7 | s >> 25) + 0x9E3779B9u * (s & 15u); break;
    case 3: for (int k = 0; k < 360; k++) s = (s & 1u) ? (s >> 1) ^ 0xEDB88320u : s >> 1; break;
    case 4: for (int k = 0; k < 256; k++) { s += s << 10; s ^= s >> 6; s += v; } break;
    case 5: for (int k = 0; k < 340; k++) s = s * s + 2u * s + v; break;
    case 6: for (int k = 0; k < 300; k++) { s = s * 5u + 1u; s ^= s >> 11; } break;
    default: for (int k = 0; k < 352; k++) { s -= v >> 3; s = (s << 3) ^ (s >> 5) ^ v; }
    }
    return s;
}

__global__ void evaluate(const uint2 *__restrict__ rec, unsigned *__restrict__ out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    uint2 r = rec[t];
    out[t] = score(r.x, r.y);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 200;
    const int n = argc > 2 ? atoi(argv[2]) : 4 << 20;
    std::vector<uint2> batch(n);
    for (int i = 0; i < n; i++) batch[i] = make_uint2(mixbits(i) % RULES, mixbits(i + 12345u));
#ifdef GOOD
    {   // group the batch by rule first
        std::vector<uint2> by(n);
        int start[RULES + 1] = {};
        for (int i = 0; i < n; i++) start[batch[i].x + 1]++;
        for (int r = 0; r < RULES; r++) start[r + 1] += start[r];
        for (int i = 0; i < n; i++) by[start[batch[i].x]++] = batch[i];
        batch.swap(by);
    }
#endif
    uint2 *rec;
    unsigned *out;
    CK(cudaMalloc(&rec, n * sizeof(uint2)));
    CK(cudaMalloc(&out, n * sizeof(unsigned)));
    CK(cudaMemcpy(rec, batch.data(), n * sizeof(uint2), cudaMemcpyHostToDevice));
    for (int k = 0; k < rounds; k++)
        evaluate<<<(n + 255) / 256, 256>>>(rec, out, n);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<unsigned> h(n);
    CK(cudaMemcpy(h.data(), out, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i += 997)
        if (h[i] != score(batch[i].x, batch[i].y)) ok = false;
    printf("%d records, first score %08x\n", n, h[0]);
    CK(cudaFree(rec));
    CK(cudaFree(out));
    return report(ok);
}

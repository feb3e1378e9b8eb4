// Link quality monitor: error vector magnitude of many short bursts.  A burst is QPSK, 16-, 64-
// or 256-QAM; each thread searches the nearest constellation point for every symbol of its burst.
#include "common.h"

const int NB = 1 << 20;
const int SYM = 32;

__host__ __device__ inline float2 received(unsigned b, unsigned k)
{
    unsigned h = b * 2654435761u + k * 40503u;
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15;
    return make_float2((h & 0xffff) / 29000.0f - 1.13f, (h >> 16) / 29000.0f - 1.13f);
}

__global__ void antenna(float2 *y)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < SYM; k++) y[(size_t)k * NB + b] = received(b, k);
}

__host__ __device__ inline float nearest(float2 s, int m)
{
    float step = 2.0f / m, best = 1e30f;
    for (int a = 0; a < m; a++) {
        float di = s.x - ((a + 0.5f) * step - 1.0f);
        for (int b = 0; b < m; b++) {
            float dq = s.y - ((b + 0.5f) * step - 1.0f);
            best = fminf(best, di * di + dq * dq);
        }
    }
    return best;
}

__global__ void evm(const float2 *__restrict__ y, const unsigned char *__restrict__ levels, float *__restrict__ out)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= NB) return;
    int m = levels[b];                 // 2, 4, 8 or 16 levels per axis
    float sum = 0.0f;
    for (int k = 0; k < SYM; k++)
        sum += nearest(y[(size_t)k * NB + b], m);
    out[b] = sqrtf(sum / SYM);
}

int main(int argc, char **argv)
{
    int reports = argc > 1 ? atoi(argv[1]) : 30;
    std::vector<unsigned char> lv(NB);
    unsigned s = 17;
    for (int b = 0; b < NB; b++) lv[b] = (unsigned char)(2 << ((lcg(s) >> 20) % 4));
#ifdef GOOD
    std::sort(lv.begin(), lv.end(), [](unsigned char p, unsigned char q) { return p > q; });   // queues by modulation
#endif
    float2 *y;
    unsigned char *levels;
    float *out;
    CK(cudaMalloc(&y, (size_t)NB * SYM * sizeof(float2)));
    CK(cudaMalloc(&levels, NB));
    CK(cudaMalloc(&out, NB * 4));
    CK(cudaMemcpy(levels, lv.data(), NB, cudaMemcpyHostToDevice));
    antenna<<<NB / 256, 256>>>(y);
    CK(cudaGetLastError());
    for (int r = 0; r < reports; r++)
        evm<<<NB / 256, 256>>>(y, levels, out);
    CK(cudaGetLastError());
    std::vector<float> h(NB);
    CK(cudaMemcpy(h.data(), out, NB * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int b = 5; b < NB; b += 7919) {
        double sum = 0;
        for (int k = 0; k < SYM; k++) sum += nearest(received(b, k), lv[b]);
        ok = ok && close_to(h[b], sqrt(sum / SYM), 1e-3);
    }
    CK(cudaFree(y)); CK(cudaFree(levels)); CK(cudaFree(out));
    return report(ok);
}

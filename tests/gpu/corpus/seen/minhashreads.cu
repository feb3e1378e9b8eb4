// MinHash sketches (8 hashes of all 16-mers) of long reads, 2 bits per base; a warp takes a read.
// The reads come from the basecaller's index, longest first.
#include "common.h"

const int NR = 65536;
const int K = 16, SK = 8;

__host__ __device__ inline unsigned packed(unsigned w)
{
    w = w * 747796405u + 2891336453u;
    w ^= w >> 16; w *= 0x7feb352du; w ^= w >> 15; w *= 0x846ca68bu;
    return w ^ (w >> 16);
}

__host__ __device__ inline unsigned kmer_hash(unsigned code, int s)
{
    unsigned h = (code ^ (0x9e3779b9u * (s + 1))) * 0x85ebca6bu;
    h ^= h >> 15; h *= 0xc2b2ae35u;
    return h ^ (h >> 13);
}

__global__ void basecall(unsigned *bases, unsigned words)
{
    for (unsigned w = blockIdx.x * blockDim.x + threadIdx.x; w < words; w += gridDim.x * blockDim.x)
        bases[w] = packed(w);
}

__global__ void __launch_bounds__(1024) sketch(const unsigned *__restrict__ bases, const int *__restrict__ start,
                                               const int *__restrict__ length, unsigned *__restrict__ out)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#ifdef GOOD
    int first = blockIdx.x + gridDim.x * warp, last = NR, hop = gridDim.x * 32;
#else
    int share = (NR + gridDim.x - 1) / gridDim.x;           // a contiguous share of the list
    int first = blockIdx.x * share + warp, last = min(NR, (int)(blockIdx.x + 1) * share), hop = 32;
#endif
    for (int r = first; r < last; r += hop) {
        const unsigned *b = bases + start[r];
        int n = length[r] - K + 1;
        unsigned low[SK];
        for (int s = 0; s < SK; s++) low[s] = 0xffffffffu;
        for (int p = lane; p < n; p += 32) {
            unsigned code = __funnelshift_r(b[p / 16], b[p / 16 + 1], 2 * (p % 16));
#pragma unroll
            for (int s = 0; s < SK; s++) low[s] = min(low[s], kmer_hash(code, s));
        }
#pragma unroll
        for (int s = 0; s < SK; s++) {
            unsigned m = __reduce_min_sync(0xffffffffu, low[s]);
            if (lane == 0) out[r * SK + s] = m;
        }
    }
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 20;
    std::vector<int> start(NR), length(NR);
    unsigned words = 0;
    for (int r = 0; r < NR; r++) {
        double q = 1.0 - (double)r / NR;
        length[r] = 300 + (int)(40000 * q * q * q * q);
        start[r] = (int)words;
        words += length[r] / 16 + 2;
    }
    unsigned *bases, *out;
    int *ds, *dl, dev, sms;
    CK(cudaGetDevice(&dev));
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
    CK(cudaMalloc(&bases, words * 4ull));
    CK(cudaMalloc(&out, NR * SK * 4));
    CK(cudaMalloc(&ds, NR * 4));
    CK(cudaMalloc(&dl, NR * 4));
    CK(cudaMemcpy(ds, start.data(), NR * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dl, length.data(), NR * 4, cudaMemcpyHostToDevice));
    basecall<<<2048, 256>>>(bases, words);
    CK(cudaGetLastError());
    for (int i = 0; i < runs; i++)
        sketch<<<sms, 1024>>>(bases, ds, dl, out);
    CK(cudaGetLastError());
    std::vector<unsigned> h(NR * SK);
    CK(cudaMemcpy(h.data(), out, h.size() * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int r = 3; r < NR; r += 1999) {
        unsigned low[SK];
        for (int s = 0; s < SK; s++) low[s] = 0xffffffffu;
        for (int p = 0; p + K <= length[r]; p++) {
            unsigned long long two = packed(start[r] + p / 16) | (unsigned long long)packed(start[r] + p / 16 + 1) << 32;
            unsigned code = (unsigned)(two >> (2 * (p % 16)));
            for (int s = 0; s < SK; s++) low[s] = std::min(low[s], kmer_hash(code, s));
        }
        for (int s = 0; s < SK; s++) ok = ok && low[s] == h[r * SK + s];
    }
    CK(cudaFree(bases)); CK(cudaFree(out)); CK(cudaFree(ds)); CK(cudaFree(dl));
    return report(ok);
}

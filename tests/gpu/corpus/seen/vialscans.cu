// Pharmacy line: scans of trays of vials are handed over by the grabber in a host buffer, uploaded,
// and the dark pixels of each vial are counted on the GPU.
#include "common.h"

static const int VIALS = 1024, PIX = 64 * 1024;           // 64 MB per tray
typedef unsigned char u8;

__global__ void dark_pixels(const uint4 *__restrict__ scan, unsigned *dark, unsigned limit)
{
    const uint4 *v = scan + (size_t)blockIdx.x * (PIX / 16);
    unsigned lim4 = limit * 0x01010101u, n = 0;
    for (int i = threadIdx.x; i < PIX / 16; i += blockDim.x) {
        uint4 q = v[i];
        n += __popc(__vcmpltu4(q.x, lim4)) + __popc(__vcmpltu4(q.y, lim4))
           + __popc(__vcmpltu4(q.z, lim4)) + __popc(__vcmpltu4(q.w, lim4));
    }
    n >>= 3;                                               // 8 set bits per dark pixel
    for (int o = 16; o > 0; o >>= 1) n += __shfl_down_sync(0xffffffffu, n, o);
    __shared__ unsigned part[8];
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = n;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) n += part[w];
        dark[blockIdx.x] = n;
    }
}

int main(int argc, char **argv)
{
    int trays = argc > 1 ? atoi(argv[1]) : 50;
    size_t bytes = (size_t)VIALS * PIX;
    u8 *grab;
#ifdef GOOD
    CK(cudaMallocHost(&grab, bytes));
#else
    grab = (u8 *)malloc(bytes);
    if (!grab) return 1;
#endif
    unsigned seed = 77;
    unsigned *words = reinterpret_cast<unsigned *>(grab);
    for (size_t i = 0; i < bytes / 4; i++) words[i] = lcg(seed) ^ (seed >> 11);

    uint4 *scan;
    unsigned *dark;
    CK(cudaMalloc(&scan, bytes));
    CK(cudaMalloc(&dark, VIALS * sizeof(unsigned)));
    std::vector<unsigned> got(VIALS);
    unsigned long long rejected = 0;
    for (int t = 0; t < trays; t++) {
        memset(grab + (size_t)(t % VIALS) * PIX, t & 255, PIX);      // the grabber writes into the same buffer
        CK(cudaMemcpy(scan, grab, bytes, cudaMemcpyHostToDevice));
        dark_pixels<<<VIALS, 256>>>(scan, dark, 40);
        CK(cudaGetLastError());
        CK(cudaMemcpy(got.data(), dark, VIALS * sizeof(unsigned), cudaMemcpyDeviceToHost));
        for (unsigned d : got) rejected += d > 11000;
    }
    bool ok = true;
    for (int v : {0, 3, VIALS - 1}) {
        unsigned n = 0;
        for (int i = 0; i < PIX; i++) n += grab[(size_t)v * PIX + i] < 40;
        ok = ok && n == got[v];
    }
    printf("rejected %llu\n", rejected);
    cudaFree(scan); cudaFree(dark);
#ifdef GOOD
    cudaFreeHost(grab);
#else
    free(grab);
#endif
    return report(ok);
}

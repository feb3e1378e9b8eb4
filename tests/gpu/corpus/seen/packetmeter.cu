// Traffic accounting at a router: bytes per customer network (1024 of them, by the upper ten bits of the address),
// added up over the packets of one second, again and again.
// usage: packetmeter packets seconds
#include "common.h"

#define NETS 1024
#define THREADS 1024
typedef unsigned long long Bytes;

__host__ __device__ inline unsigned hash(unsigned p)
{
    unsigned h = p * 2654435761u;
    h = (h ^ (h >> 15)) * 2246822519u;
    return h ^ (h >> 13);
}
__host__ __device__ inline unsigned addressOf(unsigned p) { return hash(p); }
__host__ __device__ inline unsigned short lengthOf(unsigned p) { return (unsigned short)(64u + (hash(p + 77u) >> 6) % 1437u); }

__global__ void receive(unsigned *address, unsigned short *length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    address[i] = addressOf(i);
    length[i] = lengthOf(i);
}

__global__ void account(const uint4 *__restrict__ address, const ushort4 *__restrict__ length, Bytes *bytes, int quads)
{
#ifdef GOOD
    __shared__ unsigned mine[NETS];
    mine[threadIdx.x] = 0;
    __syncthreads();
#define ADD(a, l) atomicAdd(&mine[(a) >> 22], (unsigned)(l))
#else
#define ADD(a, l) atomicAdd(&bytes[(a) >> 22], (Bytes)(l))
#endif
    #pragma unroll 2
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < quads; i += gridDim.x * THREADS) {
        uint4 a = address[i];
        ushort4 l = length[i];
        ADD(a.x, l.x);
        ADD(a.y, l.y);
        ADD(a.z, l.z);
        ADD(a.w, l.w);
    }
#ifdef GOOD
    __syncthreads();
    atomicAdd(&bytes[threadIdx.x], (Bytes)mine[threadIdx.x]);
#endif
}

int main(int argc, char **argv)
{
    int n = (argc > 1 ? atoi(argv[1]) : 67108864) / 4 * 4;
    int seconds = argc > 2 ? atoi(argv[2]) : 500;
    unsigned *address;
    unsigned short *length;
    Bytes *bytes;
    CK(cudaMalloc(&address, n * sizeof(unsigned)));
    CK(cudaMalloc(&length, n * sizeof(unsigned short)));
    CK(cudaMalloc(&bytes, NETS * sizeof(Bytes)));
    CK(cudaMemset(bytes, 0, NETS * sizeof(Bytes)));
    receive<<<(n + 255) / 256, 256>>>(address, length, n);
    for (int s = 0; s < seconds; ++s)
        account<<<264, THREADS>>>((const uint4 *)address, (const ushort4 *)length, bytes, n / 4);
    CK(cudaGetLastError());
    std::vector<Bytes> b(NETS), want(NETS, 0);
    CK(cudaMemcpy(b.data(), bytes, NETS * sizeof(Bytes), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) want[addressOf(i) >> 22] += lengthOf(i);
    bool ok = true;
    for (int k = 0; k < NETS; ++k) ok = ok && b[k] == want[k] * (Bytes)seconds;
    printf("network 0: %llu bytes\n", b[0]);
    CK(cudaFree(address)); CK(cudaFree(length)); CK(cudaFree(bytes));
    return report(ok);
}

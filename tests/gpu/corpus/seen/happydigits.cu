// Puzzle corner: which numbers are happy (the sum of the squares of their digits, repeated, ends at 1)? One bit a number.
//   happydigits [times] [base]
#include "common.h"

const int N = 1 << 25, FIRST = 900000000, ROUNDS = 8;

// A constant base tells the compiler how to divide without dividing.
template <int BASE> __host__ __device__ static inline unsigned squares(unsigned x, int digits, unsigned base)
{
    const unsigned b = BASE ? BASE : base;
    unsigned s = 0;
#pragma unroll
    for (int d = 0; d < digits; d++) {
        unsigned q = x / b, r = x - q * b;
        s += r * r;
        x = q;
    }
    return s;
}

template <int BASE> __host__ __device__ static inline bool is_happy(unsigned x, unsigned base)
{
    x = squares<BASE>(x, 9, base);
#pragma unroll
    for (int k = 0; k < ROUNDS; k++) x = squares<BASE>(x, 3, base);
    return x == 1;
}

template <int BASE> __global__ void happy(unsigned *bits, unsigned base)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned m = __ballot_sync(~0u, is_happy<BASE>(FIRST + i, base));
    if (threadIdx.x % 32 == 0) bits[i / 32] = m;
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 1000;
    unsigned base = argc > 2 ? atoi(argv[2]) : 10, *bits;
    CK(cudaMalloc(&bits, N / 8));
    for (int t = 0; t < times; t++) {
#ifdef GOOD
        if (base == 10) happy<10><<<N / 256, 256>>>(bits, base);
        else happy<0><<<N / 256, 256>>>(bits, base);
#else
        happy<0><<<N / 256, 256>>>(bits, base);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    std::vector<unsigned> h(N / 32);
    CK(cudaMemcpy(h.data(), bits, N / 8, cudaMemcpyDeviceToHost));
    bool ok = true;
    int many = 0;
    for (unsigned w = 0; w < h.size(); w++) {
        many += __builtin_popcount(h[w]);
        if (w % 97 == 0)
            for (int k = 0; k < 32; k++) ok = ok && is_happy<0>(FIRST + w * 32 + k, base) == (h[w] >> k & 1u);
    }
    printf("%d of %d numbers are happy after %d rounds\n", many, N, ROUNDS + 1);
    return report(ok && many > 0);
}

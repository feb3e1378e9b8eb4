// Lightning photography: the brightest value that each pixel showed during the night is held
// ("maximum hold"). The camera gives 8-bit frames of 64 megapixels; a dark level is taken off first.
#include "common.h"

static const int SIDE = 8192;
static const size_t PIX = (size_t)SIDE * SIDE;
static const int FRAMES = 16;           // ring of frames on the card

__host__ __device__ inline unsigned char shot(unsigned frame, unsigned i)
{
    unsigned h = i * 0x9E3779B1u + frame * 0x7F4A7C15u;
    h ^= h >> 16; h *= 0x45d9f3bu; h ^= h >> 16;
    return (unsigned char)(h & 127) + ((h >> 8) % 50 == 0 ? 100 : 0);
}

__global__ void expose(unsigned char *fr, unsigned frame)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    fr[i] = shot(frame, i);
}

#ifdef GOOD
__device__ inline unsigned hold4(unsigned acc, unsigned f, unsigned dark4)
{
    return __vmaxu4(acc, __vsubus4(f, dark4));
}

__global__ void hold_max(unsigned char *acc, const unsigned char *frame, int dark)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned d = dark * 0x01010101u;
    uint4 a = ((uint4 *)acc)[i], f = ((const uint4 *)frame)[i];
    a.x = hold4(a.x, f.x, d);
    a.y = hold4(a.y, f.y, d);
    a.z = hold4(a.z, f.z, d);
    a.w = hold4(a.w, f.w, d);
    ((uint4 *)acc)[i] = a;
}
static const int PER_THREAD = 16;
#else
__global__ void hold_max(unsigned char *acc, const unsigned char *frame, int dark)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int f = frame[i] - dark;
    if (f < 0) f = 0;
    int a = acc[i];
    acc[i] = (unsigned char)(f > a ? f : a);
}
static const int PER_THREAD = 1;
#endif

int main(int argc, char **argv)
{
    int shots = argc > 1 ? atoi(argv[1]) : 600;
    const int dark = 9;
    unsigned char *ring, *acc;
    CK(cudaMalloc(&ring, PIX * FRAMES));
    CK(cudaMalloc(&acc, PIX));
    CK(cudaMemset(acc, 0, PIX));
    for (int f = 0; f < FRAMES; ++f)
        expose<<<PIX / 256, 256>>>(ring + PIX * f, f);
    CK(cudaGetLastError());
    for (int s = 0; s < shots; ++s)
        hold_max<<<PIX / 256 / PER_THREAD, 256>>>(acc, ring + PIX * (s % FRAMES), dark);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    std::vector<unsigned char> part(4096);
    for (size_t at : {(size_t)0, PIX / 2, PIX - part.size()}) {
        CK(cudaMemcpy(part.data(), acc + at, part.size(), cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < part.size(); ++i) {
            int best = 0;
            for (int f = 0; f < std::min(shots, FRAMES); ++f)
                best = std::max(best, shot(f, (unsigned)(at + i)) - dark);
            ok = ok && part[i] == best;
        }
    }
    CK(cudaFree(ring)); CK(cudaFree(acc));
    return report(ok);
}

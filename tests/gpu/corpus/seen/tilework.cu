// Tiled floors for an architect's viewer: six layers of ornament, each repeated with its own period along two
// slanted axes. The periods come from the pattern file, so they are known at run time only.
// usage: tilework size frames
#include "common.h"

#define LAYERS 6

struct Layer { unsigned ax, ay, bx, by, across, along, acrossInv, alongInv, tint; };
struct Floor { Layer layer[LAYERS]; };

__host__ __device__ inline unsigned remainderOf(unsigned n, unsigned period, unsigned inverse)
{
#if defined(GOOD) && defined(__CUDA_ARCH__)
    unsigned r = n - __umulhi(n, inverse) * period;      // inverse = 2^32 / period, at most one too few
    return r >= period ? r - period : r;
#else
    return n % period;
#endif
}

__host__ __device__ inline unsigned colour(unsigned x, unsigned y, unsigned frame, const Floor &f)
{
    unsigned c = 0x203040u;
    #pragma unroll
    for (int k = 0; k < LAYERS; ++k) {
        const Layer &l = f.layer[k];
        unsigned u = remainderOf(x * l.ax + y * l.ay + frame, l.across, l.acrossInv);
        unsigned v = remainderOf(x * l.bx + y * l.by + 3 * frame, l.along, l.alongInv);
        if (u * 2 + v < l.across) c ^= l.tint * (u + 1);
        else if (v > 2 * u) c += l.tint >> (k + 1);
    }
    return c | 0xff000000u;
}

__global__ void lay_tiles(unsigned *__restrict__ picture, int size, unsigned frame, Floor f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < size && y < size) picture[(size_t)y * size + x] = colour(x, y, frame, f);
}

int main(int argc, char **argv)
{
    int size = argc > 1 ? atoi(argv[1]) : 6144;
    int frames = argc > 2 ? atoi(argv[2]) : 1600;
    Floor f = {};
    unsigned s = 77;
    for (Layer &l : f.layer) {
        l.ax = 1 + (lcg(s) >> 24) % 7;
        l.ay = 1 + (lcg(s) >> 24) % 5;
        l.bx = 1 + (lcg(s) >> 24) % 4;
        l.by = 2 + (lcg(s) >> 24) % 9;
        l.across = 37 + (lcg(s) >> 22) % 400;
        l.along = 29 + (lcg(s) >> 22) % 300;
        l.acrossInv = (unsigned)((1ull << 32) / l.across);
        l.alongInv = (unsigned)((1ull << 32) / l.along);
        l.tint = lcg(s) >> 8;
    }
    unsigned *picture;
    CK(cudaMalloc(&picture, (size_t)size * size * sizeof(unsigned)));
    dim3 block(32, 8), grid((size + 31) / 32, (size + 7) / 8);
    for (int k = 0; k < frames; ++k) lay_tiles<<<grid, block>>>(picture, size, k, f);
    CK(cudaGetLastError());
    std::vector<unsigned> p((size_t)size * size);
    CK(cudaMemcpy(p.data(), picture, p.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int y = 0; y < size; y += 61)
        for (int x = 0; x < size; ++x)
            if (p[(size_t)y * size + x] != colour(x, y, frames - 1, f)) ok = false;
    printf("corner of the last frame: %08x\n", p.back());
    CK(cudaFree(picture));
    return report(ok);
}

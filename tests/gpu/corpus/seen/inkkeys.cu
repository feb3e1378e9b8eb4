// Plates for an offset press: the four inks of a sheet are screened (one bit a dot, through a tile of thresholds for
// each ink), and the dots counted in the zones of the ink keys. Every job of the day gets its screens shifted anew.
// usage: inkkeys side jobs
#include "common.h"

#define INKS 4
#define TILE 64
#define ROWS 16              // rows per thread
#define KEYS 16              // zones across the sheet
typedef unsigned short Dots; // of 16 pixels

__host__ __device__ inline unsigned char toneOf(int ink, int x, int y)
{
    return (unsigned char)((x / 23 * 5 + y / 17 * 3 + (x ^ y) % 31 + ink * 40) & 255);
}
__host__ __device__ inline unsigned char thresholdOf(int ink, int x, int y)
{
    const int turn[INKS] = { 3, 5, 7, 11 };
    return (unsigned char)(((x * turn[ink] + y * 13) * 37 + (x * y) % 29) & 255);
}

__global__ void lay_out(unsigned char *sheet, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, ink = blockIdx.z;
    if (x < side) sheet[((size_t)ink * side + y) * side + x] = toneOf(ink, x, y);
}

__device__ inline unsigned four(unsigned tone, unsigned threshold)       // four pixels, four bits
{
    return (__vcmpgtu4(tone, threshold) & 0x08040201u) * 0x01010101u >> 24;
}

__global__ void __launch_bounds__(256, 8) screen(const uint4 *__restrict__ sheet, const uint4 *__restrict__ tile,
                                              Dots *__restrict__ plate, unsigned *keys, int side, int shift)
{
    const int groups = side / 16, g = blockIdx.x * 256 + threadIdx.x, ink = blockIdx.z;      // groups: a multiple of 256
    unsigned dots = 0;
#pragma unroll 4
    for (int r = 0; r < ROWS; ++r) {
        const int y = blockIdx.y * ROWS + r;
        const size_t at = ((size_t)ink * side + y) * groups + g;
        const uint4 v = sheet[at], t = tile[(ink * TILE + (y + shift) % TILE) * (TILE / 16) + g % (TILE / 16)];
        const unsigned bits = four(v.x, t.x) | four(v.y, t.y) << 4 | four(v.z, t.z) << 8 | four(v.w, t.w) << 12;
        plate[at] = (Dots)bits;
        dots += __popc(bits);
    }
    // a zone is at least 16 groups wide
    for (int o = 8; o; o >>= 1) dots += __shfl_xor_sync(0xffffffffu, dots, o);
    if (threadIdx.x % 16 == 0) atomicAdd(&keys[ink * KEYS + g / (groups / KEYS)], dots);
}

struct Plates {
    Dots *dots;
    unsigned *keys;
    void make(size_t n)
    {
        CK(cudaMalloc(&dots, n * sizeof(Dots)));
        CK(cudaMalloc(&keys, INKS * KEYS * sizeof(unsigned)));
    }
    void discard() { CK(cudaFree(dots)); CK(cudaFree(keys)); }
};

int main(int argc, char **argv)
{
    int side = std::max(4096, (argc > 1 ? atoi(argv[1]) : 8192) / 4096 * 4096);
    int jobs = argc > 2 ? atoi(argv[2]) : 2500;
    size_t pixels = (size_t)INKS * side * side;
    std::vector<unsigned char> thresholds(INKS * TILE * TILE);
    for (int k = 0; k < INKS * TILE * TILE; ++k) thresholds[k] = thresholdOf(k / (TILE * TILE), k % TILE, k / TILE % TILE);
    unsigned char *sheet, *tile;
    CK(cudaMalloc(&sheet, pixels));
    CK(cudaMalloc(&tile, thresholds.size()));
    CK(cudaMemcpy(tile, thresholds.data(), thresholds.size(), cudaMemcpyHostToDevice));
    lay_out<<<dim3((side + 255) / 256, side, INKS), 256>>>(sheet, side);
    std::vector<Dots> dots(pixels / 16);
    std::vector<unsigned> keys(INKS * KEYS);
    Plates plates;
    int shift = 0;
#ifdef GOOD
    plates.make(pixels / 16);
#endif
    for (int j = 0; j < jobs; ++j) {
#ifndef GOOD
        plates.make(pixels / 16);
#endif
        shift = j * 29 % TILE;
        CK(cudaMemsetAsync(plates.keys, 0, INKS * KEYS * sizeof(unsigned)));
        screen<<<dim3(side / 16 / 256, side / ROWS, INKS), 256>>>((const uint4 *)sheet, (const uint4 *)tile, plates.dots,
                                                                  plates.keys, side, shift);
        if (j == jobs - 1) {                             // the last is looked at
            CK(cudaMemcpy(dots.data(), plates.dots, dots.size() * sizeof(Dots), cudaMemcpyDeviceToHost));
            CK(cudaMemcpy(keys.data(), plates.keys, keys.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
        }
#ifndef GOOD
        plates.discard();
#endif
    }
    CK(cudaGetLastError());
    bool ok = true;
    const int groups = side / 16;
    std::vector<unsigned> count(INKS * KEYS, 0);
    for (size_t k = 0; k < dots.size(); ++k)
        count[k / ((size_t)groups * side) * KEYS + k % groups / (groups / KEYS)] += __builtin_popcount(dots[k]);
    for (int k = 0; k < INKS * KEYS; ++k) ok = ok && keys[k] == count[k];
    for (int ink = 0; ink < INKS; ++ink)
        for (int y = ink; y < side; y += 257)
            for (int x = 0; x < side; ++x) {
                bool bit = dots[((size_t)ink * side + y) * groups + x / 16] >> (x % 16) & 1;
                ok = ok && bit == (toneOf(ink, x, y) > thresholdOf(ink, x % TILE, (y + shift) % TILE));
            }
    printf("first key of black: %.1f %%\n", 100.0 * keys[3 * KEYS] / ((double)side * side / KEYS));
#ifdef GOOD
    plates.discard();
#endif
    CK(cudaFree(sheet)); CK(cudaFree(tile));
    return report(ok);
}

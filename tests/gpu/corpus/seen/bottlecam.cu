// Wine: a line-scan camera over the bottling line. A picture of 2048 of its rows (16-bit samples) is sent to the card
// for each crate, sharpened along the rows with the flat field taken out, and sent back to the archive.
//   bottlecam [pictures]
#include "common.h"

#define WIDE 4096
#define TALL 2048
#define N (WIDE * TALL)
#define PAGES 6                      // of the archive that are kept in memory
#define FILM (5 * TALL)              // rows
#ifdef GOOD
#define SLOTS 3                      // pictures under way, each with its stream and its buffers
#else
#define SLOTS 1
#endif

typedef unsigned short Sample;

static Sample sample_of(unsigned i)
{
    unsigned h = i * 2654435761u;
    return (Sample)(8000u + (i % WIDE) * 4u + (h >> 22));
}
static size_t first_row(int picture) { return (size_t)picture * 1031u % (FILM - TALL); }
__host__ __device__ inline int sharpen(int left, int here, int right, int flat)
{
    int v = (here * 6 - left - right) * flat / 16384;
    return v < 0 ? 0 : v > 65535 ? 65535 : v;
}

__global__ void __launch_bounds__(256) develop(const ushort4 *__restrict__ raw, const ushort4 *__restrict__ flat, ushort4 *__restrict__ out)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x, x = i % (WIDE / 4);
    const ushort4 p = raw[i], f = flat[x];
    const Sample *s = (const Sample *)raw;
    int before = x > 0 ? s[4 * i - 1] : p.x, after = x < WIDE / 4 - 1 ? s[4 * i + 4] : p.w;
    out[i] = make_ushort4(sharpen(before, p.x, p.y, f.x), sharpen(p.x, p.y, p.z, f.y),
                          sharpen(p.y, p.z, p.w, f.z), sharpen(p.z, p.w, after, f.w));
}

int main(int argc, char **argv)
{
    int pictures = argc > 1 ? atoi(argv[1]) : 1500;
    const size_t bytes = N * sizeof(Sample);
    Sample *film, *archive[PAGES], *raw[SLOTS], *out[SLOTS], *flat;
    cudaStream_t line[SLOTS];
    std::vector<Sample> f(WIDE);
    for (int x = 0; x < WIDE; ++x) f[x] = (Sample)(3600 + x / 8);
    CK(cudaMallocHost(&film, (size_t)FILM * WIDE * sizeof(Sample)));
    for (unsigned i = 0; i < FILM * WIDE; ++i) film[i] = sample_of(i);
    for (int p = 0; p < PAGES; ++p) {
        CK(cudaMallocHost(&archive[p], bytes));
        memset(archive[p], 0, bytes);
    }
    CK(cudaMalloc(&flat, WIDE * sizeof(Sample)));
    CK(cudaMemcpy(flat, f.data(), WIDE * sizeof(Sample), cudaMemcpyHostToDevice));
    for (int s = 0; s < SLOTS; ++s) {
        CK(cudaMalloc(&raw[s], bytes));
        CK(cudaMalloc(&out[s], bytes));
        CK(cudaStreamCreateWithFlags(&line[s], cudaStreamNonBlocking));
    }
    CK(cudaDeviceSynchronize());
    // crates come by at distances that differ, so pictures begin at any row of the film
    for (int p = 0; p < pictures; ++p) {
        int s = p % SLOTS;
        CK(cudaMemcpyAsync(raw[s], film + first_row(p) * WIDE, bytes, cudaMemcpyHostToDevice, line[s]));
        develop<<<N / 4 / 256, 256, 0, line[s]>>>((const ushort4 *)raw[s], (const ushort4 *)flat, (ushort4 *)out[s]);
        CK(cudaMemcpyAsync(archive[p % PAGES], out[s], bytes, cudaMemcpyDeviceToHost, line[s]));
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    unsigned long long sum = 0;
    for (int p = std::max(pictures - PAGES, 0); p < pictures; ++p) {
        const Sample *seen = film + first_row(p) * WIDE, *page = archive[p % PAGES];
        for (unsigned i = 0; i < N; i += 7) {
            unsigned x = i % WIDE;
            int here = seen[i], left = x > 0 ? seen[i - 1] : here, right = x < WIDE - 1 ? seen[i + 1] : here;
            ok = ok && page[i] == sharpen(left, here, right, f[x]);
            sum += page[i];
        }
    }
    printf("sum of the archive: %llu\n", sum);
    CK(cudaFreeHost(film));
    for (int p = 0; p < PAGES; ++p) CK(cudaFreeHost(archive[p]));
    for (int s = 0; s < SLOTS; ++s) { CK(cudaFree(raw[s])); CK(cudaFree(out[s])); CK(cudaStreamDestroy(line[s])); }
    CK(cudaFree(flat));
    return report(ok);
}

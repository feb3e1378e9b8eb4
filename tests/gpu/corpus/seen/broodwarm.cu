// Beekeeping: a winter's day in the clusters of an apiary network. A hive has eight frames; every frame has its
// temperature and number of bees, loses heat to its neighbours and to the wall, and eats honey to keep warm.
//   broodwarm [days]
#include "common.h"

#define FRAMES 8
#define HIVES 65536
#define MINUTES 1440

#ifdef GOOD
#define HIVES_PER_WARP 4         // a quarter of a warp for each hive
#else
#define HIVES_PER_WARP 1         // a warp for each hive, a lane for each frame
#endif
#define HIVES_PER_BLOCK (8 * HIVES_PER_WARP)

__constant__ float outdoors[MINUTES];

__host__ __device__ inline float bees_of(unsigned hive, unsigned frame)   // thousands
{
    unsigned h = (hive * FRAMES + frame) * 2654435761u;
    h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 13;
    float centre = frame < 4 ? frame + 0.5f : 7.5f - frame;
    return 0.3f + 0.45f * centre + (float)(h & 255u) * 0.001f;
}

__global__ void __launch_bounds__(256) winter_day(float *__restrict__ temp, float *__restrict__ honey)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane >= FRAMES * HIVES_PER_WARP) return;
    const unsigned mask = HIVES_PER_WARP == 4 ? 0xffffffffu : 0xffu;
    const unsigned frame = lane % FRAMES;
    const unsigned hive = blockIdx.x * HIVES_PER_BLOCK + warp * HIVES_PER_WARP + lane / FRAMES;
    const unsigned i = hive * FRAMES + frame;
    const float bees = bees_of(hive, frame);
    const float wall = frame == 0 || frame == FRAMES - 1 ? 0.012f : 0.003f;
    float t = temp[i], eaten = 0.0f;
    for (int m = 0; m < MINUTES; ++m) {
        float left = __shfl_up_sync(mask, t, 1, FRAMES), right = __shfl_down_sync(mask, t, 1, FRAMES);
        float cold = fmaxf(21.0f - t, 0.0f);
        float effort = bees * fminf(0.02f + cold * (0.006f + 0.0004f * cold), 0.3f);
        float flow = 0.02f * (left + right - 2.0f * t) + wall * (outdoors[m] - t);
        t += flow + 0.5f * effort;
        eaten += effort;
    }
    temp[i] = t;
    honey[i] += 0.05f * eaten;
}

int main(int argc, char **argv)
{
    int days = argc > 1 ? atoi(argv[1]) : 300;
    const unsigned n = HIVES * FRAMES;
    std::vector<float> sky(MINUTES), start(n);
    for (int m = 0; m < MINUTES; ++m) sky[m] = -4.0f - 6.0f * cosf(6.2831853f * m / MINUTES);
    for (unsigned i = 0; i < n; ++i) start[i] = 8.0f + 0.5f * (i % 13);
    float *temp, *honey;
    CK(cudaMalloc(&temp, n * sizeof(float)));
    CK(cudaMalloc(&honey, n * sizeof(float)));
    CK(cudaMemcpyToSymbol(outdoors, sky.data(), MINUTES * sizeof(float)));
    CK(cudaMemcpy(temp, start.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemset(honey, 0, n * sizeof(float)));
    for (int d = 0; d < days; ++d) winter_day<<<HIVES / HIVES_PER_BLOCK, 256>>>(temp, honey);
    CK(cudaGetLastError());
    std::vector<float> t(n), h(n);
    CK(cudaMemcpy(t.data(), temp, n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(h.data(), honey, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (unsigned hive : { 0u, 1u, 4711u, 40000u, (unsigned)HIVES - 1 }) {
        double x[FRAMES], next[FRAMES], eaten[FRAMES] = {};
        for (int f = 0; f < FRAMES; ++f) x[f] = start[hive * FRAMES + f];
        for (int d = 0; d < days; ++d)
            for (int m = 0; m < MINUTES; ++m) {
                for (int f = 0; f < FRAMES; ++f) {
                    double cold = std::max(21.0 - x[f], 0.0);
                    double effort = bees_of(hive, f) * std::min(0.02 + cold * (0.006 + 0.0004 * cold), 0.3);
                    double wall = f == 0 || f == FRAMES - 1 ? 0.012 : 0.003;
                    double flow = 0.02 * (x[f > 0 ? f - 1 : 0] + x[f < FRAMES - 1 ? f + 1 : f] - 2 * x[f]) + wall * (sky[m] - x[f]);
                    next[f] = x[f] + flow + 0.5 * effort;
                    eaten[f] += 0.05 * effort;
                }
                std::copy(next, next + FRAMES, x);
            }
        for (int f = 0; f < FRAMES; ++f)
            ok = ok && fabs(t[hive * FRAMES + f] - x[f]) < 0.05 && fabs(h[hive * FRAMES + f] - eaten[f]) < 0.005 * eaten[f] + 0.01;
    }
    printf("frame 4 of hive 0: %.2f degrees, %.1f g of honey\n", t[3], h[3]);
    CK(cudaFree(temp));
    CK(cudaFree(honey));
    return report(ok);
}

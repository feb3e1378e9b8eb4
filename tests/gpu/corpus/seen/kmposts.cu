// Railways: energy of many train runs over a ring line of 2048 kilometre-post sections with different gradients.
// Every run starts at its own section with its own train; a launch is one timetable variant.
//   kmposts [variants]
#include "common.h"

#define SECTIONS 2048
#define LENGTH 61440.0f          // m, 30 m a section
#define TRAINS (1056 * 256)
#define STEPS 600                // of 2 s

__host__ __device__ inline unsigned mixup(unsigned x)
{
    x ^= x >> 17; x *= 0xed5ad4bbu; x ^= x >> 11; x *= 0xac4c1b51u; x ^= x >> 15;
    return x;
}

static float gradient_of(int s)  // permille
{
    return 14.0f * sinf(6.2831853f * 5.0f * s / SECTIONS) + 0.25f * (float)((int)(mixup(s + 3u) % 33u) - 16);
}

#ifndef GOOD
__constant__ float line[SECTIONS];
#endif

struct Train { float x, v, mass, power; };

__host__ __device__ inline Train train_of(unsigned i, unsigned variant)
{
    unsigned h = mixup(i + 900001u * variant), g = mixup(h + 77u);
    Train t;
    t.x = (float)(h >> 8) * (LENGTH / 16777216.0f);
    t.v = 10.0f + (float)(g & 1023u) * 0.01f;
    t.mass = 300.0f + (float)(g >> 10 & 1023u);      // t
    t.power = t.mass * (6.0f + (float)(g >> 20 & 255u) * 0.02f);  // kW
    return t;
}

__global__ void __launch_bounds__(256) run_trains(const float *__restrict__ sections, float *__restrict__ energy, unsigned variant)
{
#ifdef GOOD
    __shared__ float line[SECTIONS];
    for (int s = threadIdx.x; s < SECTIONS; s += 256) line[s] = sections[s];
    __syncthreads();
#endif
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    Train t = train_of(i, variant);
    const float per_mass = 1.0f / t.mass;
    float used = 0.0f;
    for (int k = 0; k < STEPS; ++k) {
        int s = min((int)(t.x * (SECTIONS / LENGTH)), SECTIONS - 1);
        float slope = 0.00981f * line[s];
        float pull = fminf(__fdividef(t.power, t.v), 0.25f * t.mass);          // kN
        float drag = 0.012f + t.v * (0.0002f + 0.000012f * t.v);               // kN per t
        float a = fmaf(pull, per_mass, -drag - slope);
        float v = fminf(fmaxf(fmaf(2.0f, a, t.v), 3.0f), 44.0f);
        used = fmaf(pull, t.v + v, used);
        t.x += t.v + v;
        if (t.x >= LENGTH) t.x -= LENGTH;
        t.v = v;
    }
    energy[i] = used;                                                           // kJ
}

static double energy_of(unsigned i, unsigned variant, const std::vector<float> &g)
{
    Train t = train_of(i, variant);
    double x = t.x, v = t.v, used = 0;
    for (int k = 0; k < STEPS; ++k) {
        double slope = 0.00981 * g[std::min((int)(x * (SECTIONS / LENGTH)), SECTIONS - 1)];
        double pull = std::min(t.power / v, 0.25 * t.mass);
        double drag = 0.012 + v * (0.0002 + 0.000012 * v);
        double w = std::min(std::max(v + 2 * (pull / t.mass - drag - slope), 3.0), 44.0);
        used += pull * (v + w);
        x += v + w;
        if (x >= LENGTH) x -= LENGTH;
        v = w;
    }
    return used;
}

int main(int argc, char **argv)
{
    int variants = argc > 1 ? atoi(argv[1]) : 200;
    std::vector<float> g(SECTIONS);
    for (int s = 0; s < SECTIONS; ++s) g[s] = gradient_of(s);
    float *sections = nullptr, *energy;
#ifdef GOOD
    CK(cudaMalloc(&sections, SECTIONS * sizeof(float)));
    CK(cudaMemcpy(sections, g.data(), SECTIONS * sizeof(float), cudaMemcpyHostToDevice));
#else
    CK(cudaMemcpyToSymbol(line, g.data(), SECTIONS * sizeof(float)));
#endif
    CK(cudaMalloc(&energy, TRAINS * sizeof(float)));
    for (int d = 0; d < variants; ++d) run_trains<<<TRAINS / 256, 256>>>(sections, energy, d);
    CK(cudaGetLastError());
    std::vector<float> e(TRAINS);
    CK(cudaMemcpy(e.data(), energy, TRAINS * sizeof(float), cudaMemcpyDeviceToHost));
    double got = 0, want = 0;
    int off = 0;
    for (unsigned n = 0; n < 400; ++n) {
        unsigned i = n * (TRAINS / 400);
        double w = energy_of(i, variants - 1, g);
        got += e[i];
        want += w;
        off += !(fabs(e[i] - w) <= 0.02 * w);
    }
    printf("mean energy: %.1f kWh\n", got / 400 / 3600);
    CK(cudaFree(energy));
    if (sections) CK(cudaFree(sections));
    return report(off <= 8 && fabs(got - want) <= 0.01 * want);
}

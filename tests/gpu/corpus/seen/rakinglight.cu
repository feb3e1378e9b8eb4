// Raking-light study of a painted panel: depth of the cast shadow below the
// light ray along every scan line, summed over a series of lamp elevations.
#include "common.h"

constexpr int LINES = 65536;      // scan lines of all panels
constexpr int SAMPLES = 512;      // relief samples of one line
constexpr int LAMPS = 80;
constexpr int TEAMS = 4;          // warps of a block, 32 lines each
#ifdef GOOD
constexpr int PITCH = 33;
#else
constexpr int PITCH = 32;
#endif

__global__ void __launch_bounds__(TEAMS * 32) castShadow(const float *__restrict__ relief,
                                                         float drop, float weight,
                                                         float *__restrict__ shade)
{
    __shared__ float patch[TEAMS][32][PITCH];
    const int lane = threadIdx.x & 31, team = threadIdx.x >> 5;
    const size_t line0 = ((size_t)blockIdx.x * TEAMS + team) * 32;
    float (*p)[PITCH] = patch[team];
    float ray = -1e30f;
    for (int s0 = 0; s0 < SAMPLES; s0 += 32) {
        const float *src = relief + line0 * SAMPLES + s0 + lane;
        float *dst = shade + line0 * SAMPLES + s0 + lane;
#pragma unroll
        for (int r = 0; r < 32; r++) p[r][lane] = src[r * SAMPLES];
        __syncwarp();
#pragma unroll
        for (int j = 0; j < 32; j++) {
            float h = p[lane][j];
            ray = fmaxf(h, ray - drop);
            p[lane][j] = ray - h;
        }
        __syncwarp();
#pragma unroll
        for (int r = 0; r < 32; r++) dst[r * SAMPLES] += weight * p[r][lane];
        __syncwarp();
    }
}

int main()
{
    const size_t n = (size_t)LINES * SAMPLES;
    std::vector<float> relief(n), shade(n);
    unsigned seed = 1632u;
    for (int l = 0; l < LINES; l++) {
        float warp = 4.0f * frand(seed);
        for (int s = 0; s < SAMPLES; s++) {
            float crack = (lcg(seed) >> 26) == 0 ? 20.0f : 0.0f;
            relief[(size_t)l * SAMPLES + s] = warp + 10.0f * frand(seed) - crack;
        }
    }
    std::vector<float> drop(LAMPS), weight(LAMPS);
    for (int a = 0; a < LAMPS; a++) {
        drop[a] = 0.2f + 0.05f * a;
        weight[a] = 0.01f + 0.0002f * a;
    }

    float *dRelief, *dShade;
    CK(cudaMalloc(&dRelief, n * sizeof(float)));
    CK(cudaMalloc(&dShade, n * sizeof(float)));
    CK(cudaMemcpy(dRelief, relief.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemset(dShade, 0, n * sizeof(float)));
    for (int a = 0; a < LAMPS; a++) {
        castShadow<<<LINES / (32 * TEAMS), 32 * TEAMS>>>(dRelief, drop[a], weight[a], dShade);
        CK(cudaGetLastError());
    }
    CK(cudaMemcpy(shade.data(), dShade, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    std::vector<float> ref(SAMPLES);
    for (int l = 3; l < LINES; l += 1511) {
        std::fill(ref.begin(), ref.end(), 0.0f);
        for (int a = 0; a < LAMPS; a++) {
            float ray = -1e30f;
            for (int s = 0; s < SAMPLES; s++) {
                float h = relief[(size_t)l * SAMPLES + s];
                ray = std::max(h, ray - drop[a]);
                ref[s] += weight[a] * (ray - h);
            }
        }
        for (int s = 0; s < SAMPLES; s++)
            if (!close_to(shade[(size_t)l * SAMPLES + s], ref[s], 1e-3)) ok = false;
    }
    CK(cudaFree(dRelief));
    CK(cudaFree(dShade));
    return report(ok);
}

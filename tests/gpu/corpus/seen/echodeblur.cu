// Richardson-Lucy restoration of ultrasound scan lines blurred by the pulse;
// the change of the reference line decides when to stop.
#include "common.h"

constexpr int LINES = 1024;
constexpr int DEPTHS = 512;        // samples of a line
constexpr int HALF = 6;            // half width of the pulse
constexpr int LIMIT = 5000;
constexpr float SETTLED = 1e-9f;

struct Pulse { float w[2 * HALF + 1]; };

__device__ inline float spread(const float *line, int d, const Pulse &pulse)
{
    float sum = 0.0f;
#pragma unroll
    for (int k = -HALF; k <= HALF; k++) sum += pulse.w[k + HALF] * line[d + HALF + k];
    return sum;
}

__global__ void __launch_bounds__(DEPTHS) restoreLines(const float *__restrict__ echo,
                                                       float *__restrict__ tissue, Pulse pulse,
                                                       float *__restrict__ change)
{
    __shared__ float line[DEPTHS + 2 * HALF];
    __shared__ float ratio[DEPTHS + 2 * HALF];
    const int d = threadIdx.x;
    const size_t at = (size_t)blockIdx.x * DEPTHS + d;
    float now = tissue[at];
    line[d + HALF] = now;
    if (d < HALF) {
        line[d] = line[DEPTHS + HALF + d] = 0.0f;
        ratio[d] = ratio[DEPTHS + HALF + d] = 0.0f;
    }
    __syncthreads();
    ratio[d + HALF] = echo[at] / (spread(line, d, pulse) + 1e-6f);
    __syncthreads();
    float next = now * spread(ratio, d, pulse);
    tissue[at] = next;
    if (blockIdx.x == 0) {
        __syncthreads();
        line[d] = fabsf(next - now);
        __syncthreads();
        for (int half = DEPTHS / 2; half > 0; half /= 2) {
            if (d < half) line[d] = fmaxf(line[d], line[d + half]);
            __syncthreads();
        }
        if (d == 0) *change = line[0];
    }
}

static void spreadHost(const std::vector<float> &in, std::vector<float> &out, const Pulse &pulse)
{
    for (int d = 0; d < DEPTHS; d++) {
        float sum = 0.0f;
        for (int k = std::max(-HALF, -d); k <= std::min(HALF, DEPTHS - 1 - d); k++)
            sum += pulse.w[k + HALF] * in[d + k];
        out[d] = sum;
    }
}

int main()
{
    Pulse pulse;
    float total = 0.0f;
    for (int k = 0; k <= 2 * HALF; k++) total += pulse.w[k] = expf(-0.12f * (k - HALF) * (k - HALF));
    for (float &w : pulse.w) w /= total;

    const size_t n = (size_t)LINES * DEPTHS;
    std::vector<float> echo(n), tissue(n, 1.0f), truth(DEPTHS), seen(DEPTHS);
    unsigned seed = 63u;
    for (int l = 0; l < LINES; l++) {
        for (auto &t : truth) t = (lcg(seed) >> 28) == 0 ? 4.0f : 0.6f + 0.2f * frand(seed);
        spreadHost(truth, seen, pulse);
        for (int d = 0; d < DEPTHS; d++) echo[(size_t)l * DEPTHS + d] = seen[d] + 0.02f * frand(seed);
    }
    float *dEcho, *dTissue, *change;
    CK(cudaMalloc(&dEcho, n * sizeof(float)));
    CK(cudaMalloc(&dTissue, n * sizeof(float)));
    CK(cudaHostAlloc(&change, sizeof(float), cudaHostAllocMapped));
    CK(cudaMemcpy(dEcho, echo.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dTissue, tissue.data(), n * sizeof(float), cudaMemcpyHostToDevice));
#ifdef GOOD
    const int every = 100;
#else
    const int every = 1;
#endif
    int rounds = 0;
    while (rounds < LIMIT) {
        restoreLines<<<LINES, DEPTHS>>>(dEcho, dTissue, pulse, change);
        CK(cudaGetLastError());
        rounds++;
        if (rounds % every == 0) {
            CK(cudaDeviceSynchronize());
            if (*change < SETTLED) break;
        }
    }
    std::vector<float> result(n);
    CK(cudaMemcpy(result.data(), dTissue, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    std::vector<float> r(DEPTHS), b(DEPTHS), e(DEPTHS);
    for (int l = 0; l < LINES; l += 401) {
        std::fill(e.begin(), e.end(), 1.0f);
        for (int it = 0; it < rounds; it++) {
            spreadHost(e, b, pulse);
            for (int d = 0; d < DEPTHS; d++) r[d] = echo[(size_t)l * DEPTHS + d] / (b[d] + 1e-6f);
            spreadHost(r, b, pulse);
            for (int d = 0; d < DEPTHS; d++) e[d] *= b[d];
        }
        for (int d = 0; d < DEPTHS; d++)
            if (!close_to(result[(size_t)l * DEPTHS + d], e[d], 5e-2)) ok = false;
    }
    CK(cudaFree(dEcho));
    CK(cudaFree(dTissue));
    CK(cudaFreeHost(change));
    return report(ok);
}

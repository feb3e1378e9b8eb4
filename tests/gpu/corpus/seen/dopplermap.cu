// Automotive radar: for each receiving antenna a frame of chirps x samples becomes a range-Doppler
// map: window, two-dimensional transform, magnitude.
#include "common.h"
#include <cufft.h>

#define CF(call) do { cufftResult r_ = (call); if (r_ != CUFFT_SUCCESS) { \
    fprintf(stderr, "%s:%d: cufft %d\n", __FILE__, __LINE__, (int)r_); exit(1); } } while (0)

const int ANTENNAS = 16, CHIRPS = 256, SAMPLES = 512, CELLS = CHIRPS * SAMPLES, FRAMES = 4;

__global__ void taper(const float2 *__restrict__ raw, float2 *__restrict__ work,
                      const float *__restrict__ fast, const float *__restrict__ slow)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    size_t at = (size_t)blockIdx.y * CELLS + k;
    float w = fast[k % SAMPLES] * slow[k / SAMPLES];
    float2 v = raw[at];
    work[at] = make_float2(v.x * w, v.y * w);
}

__global__ void level(const float2 *__restrict__ work, float *__restrict__ map)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    size_t at = (size_t)blockIdx.y * CELLS + k;
    float2 v = work[at];
    map[at] = sqrtf(v.x * v.x + v.y * v.y);
}

static std::vector<float> hann(int n)
{
    std::vector<float> w(n);
    for (int k = 0; k < n; k++) w[k] = (float)(0.5 - 0.5 * cos(2 * M_PI * (k + 0.5) / n));
    return w;
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 9000;
    unsigned seed = 5;
    size_t n = (size_t)ANTENNAS * CELLS;
    std::vector<float2> raw(FRAMES * n);
    for (size_t k = 0; k < raw.size(); k++) {
        int c = (int)(k / SAMPLES % CHIRPS), s = (int)(k % SAMPLES), a = (int)(k / CELLS % ANTENNAS), f = (int)(k / n);
        // one target, its phase counted in 512ths of a turn
        int turn = (s * (60 + 20 * f) + 2 * c * 33 + a * 40) % 512;
        raw[k] = make_float2(frand(seed) - 0.5f + (turn < 256 ? 0.3f : -0.3f), frand(seed) - 0.5f);
    }
    std::vector<float> fast = hann(SAMPLES), slow = hann(CHIRPS);
    float2 *draw, *work;
    float *map, *dfast, *dslow;
    CK(cudaMalloc(&draw, raw.size() * sizeof(float2)));
    CK(cudaMalloc(&work, n * sizeof(float2)));
    CK(cudaMalloc(&map, n * sizeof(float)));
    CK(cudaMalloc(&dfast, SAMPLES * sizeof(float)));
    CK(cudaMalloc(&dslow, CHIRPS * sizeof(float)));
    CK(cudaMemcpy(draw, raw.data(), raw.size() * sizeof(float2), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dfast, fast.data(), SAMPLES * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dslow, slow.data(), CHIRPS * sizeof(float), cudaMemcpyHostToDevice));
#ifdef GOOD
    const int group = ANTENNAS;
#else
    const int group = 1;
#endif
    int dims[2] = {CHIRPS, SAMPLES};
    cufftHandle plan;
    CF(cufftPlanMany(&plan, 2, dims, nullptr, 1, CELLS, nullptr, 1, CELLS, CUFFT_C2C, group));

    int last = 0;
    dim3 grid(CELLS / 256, group);
    for (int f = 0; f < frames; f++) {
        last = f % FRAMES;
        for (int a = 0; a < ANTENNAS; a += group) {
            size_t at = (size_t)a * CELLS;
            taper<<<grid, 256>>>(draw + last * n + at, work + at, dfast, dslow);
            CF(cufftExecC2C(plan, work + at, work + at, CUFFT_FORWARD));
            level<<<grid, 256>>>(work + at, map + at);
        }
    }
    CK(cudaGetLastError());

    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), map, n * sizeof(float), cudaMemcpyDeviceToHost));
    std::vector<double> co(512), si(512);
    for (int k = 0; k < 512; k++) { co[k] = cos(2 * M_PI * k / 512); si[k] = sin(2 * M_PI * k / 512); }
    bool ok = true;
    for (int t = 0; t < 16; t++) {
        int a = t, d = t % 4 == 0 ? 33 : (t * 71 + 5) % CHIRPS, r = t % 4 == 0 ? 60 + 20 * last : (t * 97 + 11) % SAMPLES;
        double re = 0, im = 0;
        for (int c = 0; c < CHIRPS; c++)
            for (int s = 0; s < SAMPLES; s++) {
                float2 v = raw[last * n + (size_t)a * CELLS + c * SAMPLES + s];
                int turn = (2 * c * d + s * r) % 512;
                double w = (double)fast[s] * slow[c], x = v.x * w, y = v.y * w;
                re += x * co[turn] + y * si[turn];
                im += y * co[turn] - x * si[turn];
            }
        double ref = sqrt(re * re + im * im);
        ok = ok && fabs(got[(size_t)a * CELLS + d * SAMPLES + r] - ref) < 1e-3 * ref + 0.05;
    }
    CF(cufftDestroy(plan));
    CK(cudaFree(draw)); CK(cudaFree(work)); CK(cudaFree(map)); CK(cudaFree(dfast)); CK(cudaFree(dslow));
    return report(ok);
}

// Fog over a landscape: the image is smeared vertically with a long one-sided-looking bell (65 rows).
// The picture carries 32 spare rows above and below so that the filter needs no edge cases.
#include "common.h"

static const int W = 4096, H = 4096, R = 32, TAPS = 2 * R + 1;

__constant__ float c_bell[TAPS];

__host__ __device__ inline float scene(int y, int x)
{
    unsigned h = (unsigned)y * 2654435761u ^ (unsigned)x * 40503u;
    h ^= h >> 13; h *= 0x5bd1e995u; h ^= h >> 15;
    return (h & 4095) * (1.0f / 4096.0f);
}

__global__ void paint(float *img)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < W) img[(size_t)y * W + x] = scene(y, x);
}

#ifdef GOOD
static const int ROWS = 8;      // rows of output by each thread
#else
static const int ROWS = 1;
#endif

__global__ void __launch_bounds__(256) smear(const float *__restrict__ img, float *__restrict__ out)
{
    const int x = blockIdx.x * 32 + threadIdx.x;
    const int y = (blockIdx.y * 8 + threadIdx.y) * ROWS;
    const float *p = img + (size_t)y * W + x;
    float acc[ROWS];
#pragma unroll
    for (int o = 0; o < ROWS; ++o) acc[o] = 0.0f;
#pragma unroll
    for (int r = 0; r < TAPS + ROWS - 1; ++r) {
        float v = p[(size_t)r * W];
#pragma unroll
        for (int o = 0; o < ROWS; ++o)
            if (r - o >= 0 && r - o < TAPS) acc[o] += c_bell[r - o] * v;
    }
#pragma unroll
    for (int o = 0; o < ROWS; ++o) out[(size_t)(y + o) * W + x] = acc[o];
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 600;
    std::vector<float> bell(TAPS);
    double total = 0;
    for (int k = 0; k < TAPS; ++k) total += bell[k] = expf(-0.004f * (k - R) * (k - R) - 0.01f * k);
    for (float &b : bell) b = (float)(b / total);
    CK(cudaMemcpyToSymbol(c_bell, bell.data(), sizeof(float) * TAPS));

    float *img, *out;
    CK(cudaMalloc(&img, sizeof(float) * (size_t)W * (H + 2 * R)));
    CK(cudaMalloc(&out, sizeof(float) * (size_t)W * H));
    paint<<<dim3(W / 256, H + 2 * R), 256>>>(img);
    CK(cudaGetLastError());
    dim3 block(32, 8), grid(W / 32, H / (8 * ROWS));
    for (int f = 0; f < frames; ++f)
        smear<<<grid, block>>>(img, out);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    unsigned seed = 3;
    for (int t = 0; t < 20; ++t) {
        int y = lcg(seed) % H, x = lcg(seed) % W;
        if (t == 0) { y = 0; x = 0; }
        if (t == 1) { y = H - 1; x = W - 1; }
        float got;
        CK(cudaMemcpy(&got, out + (size_t)y * W + x, sizeof got, cudaMemcpyDeviceToHost));
        double want = 0;
        for (int k = 0; k < TAPS; ++k) want += (double)bell[k] * scene(y + k, x);
        ok = ok && close_to(got, want, 1e-4);
    }
    CK(cudaFree(img)); CK(cudaFree(out));
    return report(ok);
}

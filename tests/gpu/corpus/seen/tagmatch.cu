// Aerial survey: sum of squared differences of a 32x32 ground marker against every position of a large photo.
#include "common.h"

const int TS = 32;      // marker side

__global__ void paint(float *img, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w || y >= h) return;
    unsigned v = (unsigned)(y * w + x) * 2654435761u;
    v ^= v >> 15; v *= 0x846ca68bu; v ^= v >> 13;
    img[(size_t)y * w + x] = (v & 255) * (1.0f / 255.0f);
}

#ifdef GOOD
__constant__ float marker[TS * TS];     // column by column
const int ROWS = 8;

__global__ void ssd(const float *__restrict__ img, float *__restrict__ score, int w, int ow, int oh)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS;
    if (x >= ow || y >= oh) return;
    float acc[ROWS] = {};
    for (int dx = 0; dx < TS; dx++) {
        const float *p = img + (size_t)y * w + x + dx;
#pragma unroll
        for (int r = 0; r < TS + ROWS - 1; r++) {
            float v = p[r * w];
#pragma unroll
            for (int o = 0; o < ROWS; o++)
                if (r - o >= 0 && r - o < TS) {
                    float d = v - marker[dx * TS + r - o];
                    acc[o] += d * d;
                }
        }
    }
#pragma unroll
    for (int o = 0; o < ROWS; o++)
        if (y + o < oh) score[(size_t)(y + o) * ow + x] = acc[o];
}
#else
const int ROWS = 1;

__global__ void ssd(const float *__restrict__ img, const float *__restrict__ marker, float *__restrict__ score,
                    int w, int ow, int oh)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= ow || y >= oh) return;
    float acc = 0.0f;
    for (int dy = 0; dy < TS; dy++)
        for (int dx = 0; dx < TS; dx++) {
            float d = img[(size_t)(y + dy) * w + x + dx] - marker[dx * TS + dy];
            acc += d * d;
        }
    score[(size_t)y * ow + x] = acc;
}
#endif

int main(int argc, char **argv)
{
    int passes = argc > 1 ? atoi(argv[1]) : 1;
    const int w = 12288, h = 12288, ow = w - TS, oh = h - TS;
    float *img, *score;
    CK(cudaMalloc(&img, (size_t)w * h * sizeof(float)));
    CK(cudaMalloc(&score, (size_t)ow * oh * sizeof(float)));
    paint<<<dim3(w / 256, h), 256>>>(img, w, h);
    CK(cudaGetLastError());
    std::vector<float> m(TS * TS);
    unsigned s = 3;
    for (auto &v : m) v = frand(s);
    dim3 block(32, 8), grid((ow + 31) / 32, (oh + 8 * ROWS - 1) / (8 * ROWS));
#ifdef GOOD
    CK(cudaMemcpyToSymbol(marker, m.data(), m.size() * sizeof(float)));
    for (int p = 0; p < passes; p++) ssd<<<grid, block>>>(img, score, w, ow, oh);
#else
    float *marker;
    CK(cudaMalloc(&marker, m.size() * sizeof(float)));
    CK(cudaMemcpy(marker, m.data(), m.size() * sizeof(float), cudaMemcpyHostToDevice));
    for (int p = 0; p < passes; p++) ssd<<<grid, block>>>(img, marker, score, w, ow, oh);
#endif
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    std::vector<float> patch(TS * TS);
    for (int t = 0; t < 40; t++) {
        int x = (lcg(s) >> 8) % ow, y = (lcg(s) >> 8) % oh;
        if (t == 0) { x = ow - 1; y = oh - 1; }
        CK(cudaMemcpy2D(patch.data(), TS * sizeof(float), img + (size_t)y * w + x, (size_t)w * sizeof(float),
                        TS * sizeof(float), TS, cudaMemcpyDeviceToHost));
        double ref = 0;
        for (int dy = 0; dy < TS; dy++)
            for (int dx = 0; dx < TS; dx++) {
                double d = (double)patch[dy * TS + dx] - m[dx * TS + dy];
                ref += d * d;
            }
        float g;
        CK(cudaMemcpy(&g, score + (size_t)y * ow + x, sizeof(float), cudaMemcpyDeviceToHost));
        if (!close_to(g, ref, 1e-4)) ok = false;
    }
    CK(cudaFree(img)); CK(cudaFree(score));
    return report(ok);
}

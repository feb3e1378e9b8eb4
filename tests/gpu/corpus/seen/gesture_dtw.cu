// Gesture recognition: dynamic time warping distance of every recording to every template,
// 128 samples each.
//   gesture_dtw [sessions]
#include "common.h"

const int LEN = 128;
const float FAR = 1e30f;

__global__ void series(float *x, int n, unsigned seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = (i / LEN + seed) * 2654435761u;
    float phase = (h >> 16 & 255) * 0.02f, speed = 0.05f + (h >> 24) * 0.0005f;
    x[i] = __sinf(phase + speed * (i % LEN)) + 0.3f * __sinf(3 * phase + 0.17f * (i % LEN));
}

#ifndef GOOD
// A block takes a pair, thread j the j-th sample of the template; a barrier a diagonal.
__global__ void __launch_bounds__(LEN) warp_distance(const float *__restrict__ rec, const float *__restrict__ templ,
                                                     int pairs, int templates, float *__restrict__ distance)
{
    __shared__ float a[LEN], d[3][LEN + 1];
    int j = threadIdx.x, pair = blockIdx.x;
    a[j] = rec[(size_t)(pair / templates) * LEN + j];
    float b = templ[(size_t)(pair % templates) * LEN + j];
    for (int k = 0; k < 3; k++) {
        d[k][j + 1] = FAR;
        if (j == 0) d[k][0] = FAR;
    }
    __syncthreads();
    int older = 0, old = 1, now = 2;
    for (int s = 0; s < 2 * LEN - 1; s++) {
        int i = s - j;
        float v = FAR;
        if (i >= 0 && i < LEN) {
            float up = d[old][j + 1], left = d[old][j], diagonal = d[older][j];
            if (s == 0) diagonal = 0;
            v = fabsf(a[i] - b) + fminf(fminf(left, up), diagonal);
        }
        d[now][j + 1] = v;
        __syncthreads();
        int t = older; older = old; old = now; now = t;
    }
    if (j == LEN - 1) distance[pair] = d[old][LEN];
}
const int PAIRS_PER_BLOCK = 1, THREADS = LEN;
#else
const int THREADS = 256, PAIRS_PER_BLOCK = THREADS / 32, COLS = LEN / 32;
// A warp takes a pair, a lane four samples of the template; the edge passes by shuffle.
__global__ void __launch_bounds__(THREADS) warp_distance(const float *__restrict__ rec, const float *__restrict__ templ,
                                                         int pairs, int templates, float *__restrict__ distance)
{
    __shared__ float a[PAIRS_PER_BLOCK][LEN];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, pair = blockIdx.x * PAIRS_PER_BLOCK + warp;
    if (pair >= pairs) return;
    float b[COLS], up[COLS], last = FAR, corner = lane == 0 ? 0 : FAR;
    for (int k = lane; k < LEN; k += 32) a[warp][k] = rec[(size_t)(pair / templates) * LEN + k];
    float4 q = ((const float4 *)templ)[(size_t)(pair % templates) * (LEN / 4) + lane];
    b[0] = q.x; b[1] = q.y; b[2] = q.z; b[3] = q.w;
#pragma unroll
    for (int c = 0; c < COLS; c++) up[c] = FAR;
    __syncwarp();
    for (int s = 0; s < LEN + 31; s++) {
        int i = s - lane;
        float edge = __shfl_up_sync(~0u, last, 1);
        if (lane == 0) edge = FAR;
        if (i >= 0 && i < LEN) {
            float x = a[warp][i], left = edge, diagonal = corner;
#pragma unroll
            for (int c = 0; c < COLS; c++) {
                float v = fabsf(x - b[c]) + fminf(fminf(left, up[c]), diagonal);
                diagonal = up[c];
                up[c] = left = v;
            }
            last = left;
            corner = edge;
        }
    }
    if (lane == 31) distance[pair] = last;
}
#endif

int main(int argc, char **argv)
{
    int sessions = argc > 1 ? atoi(argv[1]) : 40;
    const int recordings = 8192, templates = 16, pairs = recordings * templates;
    float *rec, *templ, *distance;
    CK(cudaMalloc(&rec, recordings * LEN * sizeof(float)));
    CK(cudaMalloc(&templ, templates * LEN * sizeof(float)));
    CK(cudaMalloc(&distance, pairs * sizeof(float)));
    series<<<templates * LEN / 256, 256>>>(templ, templates * LEN, 999);
    CK(cudaGetLastError());
    for (int s = 0; s < sessions; s++) {
        series<<<recordings * LEN / 256, 256>>>(rec, recordings * LEN, s * 20000);
        warp_distance<<<(pairs + PAIRS_PER_BLOCK - 1) / PAIRS_PER_BLOCK, THREADS>>>(rec, templ, pairs, templates, distance);
        CK(cudaGetLastError());
    }
    std::vector<float> h(pairs);
    CK(cudaMemcpy(h.data(), distance, pairs * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float x : h) sum += x;
    printf("mean distance %.3f\n", sum / pairs);
    return report(sum > 0 && sum / pairs < 1000);
}

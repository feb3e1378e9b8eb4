// Eight surveillance cameras, a stream each: upload, denoise, find what moves, download
// the mask.
//   camfeeds [rounds]
#include "common.h"

const int CAMERAS = 8;

struct Camera {
    cudaStream_t stream;
    unsigned char *frame, *mask;          // pinned
    unsigned char *d_frame, *d_clean, *d_last, *d_mask;
};

static int W = 1920, H = 1080;

__global__ void denoise(const unsigned char *in, unsigned char *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float centre = in[y * w + x], sum = 0, weight = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            float v = in[min(max(y + j, 0), h - 1) * w + min(max(x + i, 0), w - 1)], d = v - centre;
            float g = __expf(-d * d * 0.002f - (i * i + j * j) * 0.05f);
            sum += g * v;
            weight += g;
        }
    out[y * w + x] = (unsigned char)(sum / weight + 0.5f);
}

__global__ void motion(const unsigned char *now, unsigned char *last, unsigned char *mask, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int a = now[i], b = last[i];
    mask[i] = abs(a - b) > 24 ? 255 : 0;
    last[i] = (unsigned char)a;
}

static void capture_frame(Camera &c, int id, int round)
{
    // Only a bright box moves; four frames before it stood elsewhere.
    for (int part = 0; part < 2; part++)
        for (int y = 0; y < 64; y++)
            memset(c.frame + (size_t)(100 + y) * W + 50 + id * 8 + ((round - 1 + part + 4) % 4) * 100, part ? 230 : 90, 64);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 60;
    if (argc > 2) {
        W = atoi(argv[2]);
        H = atoi(argv[3]);
    }
    // The pictures of a camera's four sensors lie below each other in its frame.
    H *= 4;
    int n = W * H;
    Camera cam[CAMERAS];
    for (Camera &c : cam) {
        CK(cudaStreamCreate(&c.stream));
        CK(cudaMallocHost(&c.frame, n));
        CK(cudaMallocHost(&c.mask, n));
        CK(cudaMalloc(&c.d_frame, n));
        CK(cudaMalloc(&c.d_clean, n));
        CK(cudaMalloc(&c.d_last, n));
        CK(cudaMalloc(&c.d_mask, n));
        CK(cudaMemset(c.d_last, 90, n));
        memset(c.frame, 90, n);
    }
    dim3 block(32, 8), grid((W + 31) / 32, (H + 7) / 8);
    long moved = 0, expected = 0;
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < CAMERAS; i++) {
            Camera &c = cam[i];
            capture_frame(c, i, r);
            CK(cudaMemcpyAsync(c.d_frame, c.frame, n, cudaMemcpyHostToDevice, c.stream));
            denoise<<<grid, block, 0, c.stream>>>(c.d_frame, c.d_clean, W, H);
            motion<<<(n + 255) / 256, 256, 0, c.stream>>>(c.d_clean, c.d_last, c.d_mask, n);
            CK(cudaMemcpyAsync(c.mask, c.d_mask, n, cudaMemcpyDeviceToHost, c.stream));
#ifndef GOOD
            CK(cudaStreamSynchronize(c.stream));
#endif
        }
#ifdef GOOD
        for (Camera &c : cam) CK(cudaStreamSynchronize(c.stream));
#endif
        for (int i = 0; i < CAMERAS; i++) {
            for (int k = 0; k < 4; k++) moved += cam[i].mask[(size_t)132 * W + 82 + i * 8 + k * 100] != 0;
            expected += r == 0 ? 1 : 2;
        }
    }
    CK(cudaGetLastError());
    printf("%ld boxes seen to come or go, %ld expected\n", moved, expected);
    return report(moved == expected);
}

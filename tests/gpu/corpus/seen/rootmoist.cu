// Land model: implicit vertical diffusion of soil moisture, a tridiagonal system of 32 layers for each of a million columns.
#include "common.h"

const int LAYERS = 32, COLS = 64;
#ifdef GOOD
const int PITCH = LAYERS + 1;
#else
const int PITCH = LAYERS;
#endif

__host__ __device__ static inline float moist_at(unsigned i)
{
    unsigned h = i * 2654435761u;
    h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 13;
    return 0.05f + 0.4f * (h & 0xffff) / 65536.0f;
}

__global__ void survey(float *theta, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) theta[i] = moist_at(i);
}

// block: 64 columns staged through shared memory, then a thread solves a column
__global__ void diffuse(const float *__restrict__ theta, float *__restrict__ next, float r)
{
    __shared__ float d[COLS * PITCH], c[COLS * PITCH];
    const size_t base = (size_t)blockIdx.x * COLS * LAYERS;
    for (int e = threadIdx.x; e < COLS * LAYERS; e += COLS)
        d[(e / LAYERS) * PITCH + e % LAYERS] = theta[base + e];
    __syncthreads();

    float *dc = d + threadIdx.x * PITCH, *cc = c + threadIdx.x * PITCH;
    float above = 0.0f, cp = 0.0f, dp = 0.0f, here = dc[0];
    for (int k = 0; k < LAYERS; k++) {
        float below = 0.0f, nextv = 0.0f;
        if (k + 1 < LAYERS) {
            nextv = dc[k + 1];
            float m = 0.5f * (here + nextv);
            below = r * (0.1f + m * m);
        }
        float inv = 1.0f / (1.0f + above + below - above * cp);
        cp = below * inv;
        dp = (here + above * dp) * inv;
        cc[k] = cp;
        dc[k] = dp;
        above = below;
        here = nextv;
    }
    float x = 0.0f;
    for (int k = LAYERS - 1; k >= 0; k--) {
        x = dc[k] + cc[k] * x;
        dc[k] = x;
    }
    __syncthreads();
    for (int e = threadIdx.x; e < COLS * LAYERS; e += COLS)
        next[base + e] = d[(e / LAYERS) * PITCH + e % LAYERS];
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 200;
    const int columns = 1 << 20, n = columns * LAYERS;
    float *theta, *next;
    CK(cudaMalloc(&theta, n * sizeof(float)));
    CK(cudaMalloc(&next, n * sizeof(float)));
    survey<<<n / 256, 256>>>(theta, n);
    CK(cudaGetLastError());
    float r = 0;
    for (int s = 0; s < steps; s++) {
        r = 1.0f + 0.5f * (s % 4);
        diffuse<<<columns / COLS, COLS>>>(theta, next, r);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    float h[LAYERS];
    for (int q = 0; q < 60; q++) {
        int col = (int)((q * 17477ll + 3) % columns);
        CK(cudaMemcpy(h, next + (size_t)col * LAYERS, sizeof(h), cudaMemcpyDeviceToHost));
        // residual of (I + L) h = theta
        for (int k = 0; k < LAYERS; k++) {
            auto th = [&](int j) { return (double)moist_at(col * LAYERS + j); };
            double up = 0, dn = 0;
            if (k > 0) { double m = 0.5 * (th(k) + th(k - 1)); up = r * (0.1 + m * m); }
            if (k + 1 < LAYERS) { double m = 0.5 * (th(k) + th(k + 1)); dn = r * (0.1 + m * m); }
            double lhs = (1 + up + dn) * h[k] - (k > 0 ? up * h[k - 1] : 0) - (k + 1 < LAYERS ? dn * h[k + 1] : 0);
            if (fabs(lhs - th(k)) > 1e-4) ok = false;
        }
    }
    CK(cudaFree(theta)); CK(cudaFree(next));
    return report(ok);
}

// Automatic gain control of seismic shots: every trace is divided by the RMS
// of a sliding window around each sample.
#include "common.h"

#define NS 16384
#define HALF 96

__global__ void shot(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s = i * 2654435761u;
    s ^= s >> 15; s *= 2246822519u; s ^= s >> 13;
    float t = (i % NS) * (1.0f / NS);
    x[i] = ((s & 0xffff) * (1.0f / 32768.0f) - 1.0f) * __expf(-4.0f * t);
}

// one trace per blockIdx.y
__global__ void __launch_bounds__(256) agc(const float *__restrict__ x, float *__restrict__ y, float eps)
{
    __shared__ float sq[256 + 2 * HALF];
    const float *tr = x + (size_t)blockIdx.y * NS;
    int first = blockIdx.x * 256 - HALF;
    for (int k = threadIdx.x; k < 256 + 2 * HALF; k += 256) {
        int i = first + k;
        float v = i >= 0 && i < NS ? tr[i] : 0.0f;
        sq[k] = v * v;
    }
    __syncthreads();
    float a = 0, b = 0;
#pragma unroll 8
    for (int k = 0; k < 2 * HALF; k += 2) {
        a += sq[threadIdx.x + k];
        b += sq[threadIdx.x + k + 1];
    }
    float power = (a + b + sq[threadIdx.x + 2 * HALF]) / (2 * HALF + 1);
    int i = blockIdx.x * 256 + threadIdx.x;
    y[(size_t)blockIdx.y * NS + i] = tr[i] * rsqrtf(power + eps);
}

int main(int argc, char **argv)
{
    int shots = argc > 1 ? atoi(argv[1]) : 150;
    const int traces = 480;
    const int n = traces * NS;
    float *x, *y;
    CK(cudaMalloc(&x, n * sizeof(float)));
    CK(cudaMalloc(&y, n * sizeof(float)));
    shot<<<(n + 255) / 256, 256>>>(x, n);
    CK(cudaGetLastError());

    for (int s = 0; s < shots; s++) {
#ifdef GOOD
        agc<<<dim3(NS / 256, traces), 256>>>(x, y, 1e-8f);
#else
        for (int t = 0; t < traces; t++)
            agc<<<dim3(NS / 256, 1), 256>>>(x + (size_t)t * NS, y + (size_t)t * NS, 1e-8f);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> hx(NS), hy(NS);
    bool ok = true;
    for (int t = 0; t < traces; t += 97) {
        CK(cudaMemcpy(hx.data(), x + (size_t)t * NS, NS * sizeof(float), cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(hy.data(), y + (size_t)t * NS, NS * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < NS; i += 53) {
            double p = 0;
            for (int k = -HALF; k <= HALF; k++)
                if (i + k >= 0 && i + k < NS) p += (double)hx[i + k] * hx[i + k];
            if (!close_to(hy[i], hx[i] / sqrt(p / (2 * HALF + 1) + 1e-8), 1e-3)) ok = false;
        }
    }
    printf("%d shots of %d traces\n", shots, traces);
    CK(cudaFree(x));
    CK(cudaFree(y));
    return report(ok);
}

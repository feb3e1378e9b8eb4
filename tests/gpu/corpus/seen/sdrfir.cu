// Software radio: a low-pass filter of 128 real taps over complex samples, and the power
// of what is left, buffer after buffer.
#include "common.h"

const int TAPS = 128, THREADS = 256;
#ifdef GOOD
const int EACH = 8;         // outputs a thread
#else
const int EACH = 1;
#endif

__constant__ float taps[TAPS];

__global__ void receive(float2 *iq, int n, int buffer)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned k = i + buffer * 7919u, h = (k * 2654435761u) ^ (k >> 7) * 40503u;
    float noise = (h >> 16 & 255) / 256.f - 0.5f;
    float tone = ((k & 63) - 31.5f) / 32.f;
    iq[i] = make_float2(tone + noise, (k & 32 ? 0.5f : -0.5f) - noise);
}

__global__ void lowpass(const float2 *__restrict__ in, float2 *__restrict__ out, int n)
{
#ifdef GOOD
    // The samples of the block; a gap after every eight keeps threads on other banks.
    const int SPAN = THREADS * EACH + TAPS;
    __shared__ float2 s[SPAN + SPAN / 8 + 1];
    int first = blockIdx.x * THREADS * EACH;
    for (int k = threadIdx.x; k < SPAN; k += THREADS) {
        int g = first + k - (TAPS - 1);
        s[k + k / 8] = g >= 0 && g < n ? in[g] : make_float2(0, 0);
    }
    __syncthreads();
    float2 window[EACH], sum[EACH];
    int at = threadIdx.x * EACH;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        window[j] = s[at + j + (at + j) / 8];
        sum[j] = make_float2(0, 0);
    }
#pragma unroll 1
    for (int k0 = 0; k0 < TAPS; k0 += EACH) {
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            float t = taps[TAPS - 1 - k0 - k];
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                float2 v = window[(k + j) % EACH];
                sum[j].x += t * v.x;
                sum[j].y += t * v.y;
            }
            int next = at + k0 + k + EACH;
            window[k] = s[next + next / 8];
        }
    }
#pragma unroll
    for (int j = 0; j < EACH; j++)
        if (first + at + j < n) out[first + at + j] = sum[j];
#else
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    float2 sum = make_float2(0, 0);
    if (i >= TAPS - 1) {
#pragma unroll 16
        for (int k = 0; k < TAPS; k++) {
            float2 v = in[i - k];
            sum.x += taps[k] * v.x;
            sum.y += taps[k] * v.y;
        }
    } else {
        for (int k = 0; k <= i; k++) {
            sum.x += taps[k] * in[i - k].x;
            sum.y += taps[k] * in[i - k].y;
        }
    }
    out[i] = sum;
#endif
}

__global__ void power(const float2 *__restrict__ x, int n, double *total)
{
    float p = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * blockDim.x)
        p += x[i].x * x[i].x + x[i].y * x[i].y;
    for (int o = 16; o; o >>= 1) p += __shfl_xor_sync(~0u, p, o);
    if (threadIdx.x % 32 == 0) atomicAdd(total, (double)p);
}

int main(int argc, char **argv)
{
    int buffers = argc > 1 ? atoi(argv[1]) : 300, n = argc > 2 ? atoi(argv[2]) : 16 << 20;
    float h[TAPS], gain = 0;
    for (int k = 0; k < TAPS; k++) {
        double x = (k - 63.5) * 0.2;
        h[k] = sin(x) / x * (0.54 - 0.46 * cos(2 * M_PI * k / (TAPS - 1)));
        gain += h[k];
    }
    for (float &v : h) v /= gain;
    CK(cudaMemcpyToSymbol(taps, h, sizeof h));
    float2 *in, *out;
    double *total;
    CK(cudaMalloc(&in, n * sizeof(float2)));
    CK(cudaMalloc(&out, n * sizeof(float2)));
    CK(cudaMalloc(&total, 8));
    CK(cudaMemset(total, 0, 8));
    for (int b = 0; b < buffers; b++) {
        receive<<<(n + 255) / 256, 256>>>(in, n, b);
        lowpass<<<(n + THREADS * EACH - 1) / (THREADS * EACH), THREADS>>>(in, out, n);
        power<<<132 * 4, 256>>>(out, n, total);
    }
    CK(cudaGetLastError());
    std::vector<float2> x(n), y(n);
    double sum = 0;
    CK(cudaMemcpy(x.data(), in, n * sizeof(float2), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(y.data(), out, n * sizeof(float2), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(&sum, total, 8, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i += i < 300 ? 1 : n / 1000 + 1) {
        double re = 0, im = 0;
        for (int k = 0; k < TAPS && k <= i; k++) {
            re += (double)h[k] * x[i - k].x;
            im += (double)h[k] * x[i - k].y;
        }
        ok &= fabs(re - y[i].x) < 1e-4 && fabs(im - y[i].y) < 1e-4;
    }
    printf("mean power %.4f\n", sum / n / buffers);
    return report(ok && sum > 0);
}

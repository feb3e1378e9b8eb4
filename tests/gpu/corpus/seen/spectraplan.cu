// Averaged power spectra of a bank of receivers: batches of real signals go through cuFFT and the powers are added up.
#include "common.h"
#include <cufft.h>

#define CF(call) do { cufftResult r_ = (call); if (r_ != CUFFT_SUCCESS) { fprintf(stderr, "%s:%d: cufft %d\n", __FILE__, __LINE__, (int)r_); exit(1); } } while (0)
#define LEN 4096
#define HALF (LEN / 2 + 1)

__global__ void tone(float *x, int rows)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= (size_t)rows * LEN) return;
    int row = (int)(i / LEN), t = (int)(i % LEN);
    int f = 1 + row % 2000;
    x[i] = cospif(2.0f * (float)((long long)f * t % LEN) / LEN);
}

__global__ void add_power(const float2 *__restrict__ s, float *__restrict__ p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 c = s[i];
    p[i] += c.x * c.x + c.y * c.y;
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 200;
    const int rows = 16384, n = rows * HALF;
    float *x, *p;
    cufftComplex *s;
    CK(cudaMalloc(&x, (size_t)rows * LEN * sizeof(float)));
    CK(cudaMalloc(&s, (size_t)n * sizeof(cufftComplex)));
    CK(cudaMalloc(&p, (size_t)n * sizeof(float)));
    CK(cudaMemset(p, 0, (size_t)n * sizeof(float)));
    tone<<<rows * (LEN / 256), 256>>>(x, rows);
    CK(cudaGetLastError());

    cufftHandle plan;
#ifdef GOOD
    int len[1] = {LEN};
    CF(cufftPlanMany(&plan, 1, len, nullptr, 1, LEN, nullptr, 1, HALF, CUFFT_R2C, rows));
#else
    CF(cufftPlan1d(&plan, LEN, CUFFT_R2C, rows));
#endif
    for (int k = 0; k < sweeps; k++) {
        CF(cufftExecR2C(plan, x, s));
        add_power<<<(n + 255) / 256, 256>>>(s, p, n);
        CK(cudaGetLastError());
    }
    CK(cudaDeviceSynchronize());

    bool ok = true;
    std::vector<float> h(HALF);
    for (int row = 3; row < rows; row += rows / 16) {
        CK(cudaMemcpy(h.data(), p + (size_t)row * HALF, HALF * sizeof(float), cudaMemcpyDeviceToHost));
        int top = 0;
        double total = 0;
        for (int k = 0; k < HALF; k++) { if (h[k] > h[top]) top = k; total += h[k]; }
        double want = (double)sweeps * (LEN / 2.0) * (LEN / 2.0);
        if (top != 1 + row % 2000 || !close_to(h[top], want, 1e-3) || !close_to(total, want, 2e-3)) ok = false;
    }
    printf("%d sweeps of %d receivers\n", sweeps, rows);
    CF(cufftDestroy(plan));
    CK(cudaFree(x)); CK(cudaFree(s)); CK(cudaFree(p));
    return report(ok);
}

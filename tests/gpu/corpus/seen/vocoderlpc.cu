// Vocoder analysis: Levinson-Durbin recursion of a million frames, one thread per frame;
// the working rows of a block's frames are in shared memory.
#include "common.h"

const int NF = 1 << 20;
const int ORDER = 22;
const int BLOCK = 128;
#ifdef GOOD
const int PITCH = 25;
#else
const int PITCH = 24;
#endif

__global__ void autocorr(float *R, int order)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = f * 2654435761u; h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15;
    float d1 = 0.5f + (h & 0xff) * (0.45f / 256), d2 = 0.6f + (h >> 8 & 0xff) * (0.35f / 256), w = (h >> 16 & 0xff) * (3.0f / 256);
    float p1 = 0.6f, p2 = 0.4f;
    for (int l = 0; l <= order; l++) {
        R[(size_t)l * NF + f] = p1 + p2 * cosf(w * l) + (l == 0 ? 0.02f : 0.0f);
        p1 *= d1;
        p2 *= d2;
    }
}

__global__ void __launch_bounds__(BLOCK) levinson(const float *__restrict__ R, float *__restrict__ A,
                                                  float *__restrict__ err, int order)
{
    __shared__ float r[BLOCK][PITCH];
    __shared__ float a[BLOCK][PITCH];
    int f = blockIdx.x * BLOCK + threadIdx.x;
    if (f >= NF) return;
    float *rr = r[threadIdx.x], *aa = a[threadIdx.x];
    for (int l = 0; l <= order; l++) rr[l] = R[(size_t)l * NF + f];
    float E = rr[0];
    aa[0] = 1.0f;
    for (int i = 1; i <= order; i++) {
        float acc = rr[i];
        for (int j = 1; j < i; j++) acc += aa[j] * rr[i - j];
        float k = -acc / E;
        for (int j = 1; j <= i / 2; j++) {
            float u = aa[j], v = aa[i - j];
            aa[j] = u + k * v;
            aa[i - j] = v + k * u;
        }
        aa[i] = k;
        E *= 1.0f - k * k;
    }
    for (int l = 0; l <= order; l++) A[(size_t)l * NF + f] = aa[l];
    err[f] = E;
}

int main(int argc, char **argv)
{
    int passes = argc > 1 ? atoi(argv[1]) : 100;
    float *R, *A, *err;
    size_t rows = (size_t)(ORDER + 1) * NF * sizeof(float);
    CK(cudaMalloc(&R, rows));
    CK(cudaMalloc(&A, rows));
    CK(cudaMalloc(&err, NF * sizeof(float)));
    autocorr<<<NF / 256, 256>>>(R, ORDER);
    CK(cudaGetLastError());
    for (int p = 0; p < passes; p++)
        levinson<<<NF / BLOCK, BLOCK>>>(R, A, err, ORDER);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    for (int f = 3; f < NF; f += 52001) {
        float r[ORDER + 1], got[ORDER + 1], e;
        CK(cudaMemcpy2D(r, 4, R + f, (size_t)NF * 4, 4, ORDER + 1, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy2D(got, 4, A + f, (size_t)NF * 4, 4, ORDER + 1, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(&e, err + f, 4, cudaMemcpyDeviceToHost));
        double a[ORDER + 1] = {1.0}, b[ORDER + 1], E = r[0];
        for (int i = 1; i <= ORDER; i++) {
            double acc = r[i];
            for (int j = 1; j < i; j++) acc += a[j] * r[i - j];
            double k = -acc / E;
            for (int j = 1; j < i; j++) b[j] = a[j] + k * a[i - j];
            for (int j = 1; j < i; j++) a[j] = b[j];
            a[i] = k;
            E *= 1 - k * k;
        }
        for (int l = 0; l <= ORDER; l++) ok = ok && close_to(got[l], a[l], 1e-2);
        ok = ok && close_to(e, E, 1e-2);
    }
    CK(cudaFree(R)); CK(cudaFree(A)); CK(cudaFree(err));
    return report(ok);
}

// Railway timetable: powers of a max-plus (tropical) matrix give the latest departure after k events.
#include "common.h"

const float NEG = -1e30f;

__global__ void make(float *a, int n, unsigned seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * n) return;
    unsigned h = (i + seed) * 2654435761u;
    h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 13;
    a[i] = (h & 7) == 0 ? NEG : (float)(h >> 20) * 0.01f;
}

#ifdef GOOD
const int T = 64, KT = 16;
__global__ void __launch_bounds__(256) maxplus(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n)
{
    __shared__ float as[KT][T + 4], bs[KT][T];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    int row0 = blockIdx.y * T, col0 = blockIdx.x * T;
    float acc[4][4];
    for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) acc[i][j] = NEG;
    for (int k0 = 0; k0 < n; k0 += KT) {
        for (int e = tid; e < T * KT; e += 256) {
            int r = e / KT, k = e % KT;
            as[k][r] = a[(row0 + r) * n + k0 + k];
        }
        for (int e = tid; e < T * KT; e += 256) {
            int k = e / T, q = e % T;
            bs[k][q] = b[(k0 + k) * n + col0 + q];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < KT; k++) {
            float4 x = *(const float4 *)&as[k][ty * 4], y = *(const float4 *)&bs[k][tx * 4];
            float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] = fmaxf(acc[i][j], xs[i] + ys[j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) c[(row0 + ty * 4 + i) * n + col0 + tx * 4 + j] = acc[i][j];
}
#else
__global__ void maxplus(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n) return;
    float best = NEG;
    for (int k = 0; k < n; k++) best = fmaxf(best, a[row * n + k] + b[k * n + col]);
    c[row * n + col] = best;
}
#endif

int main(int argc, char **argv)
{
    int powers = argc > 1 ? atoi(argv[1]) : 1;
    const int n = 6144;
    float *a, *b, *c;
    CK(cudaMalloc(&a, n * n * sizeof(float)));
    CK(cudaMalloc(&b, n * n * sizeof(float)));
    CK(cudaMalloc(&c, n * n * sizeof(float)));
    make<<<n * n / 256, 256>>>(a, n, 1);
    make<<<n * n / 256, 256>>>(b, n, 77);
    CK(cudaGetLastError());
    for (int p = 0; p < powers; p++) {
#ifdef GOOD
        maxplus<<<dim3(n / T, n / T), dim3(16, 16)>>>(a, b, c, n);
#else
        maxplus<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, c, n);
#endif
        std::swap(b, c);
    }
    CK(cudaGetLastError());
    std::vector<float> ha(n), hb(n * n), hc(n);
    int row = 777;
    CK(cudaMemcpy(ha.data(), a + row * n, n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hb.data(), c, hb.size() * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hc.data(), b + row * n, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int j = 0; j < n; j += 31) {
        float best = NEG;
        for (int k = 0; k < n; k++) best = std::max(best, ha[k] + hb[(size_t)k * n + j]);
        if (!close_to(hc[j], best, 1e-5)) ok = false;
    }
    CK(cudaFree(a)); CK(cudaFree(b)); CK(cudaFree(c));
    return report(ok);
}

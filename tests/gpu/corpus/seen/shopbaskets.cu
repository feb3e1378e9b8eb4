// Revenue per shopping basket: item lists of a few entries, prices and
// quantities side by side, segment offsets per basket; dearest item, too.
#include "common.h"

__global__ void make_items(float *price, unsigned char *qty, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s = i * 2654435761u;
    s ^= s >> 15;
    price[i] = 0.5f + (s & 1023) * 0.05f;
    qty[i] = 1 + (s >> 20) % 4;
}

#ifdef GOOD
#define GROUP 8
#else
#define GROUP 128
#endif
#define THREADS 128

// GROUP threads look after one basket
__global__ void __launch_bounds__(THREADS) baskets(const int *__restrict__ off, const float *__restrict__ price,
                        const unsigned char *__restrict__ qty, float2 *out, int nb)
{
    int b = (blockIdx.x * THREADS + threadIdx.x) / GROUP;
    int l = threadIdx.x % GROUP;
    float sum = 0, top = 0;
    if (b < nb)
        for (int k = off[b] + l; k < off[b + 1]; k += GROUP) {
            sum += price[k] * qty[k];
            top = fmaxf(top, price[k]);
        }
    const int W = GROUP < 32 ? GROUP : 32;
#pragma unroll
    for (int o = W / 2; o; o >>= 1) {
        sum += __shfl_down_sync(0xffffffffu, sum, o, W);
        top = fmaxf(top, __shfl_down_sync(0xffffffffu, top, o, W));
    }
#if GROUP > 32
    __shared__ float2 part[GROUP / 32];
    if (l % 32 == 0) part[l / 32] = make_float2(sum, top);
    __syncthreads();
    if (l == 0)
        for (int w = 1; w < GROUP / 32; w++) { sum += part[w].x; top = fmaxf(top, part[w].y); }
#endif
    if (l == 0 && b < nb) out[b] = make_float2(sum, top);
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 600;
    const int nb = 1 << 20;
    unsigned s = 3;
    std::vector<int> off(nb + 1, 0);
    for (int b = 0; b < nb; b++) off[b + 1] = off[b] + 1 + (int)(lcg(s) >> 28);   // 1..16 items
    int n = off[nb];
    int *doff;
    float *price;
    unsigned char *qty;
    float2 *out;
    CK(cudaMalloc(&doff, off.size() * sizeof(int)));
    CK(cudaMalloc(&price, n * sizeof(float)));
    CK(cudaMalloc(&qty, n));
    CK(cudaMalloc(&out, nb * sizeof(float2)));
    CK(cudaMemcpy(doff, off.data(), off.size() * sizeof(int), cudaMemcpyHostToDevice));
    make_items<<<(n + 255) / 256, 256>>>(price, qty, n);
    CK(cudaGetLastError());

    for (int r = 0; r < reps; r++)
        baskets<<<nb / (THREADS / GROUP), THREADS>>>(doff, price, qty, out, nb);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> hp(n);
    std::vector<unsigned char> hq(n);
    std::vector<float2> ho(nb);
    CK(cudaMemcpy(hp.data(), price, n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hq.data(), qty, n, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(ho.data(), out, nb * sizeof(float2), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int b = 0; b < nb; b += 101) {
        double sum = 0, top = 0;
        for (int k = off[b]; k < off[b + 1]; k++) { sum += (double)hp[k] * hq[k]; top = std::max(top, (double)hp[k]); }
        if (!close_to(ho[b].x, sum, 1e-4) || !close_to(ho[b].y, top, 1e-5)) ok = false;
    }
    printf("%d items, first basket %g\n", n, ho[0].x);
    CK(cudaFree(doff)); CK(cudaFree(price)); CK(cudaFree(qty)); CK(cudaFree(out));
    return report(ok);
}

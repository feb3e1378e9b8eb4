// Running balance of every account: prefix sums along the rows of a table.
#include "common.h"
__global__ void init(float *a, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) a[i] = (float)(i % 17) - 8.0f;
}
__global__ void running(const float *in, float *out, int days)
{
#ifndef GOOD
    // one account
    if (threadIdx.x != 0) return;
    float s = 0;
    const float *a = in + (size_t)blockIdx.x * days;
    float *b = out + (size_t)blockIdx.x * days;
    for (int d = 0; d < days; d++) {
        s += a[d];
        b[d] = s;
    }
#else
    int lane = threadIdx.x;
    const float *a = in + (size_t)blockIdx.x * days;
    float *b = out + (size_t)blockIdx.x * days;
    float carry = 0;
    for (int d0 = 0; d0 < days; d0 += 32) {
        float v = d0 + lane < days ? a[d0 + lane] : 0;
        for (int o = 1; o < 32; o <<= 1) {
            float w = __shfl_up_sync(~0u, v, o);
            if (lane >= o) v += w;
        }
        v += carry;
        if (d0 + lane < days) b[d0 + lane] = v;
        carry = __shfl_sync(~0u, v, 31);
    }
#endif
}
int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 1;
    const int accounts = 50000, days = 3650;
    size_t n = (size_t)accounts * days;
    float *in, *out;
    CK(cudaMalloc(&in, n * 4)); CK(cudaMalloc(&out, n * 4));
    init<<<(n + 255) / 256, 256>>>(in, n);
    for (int r = 0; r < reps; r++) running<<<accounts, 32>>>(in, out, days);
    std::vector<float> h(days);
    size_t row = 777;
    CK(cudaMemcpy(h.data(), out + row * days, days * 4, cudaMemcpyDeviceToHost));
    double s = 0; bool ok = true;
    for (int d = 0; d < days; d++) { s += (double)((row * days + d) % 17) - 8.0; ok = ok && fabs(s - h[d]) < 0.5; }
    printf("last %.1f\n", h[days - 1]);
    return report(ok);
}

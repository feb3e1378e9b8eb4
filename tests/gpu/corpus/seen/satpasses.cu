// Constellation planning: how many satellites stand higher than the mask angle above
// each ground cell, and the sum of their slant ranges.
#include "common.h"

#define SATS 3072

__global__ void coverage(const float4 *__restrict__ cell, const float4 *__restrict__ sat,
                         int *__restrict__ seen, float *__restrict__ range, int n, float mask)
{
    __shared__ float4 s[SATS];
    for (int i = threadIdx.x; i < SATS; i += blockDim.x) s[i] = sat[i];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 c = cell[i];                      // unit vector of the cell
    int count = 0;
    float sum = 0.f;
#ifdef GOOD
    float sm = sinf(mask);
#endif
    for (int k = 0; k < SATS; k++) {
        float dx = s[k].x - c.x, dy = s[k].y - c.y, dz = s[k].z - c.z;
        float d2 = dx * dx + dy * dy + dz * dz;
        float up = dx * c.x + dy * c.y + dz * c.z;
#ifdef GOOD
        bool high = up > 0.f && up * up > sm * sm * d2;
#else
        float elevation = atan2f(up, sqrtf(fmaxf(d2 - up * up, 0.f)));
        bool high = elevation > mask;
#endif
        if (high) { count++; sum += d2; }
    }
    seen[i] = count;
    range[i] = sum;
}

int main(int argc, char **argv)
{
    int epochs = argc > 1 ? atoi(argv[1]) : 1;
    const int n = 1 << 22;
    std::vector<float4> cell(n), sat(SATS);
    unsigned seed = 21;
    auto onSphere = [&](float r) {
        float z = 2 * frand(seed) - 1, a = 6.2831853f * frand(seed), q = sqrtf(1 - z * z);
        return make_float4(r * q * cosf(a), r * q * sinf(a), r * z, 0.f);
    };
    for (auto &c : cell) c = onSphere(1.f);
    for (auto &s : sat) s = onSphere(1.2f);
    float4 *dc, *ds;
    int *dn;
    float *dr;
    CK(cudaMalloc(&dc, n * sizeof(float4)));
    CK(cudaMalloc(&ds, SATS * sizeof(float4)));
    CK(cudaMalloc(&dn, n * 4));
    CK(cudaMalloc(&dr, n * 4));
    CK(cudaMemcpy(dc, cell.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(ds, sat.data(), SATS * sizeof(float4), cudaMemcpyHostToDevice));
    float mask = 0;
    for (int e = 0; e < epochs; e++) {
        mask = 0.1f + 0.005f * e;
        coverage<<<n / 512, 512>>>(dc, ds, dn, dr, n, mask);
    }
    CK(cudaGetLastError());
    std::vector<int> got(n);
    CK(cudaMemcpy(got.data(), dn, n * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i += 200111) {
        int count = 0;
        for (auto &s : sat) {
            double dx = s.x - cell[i].x, dy = s.y - cell[i].y, dz = s.z - cell[i].z;
            double up = dx * cell[i].x + dy * cell[i].y + dz * cell[i].z;
            count += asin(up / sqrt(dx * dx + dy * dy + dz * dz)) > mask;
        }
        ok = ok && abs(count - got[i]) <= 1;
    }
    CK(cudaFree(dc)); CK(cudaFree(ds)); CK(cudaFree(dn)); CK(cudaFree(dr));
    return report(ok);
}

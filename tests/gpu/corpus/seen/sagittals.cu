// Lens design: meridional rays meet an aspheric surface. Height and distance at which each ray meets it, by Newton's
// method on a sag polynomial of twenty even powers.
//   sagittals [lenses]
#include "common.h"

#define TERMS 20
#define ROUNDS 4

__constant__ float sag[TERMS];

// Ray: starts at height y on the plane of the vertex and climbs by "slope" per unit of length along the axis.
__global__ void __launch_bounds__(256) meet(const float2 *__restrict__ rays, float2 *__restrict__ hits, int n, float zoom)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 r = rays[i];
    float slope = r.y * zoom, z = 0.0f;
    for (int k = 0; k < ROUNDS; k++) {
        float y = r.x + slope * z, q = y * y;
        float s = sag[TERMS - 1], d = 0.0f;
#ifdef GOOD
#pragma unroll
#else
#pragma unroll 1
#endif
        for (int t = TERMS - 2; t >= 0; t--) {
            d = d * q + s;
            s = s * q + sag[t];
        }
        float f = s * q - z, slant = 2.0f * y * slope * (s + d * q) - 1.0f;
        z -= __fdividef(f, slant);
    }
    hits[i] = make_float2(r.x + slope * z, z);
}

int main(int argc, char **argv)
{
    int lenses = argc > 1 ? atoi(argv[1]) : 5000;
    const int n = 8 * 1024 * 1024;
    float c[TERMS];
    for (int t = 0; t < TERMS; t++) c[t] = (t % 3 == 1 ? -0.11f : 0.13f) / (1 + t);
    CK(cudaMemcpyToSymbol(sag, c, sizeof c));
    std::vector<float2> rays(n), h(n);
    unsigned seed = 1609;
    for (float2 &r : rays) { r.x = 0.85f * (2 * frand(seed) - 1); r.y = 0.2f * (2 * frand(seed) - 1); }
    float2 *d, *o;
    CK(cudaMalloc(&d, n * sizeof(float2)));
    CK(cudaMalloc(&o, n * sizeof(float2)));
    CK(cudaMemcpy(d, rays.data(), n * sizeof(float2), cudaMemcpyHostToDevice));
    float zoom = 1;
    for (int l = 0; l < lenses; l++) {
        zoom = 0.8f + 0.004f * (l % 50);
        meet<<<(n + 255) / 256, 256>>>(d, o, n, zoom);
    }
    CK(cudaGetLastError());
    CK(cudaMemcpy(h.data(), o, n * sizeof(float2), cudaMemcpyDeviceToHost));
    bool ok = true;
    double worst = 0;
    for (int i = 0; i < n; i += 997) {
        double slope = (double)rays[i].y * zoom, z = 0;
        for (int k = 0; k < ROUNDS; k++) {
            double y = rays[i].x + slope * z, q = y * y, s = c[TERMS - 1], e = 0;
            for (int t = TERMS - 2; t >= 0; t--) { e = e * q + s; s = s * q + c[t]; }
            z -= (s * q - z) / (2 * y * slope * (s + e * q) - 1);
        }
        worst = std::max(worst, fabs(h[i].y - z));
        ok = ok && fabs(h[i].y - z) < 1e-3 && fabs(h[i].x - (rays[i].x + slope * z)) < 1e-3;
    }
    printf("worst difference %.1e\n", worst);
    CK(cudaFree(d)); CK(cudaFree(o));
    return report(ok);
}

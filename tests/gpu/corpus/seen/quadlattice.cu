// Particle tracking through a storage ring: drifts, quadrupoles, sextupoles
// and a cavity, element after element, for a bunch of particles.
#include "common.h"

enum { DRIFT, QUAD, SEXT, CAVITY };
struct Element { int kind; float a, b; };

__host__ __device__ inline void pass(int kind, float a, float b, float &x, float &px, float &y, float &py, float &z, float &d)
{
    if (kind == DRIFT) {
        x += a * px; y += a * py; z += 0.5f * a * (px * px + py * py);
    } else if (kind == QUAD) {
        px -= a * x; py += a * y;
    } else if (kind == SEXT) {
        px -= a * (x * x - y * y); py += 2.0f * a * x * y;
    } else {
        d -= a * z - b * z * z * z;
        z += 0.1f * d;
    }
}

__global__ void bunch(float *s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int c = 0; c < 6; c++) {
        unsigned u = (i * 6 + c) * 2654435761u;
        u ^= u >> 15; u *= 2246822519u; u ^= u >> 13;
        s[(size_t)c * n + i] = 1e-2f * ((u & 0xffff) * (1.0f / 65536.0f) - 0.5f);
    }
}

#ifdef GOOD
__constant__ Element c_ring[256];
__global__ void track(float *s, int n, int first, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    size_t m = n;
    float x = s[i], px = s[m + i], y = s[2 * m + i], py = s[3 * m + i], z = s[4 * m + i], d = s[5 * m + i];
    for (int e = first; e < first + count; e++) pass(c_ring[e].kind, c_ring[e].a, c_ring[e].b, x, px, y, py, z, d);
    s[i] = x; s[m + i] = px; s[2 * m + i] = y; s[3 * m + i] = py; s[4 * m + i] = z; s[5 * m + i] = d;
}
#else
__global__ void track(float *s, int n, int kind, float a, float b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    size_t m = n;
    float x = s[i], px = s[m + i], y = s[2 * m + i], py = s[3 * m + i], z = s[4 * m + i], d = s[5 * m + i];
    pass(kind, a, b, x, px, y, py, z, d);
    s[i] = x; s[m + i] = px; s[2 * m + i] = y; s[3 * m + i] = py; s[4 * m + i] = z; s[5 * m + i] = d;
}
#endif

int main(int argc, char **argv)
{
    int turns = argc > 1 ? atoi(argv[1]) : 100;
    const int n = 8 << 20;
    std::vector<Element> ring;
    for (int c = 0; c < 8; c++) {                       // a cell of five elements
        ring.push_back({ QUAD, 0.4f, 0 });
        ring.push_back({ DRIFT, 0.5f, 0 });
        ring.push_back({ QUAD, -0.4f, 0 });
        ring.push_back({ c == 7 ? CAVITY : SEXT, 0.05f, 0.01f });
        ring.push_back({ DRIFT, 0.5f, 0 });
    }
    const int ne = (int)ring.size();
    float *s;
    CK(cudaMalloc(&s, (size_t)6 * n * sizeof(float)));
    bunch<<<(n + 255) / 256, 256>>>(s, n);
    CK(cudaGetLastError());
    std::vector<float> h0(6 * 100), h1(6 * 100);
    CK(cudaMemcpy2D(h0.data(), 400, s, (size_t)n * 4, 400, 6, cudaMemcpyDeviceToHost));

#ifdef GOOD
    CK(cudaMemcpyToSymbol(c_ring, ring.data(), ne * sizeof(Element)));
    const int per = 10;                                 // elements a launch
    for (int t = 0; t < turns; t++)
        for (int e = 0; e < ne; e += per)
            track<<<(n + 255) / 256, 256>>>(s, n, e, per);
#else
    for (int t = 0; t < turns; t++)
        for (int e = 0; e < ne; e++)
            track<<<(n + 255) / 256, 256>>>(s, n, ring[e].kind, ring[e].a, ring[e].b);
#endif
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy2D(h1.data(), 400, s, (size_t)n * 4, 400, 6, cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int i = 0; i < 100; i++) {
        float v[6];
        for (int c = 0; c < 6; c++) v[c] = h0[c * 100 + i];
        for (int t = 0; t < turns; t++)
            for (auto &e : ring) pass(e.kind, e.a, e.b, v[0], v[1], v[2], v[3], v[4], v[5]);
        for (int c = 0; c < 6; c++)
            if (!close_to(h1[c * 100 + i], v[c], 1e-4)) ok = false;
    }
    printf("%d turns of %d elements, x0 %g\n", turns, ne, h1[0]);
    CK(cudaFree(s));
    return report(ok);
}

// Geodesy: a catalogue of geocentric points moved from one datum to another (three shifts, three small turns, a scale),
// epoch after epoch.
//   datumdrift [epochs]
#include "common.h"

const int N = 1 << 25;
#ifdef GOOD
const int THREADS = 512;
#else
const int THREADS = 256;
#endif

struct Helmert { float tx, ty, tz, rx, ry, rz, s; };

__host__ __device__ static inline float start(unsigned i, unsigned axis)
{
    unsigned h = i * 2654435761u + axis * 0x9e3779b9u;
    h ^= h >> 15; h *= 0x2c1b3c6du; h ^= h >> 12; h *= 0x297a2d39u; h ^= h >> 15;
    return ((float)(h >> 12) - 524288.0f) * 0.01f;
}

__global__ void survey(float *x, float *y, float *z)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = start(i, 0); y[i] = start(i, 1); z[i] = start(i, 2);
}

__device__ static inline void turn(const Helmert &h, float &x, float &y, float &z)
{
    float a = h.tx + h.s * (x - h.rz * y + h.ry * z);
    float b = h.ty + h.s * (h.rz * x + y - h.rx * z);
    float c = h.tz + h.s * (-h.ry * x + h.rx * y + z);
    x = a; y = b; z = c;
}

__global__ void __launch_bounds__(THREADS) shift(const float4 *__restrict__ x, const float4 *__restrict__ y,
                                                 const float4 *__restrict__ z, float4 *__restrict__ u,
                                                 float4 *__restrict__ v, float4 *__restrict__ w, Helmert h)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    float4 a = x[i], b = y[i], c = z[i];
    turn(h, a.x, b.x, c.x);
    turn(h, a.y, b.y, c.y);
    turn(h, a.z, b.z, c.z);
    turn(h, a.w, b.w, c.w);
    u[i] = a; v[i] = b; w[i] = c;
}

int main(int argc, char **argv)
{
    int epochs = argc > 1 ? atoi(argv[1]) : 3000;
    float *p[6];
    for (int k = 0; k < 6; k++) CK(cudaMalloc(&p[k], (size_t)N * sizeof(float)));
    survey<<<N / 256, 256>>>(p[0], p[1], p[2]);
    Helmert h = {};
    for (int e = 0; e < epochs; e++) {
        float f = 0.01f * (e % 50);
        h = {12.0f + f, -7.5f - f, 30.0f, 2e-4f * f, -1e-4f, 3e-4f, 1.00002f};
        shift<<<N / 4 / THREADS, THREADS>>>((float4 *)p[0], (float4 *)p[1], (float4 *)p[2], (float4 *)p[3],
                                            (float4 *)p[4], (float4 *)p[5], h);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    const int take = 1 << 18, off = N / 3;
    std::vector<float> g[3];
    for (int k = 0; k < 3; k++) {
        g[k].resize(take);
        CK(cudaMemcpy(g[k].data(), p[3 + k] + off, take * sizeof(float), cudaMemcpyDeviceToHost));
    }
    bool ok = true;
    for (int k = 0; k < take; k += 19) {
        double x = start(off + k, 0), y = start(off + k, 1), z = start(off + k, 2);
        double a = h.tx + h.s * (x - h.rz * y + h.ry * z), b = h.ty + h.s * (h.rz * x + y - h.rx * z),
               c = h.tz + h.s * (-h.ry * x + h.rx * y + z);
        ok = ok && fabs(g[0][k] - a) < 0.01 && fabs(g[1][k] - b) < 0.01 && fabs(g[2][k] - c) < 0.01;
    }
    printf("a point: %.3f %.3f %.3f\n", g[0][0], g[1][0], g[2][0]);
    return report(ok);
}

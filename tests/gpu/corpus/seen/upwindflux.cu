// First-order upwind transport of a pollutant on a large staggered grid; the flux through a
// face takes the concentration of the cell the wind comes from.
#include "common.h"

const int W = 8192, H = 8192;
const float DT = 0.2f;

__host__ __device__ inline float wind_u(int x, int y) { return (x / 64 + y / 512) & 1 ? 0.6f : -0.4f; }
__host__ __device__ inline float wind_v(int x, int y) { return (x / 96 + y / 128) & 1 ? -0.5f : 0.3f; }
__host__ __device__ inline float cloud(int x, int y) { return 1.0f + ((x * 31 + y * 17) & 255) * (1.0f / 256); }

__global__ void weather(float *q, float *u, float *v)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    size_t i = (size_t)y * W + x;
    q[i] = cloud(x, y);
    u[i] = wind_u(x, y);
    v[i] = wind_v(x, y);
}

__host__ __device__ inline float flux(float wind, float from_low, float from_high)
{
#ifdef GOOD
    return fmaxf(wind, 0.0f) * from_low + fminf(wind, 0.0f) * from_high;
#else
    if (wind > 0.0f)
        return wind * from_low;
    else
        return wind * from_high;
#endif
}

__global__ void transport(const float *__restrict__ q, const float *__restrict__ u, const float *__restrict__ v, float *__restrict__ o)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    size_t i = (size_t)y * W + x;
    float c = q[i];
    if (x == 0 || y == 0 || x == W - 1 || y == H - 1) { o[i] = c; return; }
    float west = flux(u[i], q[i - 1], c), east = flux(u[i + 1], c, q[i + 1]);
    float south = flux(v[i], q[i - W], c), north = flux(v[i + W], c, q[i + W]);
    o[i] = c + DT * (west - east + south - north);
}

int main(int argc, char **argv)
{
    int hours = argc > 1 ? atoi(argv[1]) : 150;
    const size_t n = (size_t)W * H;
    float *q, *o, *u, *v;
    for (float **a : {&q, &o, &u, &v}) CK(cudaMalloc(a, n * sizeof(float)));
    weather<<<dim3(W / 256, H), 256>>>(q, u, v);
    CK(cudaGetLastError());
    // every hour of the ensemble starts from the same observed field
    for (int h = 0; h < hours; h++)
        transport<<<dim3(W / 128, H / 4), dim3(128, 4)>>>(q, u, v, o);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    unsigned s = 2;
    for (int k = 0; k < 100; k++) {
        int x = 1 + (lcg(s) >> 8) % (W - 2), y = 1 + (lcg(s) >> 8) % (H - 2);
        double c = cloud(x, y);
        double want = c + DT * (flux(wind_u(x, y), cloud(x - 1, y), c) - flux(wind_u(x + 1, y), c, cloud(x + 1, y))
                                + flux(wind_v(x, y), cloud(x, y - 1), c) - flux(wind_v(x, y + 1), c, cloud(x, y + 1)));
        float got;
        CK(cudaMemcpy(&got, o + (size_t)y * W + x, 4, cudaMemcpyDeviceToHost));
        ok = ok && close_to(got, want, 1e-4);
    }
    for (float *a : {q, o, u, v}) CK(cudaFree(a));
    return report(ok);
}

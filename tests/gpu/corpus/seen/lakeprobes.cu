// Temperature of a lake: diffusion on a large grid, and after every day the host reads
// the column of the measuring buoys.
#include "common.h"

#define W 8192
#define H 4096
#define BUOYS 256
#define COL 4000

__global__ void warm(float *t)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    t[(size_t)y * W + x] = 8.f + 4.f * y / H;
}

__global__ void diffuse(const float *__restrict__ a, float *__restrict__ b)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    size_t i = (size_t)y * W + x;
    float c = a[i];
    float l = x ? a[i - 1] : c, r = x < W - 1 ? a[i + 1] : c;
    float u = y ? a[i - W] : c, d = y < H - 1 ? a[i + W] : c;
    b[i] = c + 0.2f * (l + r + u + d - 4.f * c);
}

int main(int argc, char **argv)
{
    int days = argc > 1 ? atoi(argv[1]) : 8;
    const int hours = 24;
    size_t bytes = (size_t)W * H * 4;
    float *a, *b;
#ifdef GOOD
    CK(cudaMalloc(&a, bytes));
    CK(cudaMalloc(&b, bytes));
#else
    CK(cudaMallocManaged(&a, bytes));
    CK(cudaMallocManaged(&b, bytes));
#endif
    warm<<<dim3(W / 256, H), 256>>>(a);
    CK(cudaGetLastError());
    std::vector<float> probe(BUOYS);
    std::vector<double> mean;
    for (int d = 0; d < days; d++) {
        for (int h = 0; h < hours; h++) {
            diffuse<<<dim3(W / 256, H), 256>>>(a, b);
            std::swap(a, b);
        }
        CK(cudaGetLastError());
        CK(cudaDeviceSynchronize());
        const size_t pitch = (size_t)(H / BUOYS) * W;
#ifdef GOOD
        CK(cudaMemcpy2D(probe.data(), 4, a + COL, pitch * 4, 4, BUOYS, cudaMemcpyDeviceToHost));
#else
        for (int k = 0; k < BUOYS; k++) probe[k] = a[k * pitch + COL];
#endif
        double m = 0;
        for (float p : probe) m += p;
        mean.push_back(m / BUOYS);
    }
    // the same column in one dimension (nothing varies along x)
    std::vector<double> u(H), v(H);
    for (int y = 0; y < H; y++) u[y] = 8 + 4.0 * y / H;
    for (int k = 0; k < days * hours; k++) {
        for (int y = 0; y < H; y++)
            v[y] = u[y] + 0.2 * (u[std::max(y - 1, 0)] + u[std::min(y + 1, H - 1)] - 2 * u[y]);
        u.swap(v);
    }
    bool ok = (int)mean.size() == days;
    double want = 0;
    for (int k = 0; k < BUOYS; k++) {
        want += u[k * (H / BUOYS)];
        ok = ok && close_to(probe[k], u[k * (H / BUOYS)], 1e-3);
    }
    ok = ok && close_to(mean.back(), want / BUOYS, 1e-3);
    CK(cudaFree(a)); CK(cudaFree(b));
    return report(ok);
}

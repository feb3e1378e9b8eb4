// Reaction and diffusion after Gray and Scott, on a periodic plate.
//   grayscott [steps] [log2 of the side]
#include "common.h"

struct Params { float du, dv, feed, kill, dt; };

__host__ __device__ inline float lap5(const float *f, int x, int y, int n)
{
    int m = n - 1;
    return f[y * n + ((x + 1) & m)] + f[y * n + ((x - 1) & m)] + f[((y + 1) & m) * n + x] + f[((y - 1) & m) * n + x] -
           4 * f[y * n + x];
}

__global__ void seed(float *u, float *v, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    bool in = (x / 16 + y / 16 * 3) % 11 == 0;
    u[y * n + x] = in ? 0.5f : 1.0f;
    v[y * n + x] = in ? 0.25f : 0.0f;
}

#ifndef GOOD
__global__ void laplacian(const float *f, float *l, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    l[y * n + x] = lap5(f, x, y, n);
}

__global__ void reaction(const float *u, const float *v, const float *lu, const float *lv, float *fu, float *fv, Params p, int n)
{
    int i = (blockIdx.y * blockDim.y + threadIdx.y) * n + blockIdx.x * blockDim.x + threadIdx.x;
    float uvv = u[i] * v[i] * v[i];
    fu[i] = p.du * lu[i] - uvv + p.feed * (1 - u[i]);
    fv[i] = p.dv * lv[i] + uvv - (p.feed + p.kill) * v[i];
}

__global__ void integrate(float *f, const float *rate, float dt, int n)
{
    int i = (blockIdx.y * blockDim.y + threadIdx.y) * n + blockIdx.x * blockDim.x + threadIdx.x;
    f[i] += dt * rate[i];
}
#else
__global__ void advance(const float *__restrict__ u, const float *__restrict__ v, float *__restrict__ nu, float *__restrict__ nv, Params p, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * n + x;
    float uvv = u[i] * v[i] * v[i];
    nu[i] = u[i] + p.dt * (p.du * lap5(u, x, y, n) - uvv + p.feed * (1 - u[i]));
    nv[i] = v[i] + p.dt * (p.dv * lap5(v, x, y, n) + uvv - (p.feed + p.kill) * v[i]);
}
#endif

class Plate {
    int n;
    size_t bytes;
    float *u, *v, *a[4];
    dim3 block{32, 8}, grid;
public:
    explicit Plate(int side) : n(side), bytes((size_t)side * side * 4), grid(side / 32, side / 8)
    {
        CK(cudaMalloc(&u, bytes));
        CK(cudaMalloc(&v, bytes));
        for (float *&x : a) CK(cudaMalloc(&x, bytes));
        seed<<<grid, block>>>(u, v, n);
    }
    void step(const Params &p)
    {
#ifndef GOOD
        laplacian<<<grid, block>>>(u, a[0], n);
        laplacian<<<grid, block>>>(v, a[1], n);
        reaction<<<grid, block>>>(u, v, a[0], a[1], a[2], a[3], p, n);
        integrate<<<grid, block>>>(u, a[2], p.dt, n);
        integrate<<<grid, block>>>(v, a[3], p.dt, n);
#else
        advance<<<grid, block>>>(u, v, a[0], a[1], p, n);
        std::swap(u, a[0]);
        std::swap(v, a[1]);
#endif
        CK(cudaGetLastError());
    }
    std::vector<float> host(bool second)
    {
        std::vector<float> h((size_t)n * n);
        CK(cudaMemcpy(h.data(), second ? v : u, bytes, cudaMemcpyDeviceToHost));
        return h;
    }
};

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 100, n = 1 << (argc > 2 ? atoi(argv[2]) : 13);
    Params p = {0.16f, 0.08f, 0.035f, 0.065f, 1.0f};
    Plate plate(n);
    std::vector<float> u0 = plate.host(false), v0 = plate.host(true);
    plate.step(p);
    std::vector<float> u1 = plate.host(false);
    bool ok = true;
    unsigned s = 1;
    for (int t = 0; t < 1000; t++) {
        int x = lcg(s) >> 8 & (n - 1), y = lcg(s) >> 8 & (n - 1), i = y * n + x;
        float want = u0[i] + p.dt * (p.du * lap5(u0.data(), x, y, n) - u0[i] * v0[i] * v0[i] + p.feed * (1 - u0[i]));
        ok = ok && fabsf(want - u1[i]) < 1e-4f;
    }
    for (int i = 1; i < steps; i++) plate.step(p);
    std::vector<float> v = plate.host(true);
    double sum = 0;
    for (float x : v) sum += x;
    printf("mean of v %.5f\n", sum / v.size());
    return report(ok && sum > 0 && sum < v.size());
}

// Chemical oscillator (Brusselator, well mixed cells with different feeds) written
// with a small array class: expressions such as a + u*u*v give new arrays.
#include "common.h"
#include <utility>

constexpr size_t CELLS = 8u << 20;

enum Op { ADD, SUB, MUL, AXPY };

__global__ void combine(Op op, const float *a, const float *b, float s, float *out, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n) return;
    float4 x = ((const float4 *)a)[i], y = ((const float4 *)b)[i], r;
    switch (op) {
    case ADD: r = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w); break;
    case SUB: r = make_float4(x.x - y.x, x.y - y.y, x.z - y.z, x.w - y.w); break;
    case MUL: r = make_float4(x.x * y.x, x.y * y.y, x.z * y.z, x.w * y.w); break;
    default:  r = make_float4(x.x + s * y.x, x.y + s * y.y, x.z + s * y.z, x.w + s * y.w); break;
    }
    ((float4 *)out)[i] = r;
}

__global__ void fill_linear(float *p, size_t n, float base, float slope)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = base + slope * (float)(i % 4096);
}

class Array {
    float *p = nullptr;
    size_t n = 0;
public:
    explicit Array(size_t n_) : n(n_)
    {
#ifdef GOOD
        CK(cudaMallocAsync(&p, n * sizeof(float), 0));
#else
        CK(cudaMalloc(&p, n * sizeof(float)));
#endif
    }
    Array(Array &&o) noexcept : p(std::exchange(o.p, nullptr)), n(o.n) {}
    Array &operator=(Array &&o) noexcept { std::swap(p, o.p); std::swap(n, o.n); return *this; }
    Array(const Array &) = delete;
    ~Array()
    {
        if (!p) return;
#ifdef GOOD
        CK(cudaFreeAsync(p, 0));
#else
        CK(cudaFree(p));
#endif
    }
    float *data() const { return p; }
    size_t size() const { return n; }
    static Array apply(Op op, const Array &a, const Array &b, float s = 0)
    {
        Array r(a.n);
        combine<<<(unsigned)(a.n / 4 / 256), 256>>>(op, a.p, b.p, s, r.p, a.n);
        CK(cudaGetLastError());
        return r;
    }
    static Array linear(size_t n, float base, float slope)
    {
        Array r(n);
        fill_linear<<<(unsigned)(n / 256), 256>>>(r.p, n, base, slope);
        return r;
    }
};
static Array operator+(const Array &a, const Array &b) { return Array::apply(ADD, a, b); }
static Array operator-(const Array &a, const Array &b) { return Array::apply(SUB, a, b); }
static Array operator*(const Array &a, const Array &b) { return Array::apply(MUL, a, b); }
static Array axpy(const Array &a, float s, const Array &b) { return Array::apply(AXPY, a, b, s); }

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 150;
    const float dt = 0.01f;
#ifdef GOOD
    cudaMemPool_t pool;
    unsigned long long keep = ~0ull;
    CK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
#endif
    bool ok = true;
    {
        Array a = Array::linear(CELLS, 0.8f, 1e-4f), b = Array::linear(CELLS, 2.2f, 1e-4f);
        Array u = Array::linear(CELLS, 1.0f, 1e-5f), v = Array::linear(CELLS, 2.0f, 0.0f);
        for (int s = 0; s < steps; s++) {
            Array uuv = u * u * v;
            Array bu = b * u;
            Array du = a + uuv - bu - u;
            Array dv = bu - uuv;
            u = axpy(u, dt, du);
            v = axpy(v, dt, dv);
        }
        CK(cudaDeviceSynchronize());
        for (int q = 0; q < 6; q++) {
            size_t i = (size_t)q * 1234567u + 89u;
            float fa = 0.8f + 1e-4f * (i % 4096), fb = 2.2f + 1e-4f * (i % 4096);
            float fu = 1.0f + 1e-5f * (i % 4096), fv = 2.0f, gu, gv;
            for (int s = 0; s < steps; s++) {
                float w = fu * fu * fv, bu = fb * fu, du = fa + w - bu - fu, dv = bu - w;
                fu += dt * du;
                fv += dt * dv;
            }
            CK(cudaMemcpy(&gu, u.data() + i, sizeof gu, cudaMemcpyDeviceToHost));
            CK(cudaMemcpy(&gv, v.data() + i, sizeof gv, cudaMemcpyDeviceToHost));
            ok = ok && close_to(gu, fu, 1e-3) && close_to(gv, fv, 1e-3);
        }
    }
    CK(cudaDeviceSynchronize());
    return report(ok);
}

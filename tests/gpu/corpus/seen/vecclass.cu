// Coupled Duffing oscillators by Runge and Kutta, with a class for vectors on the GPU.
//   vecclass [steps] [oscillators]
#include "common.h"
#include <map>

enum Op { ADD, SUB, MUL };

template <Op op> __global__ void binary(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = op == ADD ? a[i] + b[i] : op == SUB ? a[i] - b[i] : a[i] * b[i];
}

__global__ void scaled(const float *a, float s, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = s * a[i];
}

__global__ void begin(float *x, float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = (i % 1000) * 0.002f - 1;
        v[i] = (i % 77) * 0.01f;
    }
}

class Vec {
    float *p;
    int n;
    static float *get(size_t bytes)
    {
        float *q;
#ifdef GOOD
        std::vector<float *> &free_ones = store()[bytes];
        if (!free_ones.empty()) {
            q = free_ones.back();
            free_ones.pop_back();
            return q;
        }
#endif
        CK(cudaMalloc(&q, bytes));
        return q;
    }
    static void give(float *q, size_t bytes)
    {
#ifdef GOOD
        store()[bytes].push_back(q);
#else
        (void)bytes;
        CK(cudaFree(q));
#endif
    }
#ifdef GOOD
    static std::map<size_t, std::vector<float *>> &store()
    {
        static std::map<size_t, std::vector<float *>> s;
        return s;
    }
#endif
public:
    explicit Vec(int size) : p(get(size * sizeof(float))), n(size) {}
    Vec(Vec &&o) : p(o.p), n(o.n) { o.p = nullptr; }
    Vec(const Vec &) = delete;
    Vec &operator=(Vec &&o)
    {
        std::swap(p, o.p);
        return *this;
    }
    ~Vec() { if (p) give(p, n * sizeof(float)); }
    float *data() const { return p; }
    int size() const { return n; }
    int blocks() const { return (n + 255) / 256; }
    template <Op op> Vec with(const Vec &o) const
    {
        Vec r(n);
        binary<op><<<blocks(), 256>>>(p, o.p, r.p, n);
        CK(cudaGetLastError());
        return r;
    }
    Vec operator+(const Vec &o) const { return with<ADD>(o); }
    Vec operator-(const Vec &o) const { return with<SUB>(o); }
    Vec operator*(const Vec &o) const { return with<MUL>(o); }
    Vec operator*(float s) const
    {
        Vec r(n);
        scaled<<<blocks(), 256>>>(p, s, r.p, n);
        CK(cudaGetLastError());
        return r;
    }
};

static Vec force(const Vec &x, const Vec &v) { return x - x * x * x - v * 0.1f; }

static float host_force(float x, float v) { return x - x * x * x - v * 0.1f; }

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 40, n = argc > 2 ? atoi(argv[2]) : 12000000;
    const float h = 0.01f;
    Vec x(n), v(n);
    begin<<<x.blocks(), 256>>>(x.data(), v.data(), n);
    for (int s = 0; s < steps; s++) {
        Vec k1 = force(x, v);
        Vec xm = x + v * (h / 2), vm = v + k1 * (h / 2);
        Vec k2 = force(xm, vm);
        x = x + vm * h;
        v = v + k2 * h;
    }
    std::vector<float> hx(n);
    CK(cudaMemcpy(hx.data(), x.data(), n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i += n / 1000 + 1) {
        float a = (i % 1000) * 0.002f - 1, b = (i % 77) * 0.01f;
        for (int s = 0; s < steps; s++) {
            float am = a + b * (h / 2), bm = b + host_force(a, b) * (h / 2);
            a += bm * h;
            b += host_force(am, bm) * h;
        }
        ok = ok && fabsf(a - hx[i]) < 1e-3f;
    }
    printf("x[0] = %.5f\n", hx[0]);
    return report(ok);
}

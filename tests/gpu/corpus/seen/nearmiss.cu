// Screening of minor bodies: propagate the Keplerian orbit of every body through a
// year of daily epochs and keep its closest approach to the Earth, which is taken
// on a circular orbit. Input and output are single precision.
#include "common.h"

constexpr int BODIES = 6 << 20, EPOCHS = 288;

#ifdef GOOD
typedef float real;
#else
typedef double real;
#endif

struct Orbit { float a, e, inc, node, peri, m0; };

__host__ __device__ inline float unit(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return (x >> 8) * (1.0f / 16777216.0f);
}
__host__ __device__ inline Orbit body(unsigned i)
{
    Orbit o;
    o.a = 0.9f + 1.6f * unit(6u * i);
    o.e = 0.05f + 0.4f * unit(6u * i + 1u);
    o.inc = 0.4f * unit(6u * i + 2u);
    o.node = 6.2831853f * unit(6u * i + 3u);
    o.peri = 6.2831853f * unit(6u * i + 4u);
    o.m0 = 6.2831853f * unit(6u * i + 5u);
    return o;
}

__global__ void make_bodies(float *el)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    Orbit o = body(i);
    el[i] = o.a;
    el[BODIES + i] = o.e;
    el[2 * BODIES + i] = o.inc;
    el[3 * BODIES + i] = o.node;
    el[4 * BODIES + i] = o.peri;
    el[5 * BODIES + i] = o.m0;
}

// squared distance to the Earth t days after the epoch
template <class T> __host__ __device__ inline T dist2(T e, T b, T n, T m0, const T *P, const T *Q, T t)
{
    T m = m0 + n * t;
    T E = m + e * sin(m);
    for (int k = 0; k < 3; k++) {
        T s = sin(E), c = cos(E);
        E -= (E - e * s - m) / (T(1) - e * c);
    }
    T xs = cos(E) - e, ys = b * sin(E);
    T l = T(0.0172021) * t;
    T dx = P[0] * xs + Q[0] * ys - cos(l), dy = P[1] * xs + Q[1] * ys - sin(l), dz = P[2] * xs + Q[2] * ys;
    return dx * dx + dy * dy + dz * dz;
}

template <class T> __host__ __device__ inline T closest(const Orbit &o, int first)
{
    T ci = cos(T(o.inc)), si = sin(T(o.inc)), cn = cos(T(o.node)), sn = sin(T(o.node)), cp = cos(T(o.peri)), sp = sin(T(o.peri));
    T a = o.a, e = o.e, b = sqrt(T(1) - e * e), n = T(0.0172021) / (a * sqrt(a));
    T P[3] = {a * (cn * cp - sn * sp * ci), a * (sn * cp + cn * sp * ci), a * sp * si};
    T Q[3] = {-a * (cn * sp + sn * cp * ci), -a * (sn * sp - cn * cp * ci), a * cp * si};
    T best = T(1e9);
    for (int t = first; t < first + EPOCHS; t++) {
        T d = dist2(e, b, n, T(o.m0), P, Q, T(t));
        best = d < best ? d : best;
    }
    return sqrt(best);
}

__global__ void screen(const float *el, float *moid, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Orbit o = {el[i], el[BODIES + i], el[2 * BODIES + i], el[3 * BODIES + i], el[4 * BODIES + i], el[5 * BODIES + i]};
    float d = (float)closest<real>(o, first);
    moid[i] = fminf(moid[i], d);
}

int main(int argc, char **argv)
{
    int years = argc > 1 ? atoi(argv[1]) : 1;
    float *el, *moid;
    CK(cudaMalloc(&el, (size_t)BODIES * 6 * sizeof(float)));
    CK(cudaMalloc(&moid, BODIES * sizeof(float)));
    CK(cudaMemset(moid, 0x7f, BODIES * sizeof(float)));      // a huge float
    make_bodies<<<BODIES / 256, 256>>>(el);
    for (int y = 0; y < years; y++)
        screen<<<BODIES / 256, 256>>>(el, moid, y * EPOCHS);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int q = 0; q < 16; q++) {
        unsigned i = q * 392017u + 7u;
        double want = 1e9;
        for (int y = 0; y < years; y++) want = std::min(want, closest<double>(body(i), y * EPOCHS));
        float got;
        CK(cudaMemcpy(&got, moid + i, sizeof got, cudaMemcpyDeviceToHost));
        ok = ok && close_to(got, want, 2e-3);
    }
    CK(cudaFree(el)); CK(cudaFree(moid));
    return report(ok);
}

// Space debris catalogue: the ascending node of every object drifts because the Earth is flattened (J2); the new node
// after some days is worked out for all objects.
// usage: nodaldrift objects days
#include "common.h"

#define THREADS 256
#define EARTH 6378.137f      // km
#define J2 1.0826e-3f
#define ROOT_MU 631.3481f    // km^1.5 / s

// the elements of an object
#define FIELDS 16
enum { AXIS, ECC, COS_INC, SIN_INC, ARGP, MEAN, EPOCH, DRAG, MASS, AREA, NODE, MAGNITUDE, RCS, SPIN, NUMBER, QUALITY };

#ifdef GOOD
#define AT(i, field) ((size_t)(field) * n + (i))
#else
#define AT(i, field) ((size_t)(i) * FIELDS + (field))
#endif

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

__host__ __device__ inline float elementOf(unsigned i, int field)
{
    float u = (float)(scramble(i * FIELDS + field) >> 8) * (1.0f / 16777216.0f);
    switch (field) {
    case AXIS: return 6700.0f + 2000.0f * u;
    case COS_INC: return 2.0f * u - 1.0f;
    case NODE: return u;                                 // in turns
    default: return u;
    }
}

__global__ void enter(float *catalogue, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        for (int f = 0; f < FIELDS; ++f) catalogue[AT(i, f)] = elementOf(i, f);
}

__global__ void __launch_bounds__(THREADS) drift(const float *__restrict__ catalogue, float *__restrict__ node, unsigned n,
                                                 float seconds)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    float a = catalogue[AT(i, AXIS)], c = catalogue[AT(i, COS_INC)], o = catalogue[AT(i, NODE)];
    float r = rsqrtf(a), motion = ROOT_MU * r * r * r, flat = EARTH * r * r;
    o -= 1.5f * J2 * flat * flat * motion * c * seconds * 0.15915494f;
    node[i] = o - floorf(o);
}

int main(int argc, char **argv)
{
    const unsigned n = argc > 1 ? atoi(argv[1]) : 8388608;
    const int days = argc > 2 ? atoi(argv[2]) : 4000;
    float *catalogue, *node;
    CK(cudaMalloc(&catalogue, (size_t)n * FIELDS * sizeof(float)));
    CK(cudaMalloc(&node, n * sizeof(float)));
    enter<<<2112, THREADS>>>(catalogue, n);
    for (int d = 0; d < days; ++d)
        drift<<<(n + THREADS - 1) / THREADS, THREADS>>>(catalogue, node, n, 86400.0f * (float)(d % 30 + 1));
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), node, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    double mean = 0;
    for (int q = 0; q < 100000; ++q) {
        unsigned i = (unsigned)((long long)q * (n - 1) / 99999);
        double a = elementOf(i, AXIS), o = elementOf(i, NODE);
        double rate = 1.5 * 1.0826e-3 * (6378.137 / a) * (6378.137 / a) * 631.3481 / (a * sqrt(a)) * elementOf(i, COS_INC);
        o -= rate * 86400.0 * ((days - 1) % 30 + 1) / 6.283185307179586;
        double off = got[i] - (o - floor(o));
        off -= floor(off + 0.5);                         // 0 and 1 are the same
        ok = ok && fabs(off) < 1e-4;
        mean += got[i] / 100000.0;
    }
    printf("mean node: %.5f turns\n", mean);
    CK(cudaFree(catalogue)); CK(cudaFree(node));
    return report(ok);
}

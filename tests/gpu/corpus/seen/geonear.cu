// For every customer the nearest shop on the globe, by the haversine formula.
#include "common.h"

const float EARTH = 6371.0f;    // kilometres

struct Place { float lat, lon; };
struct Answer { int shop; float km; };

__host__ __device__ inline float unit(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du;
    x ^= x >> 15; x *= 0x846ca68bu;
    return ((x ^ x >> 16) >> 8) / 16777216.f;
}

__host__ __device__ inline Place place_of(unsigned i, unsigned seed)
{
    Place p;
    p.lat = (unit(i * 2 + seed) - 0.5f) * 2.6f;
    p.lon = (unit(i * 2 + 1 + seed) - 0.5f) * 6.2f;
    return p;
}

__global__ void settle(Place *p, int n, unsigned seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = place_of(i, seed);
}

__host__ __device__ inline float haversine(Place a, Place b)
{
    float u = sinf((b.lat - a.lat) * 0.5f), v = sinf((b.lon - a.lon) * 0.5f);
    float h = u * u + cosf(a.lat) * cosf(b.lat) * v * v;
    return 2 * EARTH * asinf(sqrtf(fminf(h, 1.0f)));
}

#ifdef GOOD
__device__ inline float4 direction(Place p)
{
    float s, c, t, d;
    sincosf(p.lat, &s, &c);
    sincosf(p.lon, &t, &d);
    return make_float4(c * d, c * t, s, 0);
}
#endif

__global__ void nearest(const Place *__restrict__ customer, int n,
                        const Place *__restrict__ shop, int shops, Answer *answer)
{
    const int CHUNK = 256;
#ifdef GOOD
    __shared__ float4 near_by[CHUNK];
#else
    __shared__ Place near_by[CHUNK];
#endif
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Place me = customer[i < n ? i : n - 1];
    int at = 0;
    float best = 1e30f;
#ifdef GOOD
    float4 d = direction(me);
#endif
    for (int base = 0; base < shops; base += CHUNK) {
        int many = min(CHUNK, shops - base);
        __syncthreads();
#ifdef GOOD
        if (threadIdx.x < many)
            near_by[threadIdx.x] = direction(shop[base + threadIdx.x]);
#else
        if (threadIdx.x < many) near_by[threadIdx.x] = shop[base + threadIdx.x];
#endif
        __syncthreads();
        for (int k = 0; k < many; k++) {
#ifdef GOOD
            // The straight distance through the earth grows with the one over ground.
            float4 s = near_by[k];
            float x = s.x - d.x, y = s.y - d.y, z = s.z - d.z;
            float km = x * x + y * y + z * z;
#else
            float km = haversine(me, near_by[k]);
#endif
            if (km < best) { best = km; at = base + k; }
        }
    }
    if (i < n) answer[i] = {at, haversine(me, shop[at])};
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4 << 20, shops = argc > 2 ? atoi(argv[2]) : 9000;
    Place *customer, *shop;
    Answer *answer;
    CK(cudaMalloc(&customer, n * sizeof(Place)));
    CK(cudaMalloc(&shop, shops * sizeof(Place)));
    CK(cudaMalloc(&answer, n * sizeof(Answer)));
    settle<<<(n + 255) / 256, 256>>>(customer, n, 1000000007u);
    settle<<<(shops + 255) / 256, 256>>>(shop, shops, 17u);
    nearest<<<(n + 255) / 256, 256>>>(customer, n, shop, shops, answer);
    CK(cudaGetLastError());
    std::vector<Answer> a(n);
    CK(cudaMemcpy(a.data(), answer, n * sizeof(Answer), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i].km;
    bool ok = true;
    for (int i = 0; i < n; i += n / 100 + 1) {
        float best = 1e30f;
        for (int k = 0; k < shops; k++)
            best = fminf(best, haversine(place_of(i, 1000000007u), place_of(k, 17u)));
        ok &= fabsf(best - a[i].km) < 0.05f + 1e-3f * best;
    }
    printf("mean distance %.1f km\n", sum / n);
    return report(ok && sum / n > 1 && sum / n < 2000);
}

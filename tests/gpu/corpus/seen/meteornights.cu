// A year's radar meteors: the orbit of each meteor is compared with those of 128 known streams; the nearest stream is
// noted. The meteors are listed night by night, and at the peaks of the great streams a night has a hundredfold.
// usage: meteornights nights repetitions
#include "common.h"

#define STREAMS 128
#define THREADS 256
#define PIECE 512            // most meteors of a quiet night, and of a piece of a busy one

struct Orbit { float4 a, b; };       // perihelion distance, eccentricity, direction of the perihelion; normal of the plane, scale

__constant__ Orbit streams[STREAMS];

__host__ __device__ inline float part(unsigned i, unsigned k)
{
    unsigned h = i * 2654435761u + k * 2246822519u;
    h ^= h >> 15; h *= 3266489917u; h ^= h >> 13;
    return (float)(h & 0xffff) * (1.0f / 65536.0f);
}
__host__ __device__ inline Orbit orbitOf(unsigned i)
{
    Orbit o;
    o.a = make_float4(part(i, 0), 0.4f + 0.6f * part(i, 1), part(i, 2) - 0.5f, part(i, 3) - 0.5f);
    o.b = make_float4(part(i, 4) - 0.5f, part(i, 5) - 0.5f, part(i, 6) - 0.5f, part(i, 7));
    return o;
}
__host__ __device__ inline float unlike(const Orbit &m, const Orbit &s)
{
    float q = m.a.x - s.a.x, e = m.a.y - s.a.y, x = m.a.z - s.a.z, y = m.a.w - s.a.w;
    float u = m.b.x - s.b.x, v = m.b.y - s.b.y, w = m.b.z - s.b.z, k = m.b.w - s.b.w;
    return q * q + e * e + x * x + y * y + u * u + v * v + w * w + k * k;
}

__global__ void radar(Orbit *meteor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) meteor[i] = orbitOf(i);
}

// a range of meteors for each block
__global__ void __launch_bounds__(THREADS) assign(const Orbit *__restrict__ meteor, const int2 *__restrict__ range,
                                                  unsigned char *__restrict__ stream, float limit)
{
    const int2 r = range[blockIdx.x];
    for (int i = r.x + threadIdx.x; i < r.y; i += THREADS) {
        Orbit m;
        m.a = meteor[i].a; m.b = meteor[i].b;
        float best = limit;
        int which = 255;
        #pragma unroll 8
        for (int s = 0; s < STREAMS; ++s) {
            float d = unlike(m, streams[s]);
            if (d < best) { best = d; which = s; }
        }
        stream[i] = (unsigned char)which;
    }
}

int main(int argc, char **argv)
{
    int nights = argc > 1 ? atoi(argv[1]) : 2112, reps = argc > 2 ? atoi(argv[2]) : 1100;
    std::vector<int2> range;
    int n = 0;
    for (int k = 0; k < nights; ++k) {
        int count = k % 250 == 222 ? 80 * PIECE : PIECE - k % 64;
#ifdef GOOD
        for (int f = 0; f < count; f += PIECE) range.push_back(make_int2(n + f, n + std::min(count, f + PIECE)));
#else
        range.push_back(make_int2(n, n + count));
#endif
        n += count;
    }
    std::vector<Orbit> known(STREAMS);
    for (int s = 0; s < STREAMS; ++s) known[s] = orbitOf(900000000u + s);
    CK(cudaMemcpyToSymbol(streams, known.data(), STREAMS * sizeof(Orbit)));
    Orbit *meteor; int2 *drange; unsigned char *stream;
    CK(cudaMalloc(&meteor, n * sizeof(Orbit)));
    CK(cudaMalloc(&drange, range.size() * sizeof(int2)));
    CK(cudaMalloc(&stream, n));
    CK(cudaMemcpy(drange, range.data(), range.size() * sizeof(int2), cudaMemcpyHostToDevice));
    radar<<<(n + 255) / 256, 256>>>(meteor, n);
    float limit = 0.0f;
    for (int r = 0; r < reps; ++r) {
        limit = 0.3f + 0.01f * (float)(r % 10);
        assign<<<(int)range.size(), THREADS>>>(meteor, drange, stream, limit);
    }
    CK(cudaGetLastError());
    std::vector<unsigned char> got(n);
    CK(cudaMemcpy(got.data(), stream, n, cudaMemcpyDeviceToHost));

    int bad = 0, seen = 0, sporadic = 0;
    for (int i = 0; i < n; i += 211, ++seen) {
        Orbit m = orbitOf(i);
        float best = limit;
        for (int s = 0; s < STREAMS; ++s) best = std::min(best, unlike(m, known[s]));
        float have = got[i] == 255 ? limit : unlike(m, known[got[i] % STREAMS]);
        bad += fabsf(have - best) > 1e-4f;
        sporadic += got[i] == 255;
    }
    printf("%d meteors; of %d looked at %d sporadic, %d wrong\n", n, seen, sporadic, bad);
    CK(cudaFree(meteor)); CK(cudaFree(drange)); CK(cudaFree(stream));
    return report(bad == 0);
}

// Dental scans: points of a new scan of the jaw have each been matched to a point of the old one; for each pair the
// distance to the tangent plane tells how well the scans lie on each other. The old scan's file is on the GPU as read.
// usage: toothalign bits-of-the-number-of-points repetitions
#include "common.h"

#ifdef GOOD
#define HEADER 32            // bytes, padded, before the first point
#else
#define HEADER 16
#endif

struct Pose { float4 x, y, z; };     // rows of a rotation and shift

__host__ __device__ inline unsigned partner(unsigned i, unsigned mask)       // a permutation
{
    i = i * 2654435761u & mask;
    i ^= i >> 13;
    i = i * 2246822519u & mask;
    i ^= i >> 11;
    return i;
}
__host__ __device__ inline float coord(unsigned i, unsigned k)
{
    unsigned h = i * 3266489917u + k * 668265263u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return (float)(h & 0xffff) * (2.0f / 65536.0f) - 1.0f;
}
__host__ __device__ inline float4 placeOf(unsigned i) { return make_float4(coord(i, 0), coord(i, 1), coord(i, 2), 0.5f + 0.25f * coord(i, 3)); }
__host__ __device__ inline float4 planeOf(unsigned i) { return make_float4(coord(i, 4), coord(i, 5), coord(i, 6), 0.1f * coord(i, 7)); }

__host__ __device__ inline float misfit(float4 p, float4 n, Pose m)
{
    float x = m.x.x * p.x + m.x.y * p.y + m.x.z * p.z + m.x.w;
    float y = m.y.x * p.x + m.y.y * p.y + m.y.z * p.z + m.y.w;
    float z = m.z.x * p.x + m.z.y * p.y + m.z.z * p.z + m.z.w;
    return p.w * (n.x * x + n.y * y + n.z * z + n.w);
}

__global__ void load_scan(float4 *point, unsigned *match, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    point[2 * (size_t)i] = placeOf(i);
    point[2 * (size_t)i + 1] = planeOf(i);
    match[i] = partner(i, n - 1);
}

// a point is 32 bytes: place and weight, plane
__global__ void __launch_bounds__(256) misfits(const float4 *__restrict__ point, const unsigned *__restrict__ match,
                                               float *__restrict__ out, Pose pose, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 *mine = point + 2 * (size_t)match[i];
    out[i] = misfit(mine[0], mine[1], pose);
}

static Pose poseOf(int r)
{
    float a = 0.01f * (float)(r % 9), c = cosf(a), s = sinf(a);
    Pose p;
    p.x = make_float4(c, -s, 0.0f, 0.02f);
    p.y = make_float4(s, c, 0.0f, -0.01f);
    p.z = make_float4(0.0f, 0.0f, 1.0f, 0.005f * (float)(r % 4));
    return p;
}

int main(int argc, char **argv)
{
    const unsigned n = 1u << (argc > 1 ? atoi(argv[1]) : 24);
    const int reps = argc > 2 ? atoi(argv[2]) : 2200;
    char *file; unsigned *match; float *out;
    CK(cudaMalloc(&file, HEADER + (size_t)n * 32));
    CK(cudaMalloc(&match, n * sizeof(unsigned)));
    CK(cudaMalloc(&out, n * sizeof(float)));
    float4 *point = (float4 *)(file + HEADER);
    load_scan<<<(n + 255) / 256, 256>>>(point, match, n);
    for (int r = 0; r < reps; ++r) misfits<<<(n + 255) / 256, 256>>>(point, match, out, poseOf(r), n);
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    double sum = 0;
    const Pose pose = poseOf(reps - 1);
    for (unsigned i = 0; i < n; ++i) {
        sum += fabsf(got[i]);
        if (i % 499) continue;
        unsigned k = partner(i, n - 1);
        ok = ok && fabsf(got[i] - misfit(placeOf(k), planeOf(k), pose)) < 1e-4f;
    }
    printf("mean misfit %.5f\n", sum / n);
    CK(cudaFree(file)); CK(cudaFree(match)); CK(cudaFree(out));
    return report(ok);
}

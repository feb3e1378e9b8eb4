// Satellite star tracker: the angles between the stars of a camera frame are looked up in the catalogue of angles,
// and every star gets votes for the catalogue entries which fit.
// usage: starpairs frames rounds
#include "common.h"

#define ENTRIES 4096
#define STARS 16             // bright stars kept of a frame

#ifdef GOOD
__device__ float angleCat[ENTRIES];      // cosines of the catalogue pairs, ascending
#else
__constant__ float angleCat[ENTRIES];    // cosines of the catalogue pairs, ascending
#endif

__host__ __device__ inline float cosAngle(const float4 &a, const float4 &b)
{
    return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z));
}

// index of the last entry that is not greater than c
__host__ __device__ inline int lookUp(const float *cat, float c)
{
    int lo = 0;
    for (int step = ENTRIES / 2; step > 0; step >>= 1)
        if (cat[lo + step] <= c) lo += step;
    return lo;
}

__global__ void vote_stars(const float4 *__restrict__ star, uint2 *__restrict__ vote, int n, float tilt)
{
#ifdef GOOD
    __shared__ float cat[ENTRIES];
    for (int i = threadIdx.x; i < ENTRIES; i += blockDim.x) cat[i] = angleCat[i];
    __syncthreads();
#else
    const float *cat = angleCat;
#endif
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int frame = i / STARS * STARS;
        float4 me = star[i];
        uint2 v = make_uint2(0u, 0u);
        for (int k = 1; k < STARS; ++k) {
            float c = cosAngle(me, star[frame + (i + k) % STARS]) - tilt;
            int e = lookUp(cat, c);
            float gap = c - cat[e];
            v.x += (unsigned)e;
            v.y += gap < 2.0e-4f ? 1u : 0u;
        }
        vote[i] = v;
    }
}

__global__ void frame_quality(const uint2 *vote, int *quality, int frames)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= frames) return;
    int q = 0;
    for (int s = 0; s < STARS; ++s) q += (int)vote[(size_t)f * STARS + s].y;
    quality[f] = q;
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 65536;
    int rounds = argc > 2 ? atoi(argv[2]) : 600;
    int n = frames * STARS;
    unsigned s = 2024;
    std::vector<float> cat(ENTRIES);
    for (auto &c : cat) c = 0.80f + 0.2f * frand(s);
    std::sort(cat.begin(), cat.end());
    cat[0] = -1.0f;
    std::vector<float4> star(n);
    for (auto &p : star) {                                   // field of view some twenty degrees
        float x = 0.36f * (frand(s) - 0.5f), y = 0.36f * (frand(s) - 0.5f);
        float r = 1.0f / sqrtf(1.0f + x * x + y * y);
        p = make_float4(x * r, y * r, r, 0.0f);
    }
    CK(cudaMemcpyToSymbol(angleCat, cat.data(), ENTRIES * sizeof(float)));
    float4 *ds; uint2 *dv; int *dq;
    CK(cudaMalloc(&ds, n * sizeof(float4)));
    CK(cudaMalloc(&dv, n * sizeof(uint2)));
    CK(cudaMalloc(&dq, frames * sizeof(int)));
    CK(cudaMemcpy(ds, star.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    float tilt = 0.0f;
    for (int k = 0; k < rounds; ++k) {
        tilt = 1.0e-5f * (float)(k % 50);
        vote_stars<<<1056, 256>>>(ds, dv, n, tilt);
        frame_quality<<<(frames + 127) / 128, 128>>>(dv, dq, frames);
    }
    CK(cudaGetLastError());
    std::vector<uint2> v(n);
    std::vector<int> q(frames);
    CK(cudaMemcpy(v.data(), dv, n * sizeof(uint2), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(q.data(), dq, frames * sizeof(int), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int f : {0, frames / 2, frames - 1}) {
        int sum = 0;
        for (int i = f * STARS; i < (f + 1) * STARS; ++i) {
            unsigned x = 0, y = 0;
            for (int k = 1; k < STARS; ++k) {
                float c = cosAngle(star[i], star[f * STARS + (i + k) % STARS]) - tilt;
                int e = lookUp(cat.data(), c);
                x += (unsigned)e;
                y += c - cat[e] < 2.0e-4f ? 1u : 0u;
            }
            ok = ok && v[i].x == x && v[i].y == y;
            sum += (int)y;
        }
        ok = ok && q[f] == sum;
    }
    printf("frame 0: quality %d\n", q[0]);
    CK(cudaFree(ds)); CK(cudaFree(dv)); CK(cudaFree(dq));
    return report(ok);
}

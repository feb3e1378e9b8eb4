// Motion planning: which postures of a robot's arm with seven joints reach the shelf
// without touching one of the pillars.
#include "common.h"

const int JOINTS = 7, PILLARS = 24;

struct Frame { float m[12]; };      // rotation and place, 3 x 4
struct Pillar { float x, y, r, h; };

__constant__ Pillar pillar[PILLARS];

__host__ __device__ inline unsigned mixed(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du;
    x ^= x >> 15; x *= 0x846ca68bu;
    return x ^ x >> 16;
}

__host__ __device__ inline float angle_of(unsigned posture, int joint)
{
    return ((mixed(posture * 8u + joint) >> 8) / 16777216.f - 0.5f) * 4.0f;
}

// A turn about the joint's axis (z, or y for every other joint), then a step outwards.
__host__ __device__ inline Frame joint_frame(int joint, float angle)
{
    float s = sinf(angle), c = cosf(angle), l = 0.34f - 0.03f * joint;
    Frame f;
    if (joint % 2 == 0) {
        float m[12] = {c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, l};
        for (int i = 0; i < 12; i++) f.m[i] = m[i];
    } else {
        float m[12] = {c, 0, s, l * s, 0, 1, 0, 0, -s, 0, c, l * c};
        for (int i = 0; i < 12; i++) f.m[i] = m[i];
    }
    return f;
}

__host__ __device__ inline Frame product(const Frame &a, const Frame &b)
{
    Frame r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            r.m[i * 4 + j] = a.m[i * 4] * b.m[j] + a.m[i * 4 + 1] * b.m[4 + j] +
                             a.m[i * 4 + 2] * b.m[8 + j] + (j == 3 ? a.m[i * 4 + 3] : 0);
    return r;
}

__host__ __device__ inline bool touches(const Pillar *p, float x, float y, float z)
{
    bool hit = z < 0.02f;
    for (int k = 0; k < PILLARS; k++) {
        float dx = x - p[k].x, dy = y - p[k].y;
        hit |= z < p[k].h && dx * dx + dy * dy < p[k].r * p[k].r;
    }
    return hit;
}

__host__ __device__ inline bool on_shelf(float x, float y, float z)
{
    return x * x + y * y < 0.8f && x > 0.2f && z > 0.3f && z < 0.9f;
}

// counts: postures without a collision, and those of them that reach the shelf.
#ifdef GOOD
__global__ void check(unsigned first, int many, unsigned *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool free = i < many, reach = false;
    Frame f;
#pragma unroll
    for (int j = 0; j < JOINTS; j++) {
        Frame g = joint_frame(j, angle_of(first + i, j));
        f = j ? product(f, g) : g;
        free &= !touches(pillar, f.m[3], f.m[7], f.m[11]);
    }
    reach = free && on_shelf(f.m[3], f.m[7], f.m[11]);
    unsigned a = __ballot_sync(~0u, free), b = __ballot_sync(~0u, reach);
    if (threadIdx.x % 32 == 0) {
        if (a) atomicAdd(&counts[0], __popc(a));
        if (b) atomicAdd(&counts[1], __popc(b));
    }
}
#else
// A joint per thread, a posture per block.
__global__ void check(unsigned first, int many, unsigned *counts)
{
    __shared__ Frame frame[JOINTS];
    __shared__ int hits;
    int j = threadIdx.x;
    frame[j] = joint_frame(j, angle_of(first + blockIdx.x, j));
    if (j == 0) hits = 0;
    __syncthreads();
    if (j == 0)
        for (int k = 1; k < JOINTS; k++) frame[k] = product(frame[k - 1], frame[k]);
    __syncthreads();
    const float *m = frame[j].m;
    if (touches(pillar, m[3], m[7], m[11])) atomicAdd(&hits, 1);
    __syncthreads();
    if (j == JOINTS - 1 && hits == 0) {
        atomicAdd(&counts[0], 1u);
        if (on_shelf(m[3], m[7], m[11])) atomicAdd(&counts[1], 1u);
    }
}
#endif

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 150;
    int many = argc > 2 ? atoi(argv[2]) : 2 << 20;
    Pillar p[PILLARS];
    for (int k = 0; k < PILLARS; k++) {
        float a = k * 2 * M_PI / PILLARS, d = 0.5f + 0.08f * (k % 5);
        p[k] = {d * cosf(a), d * sinf(a), 0.03f + 0.01f * (k % 3), 0.3f + 0.1f * (k % 4)};
    }
    CK(cudaMemcpyToSymbol(pillar, p, sizeof p));
    unsigned *counts;
    CK(cudaMalloc(&counts, rounds * 8));
    CK(cudaMemset(counts, 0, rounds * 8));
    for (int r = 0; r < rounds; r++) {
        unsigned first = (unsigned)r * many;
#ifdef GOOD
        check<<<(many + 127) / 128, 128>>>(first, many, counts + 2 * r);
#else
        check<<<many, JOINTS>>>(first, many, counts + 2 * r);
#endif
    }
    CK(cudaGetLastError());
    std::vector<unsigned> h(2 * rounds);
    CK(cudaMemcpy(h.data(), counts, rounds * 8, cudaMemcpyDeviceToHost));
    double free = 0, reach = 0;
    for (int r = 0; r < rounds; r++) { free += h[2 * r]; reach += h[2 * r + 1]; }
    // A sample on the host must show the same shares.
    int tried = std::min(many, 40000), f0 = 0, r0 = 0;
    for (int i = 0; i < tried; i++) {
        Frame f;
        bool ok = true;
        for (int j = 0; j < JOINTS; j++) {
            Frame g = joint_frame(j, angle_of(i, j));
            f = j ? product(f, g) : g;
            ok &= !touches(p, f.m[3], f.m[7], f.m[11]);
        }
        f0 += ok;
        r0 += ok && on_shelf(f.m[3], f.m[7], f.m[11]);
    }
    double all = (double)rounds * many, a = free / all, b = reach / all;
    printf("free %.3f, reach %.3f\n", a, b);
    return report(fabs(a - (double)f0 / tried) < 0.02 &&
                  fabs(b - (double)r0 / tried) < 0.02 && b > 0.001);
}

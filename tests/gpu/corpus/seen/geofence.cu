// Delivery vans report where they are; which zone of the city is a van in? Zones are
// polygons of 8 to 40 corners, and a grid tells which zones come into question.
#include "common.h"

struct Zone {
    float2 *corner;
    int corners;
};

const int GRID = 220;       // a zone around every point of a grid

__host__ __device__ inline unsigned jumble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du;
    x ^= x >> 15; x *= 0x846ca68bu;
    return x ^ x >> 16;
}

__host__ __device__ inline float2 van(unsigned i, unsigned minute)
{
    unsigned a = jumble(i * 2 + minute * 7919u), b = jumble(i * 2 + 1 + minute * 104729u);
    return make_float2((a >> 8) / 16777216.f * GRID, (b >> 8) / 16777216.f * GRID);
}

__host__ __device__ inline bool inside(const float2 *c, int n, float2 p)
{
    bool in = false;
    float2 a = c[n - 1];
    for (int k = 0; k < n; k++) {
        float2 b = c[k];
        if ((a.y > p.y) != (b.y > p.y) &&
            p.x - a.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y)) in = !in;
        a = b;
    }
    return in;
}

// Zones may lie over each other; the smallest number wins.
__global__ void locate(const Zone *__restrict__ zone, int vans, int minute,
                       unsigned *visits)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vans) return;
    float2 p = van(i, minute);
    int gx = (int)p.x, gy = (int)p.y;
    for (int k = 0; k < 4; k++) {
        int x = min(gx + (k & 1), GRID - 1), y = min(gy + k / 2, GRID - 1);
        Zone z = zone[y * GRID + x];
        if (inside(z.corner, z.corners, p)) {
            atomicAdd(&visits[y * GRID + x], 1u);
            return;
        }
    }
}

std::vector<float2> outline(int zone)
{
    int n = 8 + jumble(zone) % 33;
    std::vector<float2> c(n);
    for (int k = 0; k < n; k++) {
        float r = 0.3f + 0.4f * (jumble(zone * 64 + k) % 1000) / 1000.f;
        float a = 2 * (float)M_PI * k / n;
        c[k] = make_float2(zone % GRID + r * cosf(a), zone / GRID + r * sinf(a));
    }
    return c;
}

int main(int argc, char **argv)
{
    int minutes = argc > 1 ? atoi(argv[1]) : 40;
    int vans = argc > 2 ? atoi(argv[2]) : 4 << 20;
    const int zones = GRID * GRID;
    std::vector<Zone> zone(zones);
    std::vector<std::vector<float2>> all;
    for (int z = 0; z < zones; z++) all.push_back(outline(z));
#ifdef GOOD
    std::vector<float2> corners;
    for (auto &c : all) corners.insert(corners.end(), c.begin(), c.end());
    float2 *at;
    CK(cudaMalloc(&at, corners.size() * sizeof(float2)));
    CK(cudaMemcpy(at, corners.data(), corners.size() * sizeof(float2),
                  cudaMemcpyHostToDevice));
    for (int z = 0; z < zones; z++) {
        zone[z] = {at, (int)all[z].size()};
        at += all[z].size();
    }
#else
    for (int z = 0; z < zones; z++) {
        size_t bytes = all[z].size() * sizeof(float2);
        zone[z].corners = (int)all[z].size();
        CK(cudaMalloc(&zone[z].corner, bytes));
        CK(cudaMemcpy(zone[z].corner, all[z].data(), bytes, cudaMemcpyHostToDevice));
    }
#endif
    Zone *d;
    unsigned *visits;
    CK(cudaMalloc(&d, zones * sizeof(Zone)));
    CK(cudaMalloc(&visits, zones * 4));
    CK(cudaMemcpy(d, zone.data(), zones * sizeof(Zone), cudaMemcpyHostToDevice));
    CK(cudaMemset(visits, 0, zones * 4));
    for (int m = 0; m < minutes; m++)
        locate<<<(vans + 255) / 256, 256>>>(d, vans, m, visits);
    CK(cudaGetLastError());
    std::vector<unsigned> h(zones);
    CK(cudaMemcpy(h.data(), visits, zones * 4, cudaMemcpyDeviceToHost));
    double found = 0;
    for (unsigned v : h) found += v;
    double share = found / ((double)vans * minutes);
    int tried = std::min(vans, 50000), in = 0;
    for (int i = 0; i < tried; i++) {
        float2 p = van(i, 0);
        bool hit = false;
        for (int k = 0; k < 4 && !hit; k++) {
            int x = std::min((int)p.x + (k & 1), GRID - 1);
            int y = std::min((int)p.y + k / 2, GRID - 1);
            auto &c = all[y * GRID + x];
            hit = inside(c.data(), (int)c.size(), p);
        }
        in += hit;
    }
    printf("in a zone: %.4f\n", share);
    return report(fabs(share - (double)in / tried) < 0.015 && share > 0.3);
}

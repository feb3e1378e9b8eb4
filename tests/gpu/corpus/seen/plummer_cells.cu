// Short-range gravity in a star field: inside every cell of the grid all pairs interact.
// The stars are sorted by cell; a few cells hold a cluster.  A work item is a range of
// target stars and the range of the cell's stars that act on them; one block per item.
#include "common.h"

#ifndef NCELLS
#define NCELLS 8192
#define CLUSTER 6000
#endif
#define BT 128

struct Item { int first, last, begin, end; };   // targets [first,last), sources [begin,end)

__global__ void __launch_bounds__(BT) cell_forces(const float4 *__restrict__ star, float4 *__restrict__ acc,
                                                 const Item *__restrict__ items, float eps2)
{
    __shared__ float4 tile[BT];
    Item w = items[blockIdx.x];
    for (int base = w.first; base < w.last; base += BT) {
        int i = base + threadIdx.x;
        float4 me = star[min(i, w.last - 1)];
        float ax = 0, ay = 0, az = 0;
        for (int t = w.begin; t < w.end; t += BT) {
            int j = t + threadIdx.x;
            tile[threadIdx.x] = j < w.end ? star[j] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            __syncthreads();
#pragma unroll 8
            for (int k = 0; k < BT; k++) {
                float4 p = tile[k];
                float dx = p.x - me.x, dy = p.y - me.y, dz = p.z - me.z;
                float ri = rsqrtf(dx * dx + dy * dy + dz * dz + eps2);
                float f = p.w * ri * ri * ri;
                ax += f * dx; ay += f * dy; az += f * dz;
            }
            __syncthreads();
        }
        if (i < w.last) acc[i] = make_float4(ax, ay, az, 0.0f);
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 60;
    const float eps2 = 1e-4f;
    unsigned seed = 4242;
    std::vector<int> start(NCELLS + 1, 0);
    for (int c = 0; c < NCELLS; c++) {
        int n = 64 + (int)(frand(seed) * 512.0f);
        if (c % (NCELLS / 6) == NCELLS / 9) n = CLUSTER;     // the clusters
        start[c + 1] = start[c] + n;
    }
    int n = start[NCELLS];
    std::vector<float4> star(n), got(n);
    for (auto &s : star) s = make_float4(frand(seed), frand(seed), frand(seed), 0.001f);

    std::vector<Item> items;
    for (int c = 0; c < NCELLS; c++) {
#ifdef GOOD
        for (int i = start[c]; i < start[c + 1]; i += BT)
            items.push_back({i, std::min(i + BT, start[c + 1]), start[c], start[c + 1]});
#else
        items.push_back({start[c], start[c + 1], start[c], start[c + 1]});
#endif
    }
    float4 *dstar, *dacc;
    Item *ditems;
    CK(cudaMalloc(&dstar, n * sizeof(float4)));
    CK(cudaMalloc(&dacc, n * sizeof(float4)));
    CK(cudaMalloc(&ditems, items.size() * sizeof(Item)));
    CK(cudaMemcpy(dstar, star.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(ditems, items.data(), items.size() * sizeof(Item), cudaMemcpyHostToDevice));
    for (int r = 0; r < rounds; r++) cell_forces<<<(unsigned)items.size(), BT>>>(dstar, dacc, ditems, eps2);
    CK(cudaGetLastError());
    CK(cudaMemcpy(got.data(), dacc, n * sizeof(float4), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int t = 0; t < 300; t++) {
        int c = t < 20 ? NCELLS / 9 : (int)(((long long)t * 4001) % NCELLS);
        int i = start[c] + (t * 977) % (start[c + 1] - start[c]);
        double a[3] = {0, 0, 0};
        for (int j = start[c]; j < start[c + 1]; j++) {
            double dx = star[j].x - star[i].x, dy = star[j].y - star[i].y, dz = star[j].z - star[i].z;
            double r2 = dx * dx + dy * dy + dz * dz + eps2, f = star[j].w / (r2 * sqrt(r2));
            a[0] += f * dx; a[1] += f * dy; a[2] += f * dz;
        }
        ok = ok && close_to(got[i].x, a[0], 5e-3) && close_to(got[i].y, a[1], 5e-3) && close_to(got[i].z, a[2], 5e-3);
    }
    printf("%d stars, %zu work items\n", n, items.size());
    CK(cudaFree(dstar)); CK(cudaFree(dacc)); CK(cudaFree(ditems));
    return report(ok);
}

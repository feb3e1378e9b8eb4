// Smoothed particle hydrodynamics: densities from the neighbours in a uniform grid.
//   sphsort [particles a side] [steps]
#include "common.h"

struct Grid { int side; float cell; };

__device__ inline int3 cell_of(float4 p, Grid g)
{
    return make_int3(min((int)(p.x / g.cell), g.side - 1), min((int)(p.y / g.cell), g.side - 1), min((int)(p.z / g.cell), g.side - 1));
}

__device__ inline int number(int3 c, Grid g) { return (c.z * g.side + c.y) * g.side + c.x; }

__global__ void count_cells(const float4 *pos, int *count, int n, Grid g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&count[number(cell_of(pos[i], g), g)], 1);
}

// A slot for each particle in the list of its cell; the order within a cell is free.
__global__ void fill_cells(const float4 *pos, float4 *sorted, const int *start, int *used, int *list, int n, Grid g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = number(cell_of(pos[i], g), g);
    int slot = start[c] + atomicAdd(&used[c], 1);
    list[slot] = i;
    sorted[slot] = pos[i];
}

#ifndef GOOD
#define AT(k) pos[list[k]]
#else
#define AT(k) pos[k]
#endif

__global__ void density(const float4 *__restrict__ pos, const int *__restrict__ list, const int *__restrict__ start, float *__restrict__ rho, int n, Grid g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = pos[i];
    int3 c = cell_of(p, g);
    float h2 = g.cell * g.cell, sum = 0;
    for (int z = max(c.z - 1, 0); z <= min(c.z + 1, g.side - 1); z++)
        for (int y = max(c.y - 1, 0); y <= min(c.y + 1, g.side - 1); y++)
            for (int x = max(c.x - 1, 0); x <= min(c.x + 1, g.side - 1); x++) {
                int cell = number(make_int3(x, y, z), g);
                for (int k = start[cell]; k < start[cell + 1]; k++) {
                    float4 q = AT(k);
                    float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
                    float d2 = h2 - dx * dx - dy * dy - dz * dz;
                    if (d2 > 0) sum += q.w * d2 * d2 * d2;
                }
            }
#ifndef GOOD
    rho[i] = sum;
#else
    rho[list[i]] = sum;
#endif
}

int main(int argc, char **argv)
{
    int a = argc > 1 ? atoi(argv[1]) : 128, steps = argc > 2 ? atoi(argv[2]) : 10, n = a * a * a;
    Grid g = {a * 5 / 8, 1.6f / a};
    int cells = g.side * g.side * g.side;
    std::vector<float4> h(n);
    unsigned s = 7;
    for (auto &p : h) p = make_float4(frand(s), frand(s), frand(s), 1.0f);
    float4 *pos, *sorted;
    int *count, *start, *list;
    float *rho;
    CK(cudaMalloc(&pos, n * sizeof(float4)));
    CK(cudaMalloc(&sorted, n * sizeof(float4)));
    CK(cudaMalloc(&count, cells * sizeof(int)));
    CK(cudaMalloc(&start, (cells + 1) * sizeof(int)));
    CK(cudaMalloc(&list, n * sizeof(int)));
    CK(cudaMalloc(&rho, n * sizeof(float)));
    CK(cudaMemcpy(pos, h.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMemset(count, 0, cells * sizeof(int)));
    count_cells<<<(n + 255) / 256, 256>>>(pos, count, n, g);
    std::vector<int> c(cells), st(cells + 1);
    CK(cudaMemcpy(c.data(), count, cells * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < cells; i++) st[i + 1] = st[i] + c[i];
    CK(cudaMemcpy(start, st.data(), st.size() * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemset(count, 0, cells * sizeof(int)));
    fill_cells<<<(n + 255) / 256, 256>>>(pos, sorted, start, count, list, n, g);
    for (int t = 0; t < steps; t++) {
#ifndef GOOD
        density<<<(n + 127) / 128, 128>>>(pos, list, start, rho, n, g);
#else
        density<<<(n + 127) / 128, 128>>>(sorted, list, start, rho, n, g);
#endif
    }
    CK(cudaGetLastError());
    std::vector<float> r(n);
    CK(cudaMemcpy(r.data(), rho, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int t = 0; t < 12; t++) {
        int i = (int)((size_t)t * n / 12);
        double want = 0, h2 = (double)g.cell * g.cell;
        for (int j = 0; j < n; j++) {
            double dx = h[i].x - h[j].x, dy = h[i].y - h[j].y, dz = h[i].z - h[j].z, d2 = h2 - dx * dx - dy * dy - dz * dz;
            if (d2 > 0) want += d2 * d2 * d2;
        }
        ok = ok && fabs(want - r[i]) < 1e-3 * want;
    }
    printf("density of the first %g\n", r[0]);
    return report(ok);
}

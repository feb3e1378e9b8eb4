// City block distances between the descriptors of a query photo and those of an album page:
// d(i,j) = sum over the components |q(i) - p(j)|. Component-major storage.
#include "common.h"

#ifndef QUERIES
#define QUERIES 8192
#define PAGE 8192
#endif
const int DIM = 96, PAGES = 3;

#ifdef GOOD
const int STEP = 16, SIDE = 64;

__device__ inline void add4(float (&row)[4], float q, const float4 &p)
{
    row[0] += fabsf(q - p.x);
    row[1] += fabsf(q - p.y);
    row[2] += fabsf(q - p.z);
    row[3] += fabsf(q - p.w);
}

__global__ void __launch_bounds__(256) distances(const float *__restrict__ query, const float *__restrict__ page,
                                                 float *__restrict__ out)
{
    __shared__ float4 qs[STEP][SIDE / 4], ps[STEP][SIDE / 4];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int i0 = blockIdx.y * SIDE, j0 = blockIdx.x * SIDE;
    float d[4][4] = {};
    for (int k0 = 0; k0 < DIM; k0 += STEP) {
        qs[ty][tx] = *reinterpret_cast<const float4 *>(query + (size_t)(k0 + ty) * QUERIES + i0 + 4 * tx);
        ps[ty][tx] = *reinterpret_cast<const float4 *>(page + (size_t)(k0 + ty) * PAGE + j0 + 4 * tx);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < STEP; k++) {
            float4 q = qs[k][ty], p = ps[k][tx];
            add4(d[0], q.x, p);
            add4(d[1], q.y, p);
            add4(d[2], q.z, p);
            add4(d[3], q.w, p);
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        *reinterpret_cast<float4 *>(out + (size_t)(i0 + 4 * ty + r) * PAGE + j0 + 4 * tx)
            = make_float4(d[r][0], d[r][1], d[r][2], d[r][3]);
}
static dim3 grid_for() { return dim3(PAGE / SIDE, QUERIES / SIDE); }
static dim3 block_for() { return dim3(256); }
#else
__global__ void __launch_bounds__(256) distances(const float *__restrict__ query, const float *__restrict__ page,
                                                 float *__restrict__ out)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float d = 0;
    for (int k = 0; k < DIM; k++) d += fabsf(query[(size_t)k * QUERIES + i] - page[(size_t)k * PAGE + j]);
    out[(size_t)i * PAGE + j] = d;
}
static dim3 grid_for() { return dim3(PAGE / 32, QUERIES / 8); }
static dim3 block_for() { return dim3(32, 8); }
#endif

// nearest album descriptor of each query, one warp a query
__global__ void nearest(const float *__restrict__ dist, int *__restrict__ which)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    float low = 1e30f;
    int at = 0;
    for (int j = lane; j < PAGE; j += 32) {
        float d = dist[(size_t)i * PAGE + j];
        if (d < low) { low = d; at = j; }
    }
    for (int s = 16; s > 0; s >>= 1) {
        float other = __shfl_xor_sync(~0u, low, s);
        int there = __shfl_xor_sync(~0u, at, s);
        if (other < low || (other == low && there < at)) { low = other; at = there; }
    }
    if (lane == 0) which[i] = at;
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 900;
    unsigned seed = 4;
    std::vector<float> query((size_t)DIM * QUERIES), page((size_t)PAGES * DIM * PAGE);
    for (auto &v : query) v = frand(seed);
    for (auto &v : page) v = frand(seed);
    float *dq, *dp, *out;
    int *which;
    CK(cudaMalloc(&dq, query.size() * sizeof(float)));
    CK(cudaMalloc(&dp, page.size() * sizeof(float)));
    CK(cudaMalloc(&out, (size_t)QUERIES * PAGE * sizeof(float)));
    CK(cudaMalloc(&which, QUERIES * sizeof(int)));
    CK(cudaMemcpy(dq, query.data(), query.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dp, page.data(), page.size() * sizeof(float), cudaMemcpyHostToDevice));
    int last = 0;
    for (int t = 0; t < times; t++) {
        last = t % PAGES;
        distances<<<grid_for(), block_for()>>>(dq, dp + (size_t)last * DIM * PAGE, out);
    }
    nearest<<<QUERIES / 8, 256>>>(out, which);
    CK(cudaGetLastError());

    std::vector<float> row(PAGE);
    std::vector<int> got(QUERIES);
    CK(cudaMemcpy(got.data(), which, QUERIES * sizeof(int), cudaMemcpyDeviceToHost));
    const float *mine = page.data() + (size_t)last * DIM * PAGE;
    bool ok = true;
    for (int t = 0; t < 9; t++) {
        int i = (int)((t * 997u + 3u) % QUERIES);
        CK(cudaMemcpy(row.data(), out + (size_t)i * PAGE, PAGE * sizeof(float), cudaMemcpyDeviceToHost));
        double low = 1e30, found = -1;
        for (int j = 0; j < PAGE; j++) {
            double d = 0;
            for (int k = 0; k < DIM; k++) d += fabs((double)query[(size_t)k * QUERIES + i] - mine[(size_t)k * PAGE + j]);
            ok = ok && close_to(row[j], d, 1e-4);
            low = std::min(low, d);
            if (j == got[i]) found = d;
        }
        ok = ok && close_to(found, low, 1e-4);
    }
    CK(cudaFree(dq)); CK(cudaFree(dp)); CK(cudaFree(out)); CK(cudaFree(which));
    return report(ok);
}

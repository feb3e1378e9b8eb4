// Mean log coverage of every gene. Genes are stored longest first; a fixed number of blocks shares them out.
#include "common.h"

static const int GENES = 20000;
static const int BLOCKS = 132 * 4;
static const int NT = 256;

static int gene_length(int g) { return 200 + (int)(5.0e4 / (g / 1500.0 + 1.0)); }

static __host__ __device__ float coverage_at(int i)
{
    unsigned h = (unsigned)i * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return (float)(h & 255u);
}
__global__ void pileup(float *cov, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        cov[i] = coverage_at(i);
}

__global__ void __launch_bounds__(NT) gene_coverage(const float *__restrict__ cov, const int *__restrict__ start, float *mean, int genes)
{
    __shared__ float part[NT / 32];
#ifdef GOOD
    for (int g = blockIdx.x; g < genes; g += gridDim.x) {
#else
    int per = (genes + gridDim.x - 1) / gridDim.x;
    int last = min(genes, (int)(blockIdx.x + 1) * per);
    for (int g = blockIdx.x * per; g < last; g++) {
#endif
        int b = start[g], e = start[g + 1];
        float s = 0.0f;
        for (int i = b + threadIdx.x; i < e; i += NT) s += __logf(1.0f + cov[i]);
        for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
        if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = s;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int w = 1; w < NT / 32; w++) s += part[w];
            mean[g] = s / (e - b);
        }
        __syncthreads();
    }
}

int main(int argc, char **argv)
{
    int samples = argc > 1 ? atoi(argv[1]) : 150;
    std::vector<int> start(GENES + 1, 0);
    for (int g = 0; g < GENES; g++) start[g + 1] = start[g] + gene_length(g);
    int bases = start[GENES];
    float *cov, *mean;
    int *dstart;
    CK(cudaMalloc(&cov, (size_t)bases * sizeof(float)));
    CK(cudaMalloc(&mean, GENES * sizeof(float)));
    CK(cudaMalloc(&dstart, (GENES + 1) * sizeof(int)));
    CK(cudaMemcpy(dstart, start.data(), (GENES + 1) * sizeof(int), cudaMemcpyHostToDevice));
    pileup<<<2048, 256>>>(cov, bases);
    CK(cudaGetLastError());
    for (int s = 0; s < samples; s++)
        gene_coverage<<<BLOCKS, NT>>>(cov, dstart, mean, GENES);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int g : {0, 1, 5000, 12345, GENES - 1}) {
        double s = 0;
        for (int i = start[g]; i < start[g + 1]; i++) s += log(1.0 + coverage_at(i));
        float v;
        CK(cudaMemcpy(&v, mean + g, sizeof v, cudaMemcpyDeviceToHost));
        ok = ok && close_to(v, s / gene_length(g), 1e-3);
    }
    cudaFree(cov); cudaFree(mean); cudaFree(dstart);
    return report(ok);
}

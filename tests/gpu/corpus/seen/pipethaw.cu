// Thawing of buried water mains: each main is a line of nodes that conducts along the wall and takes heat from the soil.
//   pipethaw [hours]
#include "common.h"

#define THREADS 256
#define PER 7
#define NODES (THREADS * PER)
#define WALL_L 4.0f
#define WALL_R 1.0f

static const float KA = 0.21f, KS = 0.002f;

__global__ void __launch_bounds__(THREADS, 8) thaw(float *now, float *other, const float *soil, int steps, float ka, float ks)
{
    int main_ = blockIdx.x, t = threadIdx.x;
    float g = soil[main_];
#ifdef GOOD
    __shared__ float first[2][THREADS], last[2][THREADS];
    float *row = now + (size_t)main_ * NODES + t * PER, u[PER];
#pragma unroll
    for (int k = 0; k < PER; k++) u[k] = row[k];
    for (int s = 0; s < steps; s++) {
        int p = s & 1;
        first[p][t] = u[0];
        last[p][t] = u[PER - 1];
        __syncthreads();
        float l = t ? last[p][t - 1] : WALL_L, end = t < THREADS - 1 ? first[p][t + 1] : WALL_R;
#pragma unroll
        for (int k = 0; k < PER; k++) {
            float c = u[k], r = k < PER - 1 ? u[k + 1] : end;
            u[k] = c + ka * (l - 2 * c + r) + ks * (g - c);
            l = c;
        }
    }
#pragma unroll
    for (int k = 0; k < PER; k++) row[k] = u[k];
#else
    float *a = now + (size_t)main_ * NODES, *b = other + (size_t)main_ * NODES;
    for (int s = 0; s < steps; s++) {
#pragma unroll
        for (int k = 0; k < PER; k++) {
            int i = k * THREADS + t;
            float c = a[i], l = i > 0 ? a[i - 1] : WALL_L, r = i < NODES - 1 ? a[i + 1] : WALL_R;
            b[i] = c + ka * (l - 2 * c + r) + ks * (g - c);
        }
        __syncthreads();
        float *w = a; a = b; b = w;
    }
#endif
}

int main(int argc, char **argv)
{
    int hours = argc > 1 ? atoi(argv[1]) : 1500;
    const int mains = 1056, steps = 400;
    std::vector<float> h((size_t)mains * NODES), soil(mains);
    unsigned seed = 5;
    for (float &x : h) x = -6 + 2 * frand(seed);
    for (float &x : soil) x = 2 + 3 * frand(seed);
    const int probe = 417;
    std::vector<float> u(h.begin() + (size_t)probe * NODES, h.begin() + (size_t)(probe + 1) * NODES), v(NODES);
    float *a, *b, *g;
    CK(cudaMalloc(&a, h.size() * sizeof(float)));
    CK(cudaMalloc(&b, h.size() * sizeof(float)));
    CK(cudaMalloc(&g, mains * sizeof(float)));
    CK(cudaMemcpy(a, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(g, soil.data(), mains * sizeof(float), cudaMemcpyHostToDevice));
    for (int r = 0; r < hours; r++) thaw<<<mains, THREADS>>>(a, b, g, steps, KA, KS);
    CK(cudaGetLastError());
    CK(cudaMemcpy(h.data(), a, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    int until = std::min(hours * steps, 120000);
    for (int s = 0; s < until; s++) {
        for (int i = 0; i < NODES; i++) {
            float c = u[i], l = i ? u[i - 1] : WALL_L, r = i < NODES - 1 ? u[i + 1] : WALL_R;
            v[i] = c + KA * (l - 2 * c + r) + KS * (soil[probe] - c);
        }
        u.swap(v);
    }
    bool ok = true;
    for (int i = 0; i < NODES; i += 13) ok = ok && fabs(h[(size_t)probe * NODES + i] - u[i]) < 3e-3;
    printf("node 900: %.4f\n", h[(size_t)probe * NODES + 900]);
    cudaFree(a); cudaFree(b); cudaFree(g);
    return report(ok);
}

// Heat in the wall of a tall chimney: a small cross-section (192 x 160) and very many layers (1024).
// A thread walks up its column and keeps the layers below and above in registers. Periodic box.
#include "common.h"

static const int NX = 192, NY = 160, NZ = 1024;
static const size_t PLANE = (size_t)NX * NY;

__global__ void start(float *u)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = (unsigned)i * 2654435761u;
    h ^= h >> 15; h *= 0x2C1B3C6Du; h ^= h >> 12;
    u[i] = (h & 1023) * (1.0f / 1024.0f);
}

__global__ void __launch_bounds__(256) conduct(const float *__restrict__ u, float *__restrict__ v, int layers, float k)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const int z0 = blockIdx.z * layers;
    const int c = y * NX + x;
    const int w = y * NX + (x == 0 ? NX - 1 : x - 1), e = y * NX + (x == NX - 1 ? 0 : x + 1);
    const int s = (y == 0 ? NY - 1 : y - 1) * NX + x, n = (y == NY - 1 ? 0 : y + 1) * NX + x;
    float below = u[(size_t)(z0 == 0 ? NZ - 1 : z0 - 1) * PLANE + c];
    float here = u[z0 * PLANE + c];
    for (int z = z0; z < z0 + layers; ++z) {
        const float *p = u + z * PLANE;
        float above = u[(size_t)(z == NZ - 1 ? 0 : z + 1) * PLANE + c];
        v[z * PLANE + c] = here + k * (below + above + p[w] + p[e] + p[s] + p[n] - 6.0f * here);
        below = here;
        here = above;
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 400;
    const size_t cells = PLANE * NZ;
    const float k = 0.12f;
    float *u, *v;
    CK(cudaMalloc(&u, sizeof(float) * cells));
    CK(cudaMalloc(&v, sizeof(float) * cells));
    start<<<cells / 256, 256>>>(u);
    CK(cudaGetLastError());
#ifdef GOOD
    const int pieces = 16;
#else
    const int pieces = 1;
#endif
    dim3 block(32, 8), grid(NX / 32, NY / 8, pieces);
    for (int t = 0; t < steps; ++t) {
        conduct<<<grid, block>>>(u, v, NZ / pieces, k);
        std::swap(u, v);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    // the last step is redone on the CPU for one layer: v holds the state before it, u the state after it
    bool ok = true;
    double mean = 0;
    for (int z : {0, 511, 512, NZ - 1}) {
        std::vector<float> a(PLANE), b(PLANE), cc(PLANE), r(PLANE);
        CK(cudaMemcpy(a.data(), v + (size_t)((z + NZ - 1) % NZ) * PLANE, sizeof(float) * PLANE, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(b.data(), v + (size_t)z * PLANE, sizeof(float) * PLANE, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(cc.data(), v + (size_t)((z + 1) % NZ) * PLANE, sizeof(float) * PLANE, cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(r.data(), u + (size_t)z * PLANE, sizeof(float) * PLANE, cudaMemcpyDeviceToHost));
        for (int y = 0; y < NY; ++y)
            for (int x = 0; x < NX; ++x) {
                double m = b[y * NX + x];
                double sum = (double)a[y * NX + x] + cc[y * NX + x] + b[y * NX + (x + 1) % NX] + b[y * NX + (x + NX - 1) % NX]
                           + b[(y + 1) % NY * NX + x] + b[(y + NY - 1) % NY * NX + x];
                ok = ok && close_to(r[y * NX + x], m + k * (sum - 6 * m), 1e-4);
                mean += r[y * NX + x];
            }
    }
    mean /= 4.0 * PLANE;
    ok = ok && fabs(mean - 0.5) < 0.05;
    CK(cudaFree(u)); CK(cudaFree(v));
    return report(ok);
}

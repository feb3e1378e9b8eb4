// Point vortices in the plane: every vortex is carried by the velocity field of all the others
// (smoothed Biot-Savart). Positions pass through shared memory in tiles; simple Euler steps.
#include "common.h"

static const int T = 256;
static const int N = 132 * 4 * T;
static const float CORE = 0.01f;

#ifdef GOOD
static const int DEPTH = 16;
#else
static const int DEPTH = 8;
#endif

__host__ __device__ inline float4 vortex(unsigned i)    // x, y, strength
{
    unsigned h = i * 2654435761u + 17u;
    h ^= h >> 15; h *= 0x2C1B3C6Du; h ^= h >> 13;
    return make_float4((h & 0xfff) / 409.6f, ((h >> 12) & 0xfff) / 409.6f, ((h >> 24) - 127.5f) * 1e-5f, 0.0f);
}

__global__ void scatter(float4 *v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    v[i] = vortex(i);
}

__global__ void __launch_bounds__(T) carry(const float4 *__restrict__ v, float4 *__restrict__ next, float dt)
{
    __shared__ float4 tile[T];
    const int i = blockIdx.x * T + threadIdx.x;
    float4 me = v[i];
    float ux = 0.0f, uy = 0.0f;
    for (int j0 = 0; j0 < N; j0 += T) {
        tile[threadIdx.x] = v[j0 + threadIdx.x];
        __syncthreads();
#pragma unroll DEPTH
        for (int j = 0; j < T; ++j) {
            float4 o = tile[j];
            float dx = me.x - o.x, dy = me.y - o.y;
            float s = __fdividef(o.z, dx * dx + dy * dy + CORE);
            ux -= s * dy;
            uy += s * dx;
        }
        __syncthreads();
    }
    next[i] = make_float4(me.x + dt * ux, me.y + dt * uy, me.z, 0.0f);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 8;
    const float dt = 0.05f;
    float4 *v, *next;
    CK(cudaMalloc(&v, sizeof(float4) * N));
    CK(cudaMalloc(&next, sizeof(float4) * N));
    scatter<<<N / 256, 256>>>(v);
    CK(cudaGetLastError());
    for (int s = 0; s < steps; ++s) {
        carry<<<N / T, T>>>(v, next, dt);
        std::swap(v, next);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float4> before(N), after(N);    // the last step once more for a few
    CK(cudaMemcpy(before.data(), next, sizeof(float4) * N, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(after.data(), v, sizeof(float4) * N, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i : {0, 255, 70000, N - 1}) {
        double ux = 0, uy = 0;
        for (int j = 0; j < N; ++j) {
            double dx = (double)before[i].x - before[j].x, dy = (double)before[i].y - before[j].y;
            double s = before[j].z / (dx * dx + dy * dy + CORE);
            ux -= s * dy;
            uy += s * dx;
        }
        ok = ok && close_to(after[i].x, before[i].x + dt * ux, 1e-4) && close_to(after[i].y, before[i].y + dt * uy, 1e-4);
    }
    CK(cudaFree(v)); CK(cudaFree(next));
    return report(ok);
}

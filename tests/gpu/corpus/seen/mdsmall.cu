// Molecular dynamics of a small protein in water: velocity Verlet, five kernels a step.
//   mdsmall [steps] [atoms]
#include "common.h"

const int NEIGHBOURS = 24;

struct Atoms { float4 *x; float3 *v, *f, *g; int *near; int n; };

__global__ void kick(Atoms a, float h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= a.n) return;
    a.v[i].x += h * a.f[i].x;
    a.v[i].y += h * a.f[i].y;
    a.v[i].z += h * a.f[i].z;
}

__global__ void drift(Atoms a, float h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= a.n) return;
    a.x[i].x += h * a.v[i].x;
    a.x[i].y += h * a.v[i].y;
    a.x[i].z += h * a.v[i].z;
}

__global__ void bonded(Atoms a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= a.n) return;
    float3 f = make_float3(0, 0, 0);
    for (int s = -1; s <= 1; s += 2) {
        int j = i + s;
        if (j < 0 || j >= a.n) continue;
        float dx = a.x[j].x - a.x[i].x, dy = a.x[j].y - a.x[i].y, dz = a.x[j].z - a.x[i].z;
        float r = sqrtf(dx * dx + dy * dy + dz * dz), k = 10 * (r - 1) / r;
        f.x += k * dx;
        f.y += k * dy;
        f.z += k * dz;
    }
    a.f[i] = f;
}

__global__ void nonbonded(Atoms a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= a.n) return;
    float3 f = make_float3(0, 0, 0);
    for (int k = 0; k < NEIGHBOURS; k++) {
        int j = a.near[k * a.n + i];
        float dx = a.x[j].x - a.x[i].x, dy = a.x[j].y - a.x[i].y, dz = a.x[j].z - a.x[i].z;
        float q = a.x[i].w * a.x[j].w, r2 = dx * dx + dy * dy + dz * dz + 0.25f, s = -0.02f * q / (r2 * sqrtf(r2));
        f.x += s * dx;
        f.y += s * dy;
        f.z += s * dz;
    }
    a.g[i] = f;
}

__global__ void add_forces(Atoms a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= a.n) return;
    a.f[i].x += a.g[i].x;
    a.f[i].y += a.g[i].y;
    a.f[i].z += a.g[i].z;
}

static void one_step(const Atoms &a, float h, cudaStream_t s)
{
    int blocks = (a.n + 127) / 128;
    kick<<<blocks, 128, 0, s>>>(a, h / 2);
    drift<<<blocks, 128, 0, s>>>(a, h);
    bonded<<<blocks, 128, 0, s>>>(a);
    nonbonded<<<blocks, 128, 0, s>>>(a);
    add_forces<<<blocks, 128, 0, s>>>(a);
    kick<<<blocks, 128, 0, s>>>(a, h / 2);
    CK(cudaGetLastError());
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 10000, n = argc > 2 ? atoi(argv[2]) : 4096;
    std::vector<float4> x(n);
    std::vector<int> near(n * NEIGHBOURS);
    unsigned s = 2;
    for (int i = 0; i < n; i++) x[i] = make_float4(5 * cosf(0.2f * i) + 0.05f * frand(s), 5 * sinf(0.2f * i), 0.02f * i, i % 3 == 0 ? 1.0f : -0.5f);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < NEIGHBOURS; k++) {
            int d = k / 2 + 2, j = k & 1 ? i + d : i - d;
            near[k * n + i] = j < 0 || j >= n ? i : j;
        }
    Atoms a;
    a.n = n;
    CK(cudaMalloc(&a.x, n * sizeof(float4)));
    CK(cudaMalloc(&a.v, n * sizeof(float3)));
    CK(cudaMalloc(&a.f, n * sizeof(float3)));
    CK(cudaMalloc(&a.g, n * sizeof(float3)));
    CK(cudaMalloc(&a.near, near.size() * sizeof(int)));
    CK(cudaMemcpy(a.x, x.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMemset(a.v, 0, n * sizeof(float3)));
    CK(cudaMemset(a.f, 0, n * sizeof(float3)));
    CK(cudaMemcpy(a.near, near.data(), near.size() * sizeof(int), cudaMemcpyHostToDevice));
    cudaStream_t stream;
    CK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const float h = 0.002f;
#ifndef GOOD
    for (int t = 0; t < steps; t++) one_step(a, h, stream);
#else
    const int PER_GRAPH = 100;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int t = 0; t < PER_GRAPH; t++) one_step(a, h, stream);
    CK(cudaStreamEndCapture(stream, &graph));
    CK(cudaGraphInstantiate(&exec, graph, 0));
    for (int t = 0; t + PER_GRAPH <= steps; t += PER_GRAPH) CK(cudaGraphLaunch(exec, stream));
    for (int t = 0; t < steps % PER_GRAPH; t++) one_step(a, h, stream);
#endif
    CK(cudaStreamSynchronize(stream));
    std::vector<float3> v(n), f(n);
    std::vector<float4> x0 = x;
    CK(cudaMemcpy(v.data(), a.v, n * sizeof(float3), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(f.data(), a.f, n * sizeof(float3), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(x.data(), a.x, n * sizeof(float4), cudaMemcpyDeviceToHost));
    // The forces belong to where the atoms are; and the chain as a whole stays at rest.
    double px = 0, speed = 0, moved = 0, off = 0;
    for (int i = 0; i < n; i++) {
        double force = 0;
        for (int k = -2; k < NEIGHBOURS; k++) {
            int j = k >= 0 ? near[k * n + i] : k == -1 ? i - 1 : i + 1;
            if (j < 0 || j >= n || j == i) continue;
            double dx = x[j].x - x[i].x, dy = x[j].y - x[i].y, dz = x[j].z - x[i].z, r2 = dx * dx + dy * dy + dz * dz;
            if (k < 0) force += 10 * (sqrt(r2) - 1) / sqrt(r2) * dx;
            else force -= 0.02 * x[i].w * x[j].w * pow(r2 + 0.25, -1.5) * dx;
        }
        off = std::max(off, fabs(force - f[i].x));
        px += v[i].x;
        speed += fabs(v[i].x);
        moved += fabs(x[i].x - x0[i].x);
    }
    printf("mean speed %g, mean momentum %g, moved %g, forces off by %g\n", speed / n, px / n, moved / n, off);
    return report(speed > 0 && fabs(px) < 0.02 * speed + 1e-3 && moved > 0 && off < 1e-3);
}

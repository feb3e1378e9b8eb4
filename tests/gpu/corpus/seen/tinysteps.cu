// A small bead-spring polymer in a heat bath: 4096 beads, a few short kernels per time step, thousands of steps.
#include "common.h"

#define BEADS 4096
#define DT 0.002f

__global__ void clear_force(float4 *f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < BEADS) f[i] = make_float4(0, 0, 0, 0);
}

__global__ void bonds(const float4 *__restrict__ x, float4 *f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= BEADS) return;
    float4 a = x[i], s = f[i];
    for (int side = -1; side <= 1; side += 2) {
        int j = i + side;
        if (j < 0 || j >= BEADS) continue;
        float4 b = x[j];
        float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
        float r = sqrtf(dx * dx + dy * dy + dz * dz) + 1e-6f, k = 50.0f * (r - 1.0f) / r;
        s.x += k * dx; s.y += k * dy; s.z += k * dz;
    }
    f[i] = s;
}

__global__ void friction(const float4 *__restrict__ v, float4 *f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= BEADS) return;
    float4 w = v[i], s = f[i];
    s.x -= 0.5f * w.x; s.y -= 0.5f * w.y; s.z -= 0.5f * w.z;
    f[i] = s;
}

__global__ void kick(float4 *v, const float4 *__restrict__ f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= BEADS) return;
    float4 w = v[i], s = f[i];
    w.x += DT * s.x; w.y += DT * s.y; w.z += DT * s.z;
    v[i] = w;
}

__global__ void drift(float4 *x, const float4 *__restrict__ v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= BEADS) return;
    float4 a = x[i], w = v[i];
    a.x += DT * w.x; a.y += DT * w.y; a.z += DT * w.z;
    x[i] = a;
}

static void one_step(float4 *x, float4 *v, float4 *f, cudaStream_t st)
{
    const int g = BEADS / 128;
    clear_force<<<g, 128, 0, st>>>(f);
    bonds<<<g, 128, 0, st>>>(x, f);
    friction<<<g, 128, 0, st>>>(v, f);
    kick<<<g, 128, 0, st>>>(v, f);
    drift<<<g, 128, 0, st>>>(x, v);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 8000;            // in hundreds
    steps = (steps + 99) / 100 * 100;
    std::vector<float4> hx(BEADS), hv(BEADS, make_float4(0, 0, 0, 0));
    unsigned seed = 5;
    for (int i = 0; i < BEADS; i++) hx[i] = make_float4(1.1f * i, 0.4f * frand(seed), 0.4f * frand(seed), 0);
    for (int i = 0; i < BEADS; i++) { hv[i].y = frand(seed) - 0.5f; hv[i].z = frand(seed) - 0.5f; }
    float4 *x, *v, *f;
    CK(cudaMalloc(&x, BEADS * sizeof(float4)));
    CK(cudaMalloc(&v, BEADS * sizeof(float4)));
    CK(cudaMalloc(&f, BEADS * sizeof(float4)));
    CK(cudaMemcpy(x, hx.data(), BEADS * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(v, hv.data(), BEADS * sizeof(float4), cudaMemcpyHostToDevice));
    cudaStream_t st;
    CK(cudaStreamCreate(&st));

#ifdef GOOD
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CK(cudaStreamBeginCapture(st, cudaStreamCaptureModeGlobal));
    for (int s = 0; s < 100; s++) one_step(x, v, f, st);
    CK(cudaStreamEndCapture(st, &graph));
    CK(cudaGraphInstantiate(&exec, graph, 0));
    for (int s = 0; s < steps; s += 100) CK(cudaGraphLaunch(exec, st));
#else
    for (int s = 0; s < steps; s++) one_step(x, v, f, st);
#endif
    CK(cudaGetLastError());
    CK(cudaStreamSynchronize(st));
#ifdef GOOD
    CK(cudaGraphExecDestroy(exec));
    CK(cudaGraphDestroy(graph));
#endif

    std::vector<float4> gx(BEADS);
    CK(cudaMemcpy(gx.data(), x, BEADS * sizeof(float4), cudaMemcpyDeviceToHost));
    // friction brings the chain to rest at unit bond length; bond forces cancel, so the centre moves only by its start
    double cx = 0, c0 = 0, longest = 0;
    for (int i = 0; i < BEADS; i++) { cx += gx[i].x; c0 += hx[i].x; }
    for (int i = 1; i < BEADS; i++) {
        double a = gx[i].x - gx[i - 1].x, b = gx[i].y - gx[i - 1].y, c = gx[i].z - gx[i - 1].z;
        longest = std::max(longest, sqrt(a * a + b * b + c * c));
    }
    printf("centre %.4f (started at %.4f), longest bond %.4f\n", cx / BEADS, c0 / BEADS, longest);
    bool ok = fabs(cx - c0) / BEADS < 0.5 && longest < 1.6 && longest > 0.9;
    CK(cudaStreamDestroy(st));
    CK(cudaFree(x)); CK(cudaFree(v)); CK(cudaFree(f));
    return report(ok);
}

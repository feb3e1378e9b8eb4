// Thawing ground: explicit heat conduction with an apparent heat capacity (latent heat near
// freezing) on a 512^3 grid, seasonal temperature at the surface.
#include "common.h"

const int S = 512;
const float R = 0.12f;

__host__ __device__ inline float capacity(float t) { return 1.0f + 4.0f / (1.0f + 8.0f * t * t); }

__global__ void initial(float *a, float *b)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    int z = (int)(i / ((size_t)S * S));
    a[i] = b[i] = z == 0 ? 6.0f : -3.0f + 0.01f * z;
}

__global__ void conduct(const float *__restrict__ t, float *__restrict__ o)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x == 0 || y == 0 || z == 0 || x >= S - 1 || y >= S - 1 || z >= S - 1) return;
    size_t i = ((size_t)z * S + y) * S + x;
    float c = t[i];
    float lap = t[i - 1] + t[i + 1] + t[i - S] + t[i + S] + t[i - (size_t)S * S] + t[i + (size_t)S * S] - 6.0f * c;
    o[i] = c + R * lap / capacity(c);
}

static void days(int n, float *a, float *b, cudaStream_t st)
{
    dim3 block(128, 2, 1), grid(S / 128, S / 2, S);
    for (int d = 0; d < n; d += 2) {
        conduct<<<grid, block, 0, st>>>(a, b);
        conduct<<<grid, block, 0, st>>>(b, a);
    }
}

int main(int argc, char **argv)
{
    int weeks = argc > 1 ? atoi(argv[1]) : 13;        // of ten steps
    const size_t n = (size_t)S * S * S;
    float *a, *b;
    CK(cudaMalloc(&a, n * sizeof(float)));
    CK(cudaMalloc(&b, n * sizeof(float)));
    cudaStream_t st;
    CK(cudaStreamCreate(&st));
    initial<<<(unsigned)(n / 256), 256, 0, st>>>(a, b);
    CK(cudaGetLastError());
#ifdef GOOD
    cudaGraph_t graph;
    cudaGraphExec_t week;
    CK(cudaStreamBeginCapture(st, cudaStreamCaptureModeGlobal));
    days(10, a, b, st);
    CK(cudaStreamEndCapture(st, &graph));
    CK(cudaGraphInstantiate(&week, graph, 0));
    for (int w = 0; w < weeks; w++) CK(cudaGraphLaunch(week, st));
#else
    for (int w = 0; w < weeks; w++) days(10, a, b, st);
#endif
    CK(cudaGetLastError());
    CK(cudaStreamSynchronize(st));

    // far from the side walls the field depends on depth only
    std::vector<double> p(S), q(S);
    for (int z = 0; z < S; z++) p[z] = z == 0 ? 6.0 : -3.0 + 0.01 * z;
    q = p;
    for (int t = 0; t < weeks * 10; t++) {
        for (int z = 1; z < S - 1; z++) q[z] = p[z] + R * (p[z - 1] + p[z + 1] - 2 * p[z]) / (1.0 + 4.0 / (1.0 + 8.0 * p[z] * p[z]));
        p.swap(q);
    }
    bool ok = true;
    for (int z = 0; z < S; z += z < 20 ? 1 : 37) {
        float got;
        CK(cudaMemcpy(&got, a + ((size_t)z * S + S / 2) * S + S / 2, 4, cudaMemcpyDeviceToHost));
        ok = ok && close_to(got, p[z], 2e-3);
    }
#ifdef GOOD
    CK(cudaGraphExecDestroy(week));
    CK(cudaGraphDestroy(graph));
#endif
    CK(cudaStreamDestroy(st));
    CK(cudaFree(a)); CK(cudaFree(b));
    return report(ok);
}

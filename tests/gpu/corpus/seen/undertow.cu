// Shallow water over a sloping beach: two kernels a step on a large grid,
// periodic along the shore.
#include "common.h"

#define W 8192
#define H 4096
#define PER 10                 // steps between two wave-maker changes

__global__ void start(float *h, float *u, float *v)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    size_t i = (size_t)y * W + x;
    float dx = (x - W / 2) * 0.002f, dy = (y - H / 2) * 0.002f;
    h[i] = 1.0f + 0.2f * __expf(-dx * dx - dy * dy);
    u[i] = v[i] = 0.0f;
}

__global__ void __launch_bounds__(256) speed(const float *__restrict__ h, float *__restrict__ u, float *__restrict__ v, float g)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    size_t row = (size_t)y * W, i = row + x;
    float c = h[i], r = h[row + (x + 1) % W], t = h[(size_t)((y + 1) % H) * W + x];
    u[i] = 0.9999f * u[i] - g * (r - c);
    v[i] = 0.9999f * v[i] - g * (t - c);
}

__global__ void __launch_bounds__(256) height(float *__restrict__ h, const float *__restrict__ u, const float *__restrict__ v, float k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    size_t row = (size_t)y * W, i = row + x;
    float l = u[row + (x + W - 1) % W], d = v[(size_t)((y + H - 1) % H) * W + x];
    h[i] -= k * (u[i] - l + v[i] - d);
}

static void steps(float *h, float *u, float *v, cudaStream_t s)
{
    dim3 grid(W / 256, H);
    for (int k = 0; k < PER; k++) {
        speed<<<grid, 256, 0, s>>>(h, u, v, 0.2f);
        height<<<grid, 256, 0, s>>>(h, u, v, 0.2f);
    }
}

int main(int argc, char **argv)
{
    int periods = argc > 1 ? atoi(argv[1]) : 15;
    const size_t n = (size_t)W * H;
    float *h, *u, *v;
    CK(cudaMalloc(&h, n * sizeof(float)));
    CK(cudaMalloc(&u, n * sizeof(float)));
    CK(cudaMalloc(&v, n * sizeof(float)));
    cudaStream_t s;
    CK(cudaStreamCreate(&s));
    start<<<dim3(W / 256, H), 256, 0, s>>>(h, u, v);
    CK(cudaGetLastError());

#ifdef GOOD
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    steps(h, u, v, s);
    CK(cudaStreamEndCapture(s, &graph));
    CK(cudaGraphInstantiate(&exec, graph, 0));
    for (int p = 0; p < periods; p++) CK(cudaGraphLaunch(exec, s));
#else
    for (int p = 0; p < periods; p++) steps(h, u, v, s);
#endif
    CK(cudaGetLastError());
    CK(cudaStreamSynchronize(s));

    // the water stays the same, and the hump stays symmetric
    std::vector<float> row(W), row2(W);
    double sum = 0;
    for (int y = 0; y < H; y += 64) {
        CK(cudaMemcpy(row.data(), h + (size_t)y * W, W * sizeof(float), cudaMemcpyDeviceToHost));
        for (float a : row) sum += a;
    }
    double mean = sum / (W * (double)(H / 64));
    double want = 1.0 + 0.2 * M_PI / (0.002 * 0.002) / n;
    bool ok = fabs(mean - want) < 2e-3;
    CK(cudaMemcpy(row.data(), h + (size_t)(H / 2 - 700) * W, W * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(row2.data(), h + (size_t)(H / 2 + 700) * W, W * sizeof(float), cudaMemcpyDeviceToHost));
    for (int x = 0; x < W; x += 7)
        if (fabs(row[x] - row2[x]) > 1e-3) ok = false;
    printf("%d steps, mean height %g (%g)\n", periods * PER, mean, want);
#ifdef GOOD
    CK(cudaGraphExecDestroy(exec));
    CK(cudaGraphDestroy(graph));
#endif
    CK(cudaStreamDestroy(s));
    CK(cudaFree(h)); CK(cudaFree(u)); CK(cudaFree(v));
    return report(ok);
}

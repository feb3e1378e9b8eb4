// A skull on a turntable: maximum intensity projections of a volume for many small views.
//   turntable [views] [side of a picture]
#include "common.h"

const int V = 128;

struct View { float right[3], up[3], ahead[3]; float zoom, window, level; };

#ifndef GOOD
__constant__ float c_right[3], c_up[3], c_ahead[3], c_zoom, c_window, c_level;
#endif

__host__ __device__ inline float bone(float x, float y, float z)
{
    float r = sqrtf(x * x + y * y * 1.2f + z * z * 0.8f);
    return r > 0.55f && r < 0.7f ? 0.6f + 0.3f * z : 0.02f;
}

__global__ void fill(float *vol)
{
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    vol[(z * V + y) * V + x] = bone(2.f * x / V - 1, 2.f * y / V - 1, 2.f * z / V - 1);
}

__host__ __device__ inline float cast(const float *vol, const View &c, float u, float w)
{
    float most = 0;
    for (int s = 0; s < 48; s++) {
        float t = (s - 23.5f) / 24, p[3];
        for (int k = 0; k < 3; k++) p[k] = (c.right[k] * u + c.up[k] * w) * c.zoom + c.ahead[k] * t;
        int x = (int)((p[0] + 1) * 0.5f * V), y = (int)((p[1] + 1) * 0.5f * V), z = (int)((p[2] + 1) * 0.5f * V);
        if (x < 0 || y < 0 || z < 0 || x >= V || y >= V || z >= V) continue;
        most = fmaxf(most, vol[(z * V + y) * V + x]);
    }
    return fminf(fmaxf((most - c.level) / c.window, 0.0f), 1.0f);
}

#ifndef GOOD
__global__ void project(const float *__restrict__ vol, float *__restrict__ picture, int n)
{
    View c;
    for (int k = 0; k < 3; k++) {
        c.right[k] = c_right[k];
        c.up[k] = c_up[k];
        c.ahead[k] = c_ahead[k];
    }
    c.zoom = c_zoom;
    c.window = c_window;
    c.level = c_level;
#else
__global__ void project(const float *__restrict__ vol, float *__restrict__ picture, int n, View c)
{
#endif
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) picture[y * n + x] = cast(vol, c, 2.f * x / n - 1, 2.f * y / n - 1);
}

static View view(int i)
{
    float a = 0.01f * i;
    return {{cosf(a), sinf(a), 0}, {0, 0, 1}, {-sinf(a), cosf(a), 0}, 0.9f, 0.8f, 0.1f};
}

int main(int argc, char **argv)
{
    int views = argc > 1 ? atoi(argv[1]) : 4000, n = argc > 2 ? atoi(argv[2]) : 256;
    float *vol, *pictures;
    const int ring = 64;
    CK(cudaMalloc(&vol, V * V * V * sizeof(float)));
    CK(cudaMalloc(&pictures, (size_t)ring * n * n * sizeof(float)));
    fill<<<dim3(V, V), V>>>(vol);
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    for (int i = 0; i < views; i++) {
        View c = view(i);
        float *picture = pictures + (size_t)(i % ring) * n * n;
#ifndef GOOD
        CK(cudaMemcpyToSymbol(c_right, c.right, sizeof c.right));
        CK(cudaMemcpyToSymbol(c_up, c.up, sizeof c.up));
        CK(cudaMemcpyToSymbol(c_ahead, c.ahead, sizeof c.ahead));
        CK(cudaMemcpyToSymbol(c_zoom, &c.zoom, sizeof c.zoom));
        CK(cudaMemcpyToSymbol(c_window, &c.window, sizeof c.window));
        CK(cudaMemcpyToSymbol(c_level, &c.level, sizeof c.level));
        project<<<grid, block>>>(vol, picture, n);
#else
        project<<<grid, block>>>(vol, picture, n, c);
#endif
        CK(cudaGetLastError());
    }
    std::vector<float> h((size_t)n * n), v(V * V * V);
    CK(cudaMemcpy(h.data(), pictures + (size_t)((views - 1) % ring) * n * n, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(v.data(), vol, v.size() * sizeof(float), cudaMemcpyDeviceToHost));
    View c = view(views - 1);
    double diff = 0, sum = 0;
    for (int i = 0; i < n * n; i++) {
        diff += fabsf(h[i] - cast(v.data(), c, 2.f * (i % n) / n - 1, 2.f * (i / n) / n - 1));
        sum += h[i];
    }
    printf("mean %.4f\n", sum / (n * n));
    return report(sum > 0 && diff < 0.01 * sum);
}

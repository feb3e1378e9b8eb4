// Goods on a container ship: the warmest moment of each container's load during a voyage of four days. Reefers, frozen
// loads, dry containers and tanks behave after laws of their own. One thread per container.
// usage: coldcargo kilocontainers voyages
#include "common.h"

#define HOURS 96
#define CALENDAR 512
__constant__ float air[CALENDAR];
static float weather[CALENDAR];

struct __align__(16) Container { int kind; float start, leak, load; };

// The weather is a pointer here for the host; on the GPU it is in constant memory.
#ifdef __CUDA_ARCH__
#define AIR(h) air[h]
#else
#define AIR(h) weather[h]
#endif

__host__ __device__ inline float reefer(Container c, int first)
{
    float t = c.start, power = 0.0f, frost = 0.0f, most = t;
#pragma unroll 4
    for (int h = 0; h < HOURS; ++h) {
        float gap = AIR(first + h) - t;
        float want = fminf(fmaxf(0.8f * (t - 4.0f), 0.0f), 1.5f);
        power += 0.5f * (want - power);
        frost = fminf(frost + 0.01f * power, 0.6f);
        float useful = power * (1.0f - frost * (0.7f - 0.2f * frost));
        frost *= 0.995f - 0.001f * gap * gap * 0.01f;
        t += c.leak * gap * (1.0f + 0.002f * gap) - useful * c.load;
        most = fmaxf(most, t);
    }
    return most;
}

__host__ __device__ inline float frozen(Container c, int first)
{
    float heat = c.start - 22.0f, shell = c.start - 15.0f, most = -100.0f;
#pragma unroll 4
    for (int h = 0; h < HOURS; ++h) {
        float t = heat < 0.0f ? heat : fmaxf(0.0f, heat - 40.0f);      // it melts at zero
        float in = c.leak * (AIR(first + h) - shell);
        float through = 0.3f * (shell - t) * (1.0f + 0.001f * t * t);
        shell += in - through * 0.2f;
        shell -= 0.05f * (shell - c.start) * (1.0f - 0.01f * shell);
        heat += through * c.load - 0.02f * fmaxf(t + 18.0f, 0.0f) * (1.0f + 0.05f * t);
        heat = fminf(heat, 60.0f);
        most = fmaxf(most, t);
    }
    return most;
}

__host__ __device__ inline float dry(Container c, int first)
{
    float roof = c.start, goods = c.start, damp = 0.5f, most = goods;
#pragma unroll 4
    for (int h = 0; h < HOURS; ++h) {
        float a = AIR(first + h), sun = fmaxf(a - 18.0f, 0.0f);
        roof += 0.4f * (a - roof) + sun * (0.5f - 0.01f * sun);
        float air_in = 0.5f * (roof + goods) - 0.1f * damp * (roof - a);
        damp += 0.02f * (0.6f - damp) + 0.001f * (goods - air_in) * (1.0f - damp) * damp;
        goods += c.leak * (air_in - goods) * (1.2f - 0.2f * damp);
        goods += 0.01f * c.load * damp * (1.0f - 0.02f * goods);
        most = fmaxf(most, goods);
    }
    return most;
}

__host__ __device__ inline float tank(Container c, int first)
{
    float top = c.start, bottom = c.start - 1.0f, most = top;
#pragma unroll 4
    for (int h = 0; h < HOURS; ++h) {
        float a = AIR(first + h), lift = bottom - top;
        float stir = 0.05f + 0.3f * fminf(fmaxf(lift, 0.0f), 1.0f);
        float exchange = stir * lift * (1.0f + 0.02f * top);
        float swell = 1.0f + 0.0006f * (top - 15.0f) * (1.0f + 0.01f * (top - 15.0f));
        top += c.leak * (a - top) * swell + exchange;
        bottom += 0.5f * c.leak * (a - bottom) - exchange * c.load;
        bottom += 0.01f * (top - bottom) * (top - bottom) * 0.1f;
        most = fmaxf(most, top);
    }
    return most;
}

__host__ __device__ inline float warmest(Container c, int first)
{
    switch (c.kind) {
    case 0: return reefer(c, first);
    case 1: return frozen(c, first);
    case 2: return dry(c, first);
    default: return tank(c, first);
    }
}

__global__ void __launch_bounds__(256) voyage(const Container *__restrict__ box, float *__restrict__ most, int n, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) most[i] = warmest(box[i], first);
}

int main(int argc, char **argv)
{
    int n = (argc > 1 ? atoi(argv[1]) : 1024) * 1024;
    int voyages = argc > 2 ? atoi(argv[2]) : 3000;
    for (int h = 0; h < CALENDAR; ++h)
        weather[h] = 18.0f + 8.0f * sinf(0.2618f * (float)h) + 4.0f * sinf(0.031f * (float)h);
    std::vector<Container> box(n);
    unsigned s = 40;
    for (Container &c : box) {
        c.kind = (int)(lcg(s) >> 30);
        c.start = 2.0f + 4.0f * frand(s);
        c.leak = 0.02f + 0.03f * frand(s);
        c.load = 0.4f + 0.4f * frand(s);
    }
#ifdef GOOD
    std::stable_sort(box.begin(), box.end(), [](const Container &a, const Container &b) { return a.kind < b.kind; });
#endif
    Container *dbox; float *most;
    CK(cudaMalloc(&dbox, n * sizeof(Container)));
    CK(cudaMalloc(&most, n * sizeof(float)));
    CK(cudaMemcpyToSymbol(air, weather, sizeof weather));
    CK(cudaMemcpy(dbox, box.data(), n * sizeof(Container), cudaMemcpyHostToDevice));
    int first = 0;
    for (int v = 0; v < voyages; ++v) {
        first = v * 5 % (CALENDAR - HOURS);
        voyage<<<(n + 255) / 256, 256>>>(dbox, most, n, first);
    }
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), most, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    double sum = 0;
    for (int i = 0; i < n; i += 211) {
        ok = ok && close_to(got[i], warmest(box[i], first), 5e-3);
        sum += got[i];
    }
    printf("warmest moment, on average: %.2f degrees\n", sum / ((n + 210) / 211));
    CK(cudaFree(dbox)); CK(cudaFree(most));
    return report(ok && std::isfinite(sum));
}

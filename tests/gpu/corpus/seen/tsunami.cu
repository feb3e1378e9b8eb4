// A wave runs over an ocean and onto a coast: the shallow-water equations in double
// precision, with friction at the bottom (Manning), a record of the highest water and
// gauges whose water is written down at every step.
#include "common.h"

struct Water {
    double *h, *u, *v;      // depth and velocity
};

const int GAUGES = 64;
const double G = 9.81, MANNING = 0.025, DX = 500, DRY = 0.01;

__host__ __device__ inline double depth_at(int x, int y, int w, int h)
{
    double a = (double)x / w, b = (double)y / h;
    return 4000 * (1 - a) * (1 - a) + 2 + 30 * (1 - a) * sin(9 * b);
}

__host__ __device__ inline double hump(int x, int y, int w, int h)
{
    double a = ((double)x / w - 0.3) * 20, b = ((double)y / h - 0.5) * 10;
    return 5 * exp(-a * a - b * b);
}

__global__ void rest(Water a, double *ground, double *top, int w, int h)
{
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= w || y >= h) return;
    int i = y * w + x;
    ground[i] = -depth_at(x, y, w, h);
    a.h[i] = -ground[i] + hump(x, y, w, h);
    a.u[i] = a.v[i] = 0;
    top[i] = 0;
}

__global__ void velocity(Water a, const double *__restrict__ ground, int w, int h,
                         double dt)
{
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= w - 1 || y >= h - 1) return;
    int i = y * w + x;
    double level = a.h[i] + ground[i];
    a.u[i] -= G * dt / DX * (a.h[i + 1] + ground[i + 1] - level);
    a.v[i] -= G * dt / DX * (a.h[i + w] + ground[i + w] - level);
}

// What the bottom takes: n^2 u |u| / h^(4/3).
__global__ void friction(Water a, int n, double dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double h = a.h[i], u = a.u[i], v = a.v[i];
    if (h < DRY) {
        a.u[i] = a.v[i] = 0;
        return;
    }
    double speed = sqrt(u * u + v * v);
    double take = 1 + dt * G * MANNING * MANNING * speed / (h * cbrt(h));
    a.u[i] = u / take;
    a.v[i] = v / take;
}

__global__ void depth(Water a, double *__restrict__ next, int w, int h, double dt)
{
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= w || y >= h) return;
    int i = y * w + x, l = x ? i - 1 : i, d = y ? i - w : i;
    int r = x + 1 < w ? i + 1 : i, u = y + 1 < h ? i + w : i;
    double here = a.h[i];
    double east = x + 1 < w ? a.u[i] * 0.5 * (here + a.h[r]) : 0;
    double west = x ? a.u[l] * 0.5 * (here + a.h[l]) : 0;
    double north = y + 1 < h ? a.v[i] * 0.5 * (here + a.h[u]) : 0;
    double south = y ? a.v[d] * 0.5 * (here + a.h[d]) : 0;
    next[i] = fmax(here - dt / DX * (east - west + north - south), 0.0);
}

__global__ void record(const double *__restrict__ h, const double *__restrict__ ground,
                       double *__restrict__ top, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) top[i] = fmax(top[i], h[i] + ground[i]);
}

#ifdef GOOD
__global__ void read_gauges(const double *h, const int *place, double *out)
{
    out[threadIdx.x] = h[place[threadIdx.x]];
}
#endif

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 500;
    int w = argc > 2 ? atoi(argv[2]) : 4096, h = argc > 3 ? atoi(argv[3]) : 3072;
    const double dt = 1.0;
    int n = w * h;
    size_t bytes = n * sizeof(double);
    Water a;
    double *ground, *top, *next;
    for (double **p : {&a.h, &a.u, &a.v, &ground, &top, &next}) CK(cudaMalloc(p, bytes));
    std::vector<int> place(GAUGES);
    for (int k = 0; k < GAUGES; k++)
        place[k] = h * k / GAUGES * w + (int)(w * (0.31 + 0.01 * (k % 7)));
    std::vector<double> series((size_t)steps * GAUGES);
#ifdef GOOD
    int *where;
    double *kept;
    CK(cudaMalloc(&where, GAUGES * sizeof(int)));
    CK(cudaMalloc(&kept, series.size() * 8));
    CK(cudaMemcpy(where, place.data(), GAUGES * sizeof(int), cudaMemcpyHostToDevice));
#endif
    dim3 grid((w + 63) / 64, (h + 3) / 4), block(64, 4);
    rest<<<grid, block>>>(a, ground, top, w, h);
    for (int s = 0; s < steps; s++) {
        velocity<<<grid, block>>>(a, ground, w, h, dt);
        friction<<<(n + 255) / 256, 256>>>(a, n, dt);
        depth<<<grid, block>>>(a, next, w, h, dt);
        std::swap(a.h, next);
        record<<<(n + 255) / 256, 256>>>(a.h, ground, top, n);
#ifdef GOOD
        read_gauges<<<1, GAUGES>>>(a.h, where, kept + (size_t)s * GAUGES);
#else
        for (int k = 0; k < GAUGES; k++)
            CK(cudaMemcpy(&series[(size_t)s * GAUGES + k], a.h + place[k], sizeof(double),
                          cudaMemcpyDeviceToHost));
#endif
    }
    CK(cudaGetLastError());
#ifdef GOOD
    CK(cudaMemcpy(series.data(), kept, series.size() * 8, cudaMemcpyDeviceToHost));
#endif
    std::vector<double> height(n), high(n);
    CK(cudaMemcpy(height.data(), a.h, bytes, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(high.data(), top, bytes, cudaMemcpyDeviceToHost));
    double before = 0, after = 0, peak = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x += 2) {
            int i = y * w + x;
            after += height[i];
            before += depth_at(x, y, w, h) + (x < w * 0.8 ? hump(x, y, w, h) : 0);
            peak = std::max(peak, high[i]);
        }
    bool ok = true;
    double highest = 0;
    for (int k = 0; k < GAUGES; k++) {
        double most = 0;
        int y = place[k] / w, x = place[k] % w;
        for (int s = 0; s < steps; s++)
            most = std::max(most, series[(size_t)s * GAUGES + k] - depth_at(x, y, w, h));
        ok &= fabs(most - high[place[k]]) < 1e-6;
        highest = std::max(highest, most);
    }
    printf("highest %.3f m, at a gauge %.3f m, water kept %.6f\n", peak, highest,
           after / before);
    return report(ok && fabs(after / before - 1) < 1e-4 && peak > 1 && peak < 20);
}

// Lens design: meridional rays through a Cooke triplet (six spherical surfaces) for many pupil heights, field angles and
// bendings of the first lens; height of every ray in the image plane.
// usage: cookelens rays bendings
#include "common.h"

#define SURFACES 6
#define HEIGHTS 2048         // of the rays in the pupil
#define THREADS 256
#define DEGREE 0.017453293f

struct Lens { float curvature[SURFACES], gap[SURFACES], ratio[SURFACES]; };   // gap: to the next surface, the image

static Lens lensOf(int bending)
{
    static const float radius[SURFACES] = {22.01359f, -435.76044f, -22.21328f, 20.29192f, 79.68360f, -18.39533f};
    static const float gap[SURFACES] = {3.25896f, 6.00755f, 0.99997f, 4.75041f, 2.95208f, 42.20778f};
    static const float index[SURFACES + 1] = {1.0f, 1.6204f, 1.0f, 1.6200f, 1.0f, 1.6204f, 1.0f};
    Lens l;
    for (int k = 0; k < SURFACES; ++k) {
        l.curvature[k] = 1.0f / radius[k] + (k < 2 ? 1e-5f * (float)(bending % 50) : 0.0f);
        l.gap[k] = gap[k];
        l.ratio[k] = index[k] / index[k + 1];
    }
    return l;
}

__host__ __device__ inline float heightOf(int ray) { return -3.0f + 6.0f * (float)(ray % HEIGHTS) / (float)HEIGHTS; }
__host__ __device__ inline float fieldOf(int ray) { return DEGREE * (float)(ray / HEIGHTS % 1024) * (8.0f / 1024.0f); }

#ifdef GOOD
__device__ inline float root(float x)
{
    x = fmaxf(x, 1e-12f);
    return x * rsqrtf(x);
}
#endif

__global__ void __launch_bounds__(THREADS) trace(float *__restrict__ image, int n, const Lens lens)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    float y = heightOf(i), z = 0.0f;                     // z: behind the vertex of the surface to come
    const float field = fieldOf(i);
#ifdef GOOD
    float dy, dz;
    __sincosf(field, &dy, &dz);
    #pragma unroll
    for (int k = 0; k < SURFACES; ++k) {
        const float c = lens.curvature[k], mu = lens.ratio[k];
        // to the sphere  c (y^2 + z^2) = 2 z
        float b = dz - c * (y * dy + z * dz), f = c * (y * y + z * z) - 2.0f * z;
        float cosIn = root(b * b - c * f), way = __fdividef(f, b + cosIn);
        y += way * dy;
        z += way * dz;
        float cosOut = root(1.0f - mu * mu * (1.0f - cosIn * cosIn)), g = cosOut - mu * cosIn;
        dy = mu * dy - g * c * y;
        dz = mu * dz + g * (1.0f - c * z);
        z -= lens.gap[k];
    }
    image[i] = y - z * __fdividef(dy, dz);
#else
    float u = field;                                     // angle of the ray to the axis
    #pragma unroll
    for (int k = 0; k < SURFACES; ++k) {
        const float c = lens.curvature[k], mu = lens.ratio[k];
        float dy = sinf(u), dz = cosf(u);
        float b = dz - c * (y * dy + z * dz), f = c * (y * y + z * z) - 2.0f * z;
        float way = f / (b + sqrtf(fmaxf(b * b - c * f, 0.0f)));
        y += way * dy;
        z += way * dz;
        float normal = asinf(c * y);                     // the normal leans towards the axis
        float in = u + normal;
        float out = asinf(mu * sinf(in));
        u = out - normal;
        z -= lens.gap[k];
    }
    image[i] = y - z * tanf(u);
#endif
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 4194304, bendings = argc > 2 ? atoi(argv[2]) : 4500;
    float *image;
    CK(cudaMalloc(&image, n * sizeof(float)));
    for (int b = 0; b < bendings; ++b) trace<<<(n + THREADS - 1) / THREADS, THREADS>>>(image, n, lensOf(b));
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), image, n * sizeof(float), cudaMemcpyDeviceToHost));

    const Lens lens = lensOf(bendings - 1);
    bool ok = true;
    double worst = 0;
    for (int q = 0; q < 20000; ++q) {
        int i = (int)((long long)q * (n - 1) / 19999);
        double y = heightOf(i), z = 0, u = fieldOf(i);
        for (int k = 0; k < SURFACES; ++k) {
            double c = lens.curvature[k], b = cos(u) - c * (y * sin(u) + z * cos(u)), f = c * (y * y + z * z) - 2.0 * z;
            double way = f / (b + sqrt(b * b - c * f));
            y += way * sin(u);
            z += way * cos(u) - lens.gap[k];
            double normal = asin(c * y);
            u = asin(lens.ratio[k] * sin(u + normal)) - normal;
        }
        y -= z * tan(u);
        worst = std::max(worst, fabs(got[i] - y));
        ok = ok && fabs(got[i] - y) < 2e-3;
    }
    printf("first and last ray %.4f %.4f mm, off by %.6f at most\n", got[0], got[n - 1], worst);
    CK(cudaFree(image));
    return report(ok);
}

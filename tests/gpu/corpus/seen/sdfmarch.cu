// A landscape of spheres on a mirror under the sky, by marching along rays through a
// signed distance field; a flight of several pictures.
#include "common.h"

struct V { float x, y, z; };

__host__ __device__ inline V add(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__host__ __device__ inline V mul(V a, float s) { return {a.x * s, a.y * s, a.z * s}; }
__host__ __device__ inline float dot(V a, V b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
__host__ __device__ inline V unit(V a) { return mul(a, 1 / sqrtf(dot(a, a))); }

// Spheres of several sizes stand in a grid on the ground y = 0.
__host__ __device__ inline float field(V p)
{
    float cx = floorf(p.x * 0.25f + 0.5f), cz = floorf(p.z * 0.25f + 0.5f);
    float size = 0.5f + 0.35f * (((int)cx * 7 + (int)cz * 13) & 3);
    float x = p.x - 4 * cx, y = p.y - size * 0.8f, z = p.z - 4 * cz;
    float ball = sqrtf(x * x + y * y + z * z) - size;
    float ring = sqrtf(x * x + z * z) - size - 0.3f;
    ring = sqrtf(ring * ring + p.y * p.y) - 0.12f;
    return fminf(p.y, fminf(ball, ring)) * 0.8f;
}

__host__ __device__ inline float march(V from, V way, float far)
{
    float t = 0.01f;
    for (int i = 0; i < 160 && t < far; i++) {
        float d = field(add(from, mul(way, t)));
        if (d < 0.0005f * t) return t;
        t += d;
    }
    return far;
}

__host__ __device__ inline float shade(V eye, V way)
{
    const V sun = {0.57f, 0.57f, 0.59f};
    float light = 0, weight = 1;
    for (int bounce = 0; bounce < 3; bounce++) {
        // Nothing stands higher than 3: a ray that climbs above it sees the sky.
        if (way.y > 0 && eye.y > 3) return light + weight * (0.5f + 0.5f * way.y);
        float t = march(eye, way, 80);
        if (t >= 80) return light + weight * (0.5f + 0.5f * fabsf(way.y));
        V p = add(eye, mul(way, t));
        const float e = 0.002f;
        V n = {field(add(p, {e, 0, 0})) - field(add(p, {-e, 0, 0})),
               field(add(p, {0, e, 0})) - field(add(p, {0, -e, 0})),
               field(add(p, {0, 0, e})) - field(add(p, {0, 0, -e}))};
        n = unit(n);
        V out = add(p, mul(n, 0.01f));
        float open = march(out, sun, 20) >= 20 ? 1.f : 0.2f;
        light += weight * 0.6f * open * fmaxf(dot(n, sun), 0);
        weight *= 0.4f;
        way = add(way, mul(n, -2 * dot(way, n)));
        eye = out;
    }
    return light;
}

__host__ __device__ inline float colour(int x, int y, int w, int h, int frame)
{
    V eye = {frame * 0.15f, 3.4f + 0.1f * (frame & 3), frame * 0.35f};
    V way = unit({(x - 0.5f * w) / h, (0.5f * h - y) / h, 1.0f});
    return shade(eye, way);
}

// As many blocks as processors stay on the GPU and share the picture.
__global__ void __launch_bounds__(1024) render(unsigned char *image, int w, int h,
                                               int frame, unsigned *next)
{
#ifdef GOOD
    unsigned last = (w * h + 31) / 32;
    for (;;) {
        unsigned piece;
        if (threadIdx.x % 32 == 0) piece = atomicAdd(next, 1u);
        piece = __shfl_sync(~0u, piece, 0);
        if (piece >= last) break;
        int i = piece * 32 + threadIdx.x % 32;
        if (i < w * h) image[i] = 255 * fminf(colour(i % w, i / w, w, h, frame), 1.f);
    }
#else
    int rows = (h + gridDim.x - 1) / gridDim.x, first = blockIdx.x * rows;
    int end = min(first + rows, h) * w;
    for (int i = first * w + threadIdx.x; i < end; i += blockDim.x)
        image[i] = 255 * fminf(colour(i % w, i / w, w, h, frame), 1.f);
#endif
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 90;
    int w = argc > 2 ? atoi(argv[2]) : 2560, h = argc > 3 ? atoi(argv[3]) : 1440;
    int processors = 0;
    CK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    unsigned char *image;
    unsigned *next;
    CK(cudaMalloc(&image, w * h));
    CK(cudaMalloc(&next, 4));
    std::vector<unsigned char> picture(w * h);
    double sum = 0;
    for (int f = 0; f < frames; f++) {
        CK(cudaMemsetAsync(next, 0, 4));
        render<<<processors, 1024>>>(image, w, h, f, next);
        CK(cudaGetLastError());
    }
    CK(cudaMemcpy(picture.data(), image, w * h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < w * h; i++) sum += picture[i];
    int tried = 0, same = 0;
    for (int i = 0; i < w * h; i += w * h / 300 + 1, tried++) {
        int want = 255 * fminf(colour(i % w, i / w, w, h, frames - 1), 1.f);
        same += abs(want - picture[i]) <= 2;
    }
    printf("mean brightness %.1f\n", sum / (w * h));
    return report(same >= tried * 0.95);
}

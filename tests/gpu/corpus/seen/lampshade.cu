// Deferred shading of a night scene: what the camera sees is known for every pixel
// (place, direction of the surface, colour); hundreds of lamps shine on it.
#include "common.h"

const int LAMPS = 200;

struct Lamp { float x, y, z, power; };

struct Surface { float4 *place, *normal; };      // normal.w is the brightness

#ifdef GOOD
__constant__ Lamp lamps[LAMPS];
#endif

__host__ __device__ inline float lit(Lamp l, float4 p, float4 n)
{
    float x = l.x - p.x, y = l.y - p.y, z = l.z - p.z;
    float d2 = x * x + y * y + z * z + 0.01f, r = 1 / sqrtf(d2);
    float facing = fmaxf((x * n.x + y * n.y + z * n.z) * r, 0.0f);
    // A highlight towards the camera, which looks along -z.
    float shine = fmaxf(z * r * 0.5f + 0.5f * facing, 0.0f);
    shine *= shine; shine *= shine; shine *= shine;
    return l.power * (n.w * facing + 0.3f * shine) / d2;
}

__host__ __device__ inline void surface_at(int x, int y, int w, int h, float4 &p,
                                           float4 &n)
{
    float u = 20.f * x / w, v = 12.f * y / h;
    float a = 0.4f * sinf(u * 2), b = 0.4f * cosf(v * 3);
    float r = 1 / sqrtf(1 + a * a + b * b);
    p = make_float4(u, v, 0.3f * cosf(u * 2) + 0.2f * sinf(v * 3), 1);
    n = make_float4(a * r, b * r, r, 0.3f + 0.6f * ((x / 60 + y / 60) & 1));
}

__global__ void rasterise(Surface s, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= w || y >= h) return;
    surface_at(x, y, w, h, s.place[y * w + x], s.normal[y * w + x]);
}

#ifdef GOOD
__global__ void shine(Surface s, float *light, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 place = s.place[i], normal = s.normal[i];
    float sum = 0;
    for (int k = 0; k < LAMPS; k++) sum += lit(lamps[k], place, normal);
    light[i] = sum;
}
#else
__global__ void shine(Surface s, float *light, int n, Lamp lamp)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) light[i] += lit(lamp, s.place[i], s.normal[i]);
}
#endif

__global__ void expose(const float *light, unsigned char *image, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = light[i];
    image[i] = (unsigned char)(255 * v / (1 + v));
}

Lamp lamp_at(int k, int frame)
{
    unsigned seed = k * 77u + 1;
    lcg(seed);
    float a = frand(seed) * 6.28f + frame * 0.1f, r = 0.5f + frand(seed);
    Lamp l;
    l.x = 20 * frand(seed) + r * cosf(a);
    l.y = 12 * frand(seed) + r * sinf(a);
    l.z = 0.8f + frand(seed);
    l.power = 0.1f + 0.3f * frand(seed);
    return l;
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 36;
    int w = argc > 2 ? atoi(argv[2]) : 1920, h = argc > 3 ? atoi(argv[3]) : 1080;
    int n = w * h;
    Surface s;
    float *light;
    unsigned char *image;
    CK(cudaMalloc(&s.place, n * sizeof(float4)));
    CK(cudaMalloc(&s.normal, n * sizeof(float4)));
    CK(cudaMalloc(&light, n * 4ul));
    CK(cudaMalloc(&image, n));
    for (int f = 0; f < frames; f++) {
        rasterise<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(s, w, h);
#ifdef GOOD
        Lamp all[LAMPS];
        for (int k = 0; k < LAMPS; k++) all[k] = lamp_at(k, f);
        CK(cudaMemcpyToSymbol(lamps, all, sizeof all));
        shine<<<(n + 127) / 128, 128>>>(s, light, n);
#else
        CK(cudaMemsetAsync(light, 0, n * 4ul));
        for (int k = 0; k < LAMPS; k++)
            shine<<<(n + 127) / 128, 128>>>(s, light, n, lamp_at(k, f));
#endif
        expose<<<(n + 127) / 128, 128>>>(light, image, n);
        CK(cudaGetLastError());
    }
    std::vector<unsigned char> picture(n);
    CK(cudaMemcpy(picture.data(), image, n, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i += n / 400 + 1) {
        float4 p, q;
        surface_at(i % w, i / w, w, h, p, q);
        double sum = 0;
        for (int k = 0; k < LAMPS; k++) sum += lit(lamp_at(k, frames - 1), p, q);
        ok &= abs((int)(255 * sum / (1 + sum)) - picture[i]) <= 1;
    }
    double mean = 0;
    for (unsigned char v : picture) mean += v;
    printf("mean brightness %.1f\n", mean / n);
    return report(ok && mean / n > 20);
}

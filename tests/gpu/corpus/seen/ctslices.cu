// Computed tomography of a beating heart: every slice of every moment is put together
// from its filtered projections (parallel beams). The projections of a slice are a layer
// of a texture.
#include "common.h"

const int ANGLES = 300;

__constant__ float2 direction[ANGLES];

struct Ellipse { float x, y, a, b, density; };

__constant__ Ellipse body[5];

// What a detector sees at this angle: the ellipses' chords, made sharp by a difference.
__host__ __device__ inline float chord(const Ellipse *e, int count, float c, float s,
                                       float t, float grow)
{
    float sum = 0;
    for (int i = 0; i < count; i++) {
        float g = i == 4 ? grow : 1;
        float a = e[i].a * g, b = e[i].b * g;
        float r2 = a * a * c * c + b * b * s * s;
        float d = t - e[i].x * c - e[i].y * s;
        if (d * d < r2) sum += 2 * e[i].density * a * b * sqrtf(r2 - d * d) / r2;
    }
    return sum;
}

__global__ void project(float *out, int detectors, float grow)
{
    int u = blockIdx.x * blockDim.x + threadIdx.x, angle = blockIdx.y, z = blockIdx.z;
    if (u >= detectors) return;
    float2 d = direction[angle];
    float step = 2.0f / detectors, t = (u + 0.5f) * step - 1;
    float g = grow * (1 + 0.002f * z);
    out[((size_t)z * ANGLES + angle) * detectors + u] =
        2 * chord(body, 5, d.x, d.y, t, g) - chord(body, 5, d.x, d.y, t - 4 * step, g) -
        chord(body, 5, d.x, d.y, t + 4 * step, g);
}

__device__ inline float pixel(cudaTextureObject_t tex, int x, int y, int z, int size,
                              int detectors)
{
    float half = 0.5f * detectors, px = (2 * x + 1.0f) / size - 1;
    float py = (2 * y + 1.0f) / size - 1, sum = 0;
    for (int a = 0; a < ANGLES; a++) {
        float2 d = direction[a];
        float u = (px * d.x + py * d.y + 1) * half;
        sum += tex2DLayered<float>(tex, u, a + 0.5f, z);
    }
    return sum / ANGLES;
}

#ifdef GOOD
__global__ void backproject(cudaTextureObject_t tex, float *image, int size,
                            int detectors)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int z = blockIdx.z;
    if (x < size && y < size)
        image[((size_t)z * size + y) * size + x] = pixel(tex, x, y, z, size, detectors);
}
#else
// A block makes a slice.
__global__ void backproject(cudaTextureObject_t tex, float *image, int size,
                            int detectors)
{
    int z = blockIdx.x;
    for (int y = threadIdx.y; y < size; y += blockDim.y)
        for (int x = threadIdx.x; x < size; x += blockDim.x)
            image[((size_t)z * size + y) * size + x] =
                pixel(tex, x, y, z, size, detectors);
}
#endif

int main(int argc, char **argv)
{
    int moments = argc > 1 ? atoi(argv[1]) : 50, slices = argc > 2 ? atoi(argv[2]) : 144;
    int size = argc > 3 ? atoi(argv[3]) : 256, detectors = 2 * size;
    float2 dir[ANGLES];
    for (int a = 0; a < ANGLES; a++)
        dir[a] = make_float2(cos(M_PI * a / ANGLES), sin(M_PI * a / ANGLES));
    Ellipse e[5] = {{0, 0, 0.62f, 0.5f, 1}, {0.28f, 0.05f, 0.18f, 0.25f, -0.6f},
                    {-0.28f, 0.05f, 0.18f, 0.25f, -0.6f}, {0, -0.35f, 0.08f, 0.08f, 1.2f},
                    {0.05f, 0.12f, 0.12f, 0.1f, 0.4f}};
    CK(cudaMemcpyToSymbol(direction, dir, sizeof dir));
    CK(cudaMemcpyToSymbol(body, e, sizeof e));
    float *sinogram, *image;
    size_t pixels = (size_t)slices * size * size;
    CK(cudaMalloc(&sinogram, (size_t)slices * ANGLES * detectors * 4));
    CK(cudaMalloc(&image, pixels * 4));
    cudaArray_t layers;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaExtent extent = make_cudaExtent(detectors, ANGLES, slices);
    CK(cudaMalloc3DArray(&layers, &channel, extent, cudaArrayLayered));
    cudaResourceDesc res = {};
    res.resType = cudaResourceTypeArray;
    res.res.array.array = layers;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t tex;
    CK(cudaCreateTextureObject(&tex, &res, &how, nullptr));
    for (int m = 0; m < moments; m++) {
        float grow = 1 + 0.3f * sinf(m * 0.4f);
        project<<<dim3((detectors + 127) / 128, ANGLES, slices), 128>>>(sinogram,
                                                                       detectors, grow);
        CK(cudaGetLastError());
        cudaMemcpy3DParms copy = {};
        copy.srcPtr = make_cudaPitchedPtr(sinogram, detectors * 4, detectors, ANGLES);
        copy.dstArray = layers;
        copy.extent = extent;
        copy.kind = cudaMemcpyDeviceToDevice;
        CK(cudaMemcpy3DAsync(&copy));
#ifdef GOOD
        dim3 grid((size + 31) / 32, (size + 7) / 8, slices), block(32, 8);
#else
        dim3 grid(slices), block(32, 32);
#endif
        backproject<<<grid, block>>>(tex, image, size, detectors);
        CK(cudaGetLastError());
    }
    std::vector<float> h(pixels);
    CK(cudaMemcpy(h.data(), image, pixels * 4, cudaMemcpyDeviceToHost));
    float grow = 1 + 0.3f * sinf((moments - 1) * 0.4f);
    bool ok = true;
    for (int k = 0; k < 60; k++) {
        int x = k * 37 % size, y = k * 61 % size, z = k * 29 % slices;
        float step = 2.0f / detectors, g = grow * (1 + 0.002f * z);
        double sum = 0;
        for (int a = 0; a < ANGLES; a++) {
            float c = dir[a].x, s = dir[a].y, v[2];
            float px = (2 * x + 1.f) / size - 1, py = (2 * y + 1.f) / size - 1;
            float u = (px * c + py * s + 1) * 0.5f * detectors - 0.5f;
            int at = (int)floorf(u);
            for (int j = 0; j < 2; j++) {
                int i = std::min(std::max(at + j, 0), detectors - 1);
                float t = (i + 0.5f) * step - 1;
                v[j] = 2 * chord(e, 5, c, s, t, g) - chord(e, 5, c, s, t - 4 * step, g) -
                       chord(e, 5, c, s, t + 4 * step, g);
            }
            sum += v[0] + (v[1] - v[0]) * (u - at);
        }
        ok &= fabs(sum / ANGLES - h[((size_t)z * size + y) * size + x]) < 2e-3;
    }
    double mean = 0;
    for (float v : h) mean += v;
    printf("mean density %.4f\n", mean / pixels);
    return report(ok);
}

// Depth of field for a game: the picture is blurred along rows and columns, then the sharp
// and the blurred one are mixed by the distance from the plane in focus.
//   dofblur [frames] [width] [height]
#include "common.h"

const int RADIUS = 12;
__constant__ float kernel[2 * RADIUS + 1];

struct Image {
    float *data;
    int w, h;
    __device__ float &at(int x, int y) const { return data[(size_t)y * w + x]; }
};

__host__ __device__ inline float colour(int x, int y) { return ((x / 24 + y / 16) & 1) * 0.8f + ((x * 31 + y * 17) & 15) * 0.0125f; }
__host__ __device__ inline float depth(int x, int y) { return (float)((x + 2 * y) % 2000) / 2000; }

__global__ void scene(Image sharp, Image z)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= sharp.w) return;
    sharp.at(x, y) = colour(x, y);
    z.at(x, y) = depth(x, y);
}

__global__ void blur_rows(Image in, Image out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= in.w || y >= in.h) return;
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++) sum += kernel[k + RADIUS] * in.at(min(max(x + k, 0), in.w - 1), y);
    out.at(x, y) = sum;
}

__global__ void blur_columns(Image in, Image out)
{
#ifndef GOOD
    // as above, with x and y exchanged
    int y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y;
#else
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
#endif
    if (x >= in.w || y >= in.h) return;
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++) sum += kernel[k + RADIUS] * in.at(x, min(max(y + k, 0), in.h - 1));
    out.at(x, y) = sum;
}

__global__ void compose(Image sharp, Image blurred, Image z, float focus, Image out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.w || y >= out.h) return;
    float a = fminf(fabsf(z.at(x, y) - focus) * 4, 1.0f);
    out.at(x, y) = sharp.at(x, y) * (1 - a) + blurred.at(x, y) * a;
}

static Image image(int w, int h)
{
    Image i = {nullptr, w, h};
    CK(cudaMalloc(&i.data, (size_t)w * h * sizeof(float)));
    return i;
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 60, w = argc > 2 ? atoi(argv[2]) : 3840, h = argc > 3 ? atoi(argv[3]) : 2160;
    float g[2 * RADIUS + 1], total = 0;
    for (int k = -RADIUS; k <= RADIUS; k++) total += g[k + RADIUS] = expf(-0.5f * k * k / 25);
    for (float &x : g) x /= total;
    CK(cudaMemcpyToSymbol(kernel, g, sizeof g));
    Image sharp = image(w, h), z = image(w, h), rows = image(w, h), blurred = image(w, h), out = image(w, h);
    scene<<<dim3((w + 255) / 256, h), 256>>>(sharp, z);
    dim3 block(32, 8), along((w + 31) / 32, (h + 7) / 8);
#ifndef GOOD
    dim3 down((h + 31) / 32, (w + 7) / 8);
#else
    dim3 down = along;
#endif
    float focus = 0;
    for (int f = 0; f < frames; f++) {
        focus = 0.2f + 0.01f * (f % 50);
        blur_rows<<<along, block>>>(sharp, rows);
        blur_columns<<<down, block>>>(rows, blurred);
        compose<<<along, block>>>(sharp, blurred, z, focus, out);
    }
    CK(cudaGetLastError());
    std::vector<float> p((size_t)w * h);
    CK(cudaMemcpy(p.data(), out.data, p.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    unsigned s = 11;
    for (int t = 0; t < 400; t++) {
        int x = (lcg(s) >> 8) % w, y = (lcg(s) >> 8) % h;
        double sum = 0;
        for (int j = -RADIUS; j <= RADIUS; j++)
            for (int i = -RADIUS; i <= RADIUS; i++)
                sum += (double)g[i + RADIUS] * g[j + RADIUS] * colour(std::min(std::max(x + i, 0), w - 1), std::min(std::max(y + j, 0), h - 1));
        float a = fminf(fabsf(depth(x, y) - focus) * 4, 1.0f);
        ok = ok && fabs(colour(x, y) * (1 - a) + sum * a - p[(size_t)y * w + x]) < 1e-3;
    }
    printf("first pixel %.4f\n", p[0]);
    return report(ok);
}

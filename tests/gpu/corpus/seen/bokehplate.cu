// Out-of-focus rendering: the picture is convolved with the lens's own blur plate (21 x 21 weights,
// no symmetry). The tile of the picture with its rim stands in shared memory.
#include "common.h"

static const int W = 4096, H = 4096, K = 21, R = K / 2;
static const int BX = 32, BY = 8, TX = BX + 2 * R, TY = BY + 2 * R;
static const int PITCH = W + 2 * R;             // picture with its rim

__host__ __device__ inline float light(int y, int x)
{
    unsigned h = (unsigned)y * 0x9E3779B1u ^ (unsigned)x * 0x85EBCA77u;
    h ^= h >> 15; h *= 0x2C1B3C6Du; h ^= h >> 13;
    return (h & 2047) * (1.0f / 2048.0f);
}

__global__ void shoot(float *img)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < PITCH) img[(size_t)y * PITCH + x] = light(y, x);
}

#ifdef GOOD
__constant__ float c_plate[K * K];
#define PLATE(i) c_plate[i]
#else
#define PLATE(i) plate[i]
#endif

__global__ void __launch_bounds__(BX * BY) defocus(const float *__restrict__ img, const float *__restrict__ plate,
                                                   float *__restrict__ out)
{
    __shared__ float tile[TY][TX];
    const int x0 = blockIdx.x * BX, y0 = blockIdx.y * BY;
    for (int i = threadIdx.y * BX + threadIdx.x; i < TX * TY; i += BX * BY)
        tile[i / TX][i % TX] = img[(size_t)(y0 + i / TX) * PITCH + x0 + i % TX];
    __syncthreads();
    float acc = 0.0f;
#pragma unroll
    for (int ky = 0; ky < K; ++ky)
#pragma unroll
        for (int kx = 0; kx < K; ++kx)
            acc += PLATE(ky * K + kx) * tile[threadIdx.y + ky][threadIdx.x + kx];
    out[(size_t)(y0 + threadIdx.y) * W + x0 + threadIdx.x] = acc;
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 40;
    std::vector<float> plate(K * K);
    unsigned seed = 11;
    double total = 0;
    for (int ky = 0; ky < K; ++ky)
        for (int kx = 0; kx < K; ++kx) {
            bool inside = (ky - R) * (ky - R) + (kx - R) * (kx - R) <= R * R + 6;
            total += plate[ky * K + kx] = inside ? 0.5f + frand(seed) : 0.01f * frand(seed);
        }
    for (float &p : plate) p = (float)(p / total);

    float *img, *out, *dplate;
    CK(cudaMalloc(&img, sizeof(float) * (size_t)PITCH * (H + 2 * R)));
    CK(cudaMalloc(&out, sizeof(float) * (size_t)W * H));
    CK(cudaMalloc(&dplate, sizeof(float) * K * K));
    CK(cudaMemcpy(dplate, plate.data(), sizeof(float) * K * K, cudaMemcpyHostToDevice));
#ifdef GOOD
    CK(cudaMemcpyToSymbol(c_plate, plate.data(), sizeof(float) * K * K));
#endif
    shoot<<<dim3((PITCH + 255) / 256, H + 2 * R), 256>>>(img);
    CK(cudaGetLastError());
    for (int f = 0; f < frames; ++f)
        defocus<<<dim3(W / BX, H / BY), dim3(BX, BY)>>>(img, dplate, out);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int t = 0; t < 30; ++t) {
        int y = lcg(seed) % H, x = lcg(seed) % W;
        if (t == 0) y = H - 1, x = W - 1;
        float got;
        CK(cudaMemcpy(&got, out + (size_t)y * W + x, sizeof got, cudaMemcpyDeviceToHost));
        double want = 0;
        for (int ky = 0; ky < K; ++ky)
            for (int kx = 0; kx < K; ++kx) want += (double)plate[ky * K + kx] * light(y + ky, x + kx);
        ok = ok && close_to(got, want, 1e-4);
    }
    CK(cudaFree(img)); CK(cudaFree(out)); CK(cudaFree(dplate));
    return report(ok);
}

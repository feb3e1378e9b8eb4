// Ceiling cameras: straightens the fisheye picture of every decoded frame by a texture look-up.
//   fisheyewarp [frames]
#include "common.h"

static const int W = 1920, H = 1080, OW = 1500, OH = 844;

__host__ __device__ static inline float scene(int x, int y, int f) { return 0.5f + 0.0002f * x - 0.0001f * y + 0.01f * (f % 8); }

__host__ __device__ static inline float2 bend(int x, int y)
{
    float u = (x - OW / 2) / (float)OW, v = (y - OH / 2) / (float)OW, k = 1.0f / (1.0f + 0.6f * (u * u + v * v));
    return make_float2(W / 2 + u * k * 1700.0f, H / 2 + v * k * 1700.0f);
}

__global__ void decode(float *frame, int f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < W) frame[y * W + x] = scene(x, y, f);
}

__global__ void straighten(cudaTextureObject_t tex, float *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= OW || y >= OH) return;
    float2 p = bend(x, y);
    out[y * OW + x] = tex2D<float>(tex, p.x + 0.5f, p.y + 0.5f);
}

class Picture {
public:
    Picture()
    {
        cudaChannelFormatDesc fmt = cudaCreateChannelDesc<float>();
        CK(cudaMallocArray(&array, &fmt, W, H));
        cudaResourceDesc res = {};
        res.resType = cudaResourceTypeArray;
        res.res.array.array = array;
        cudaTextureDesc desc = {};
        desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
        desc.filterMode = cudaFilterModeLinear;
        CK(cudaCreateTextureObject(&tex, &res, &desc, nullptr));
    }
    ~Picture()
    {
        CK(cudaFreeArray(array));
        CK(cudaDestroyTextureObject(tex));
    }
    void fill(const float *frame)
    {
        CK(cudaMemcpy2DToArrayAsync(array, 0, 0, frame, W * sizeof(float), W * sizeof(float), H, cudaMemcpyDeviceToDevice));
    }
    cudaTextureObject_t texture() const { return tex; }
private:
    cudaArray_t array;
    cudaTextureObject_t tex;
};

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 5000;
    float *ring[8], *out;
    for (int f = 0; f < 8; f++) {
        CK(cudaMalloc(&ring[f], W * H * sizeof(float)));
        decode<<<dim3((W + 255) / 256, H), 256>>>(ring[f], f);
    }
    CK(cudaMalloc(&out, OW * OH * sizeof(float)));
    dim3 grid((OW + 31) / 32, (OH + 7) / 8), block(32, 8);
#ifdef GOOD
    Picture pic;
#endif
    for (int f = 0; f < frames; f++) {
#ifndef GOOD
        Picture pic;
#endif
        pic.fill(ring[f % 8]);
        straighten<<<grid, block>>>(pic.texture(), out);
    }
    CK(cudaGetLastError());
    std::vector<float> h(OW * OH);
    CK(cudaMemcpy(h.data(), out, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < OW * OH; i += 1009) {
        float2 p = bend(i % OW, i / OW);
        if (p.x < 1 || p.y < 1 || p.x > W - 2 || p.y > H - 2) continue;
        float want = scene(0, 0, frames - 1) + 0.0002f * p.x - 0.0001f * p.y;
        ok = ok && fabs(h[i] - want) < 2e-3f;
    }
    CK(cudaFree(out));
    for (float *r : ring) CK(cudaFree(r));
    return report(ok);
}

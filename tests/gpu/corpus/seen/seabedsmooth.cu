// Multibeam survey: edge-preserving smoothing of seabed depths over a window of nine by nine soundings.
//   seabedsmooth [lines]
#include "common.h"

const int W = 4100, H = 3004, R = 4;

__constant__ float fall[2 * R + 1];

__device__ __forceinline__ void gather(float z, float z0, float w, float &num, float &den)
{
    float d = z - z0;
    float k = w * __expf(-1.7f * d * d);
    num += k * z;
    den += k;
}

#ifdef GOOD
const int BX = 32, BY = 8;
#else
const int BX = 16, BY = 16;
#endif

__global__ void smooth(const float *__restrict__ depth, float *__restrict__ out)
{
#ifdef GOOD
    __shared__ float s[BY + 2 * R][BX + 2 * R];
    int x0 = blockIdx.x * BX - R, y0 = blockIdx.y * BY - R;
    for (int y = threadIdx.y; y < BY + 2 * R; y += BY)
        for (int x = threadIdx.x; x < BX + 2 * R; x += BX)
            s[y][x] = depth[(size_t)min(max(y0 + y, 0), H - 1) * W + min(max(x0 + x, 0), W - 1)];
    int tx = threadIdx.x + R, ty = threadIdx.y + R, gx = x0 + tx, gy = y0 + ty;
    bool inner = true;
#else
    __shared__ float s[BY][BX];
    int tx = threadIdx.x, ty = threadIdx.y;
    int gx = blockIdx.x * (BX - 2 * R) + tx - R, gy = blockIdx.y * (BY - 2 * R) + ty - R;
    s[ty][tx] = depth[(size_t)min(max(gy, 0), H - 1) * W + min(max(gx, 0), W - 1)];
    bool inner = tx >= R && tx < BX - R && ty >= R && ty < BY - R;
#endif
    __syncthreads();
    if (!inner || gx >= W || gy >= H) return;
    float z0 = s[ty][tx], num = 0, den = 0;
#pragma unroll
    for (int j = -R; j <= R; j++)
#pragma unroll
        for (int i = -R; i <= R; i++) gather(s[ty + j][tx + i], z0, fall[j + R] * fall[i + R], num, den);
    out[(size_t)gy * W + gx] = __fdividef(num, den);
}

int main(int argc, char **argv)
{
    int lines = argc > 1 ? atoi(argv[1]) : 1600;
    std::vector<float> z((size_t)W * H), h(z.size());
    unsigned seed = 12;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) z[(size_t)y * W + x] = (x / 190 + y / 230) % 3 * 2.0f + 0.4f * frand(seed);
    float f[2 * R + 1];
    for (int i = -R; i <= R; i++) f[i + R] = expf(-0.06f * i * i);
    CK(cudaMemcpyToSymbol(fall, f, sizeof f));
    float *d, *o;
    CK(cudaMalloc(&d, z.size() * sizeof(float)));
    CK(cudaMalloc(&o, z.size() * sizeof(float)));
    CK(cudaMemcpy(d, z.data(), z.size() * sizeof(float), cudaMemcpyHostToDevice));
#ifdef GOOD
    dim3 grid((W + BX - 1) / BX, (H + BY - 1) / BY);
#else
    dim3 grid((W + BX - 2 * R - 1) / (BX - 2 * R), (H + BY - 2 * R - 1) / (BY - 2 * R));
#endif
    for (int l = 0; l < lines; l++) smooth<<<grid, dim3(BX, BY)>>>(d, o);
    CK(cudaGetLastError());
    CK(cudaMemcpy(h.data(), o, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (size_t q = 0; q < z.size(); q += 65003) {
        int x = q % W, y = q / W;
        double num = 0, den = 0;
        for (int j = -R; j <= R; j++)
            for (int i = -R; i <= R; i++) {
                float v = z[(size_t)std::min(std::max(y + j, 0), H - 1) * W + std::min(std::max(x + i, 0), W - 1)];
                double e = v - z[q], k = f[j + R] * f[i + R] * exp(-1.7 * e * e);
                num += k * v;
                den += k;
            }
        ok = ok && close_to(h[q], num / den, 1e-3);
    }
    cudaFree(d); cudaFree(o);
    return report(ok);
}

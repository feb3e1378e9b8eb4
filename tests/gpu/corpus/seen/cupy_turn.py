"""Slices of a volume from a scanner, turned by a quarter with a kernel of one's own."""
import sys

import cupy as cp
import numpy as np

SIDE, SLICES = 2048, 48
naive = cp.RawKernel(r"""
extern "C" __global__ void turn(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float *slice = in + (size_t)blockIdx.z * n * n;
    out[(size_t)blockIdx.z * n * n + (size_t)(n - 1 - x) * n + y] = slice[(size_t)y * n + x];
}""", "turn")
tiled = cp.RawKernel(r"""
extern "C" __global__ void turn(const float *in, float *out, int n)
{
    __shared__ float tile[32][33];
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
    size_t slice = (size_t)blockIdx.z * n * n;
    for (int r = threadIdx.y; r < 32; r += blockDim.y)
        tile[r][threadIdx.x] = in[slice + (size_t)(y0 + r) * n + x0 + threadIdx.x];
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += blockDim.y)
        out[slice + (size_t)(n - 1 - x0 - r) * n + y0 + threadIdx.x] = tile[threadIdx.x][r];
}""", "turn")

volume = cp.random.random((SLICES, SIDE, SIDE), dtype=cp.float32)
turned = cp.empty_like(volume)
for _ in range(60):
    if "fixed" in sys.argv:
        tiled((SIDE // 32, SIDE // 32, SLICES), (32, 8), (volume, turned, np.int32(SIDE)))
    else:
        naive((SIDE // 32, SIDE // 8, SLICES), (32, 8), (volume, turned, np.int32(SIDE)))
right = bool((turned == cp.rot90(volume, axes=(1, 2))).all())
print("right" if right else "wrong")
sys.exit(0 if right else 1)

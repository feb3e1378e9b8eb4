// MRI: the shading of the receive coil is a polynomial of degree 8 in x, y, z, fitted before.
// Every voxel of the head is divided by it - here multiplied, the fit was made of the inverse.
// usage: coilshade side repetitions
#include "common.h"

#define DEG 8
#define TERMS 165            // (8+1)(8+2)(8+3)/6
__constant__ float coef[TERMS];

// acc * x + c
__device__ __forceinline__ float horner(float acc, float x, float c)
{
#ifdef GOOD
    return fmaf(acc, x, c);
#else
    // product and sum rounded one after the other, as on the console of the scanner
    return __fadd_rn(__fmul_rn(acc, x), c);
#endif
}

__host__ __device__ inline float head(unsigned i)
{
    unsigned h = i * 2654435761u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return 100.0f + (h & 1023);
}

__global__ void acquire(float *v, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = head(i);
}

__global__ void unshade(const float *__restrict__ in, float *__restrict__ out, int side, float scale)
{
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    if (ix >= side) return;
    size_t at = ((size_t)blockIdx.z * side + blockIdx.y) * side + ix;
    float v = in[at];
    float x = ix * scale - 1.0f, y = blockIdx.y * scale - 1.0f, z = blockIdx.z * scale - 1.0f;
    float pz = 0.0f;
    int k = 0;
#pragma unroll
    for (int a = DEG; a >= 0; a--) {
        float py = 0.0f;
#pragma unroll
        for (int b = DEG - a; b >= 0; b--) {
            float px = 0.0f;
#pragma unroll
            for (int c = DEG - a - b; c >= 0; c--) px = horner(px, x, coef[k++]);
            py = horner(py, y, px);
        }
        pz = horner(pz, z, py);
    }
    out[at] = v * pz;
}

int main(int argc, char **argv)
{
    int side = argc > 1 ? atoi(argv[1]) : 256;
    int reps = argc > 2 ? atoi(argv[2]) : 5000;
    unsigned n = (unsigned)side * side * side;
    float c[TERMS];
    unsigned s = 77;
    for (float &x : c) x = 0.006f * (frand(s) - 0.5f);
    c[TERMS - 1] = 1.0f;
    CK(cudaMemcpyToSymbol(coef, c, sizeof c));
    float *in, *out;
    CK(cudaMalloc(&in, n * sizeof(float)));
    CK(cudaMalloc(&out, n * sizeof(float)));
    acquire<<<(n + 255) / 256, 256>>>(in, n);
    float scale = 2.0f / (side - 1);
    dim3 grid((side + 127) / 128, side, side);
    for (int r = 0; r < reps; r++) unshade<<<grid, 128>>>(in, out, side, scale);
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int t = 0; t < 2000; t++) {
        unsigned i = (lcg(s) >> 4) % n;
        double x = (i % side) * (double)scale - 1, y = (i / side % side) * (double)scale - 1,
               z = (i / side / side) * (double)scale - 1, want = 0;
        int k = 0;
        for (int a = DEG; a >= 0; a--)
            for (int b = DEG - a; b >= 0; b--)
                for (int e = DEG - a - b; e >= 0; e--) want += c[k++] * pow(x, e) * pow(y, b) * pow(z, a);
        ok = ok && close_to(got[i], want * head(i), 1e-3);
    }
    printf("first voxel %.3f, last %.3f\n", got[0], got[n - 1]);
    CK(cudaFree(in)); CK(cudaFree(out));
    return report(ok);
}

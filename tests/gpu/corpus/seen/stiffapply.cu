// Element-by-element FEM operator: f_e = K_e u_e with a stored 24x24 matrix per hexahedron.
// A row of threads (blockDim.x) handles one element.
#include "common.h"

const int ND = 24;
const int NE = 300000;
const int NDOF = 1 << 20;

__host__ __device__ inline unsigned mixh(unsigned h) { h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; return h ^ (h >> 16); }
__host__ __device__ inline float entry(unsigned e, unsigned c, unsigned r) { return (mixh(e * 576u + c * 24u + r) & 0xfff) / 4096.0f - 0.4f; }
__host__ __device__ inline int dof(unsigned e, unsigned a) { return (int)((e * 3u + (a / 3) * 5003u) % (NDOF - 3)) + a % 3; }
__host__ __device__ inline float disp(unsigned d) { return (mixh(d + 7u) & 0xffff) / 65536.0f - 0.5f; }

__global__ void assemble(float *K, int *conn, float *u)
{
    size_t total = (size_t)NE * ND * ND;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < total; i += stride) {
        unsigned e = (unsigned)(i / 576), k = (unsigned)(i % 576);
        K[i] = entry(e, k / ND, k % ND);
        if (k < ND) conn[e * ND + k] = dof(e, k);
        if (i < NDOF) u[i] = disp((unsigned)i);
    }
}

// K is stored column after column: K[e][col][row]
__global__ void apply(const float *__restrict__ K, const int *__restrict__ conn,
                      const float *__restrict__ u, float *__restrict__ f)
{
    __shared__ float ue[8][ND];
    int e = blockIdx.x * blockDim.y + threadIdx.y;
    int row = threadIdx.x;
    bool mine = e < NE && row < ND;
    if (mine) ue[threadIdx.y][row] = u[conn[e * ND + row]];
    __syncthreads();
    if (!mine) return;
    const float *Ke = K + (size_t)e * ND * ND;
    float s = 0.0f;
#pragma unroll 8
    for (int c = 0; c < ND; c++)
        s += Ke[c * ND + row] * ue[threadIdx.y][c];
    f[e * ND + row] = s;
}

int main(int argc, char **argv)
{
    int its = argc > 1 ? atoi(argv[1]) : 150;
    float *K, *u, *f;
    int *conn;
    CK(cudaMalloc(&K, (size_t)NE * ND * ND * 4));
    CK(cudaMalloc(&conn, (size_t)NE * ND * 4));
    CK(cudaMalloc(&u, NDOF * 4));
    CK(cudaMalloc(&f, (size_t)NE * ND * 4));
    assemble<<<4096, 256>>>(K, conn, u);
    CK(cudaGetLastError());
#ifdef GOOD
    dim3 block(32, 8);
#else
    dim3 block(256, 1);
#endif
    for (int i = 0; i < its; i++)
        apply<<<(NE + block.y - 1) / block.y, block>>>(K, conn, u, f);
    CK(cudaGetLastError());
    std::vector<float> hf((size_t)NE * ND);
    CK(cudaMemcpy(hf.data(), f, hf.size() * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int e = 0; e < NE; e += 4999)
        for (int r = 0; r < ND; r++) {
            double w = 0;
            for (int c = 0; c < ND; c++) w += (double)entry(e, c, r) * disp(dof(e, c));
            ok = ok && close_to(hf[(size_t)e * ND + r], w, 1e-3);
        }
    CK(cudaFree(K)); CK(cudaFree(conn)); CK(cudaFree(u)); CK(cudaFree(f));
    return report(ok);
}

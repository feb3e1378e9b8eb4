// Software radio: min-sum decoding of a short regular (3,6) LDPC code, one frame at a time
// as the frames come, 60 iterations each.
#include "common.h"

const int NV = 2048, NC = 1024, DV = 3, DC = 6, NE = NV * DV;
const int ITERS = 60;

__device__ inline void check_node(const float *in, float *out)
{
    float m[DC], lo = 1e30f, lo2 = 1e30f;
    int at = 0, odd = 0;
#pragma unroll
    for (int k = 0; k < DC; k++) {
        m[k] = in[k];
        float a = fabsf(m[k]);
        if (a < lo) { lo2 = lo; lo = a; at = k; }
        else if (a < lo2) lo2 = a;
        odd ^= m[k] < 0.0f;
    }
#pragma unroll
    for (int k = 0; k < DC; k++) {
        float a = 0.75f * (k == at ? lo2 : lo);
        out[k] = (odd ^ (m[k] < 0.0f)) ? -a : a;
    }
}

#ifdef GOOD
// the whole decoding of a frame in one block, messages in shared memory
__global__ void __launch_bounds__(1024) decode_frame(const float *__restrict__ llr, const int *__restrict__ edge_of,
                                                     unsigned char *__restrict__ bit)
{
    __shared__ float msg[NE];
    const int PV = NV / 1024;
    float in[PV];
    int e[PV][DV];
    for (int i = threadIdx.x; i < NE; i += 1024) msg[i] = 0.0f;
#pragma unroll
    for (int p = 0; p < PV; p++) {
        int v = p * 1024 + threadIdx.x;
        in[p] = llr[v];
#pragma unroll
        for (int k = 0; k < DV; k++) e[p][k] = edge_of[v * DV + k];
    }
    __syncthreads();
    for (int it = 0; it <= ITERS; it++) {
#pragma unroll
        for (int p = 0; p < PV; p++) {
            float m[DV], s = in[p];
#pragma unroll
            for (int k = 0; k < DV; k++) { m[k] = msg[e[p][k]]; s += m[k]; }
            if (it == ITERS) { bit[p * 1024 + threadIdx.x] = s < 0.0f; continue; }
#pragma unroll
            for (int k = 0; k < DV; k++) msg[e[p][k]] = s - m[k];
        }
        if (it == ITERS) break;
        __syncthreads();
        if (threadIdx.x < NC) check_node(msg + threadIdx.x * DC, msg + threadIdx.x * DC);
        __syncthreads();
    }
}
#else
__global__ void to_checks(const float *__restrict__ llr, const float *__restrict__ c2v, const int *__restrict__ edge_of, float *__restrict__ v2c)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= NV) return;
    int e[DV];
    float m[DV], s = llr[v];
    for (int k = 0; k < DV; k++) {
        e[k] = edge_of[v * DV + k];
        m[k] = c2v[e[k]];
        s += m[k];
    }
    for (int k = 0; k < DV; k++) v2c[e[k]] = s - m[k];
}

__global__ void to_bits(const float *__restrict__ v2c, float *__restrict__ c2v)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < NC) check_node(v2c + c * DC, c2v + c * DC);
}

__global__ void decide(const float *__restrict__ llr, const float *__restrict__ c2v, const int *__restrict__ edge_of,
                       unsigned char *__restrict__ bit)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= NV) return;
    float s = llr[v];
    for (int k = 0; k < DV; k++) s += c2v[edge_of[v * DV + k]];
    bit[v] = s < 0.0f;
}

__global__ void new_frame(const float *__restrict__ frame, float *__restrict__ llr, float *__restrict__ c2v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < NV) llr[i] = frame[i];
    if (i < NE) c2v[i] = 0.0f;
}

static void iterate(float *llr, float *c2v, float *v2c, int *edge_of, cudaStream_t st)
{
    for (int it = 0; it < ITERS; it++) {
        to_checks<<<NV / 128, 128, 0, st>>>(llr, c2v, edge_of, v2c);
        to_bits<<<NC / 128, 128, 0, st>>>(v2c, c2v);
    }
}
#endif

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 400;
    const int KINDS = 16;
    unsigned s = 4;
    std::vector<int> edge(NE);
    for (int e = 0; e < NE; e++) edge[e] = e;
    for (int e = NE - 1; e > 0; e--) std::swap(edge[e], edge[(lcg(s) >> 8) % (e + 1)]);
    std::vector<float> rx(KINDS * NV);
    int before = 0;
    for (float &x : rx) {                     // all-zero codeword, BPSK, sigma 0.7
        float n = sqrtf(-2.0f * logf(frand(s) + 1e-7f)) * cosf(6.2831853f * frand(s));
        x = 2.0f * (1.0f + 0.7f * n) / 0.49f;
        before += x < 0.0f;
    }
    float *frame, *llr, *c2v, *v2c;
    int *edge_of;
    unsigned char *bit;
    CK(cudaMalloc(&frame, rx.size() * 4));
    CK(cudaMalloc(&llr, NV * 4));
    CK(cudaMalloc(&c2v, NE * 4));
    CK(cudaMalloc(&v2c, NE * 4));
    CK(cudaMalloc(&edge_of, NE * 4));
    CK(cudaMalloc(&bit, KINDS * NV));
    CK(cudaMemset(bit, 1, KINDS * NV));
    CK(cudaMemcpy(frame, rx.data(), rx.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(edge_of, edge.data(), NE * 4, cudaMemcpyHostToDevice));
    cudaStream_t st;
    CK(cudaStreamCreate(&st));
    for (int f = 0; f < frames; f++) {
        int k = f % KINDS;
#ifdef GOOD
        decode_frame<<<1, 1024, 0, st>>>(frame + k * NV, edge_of, bit + k * NV);
#else
        new_frame<<<NE / 128, 128, 0, st>>>(frame + k * NV, llr, c2v);
        iterate(llr, c2v, v2c, edge_of, st);
        decide<<<NV / 128, 128, 0, st>>>(llr, c2v, edge_of, bit + k * NV);
#endif
    }
    CK(cudaGetLastError());
    CK(cudaStreamSynchronize(st));
    std::vector<unsigned char> b(KINDS * NV);
    CK(cudaMemcpy(b.data(), bit, b.size(), cudaMemcpyDeviceToHost));
    int done = std::min(frames, KINDS), after = 0;
    for (int i = 0; i < done * NV; i++) after += b[i];
    bool ok = after * 20 < before * done / KINDS && before > 500;
    CK(cudaStreamDestroy(st));
    for (float *p : {frame, llr, c2v, v2c}) CK(cudaFree(p));
    CK(cudaFree(edge_of)); CK(cudaFree(bit));
    return report(ok);
}

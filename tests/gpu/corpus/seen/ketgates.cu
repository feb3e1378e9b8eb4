// State-vector simulation of a 14-qubit variational circuit: per layer one rotation on every qubit
// and a chain of controlled phases. The same circuit is applied again and again (Trotter steps).
#include "common.h"

const int Q = 14, DIM = 1 << Q, LAYERS = 4;

__global__ void ground(float2 *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = make_float2(i == 0 ? 1.0f : 0.0f, 0.0f);
}

// rotation about x by 2*atan2(s, c) on qubit q
__global__ void rotate_x(float2 *a, int q, float c, float s)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int lo = t & ((1 << q) - 1), i = ((t >> q) << (q + 1)) | lo, j = i | (1 << q);
    float2 u = a[i], v = a[j];
    a[i] = make_float2(c * u.x + s * v.y, c * u.y - s * v.x);
    a[j] = make_float2(c * v.x + s * u.y, c * v.y - s * u.x);
}

__global__ void cphase(float2 *a, int q0, int q1, float c, float s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if ((i >> q0 & 1) && (i >> q1 & 1)) {
        float2 u = a[i];
        a[i] = make_float2(c * u.x - s * u.y, s * u.x + c * u.y);
    }
}

static float angle(int layer, int q) { return 0.1f + 0.05f * layer + 0.03f * q; }

static void circuit(float2 *a, cudaStream_t st)
{
    for (int l = 0; l < LAYERS; l++) {
        for (int q = 0; q < Q; q++)
            rotate_x<<<DIM / 2 / 128, 128, 0, st>>>(a, q, cosf(angle(l, q)), sinf(angle(l, q)));
        for (int q = 0; q + 1 < Q; q++)
            cphase<<<DIM / 128, 128, 0, st>>>(a, q, q + 1, cosf(angle(q, l)), sinf(angle(q, l)));
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 400;
    float2 *a;
    cudaStream_t st;
    CK(cudaMalloc(&a, DIM * sizeof(float2)));
    CK(cudaStreamCreate(&st));
    ground<<<DIM / 128, 128, 0, st>>>(a);
    CK(cudaGetLastError());
#ifdef GOOD
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CK(cudaStreamBeginCapture(st, cudaStreamCaptureModeGlobal));
    circuit(a, st);
    CK(cudaStreamEndCapture(st, &graph));
    CK(cudaGraphInstantiate(&exec, graph, 0));
    for (int k = 0; k < steps; k++) CK(cudaGraphLaunch(exec, st));
#else
    for (int k = 0; k < steps; k++) circuit(a, st);
#endif
    CK(cudaGetLastError());
    CK(cudaStreamSynchronize(st));

    std::vector<float2> h(DIM);
    CK(cudaMemcpy(h.data(), a, DIM * sizeof(float2), cudaMemcpyDeviceToHost));
    double norm = 0;
    for (float2 v : h) norm += (double)v.x * v.x + (double)v.y * v.y;
    bool ok = close_to(norm, 1.0, 5e-2);         // single precision over many gates

    // one step from the ground state against the host
    ground<<<DIM / 128, 128, 0, st>>>(a);
    circuit(a, st);
    CK(cudaGetLastError());
    CK(cudaStreamSynchronize(st));
    CK(cudaMemcpy(h.data(), a, DIM * sizeof(float2), cudaMemcpyDeviceToHost));
    std::vector<double> re(DIM, 0.0), im(DIM, 0.0);
    re[0] = 1;
    for (int l = 0; l < LAYERS; l++) {
        for (int q = 0; q < Q; q++) {
            double c = cosf(angle(l, q)), s = sinf(angle(l, q));
            for (int i = 0; i < DIM; i++)
                if (!(i >> q & 1)) {
                    int j = i | 1 << q;
                    double ur = re[i], ui = im[i], vr = re[j], vi = im[j];
                    re[i] = c * ur + s * vi; im[i] = c * ui - s * vr;
                    re[j] = c * vr + s * ui; im[j] = c * vi - s * ur;
                }
        }
        for (int q = 0; q + 1 < Q; q++) {
            double c = cosf(angle(q, l)), s = sinf(angle(q, l));
            for (int i = 0; i < DIM; i++)
                if ((i >> q & 1) && (i >> (q + 1) & 1)) {
                    double ur = re[i], ui = im[i];
                    re[i] = c * ur - s * ui; im[i] = s * ur + c * ui;
                }
        }
    }
    for (int i = 0; i < DIM; i++) ok = ok && fabs(h[i].x - re[i]) < 1e-4 && fabs(h[i].y - im[i]) < 1e-4;
    CK(cudaStreamDestroy(st));
    CK(cudaFree(a));
    return report(ok);
}

// Covariance recursion of the Kalman filters of many ships at once: prediction P = F P F' with
// cuBLAS, then process noise and one scalar position fix per ship.
#include "common.h"
#include <cublas_v2.h>

#ifndef SHIPS
#define SHIPS 4096
#endif
const int NS = 12, NN = NS * NS;        // four axes: position, speed, acceleration
const float PROCESS = 0.02f, FIX = 0.5f;

#define BL(call) do { cublasStatus_t s_ = (call); if (s_ != CUBLAS_STATUS_SUCCESS) { \
    fprintf(stderr, "%s:%d: cublas %d\n", __FILE__, __LINE__, (int)s_); exit(1); } } while (0)

// one block a ship, one thread an element; column-major
__global__ void assimilate(float *cov, int axis)
{
    float *p = cov + (size_t)blockIdx.x * NN;
    int k = threadIdx.x, i = k % NS, j = k / NS, m = 3 * axis;
    auto noisy = [&](int a, int b) { return 0.5f * (p[b * NS + a] + p[a * NS + b]) + (a == b ? PROCESS : 0.0f); };
    float v = noisy(i, j) - noisy(i, m) * noisy(m, j) / (noisy(m, m) + FIX);
    __syncthreads();
    p[k] = v;
}

__global__ void trace_of(const float *cov, float *sum)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= SHIPS) return;
    float t = 0;
    for (int i = 0; i < NS; i++) t += cov[(size_t)s * NN + i * (NS + 1)];
    sum[s] = t;
}

static void predict(cublasHandle_t blas, const float *f, float *p, float *tmp)
{
    const float one = 1, zero = 0;
#ifdef GOOD
    BL(cublasSgemmStridedBatched(blas, CUBLAS_OP_N, CUBLAS_OP_N, NS, NS, NS, &one, f, NS, NN, p, NS, NN,
                                 &zero, tmp, NS, NN, SHIPS));
    BL(cublasSgemmStridedBatched(blas, CUBLAS_OP_N, CUBLAS_OP_T, NS, NS, NS, &one, tmp, NS, NN, f, NS, NN,
                                 &zero, p, NS, NN, SHIPS));
#else
    for (int s = 0; s < SHIPS; s++) {
        size_t o = (size_t)s * NN;
        BL(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, NS, NS, NS, &one, f + o, NS, p + o, NS, &zero, tmp + o, NS));
        BL(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, NS, NS, NS, &one, tmp + o, NS, f + o, NS, &zero, p + o, NS));
    }
#endif
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 80;
    const size_t n = (size_t)SHIPS * NN;
    std::vector<float> hf(n, 0.0f), hp(n, 0.0f), out(n);
    unsigned seed = 314;
    for (int s = 0; s < SHIPS; s++) {
        float dt = 0.05f + 0.05f * frand(seed);
        float *f = &hf[(size_t)s * NN], *p = &hp[(size_t)s * NN];
        for (int i = 0; i < NS; i++) {
            f[i * NS + i] = 0.95f;
            if (i % 3 != 2) f[(i + 1) * NS + i] = dt;
            p[i * NS + i] = 1.0f + frand(seed);
        }
    }
    float *f, *p, *tmp, *tr;
    CK(cudaMalloc(&f, n * sizeof(float)));
    CK(cudaMalloc(&p, n * sizeof(float)));
    CK(cudaMalloc(&tmp, n * sizeof(float)));
    CK(cudaMalloc(&tr, SHIPS * sizeof(float)));
    CK(cudaMemcpy(f, hf.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(p, hp.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    cublasHandle_t blas;
    BL(cublasCreate(&blas));
    for (int k = 0; k < steps; k++) {
        predict(blas, f, p, tmp);
        assimilate<<<SHIPS, NN>>>(p, k % 4);
    }
    trace_of<<<(SHIPS + 255) / 256, 256>>>(p, tr);
    CK(cudaGetLastError());
    CK(cudaMemcpy(out.data(), p, n * sizeof(float), cudaMemcpyDeviceToHost));
    std::vector<float> traces(SHIPS);
    CK(cudaMemcpy(traces.data(), tr, SHIPS * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int t = 0; t < 24; t++) {
        int s = (t * 739 + 11) % SHIPS;
        const float *a = &hf[(size_t)s * NN];
        std::vector<double> c(&hp[(size_t)s * NN], &hp[(size_t)s * NN] + NN), b(NN), d(NN);
        for (int k = 0; k < steps; k++) {
            for (int j = 0; j < NS; j++)
                for (int i = 0; i < NS; i++) {
                    double sum = 0;
                    for (int l = 0; l < NS; l++) sum += (double)a[l * NS + i] * c[j * NS + l];
                    b[j * NS + i] = sum;
                }
            for (int j = 0; j < NS; j++)
                for (int i = 0; i < NS; i++) {
                    double sum = i == j ? (double)PROCESS : 0.0;
                    for (int l = 0; l < NS; l++) sum += b[l * NS + i] * a[l * NS + j];
                    d[j * NS + i] = sum;
                }
            int m = 3 * (k % 4);
            for (int j = 0; j < NS; j++)
                for (int i = 0; i < NS; i++)
                    c[j * NS + i] = d[j * NS + i] - d[m * NS + i] * d[j * NS + m] / (d[m * NS + m] + FIX);
        }
        double sum = 0;
        for (int i = 0; i < NS; i++) sum += c[i * NS + i];
        for (int k = 0; k < NN; k++) ok = ok && close_to(out[(size_t)s * NN + k], c[k], 2e-3);
        ok = ok && close_to(traces[s], sum, 2e-3);
        if (t == 0) printf("ship %d: trace of the covariance %.4f\n", s, traces[s]);
    }
    BL(cublasDestroy(blas));
    CK(cudaFree(f)); CK(cudaFree(p)); CK(cudaFree(tmp)); CK(cudaFree(tr));
    return report(ok);
}

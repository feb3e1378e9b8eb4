// Relaxation of a drum membrane: Jacobi sweeps with a convergence test on the largest change.
#include "common.h"

static const int N = 1024;

__global__ void sweep(const float *__restrict__ u, float *v, unsigned *change)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float d = 0.0f;
    if (x > 0 && y > 0 && x < N - 1 && y < N - 1) {
        int i = y * N + x;
        float t = 0.25f * ((u[i - 1] + u[i + 1]) + (u[i - N] + u[i + N]));
        d = fabsf(t - u[i]);
        v[i] = t;
    }
    unsigned m = __reduce_max_sync(0xffffffffu, __float_as_uint(d));     // non-negative floats order as integers
    __shared__ unsigned part[8];
    if (threadIdx.x == 0) part[threadIdx.y] = m;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        for (int w = 1; w < 8; w++) m = max(m, part[w]);
        if (m > *change) atomicMax(change, m);
    }
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 10000;
    const float tol = 1e-12f;
#ifdef GOOD
    const int check_every = 100;
#else
    const int check_every = 1;
#endif
    std::vector<float> h((size_t)N * N);
    const double pi = 3.14159265358979;
    std::vector<double> s(N);
    for (int i = 0; i < N; i++) s[i] = sin(pi * i / (N - 1));
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            h[(size_t)y * N + x] = (x == N - 1 || y == N - 1) ? 0.0f : (float)(s[x] * s[y]);
    float *u, *v;
    unsigned *change;
    size_t bytes = h.size() * sizeof(float);
    CK(cudaMalloc(&u, bytes));
    CK(cudaMalloc(&v, bytes));
    CK(cudaMalloc(&change, sweeps * sizeof(unsigned)));
    CK(cudaMemset(change, 0, sweeps * sizeof(unsigned)));
    CK(cudaMemset(v, 0, bytes));
    CK(cudaMemcpy(u, h.data(), bytes, cudaMemcpyHostToDevice));

    int done = 0;
    float last = 1.0f;
    for (int it = 0; it < sweeps; it++) {
        sweep<<<dim3(N / 32, N / 8), dim3(32, 8)>>>(u, v, change + it);
        std::swap(u, v);
        done++;
        if ((it + 1) % check_every == 0) {
            CK(cudaMemcpy(&last, change + it, sizeof last, cudaMemcpyDeviceToHost));
            if (last < tol) break;
        }
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    // the start is an eigenfunction of the sweep: it shrinks by cos(pi / (N - 1)) each time
    double shrink = pow(cos(pi / (N - 1)), done);
    CK(cudaMemcpy(h.data(), u, bytes, cudaMemcpyDeviceToHost));
    bool ok = done == sweeps;
    for (int i = 100; i < N; i += 101)
        ok = ok && close_to(h[(size_t)i * N + N / 2], shrink * s[i] * s[N / 2], 3e-3);
    printf("%d sweeps, change %g\n", done, last);
    cudaFree(u); cudaFree(v); cudaFree(change);
    return report(ok);
}

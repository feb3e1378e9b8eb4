// Acoustic wave in a 2-D medium; the pressure field of every step goes to the host, for a viewer.
//   field_dump [steps]
#include "common.h"

#define N 4096

__global__ void quiet(float *p, float *q, float *c2)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float dx = (x - N / 2) * 0.02f, dy = (y - N / 2) * 0.02f;
    p[y * N + x] = q[y * N + x] = __expf(-dx * dx - dy * dy);
    c2[y * N + x] = y < N / 3 ? 0.15f : 0.3f;
}

__global__ void leapfrog(const float *__restrict__ p, float *__restrict__ q, const float *__restrict__ c2)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x == 0 || y == 0 || x == N - 1 || y == N - 1) return;
    int i = y * N + x;
    float m = p[i];
    q[i] = 2 * m - q[i] + c2[i] * (p[i - 1] + p[i + 1] + p[i - N] + p[i + N] - 4 * m);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 60;
    size_t bytes = (size_t)N * N * sizeof(float);
    float *p, *q, *c2, *field;
    CK(cudaMalloc((void **)&p, bytes));
    CK(cudaMalloc((void **)&q, bytes));
    CK(cudaMalloc((void **)&c2, bytes));
#ifndef GOOD
    field = (float *)malloc(bytes);
    if (field == NULL) return 1;
#else
    CK(cudaMallocHost((void **)&field, bytes));
#endif
    dim3 grid(N / 256, N);
    quiet<<<grid, 256>>>(p, q, c2);
    CK(cudaGetLastError());
    double seismogram = 0;
    for (int s = 0; s < steps; s++) {
        leapfrog<<<grid, 256>>>(p, q, c2);
        CK(cudaGetLastError());
        float *t = p; p = q; q = t;
        CK(cudaMemcpy(field, p, bytes, cudaMemcpyDeviceToHost));
        for (int k = 0; k < 64; k++)      // a line of geophones
            seismogram += fabs(field[(size_t)(N / 2 + 10) * N + N / 2 + k * 8]);
    }
    printf("seismogram %.4f\n", seismogram);
#ifndef GOOD
    free(field);
#else
    CK(cudaFreeHost(field));
#endif
    CK(cudaFree(p)); CK(cudaFree(q)); CK(cudaFree(c2));
    return report(seismogram > 0 && seismogram < 1e6);
}

// Scores batches of queries against a model that is sent along each time.
#include "common.h"
__global__ void score(const float *model, const float *q, float *out, int dim, int classes)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= classes) return;
    float s = 0;
    for (int d = 0; d < dim; d++) s += model[(size_t)d * classes + c] * q[blockIdx.y * dim + d];
    out[blockIdx.y * classes + c] = s;
}
int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 100;
    const int dim = 1024, classes = 8192, batch = 32;
    float *model, *q, *out, *dm, *dq, *dout;
    CK(cudaMallocHost(&model, (size_t)dim * classes * 4)); CK(cudaMallocHost(&q, dim * batch * 4)); CK(cudaMallocHost(&out, classes * batch * 4));
    CK(cudaMalloc(&dm, (size_t)dim * classes * 4)); CK(cudaMalloc(&dq, dim * batch * 4)); CK(cudaMalloc(&dout, classes * batch * 4));
    for (size_t i = 0; i < (size_t)dim * classes; i++) model[i] = (i % 9) * 0.01f;
#ifdef GOOD
    CK(cudaMemcpy(dm, model, (size_t)dim * classes * 4, cudaMemcpyHostToDevice));
#endif
    double total = 0;
    for (int b = 0; b < batches; b++) {
        for (int i = 0; i < dim * batch; i++) q[i] = ((i + b) % 7) * 0.1f;
#ifndef GOOD
        CK(cudaMemcpy(dm, model, (size_t)dim * classes * 4, cudaMemcpyHostToDevice));
#endif
        CK(cudaMemcpy(dq, q, dim * batch * 4, cudaMemcpyHostToDevice));
        score<<<dim3(classes / 256, batch), 256>>>(dm, dq, dout, dim, classes);
        CK(cudaMemcpy(out, dout, classes * batch * 4, cudaMemcpyDeviceToHost));
        total += out[b];
    }
    printf("%.1f\n", total / batches);
    return report(total > 0);
}

// Sound in a room: a wave on a plane, and what 48 microphones hear.
//   probes [samples] [side]
#include "common.h"

const int MICROPHONES = 48, PER_SAMPLE = 6;

__global__ void step(const float *__restrict__ p, float *__restrict__ q, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= n - 1 || y >= n - 1) return;
    size_t i = (size_t)y * n + x;
    q[i] = 2 * p[i] - q[i] + 0.25f * (p[i - 1] + p[i + 1] + p[i - n] + p[i + n] - 4 * p[i]);
}

__global__ void clap(float *p, int n)
{
    int x = threadIdx.x - 8, y = blockIdx.x - 8;
    p[(size_t)(n / 2 + y) * n + n / 2 + x] += expf(-0.1f * (x * x + y * y));
}

#ifdef GOOD
__global__ void listen(const float *p, const int *where, float *heard)
{
    heard[threadIdx.x] = p[where[threadIdx.x]];
}
#endif

int main(int argc, char **argv)
{
    int samples = argc > 1 ? atoi(argv[1]) : 120, n = argc > 2 ? atoi(argv[2]) : 4096;
    size_t m = (size_t)n * n;
    float *p, *q;
    CK(cudaMalloc(&p, m * sizeof(float)));
    CK(cudaMalloc(&q, m * sizeof(float)));
    CK(cudaMemset(p, 0, m * sizeof(float)));
    CK(cudaMemset(q, 0, m * sizeof(float)));
    clap<<<17, 17>>>(p, n);
    clap<<<17, 17>>>(q, n);
    std::vector<int> where(MICROPHONES);
    for (int k = 0; k < MICROPHONES; k++) {
        double a = 2 * M_PI * k / MICROPHONES, r = 20 + k % 3 * 10;
        where[k] = (n / 2 + (int)lrint(r * sin(a))) * n + n / 2 + (int)lrint(r * cos(a));
    }
    std::vector<float> record;
#ifndef GOOD
    float *field;
    CK(cudaMallocHost(&field, m * sizeof(float)));
#else
    float *heard, *d_heard;
    int *d_where;
    CK(cudaMallocHost(&heard, MICROPHONES * sizeof(float)));
    CK(cudaMalloc(&d_heard, MICROPHONES * sizeof(float)));
    CK(cudaMalloc(&d_where, MICROPHONES * sizeof(int)));
    CK(cudaMemcpy(d_where, where.data(), MICROPHONES * sizeof(int), cudaMemcpyHostToDevice));
#endif
    dim3 block(64, 4), grid((n - 2 + 63) / 64, (n - 2 + 3) / 4);
    for (int s = 0; s < samples; s++) {
        for (int t = 0; t < PER_SAMPLE; t++) {
            step<<<grid, block>>>(p, q, n);
            std::swap(p, q);
        }
#ifndef GOOD
        CK(cudaMemcpy(field, p, m * sizeof(float), cudaMemcpyDeviceToHost));
        for (int w : where) record.push_back(field[w]);
#else
        listen<<<1, MICROPHONES>>>(p, d_where, d_heard);
        CK(cudaMemcpy(heard, d_heard, MICROPHONES * sizeof(float), cudaMemcpyDeviceToHost));
        record.insert(record.end(), heard, heard + MICROPHONES);
#endif
    }
    CK(cudaGetLastError());
    // The same on a small plane on the host, until its border would be heard.
    int c = 160, early = std::min(samples, 12);
    std::vector<float> a(c * c), b(c * c);
    for (int y = -8; y <= 8; y++)
        for (int x = -8; x <= 8; x++) a[(c / 2 + y) * c + c / 2 + x] = b[(c / 2 + y) * c + c / 2 + x] = expf(-0.1f * (x * x + y * y));
    bool ok = true;
    float loudest = 0;
    for (int s = 0; s < early; s++) {
        for (int t = 0; t < PER_SAMPLE; t++) {
            for (int y = 1; y < c - 1; y++)
                for (int x = 1; x < c - 1; x++) {
                    int i = y * c + x;
                    b[i] = 2 * a[i] - b[i] + 0.25f * (a[i - 1] + a[i + 1] + a[i - c] + a[i + c] - 4 * a[i]);
                }
            a.swap(b);
        }
        for (int k = 0; k < MICROPHONES; k++) {
            int y = where[k] / n - n / 2, x = where[k] % n - n / 2;
            float got = record[s * MICROPHONES + k];
            ok = ok && fabsf(got - a[(c / 2 + y) * c + c / 2 + x]) < 1e-3f;
            loudest = fmaxf(loudest, fabsf(got));
        }
    }
    printf("loudest %.4f\n", loudest);
    return report(ok && loudest > 0.01f);
}

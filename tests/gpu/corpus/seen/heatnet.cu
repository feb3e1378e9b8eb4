// District heating: 264 variants of a ring network of 768 junctions, stepped in time.
//   heatnet [steps]
#include "common.h"

#define J 768

__host__ __device__ static inline float next_temp(float c, float w, float e, float link, float feed)
{
    return c + 0.18f * (w + e - 2 * c) + 0.05f * (link - c) + 0.002f * (feed - c);
}

__global__ void step(const float *from, float *to, const float *feed)
{
    const float *row = from + blockIdx.x * J;
    int i = threadIdx.x;
    float c = row[i], w = row[i ? i - 1 : J - 1], e = row[i < J - 1 ? i + 1 : 0], link = row[i + 37 < J ? i + 37 : i + 37 - J];
    to[blockIdx.x * J + i] = next_temp(c, w, e, link, feed[blockIdx.x * J + i]);
}

__global__ void steps_of(float *temp, const float *feed, int steps)
{
    __shared__ float row[2][J];
    int i = threadIdx.x, w = i ? i - 1 : J - 1, e = i < J - 1 ? i + 1 : 0, l = i + 37 < J ? i + 37 : i + 37 - J;
    float c = temp[blockIdx.x * J + i], f = feed[blockIdx.x * J + i];
    for (int s = 0; s < steps; s++) {
        float *r = row[s & 1];
        r[i] = c;
        __syncthreads();
        c = next_temp(c, r[w], r[e], r[l], f);
    }
    temp[blockIdx.x * J + i] = c;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 400000;
    const int variants = 264, n = variants * J;
    steps &= ~1;
    std::vector<float> temp(n), feed(n), h(n);
    unsigned seed = 21;
    for (int i = 0; i < n; i++) { temp[i] = 40 + 20 * frand(seed); feed[i] = (lcg(seed) >> 28) == 0 ? 90.0f : 30.0f; }
    float *a, *b, *f;
    CK(cudaMalloc(&a, n * sizeof(float)));
    CK(cudaMalloc(&b, n * sizeof(float)));
    CK(cudaMalloc(&f, n * sizeof(float)));
    CK(cudaMemcpy(a, temp.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(f, feed.data(), n * sizeof(float), cudaMemcpyHostToDevice));
#ifdef GOOD
    for (int s = 0; s < steps; s += 2000) steps_of<<<variants, J>>>(a, f, std::min(2000, steps - s));
#else
    for (int s = 0; s < steps; s++) {
        step<<<variants, J>>>(a, b, f);
        std::swap(a, b);
    }
#endif
    CK(cudaGetLastError());
    CK(cudaMemcpy(h.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    const int probe = 133;
    std::vector<float> u(temp.begin() + probe * J, temp.begin() + (probe + 1) * J), v(J);
    for (int s = 0; s < std::min(steps, 60000); s++) {
        for (int i = 0; i < J; i++)
            v[i] = next_temp(u[i], u[i ? i - 1 : J - 1], u[i < J - 1 ? i + 1 : 0], u[(i + 37) % J], feed[probe * J + i]);
        u.swap(v);
    }
    for (int i = 0; i < J; i++) ok = ok && close_to(h[probe * J + i], u[i], 1e-3);
    printf("junction 5: %.3f\n", h[probe * J + 5]);
    cudaFree(a); cudaFree(b); cudaFree(f);
    return report(ok);
}

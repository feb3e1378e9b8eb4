// Registration of two images by mutual information: a joint histogram of 64 x 64 bins for
// each shift that is tried, and its entropy.
//   mutinfo [shifts] [side]
#include "common.h"

#define BINS 64

__host__ __device__ inline unsigned noise(unsigned x, unsigned y)
{
    unsigned h = x * 73856093u ^ y * 19349663u;
    h ^= h >> 13; h *= 0x5bd1e995u; h ^= h >> 15;
    return h;
}

// Blobs of tissue on a noisy ground.
__host__ __device__ inline unsigned char scan(int x, int y, int which)
{
    unsigned n = noise(x + which * 7777, y) & 31;
    unsigned t = noise(x >> 6, y >> 6) & 127;
    return which ? 220 - t - n : t + n + 20;
}

__global__ void acquire(unsigned char *p, int n, int which, int shift)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < n) p[(size_t)y * n + x] = scan(x + shift, y, which);
}

__global__ void joint(const unsigned char *__restrict__ a, const unsigned char *__restrict__ b, unsigned *__restrict__ hist, int n, int shift)
{
#ifdef GOOD
    __shared__ unsigned local[BINS * BINS];
    for (int i = threadIdx.x; i < BINS * BINS; i += blockDim.x) local[i] = 0;
    __syncthreads();
#else
    unsigned *local = hist;
#endif
    for (int y = blockIdx.x; y < n; y += gridDim.x)
        for (int x = threadIdx.x; x < n - shift; x += blockDim.x)
            atomicAdd(&local[(a[(size_t)y * n + x + shift] >> 2) * BINS + (b[(size_t)y * n + x] >> 2)], 1u);
#ifdef GOOD
    __syncthreads();
    for (int i = threadIdx.x; i < BINS * BINS; i += blockDim.x)
        if (local[i]) atomicAdd(&hist[i], local[i]);
#endif
}

__global__ void information(const unsigned *hist, float *mi)
{
    __shared__ float rows[BINS], cols[BINS], sums[BINS];
    int t = threadIdx.x;
    unsigned r = 0, c = 0;
    for (int i = 0; i < BINS; i++) {
        r += hist[t * BINS + i];
        c += hist[i * BINS + t];
    }
    rows[t] = r;
    cols[t] = c;
    __syncthreads();
    float total = 0, sum = 0;
    for (int i = 0; i < BINS; i++) total += rows[i];
    for (int i = 0; i < BINS; i++) {
        float h = hist[t * BINS + i];
        if (h > 0) sum += h / total * logf(h * total / (rows[t] * cols[i]));
    }
    sums[t] = sum;
    __syncthreads();
    if (t == 0) {
        float all = 0;
        for (int i = 0; i < BINS; i++) all += sums[i];
        *mi = all;
    }
}

int main(int argc, char **argv)
{
    int shifts = argc > 1 ? atoi(argv[1]) : 24, n = argc > 2 ? atoi(argv[2]) : 8192;
    const int truth = shifts / 2;
    unsigned char *a, *b;
    unsigned *hist;
    float *mi;
    CK(cudaMalloc(&a, (size_t)n * n));
    CK(cudaMalloc(&b, (size_t)n * n));
    CK(cudaMalloc(&hist, BINS * BINS * sizeof(unsigned)));
    CK(cudaMalloc(&mi, shifts * sizeof(float)));
    acquire<<<dim3((n + 255) / 256, n), 256>>>(a, n, 0, 0);
    acquire<<<dim3((n + 255) / 256, n), 256>>>(b, n, 1, truth);
    for (int s = 0; s < shifts; s++) {
        CK(cudaMemsetAsync(hist, 0, BINS * BINS * sizeof(unsigned)));
        joint<<<528, 512>>>(a, b, hist, n, s);
        information<<<1, BINS>>>(hist, mi + s);
    }
    CK(cudaGetLastError());
    std::vector<float> h(shifts);
    CK(cudaMemcpy(h.data(), mi, shifts * sizeof(float), cudaMemcpyDeviceToHost));
    std::vector<unsigned> last(BINS * BINS);
    CK(cudaMemcpy(last.data(), hist, last.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    unsigned long long count = 0;
    for (unsigned v : last) count += v;
    int best = (int)(std::max_element(h.begin(), h.end()) - h.begin());
    printf("best shift %d, information %.4f\n", best, h[best]);
    return report(best == truth && count == (unsigned long long)n * (n - shifts + 1));
}

// Gait recognition: every recorded stride (128 samples of the knee angle) is compared with a
// gallery of known strides by dynamic time warping; the least distance wins.
#include "common.h"

#ifndef STRIDES
#define STRIDES 262144
#endif
const int LEN = 128, GALLERY = 32;
const float FAR = 1e30f;

__constant__ float gallery[GALLERY][LEN];

// the last finished row of the cost matrix of each stride
struct Front
{
    float *cell;
    __device__ float &at(int stride, int j) const
    {
#ifdef GOOD
        return cell[(size_t)j * STRIDES + stride];
#else
        return cell[(size_t)stride * LEN + j];
#endif
    }
};

__host__ __device__ inline float least3(float a, float b, float c) { return fminf(fminf(a, b), c); }

__global__ void clear(float *dist, int *who)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    dist[s] = FAR;
    who[s] = -1;
}

__global__ void __launch_bounds__(256) warp_path(const float *__restrict__ angle, Front front, int person,
                                                 float *__restrict__ dist, int *__restrict__ who)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    float left = FAR;
    for (int i = 0; i < LEN; i++) {
        float a = angle[(size_t)i * STRIDES + s];
        float corner = i == 0 ? 0.0f : FAR;
        left = FAR;
        for (int j = 0; j < LEN; j++) {
            float above = i == 0 ? FAR : front.at(s, j);
            left = fabsf(a - gallery[person][j]) + least3(left, above, corner);
            front.at(s, j) = left;
            corner = above;
        }
    }
    if (left < dist[s]) {
        dist[s] = left;
        who[s] = person;
    }
}

static float warp_host(const float *a, const float *b)
{
    float row[LEN], left = FAR;
    for (int i = 0; i < LEN; i++) {
        float corner = i == 0 ? 0.0f : FAR;
        left = FAR;
        for (int j = 0; j < LEN; j++) {
            float above = i == 0 ? FAR : row[j];
            left = fabsf(a[i] - b[j]) + least3(left, above, corner);
            row[j] = left;
            corner = above;
        }
    }
    return left;
}

int main(int argc, char **argv)
{
    int persons = argc > 1 ? std::min(atoi(argv[1]), GALLERY) : 30;
    unsigned seed = 77;
    std::vector<float> known(GALLERY * LEN), angle((size_t)LEN * STRIDES);
    for (int p = 0; p < GALLERY; p++) {
        float f = 1.0f + frand(seed), ph = 6.0f * frand(seed), amp = 20.0f + 20.0f * frand(seed);
        for (int j = 0; j < LEN; j++) known[p * LEN + j] = amp * sinf(f * j * 0.049f + ph);
    }
    for (int i = 0; i < LEN; i++)
        for (int s = 0; s < STRIDES; s++) {
            int p = s % GALLERY, j = std::min(LEN - 1, std::max(0, i + s % 13 - 6));
            angle[(size_t)i * STRIDES + s] = known[p * LEN + j] + 2.0f * frand(seed) - 1.0f;
        }

    float *dangle, *dist;
    int *who;
    Front front;
    CK(cudaMalloc(&dangle, angle.size() * sizeof(float)));
    CK(cudaMalloc(&front.cell, (size_t)STRIDES * LEN * sizeof(float)));
    CK(cudaMalloc(&dist, STRIDES * sizeof(float)));
    CK(cudaMalloc(&who, STRIDES * sizeof(int)));
    CK(cudaMemcpy(dangle, angle.data(), angle.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpyToSymbol(gallery, known.data(), known.size() * sizeof(float)));
    clear<<<STRIDES / 256, 256>>>(dist, who);
    for (int p = 0; p < persons; p++) warp_path<<<STRIDES / 256, 256>>>(dangle, front, p, dist, who);
    CK(cudaGetLastError());

    std::vector<float> got(STRIDES);
    std::vector<int> name(STRIDES);
    CK(cudaMemcpy(got.data(), dist, STRIDES * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(name.data(), who, STRIDES * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int t = 0; t < 10; t++) {
        int s = (int)((t * 27449u + 11u) % STRIDES);
        float mine[LEN], best = FAR;
        for (int i = 0; i < LEN; i++) mine[i] = angle[(size_t)i * STRIDES + s];
        for (int p = 0; p < persons; p++) best = std::min(best, warp_host(mine, &known[p * LEN]));
        ok = ok && close_to(got[s], best, 1e-3) && name[s] >= 0 && name[s] < persons;
        ok = ok && close_to(warp_host(mine, &known[name[s] * LEN]), best, 1e-3);
    }
    CK(cudaFree(dangle)); CK(cudaFree(front.cell)); CK(cudaFree(dist)); CK(cudaFree(who));
    return report(ok);
}

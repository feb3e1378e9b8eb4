// Careless answers in a survey: who ticks the same box all the way down a battery of 64 items? For each respondent the
// weighted mean of the answers and their spread around it.
// usage: straightlines kilorespondents weightings
#include "common.h"

#define ITEMS 64
__constant__ float weight[ITEMS];

// The answers, as they came in from the questionnaires or turned by item
#ifdef GOOD
#define AT(person, item, persons) ((size_t)(item) * (persons) + (person))
#else
#define AT(person, item, persons) ((size_t)(person) * ITEMS + (item))
#endif

__host__ __device__ inline float answerOf(unsigned person, unsigned item)
{
    unsigned h = person * 2654435761u;
    h ^= h >> 14;
    unsigned box = h % 5u, lazy = h >> 28;
    unsigned g = (person * ITEMS + item) * 2246822519u;
    g ^= g >> 15;
    return 1.0f + (float)(lazy == 0 ? box : (box + g * 2654435761u % 3u) % 5u);
}

__global__ void collect(float *answers, int persons)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < persons) answers[AT(p, blockIdx.y, persons)] = answerOf(p, blockIdx.y);
}

__global__ void __launch_bounds__(256) spread(const float *__restrict__ answers, float2 *__restrict__ out, int persons)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= persons) return;
    float sum = 0.0f, squares = 0.0f;
#pragma unroll 16
    for (int k = 0; k < ITEMS; ++k) {
        float a = answers[AT(p, k, persons)], wa = weight[k] * a;
        sum += wa;
        squares += wa * a;
    }
    out[p] = make_float2(sum, sqrtf(fmaxf(squares - sum * sum, 0.0f)));
}

int main(int argc, char **argv)
{
    int persons = (argc > 1 ? atoi(argv[1]) : 2048) * 1024;
    int weightings = argc > 2 ? atoi(argv[2]) : 2000;
    float *answers; float2 *out;
    CK(cudaMalloc(&answers, (size_t)persons * ITEMS * sizeof(float)));
    CK(cudaMalloc(&out, persons * sizeof(float2)));
    std::vector<float> w(ITEMS);
    float all = 0.0f;
    for (int k = 0; k < ITEMS; ++k) all += w[k] = 1.0f + 0.5f * (float)(k * 7 % 5);
    for (float &v : w) v /= all;
    CK(cudaMemcpyToSymbol(weight, w.data(), ITEMS * sizeof(float)));
    collect<<<dim3((persons + 255) / 256, ITEMS), 256>>>(answers, persons);
    for (int t = 0; t < weightings; ++t)
        spread<<<(persons + 255) / 256, 256>>>(answers, out, persons);
    CK(cudaGetLastError());
    std::vector<float2> got(persons);
    CK(cudaMemcpy(got.data(), out, persons * sizeof(float2), cudaMemcpyDeviceToHost));
    bool ok = true;
    int lazy = 0;
    for (int p = 0; p < persons; p += 251) {
        double m = 0, v = 0;
        for (int k = 0; k < ITEMS; ++k) m += (double)w[k] * answerOf(p, k);
        for (int k = 0; k < ITEMS; ++k) v += w[k] * (answerOf(p, k) - m) * (answerOf(p, k) - m);
        ok = ok && close_to(got[p].x, m, 1e-3) && fabs(got[p].y - sqrt(v)) < 1e-2;
        lazy += got[p].y < 1e-2f;
    }
    printf("%.2f %% tick the same box throughout\n", 100.0 * lazy / ((persons + 250) / 251));
    CK(cudaFree(answers)); CK(cudaFree(out));
    return report(ok);
}

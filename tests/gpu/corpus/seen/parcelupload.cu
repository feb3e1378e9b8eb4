// Land registry: the outlines of the parcels of a district go to the GPU, then sample
// points are tested against all of them.
#include "common.h"

#define PARCELS 1000
#define MAXV 40

struct Parcel { int first, count; };

__global__ void owners(const float2 *__restrict__ vert, const Parcel *__restrict__ parcel,
                       int *__restrict__ hits, int points)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= points) return;
    float x = (p & 255) * (1.0f / 256.0f), y = (p >> 8) * (1.0f / 256.0f);
    int n = 0;
    for (int k = blockIdx.y; k < PARCELS; k += gridDim.y) {
        Parcel q = parcel[k];
        bool in = false;
        float2 a = vert[q.first + q.count - 1];
        for (int v = 0; v < q.count; v++) {
            float2 b = vert[q.first + v];
            if ((a.y > y) != (b.y > y) && (x - a.x) * fabsf(b.y - a.y) < (b.x - a.x) * (y - a.y) * (b.y > a.y ? 1.f : -1.f)) in = !in;
            a = b;
        }
        n += in;
    }
    if (n) atomicAdd(&hits[p], n);
}

int main(int argc, char **argv)
{
    int districts = argc > 1 ? atoi(argv[1]) : 40;
    const int points = 256 * 256;
    std::vector<std::vector<float2>> outline(PARCELS);
    std::vector<Parcel> parcel(PARCELS);
    int total = 0;
    unsigned seed = 4;
    for (int k = 0; k < PARCELS; k++) {
        int c = 20 + lcg(seed) % 7919 % (MAXV - 20);
        float cx = frand(seed), cy = frand(seed), r = 0.02f + 0.05f * frand(seed);
        for (int v = 0; v < c; v++) {
            float a = 6.2831853f * v / c, q = r * (0.8f + 0.4f * frand(seed));
            outline[k].push_back(make_float2(cx + q * cosf(a), cy + q * sinf(a)));
        }
        parcel[k] = {total, c};
        total += c;
    }
    float2 *dv;
    Parcel *dp;
    int *dh;
    CK(cudaMalloc(&dv, total * sizeof(float2)));
    CK(cudaMalloc(&dp, PARCELS * sizeof(Parcel)));
    CK(cudaMalloc(&dh, points * 4));
    CK(cudaMemcpy(dp, parcel.data(), PARCELS * sizeof(Parcel), cudaMemcpyHostToDevice));
    std::vector<int> hits(points);
#ifdef GOOD
    std::vector<float2> packed(total);
#endif
    for (int d = 0; d < districts; d++) {
        for (auto &o : outline) o[0].x += 1e-5f;              // the survey moves on
#ifdef GOOD
        for (int k = 0; k < PARCELS; k++)
            std::copy(outline[k].begin(), outline[k].end(), packed.begin() + parcel[k].first);
        CK(cudaMemcpy(dv, packed.data(), total * sizeof(float2), cudaMemcpyHostToDevice));
#else
        for (int k = 0; k < PARCELS; k++)
            CK(cudaMemcpy(dv + parcel[k].first, outline[k].data(), outline[k].size() * sizeof(float2), cudaMemcpyHostToDevice));
#endif
        CK(cudaMemsetAsync(dh, 0, points * 4));
        owners<<<dim3(points / 256, 8), 256>>>(dv, dp, dh, points);
        CK(cudaGetLastError());
        CK(cudaMemcpy(hits.data(), dh, points * 4, cudaMemcpyDeviceToHost));
    }
    bool ok = true;
    int bad = 0;
    for (int p = 11; p < points; p += 1511) {
        double x = (p & 255) / 256.0, y = (p >> 8) / 256.0;
        int n = 0;
        for (auto &o : outline) {
            bool in = false;
            float2 a = o.back();
            for (auto &b : o) {
                if ((a.y > y) != (b.y > y) && x - a.x < (double)(b.x - a.x) * (y - a.y) / (b.y - a.y)) in = !in;
                a = b;
            }
            n += in;
        }
        bad += n != hits[p];
    }
    ok = bad <= 1;
    CK(cudaFree(dv)); CK(cudaFree(dp)); CK(cudaFree(dh));
    return report(ok);
}

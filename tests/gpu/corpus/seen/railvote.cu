// Track inspection: straight rails in camera pictures by the transform of Hough. The edge points
// of a picture vote for lines (angle, distance); whole numbers throughout.
#include "common.h"

#ifndef POINTS
#define POINTS 196608
#endif
const int W = 2048, H = 1536, ANGLES = 180, OFFSET = 2560, BINS = 2 * OFFSET, PICTURES = 3;

struct Heading { int c, s; };                  // cosine and sine times 32768
__constant__ Heading heading[ANGLES];

__host__ __device__ inline int line_of(short2 p, Heading h) { return ((p.x * h.c + p.y * h.s) >> 15) + OFFSET; }

#ifdef GOOD
const int SHARES = 4;
__global__ void __launch_bounds__(512) vote(const short2 *__restrict__ point, int n, int *__restrict__ votes)
{
    __shared__ int mine[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    int a = blockIdx.x, part = (n + SHARES - 1) / SHARES, end = min(n, (int)(blockIdx.y + 1) * part);
    Heading h = heading[a];
    for (int i = blockIdx.y * part + threadIdx.x; i < end; i += blockDim.x) atomicAdd(&mine[line_of(point[i], h)], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        if (mine[b]) atomicAdd(&votes[a * BINS + b], mine[b]);
}
static void cast(const short2 *point, int n, int *votes) { vote<<<dim3(ANGLES, SHARES), 512>>>(point, n, votes); }
#else
__global__ void __launch_bounds__(256) vote(const short2 *__restrict__ point, int n, int *__restrict__ votes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    short2 p = point[i];
    for (int a = 0; a < ANGLES; a++) atomicAdd(&votes[a * BINS + line_of(p, heading[a])], 1);
}
static void cast(const short2 *point, int n, int *votes) { vote<<<(n + 255) / 256, 256>>>(point, n, votes); }
#endif

// strongest line of each angle
__global__ void strongest(const int *__restrict__ votes, int *__restrict__ top)
{
    int most = 0;
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) most = max(most, votes[blockIdx.x * BINS + b]);
    most = __reduce_max_sync(~0u, most);
    if ((threadIdx.x & 31) == 0) atomicMax(top + blockIdx.x, most);
}

int main(int argc, char **argv)
{
    int shots = argc > 1 ? atoi(argv[1]) : 5000;
    unsigned seed = 31;
    std::vector<Heading> hd(ANGLES);
    for (int a = 0; a < ANGLES; a++)
        hd[a] = {(int)lrint(32768 * cos(M_PI * a / ANGLES)), (int)lrint(32768 * sin(M_PI * a / ANGLES))};
    std::vector<short2> pts((size_t)PICTURES * POINTS);
    for (int p = 0; p < PICTURES; p++)
        for (int i = 0; i < POINTS; i++) {
            short x, y = (short)((long long)i * H / POINTS);
            unsigned kind = lcg(seed) >> 28;
            if (kind == 0) x = (short)(500 + 100 * p + y / 4);
            else if (kind == 1) x = (short)(1500 - 100 * p - y / 5);
            else x = (short)(frand(seed) * W);
            pts[(size_t)p * POINTS + i] = make_short2(x, y);
        }
    short2 *dpts;
    int *votes, *top;
    CK(cudaMalloc(&dpts, pts.size() * sizeof(short2)));
    CK(cudaMalloc(&votes, ANGLES * BINS * sizeof(int)));
    CK(cudaMalloc(&top, ANGLES * sizeof(int)));
    CK(cudaMemcpy(dpts, pts.data(), pts.size() * sizeof(short2), cudaMemcpyHostToDevice));
    CK(cudaMemcpyToSymbol(heading, hd.data(), ANGLES * sizeof(Heading)));
    int last = 0;
    for (int s = 0; s < shots; s++) {
        last = s % PICTURES;
        CK(cudaMemsetAsync(votes, 0, ANGLES * BINS * sizeof(int)));
        CK(cudaMemsetAsync(top, 0, ANGLES * sizeof(int)));
        cast(dpts + (size_t)last * POINTS, POINTS, votes);
        strongest<<<ANGLES, 256>>>(votes, top);
    }
    CK(cudaGetLastError());

    std::vector<int> got(ANGLES * BINS), best(ANGLES);
    CK(cudaMemcpy(got.data(), votes, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(best.data(), top, ANGLES * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int a = 3; a < ANGLES; a += 16) {
        std::vector<int> ref(BINS, 0);
        for (int i = 0; i < POINTS; i++) ref[line_of(pts[(size_t)last * POINTS + i], hd[a])]++;
        ok = ok && std::equal(ref.begin(), ref.end(), got.begin() + (size_t)a * BINS);
        ok = ok && best[a] == *std::max_element(ref.begin(), ref.end());
    }
    CK(cudaFree(dpts)); CK(cudaFree(votes)); CK(cudaFree(top));
    return report(ok);
}

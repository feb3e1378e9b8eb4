// Recommendation: every user has 64 candidate items; the one whose vector has the largest dot product with the
// user's is shown. The trainer writes a stamp (when the item was last trained) with every item vector.
// usage: stampvecs users items rounds
#include "common.h"

#define DIM 16
#define CANDIDATES 64
#define SETS 4               // candidate lists for four slots of the page

#ifdef GOOD
#define PITCH DIM            // the stamps are in an array of their own
#define FIRST 0
#else
#define PITCH (DIM + 1)      // stamp, then the vector
#define FIRST 1
#endif

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

__host__ __device__ inline float weight(unsigned i) { return (float)(scramble(i) >> 8) * (2.0f / 16777216.0f) - 1.0f; }
__host__ __device__ inline float itemWeight(int item, int d) { return weight((unsigned)item * DIM + d + 77u); }
__host__ __device__ inline float userWeight(int user, int d) { return weight((unsigned)user * DIM + d + 900000001u); }
__host__ __device__ inline int candidate(size_t place, int items)
{
    return (int)(((unsigned long long)scramble((unsigned)place + 12345u) * (unsigned)items) >> 32);
}

__global__ void write_items(float *table, float *stamps, int items)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items) return;
    (stamps ? stamps[i] : table[(size_t)i * PITCH]) = (float)(i % 1000);
    for (int d = 0; d < DIM; ++d) table[(size_t)i * PITCH + FIRST + d] = itemWeight(i, d);
}

__global__ void write_users(float *user, int *cand, int users, int items)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < users * DIM) user[i] = userWeight(i / DIM, i % DIM);
    for (size_t k = i; k < (size_t)users * CANDIDATES * SETS; k += (size_t)gridDim.x * blockDim.x)
        cand[k] = candidate(k, items);
}

// a warp per user, half a warp per candidate
__global__ void best_item(const float *__restrict__ table, const float *__restrict__ user,
                          const int *__restrict__ cand, int2 *best, int users)
{
    const int u = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const int half = lane / 16, d = lane % 16;
    if (u >= users) return;
    const float mine = user[(size_t)u * DIM + d];
    int ids[2] = {cand[(size_t)u * CANDIDATES + lane], cand[(size_t)u * CANDIDATES + 32 + lane]};
    float top = -1e30f;
    int which = 0;
    #pragma unroll
    for (int part = 0; part < 2; ++part) {
        #pragma unroll 8
        for (int k = 0; k < 16; ++k) {
            int id = __shfl_sync(0xffffffffu, ids[part], k * 2 + half);
            float v = table[(size_t)id * PITCH + FIRST + d] * mine;
            for (int o = 8; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
            if (v > top) { top = v; which = id; }
        }
    }
    float other = __shfl_xor_sync(0xffffffffu, top, 16);
    int otherId = __shfl_xor_sync(0xffffffffu, which, 16);
    if (other > top) { top = other; which = otherId; }
    if (lane == 0) best[u] = make_int2(which, __float_as_int(top));
}

int main(int argc, char **argv)
{
    int users = (argc > 1 ? atoi(argv[1]) : 65536) / 8 * 8;
    int items = argc > 2 ? atoi(argv[2]) : 4194304;
    int rounds = argc > 3 ? atoi(argv[3]) : 5000;
    float *table, *user, *stamps = nullptr;
    int *cand; int2 *best;
    const size_t perSet = (size_t)users * CANDIDATES;
    CK(cudaMalloc(&table, (size_t)items * PITCH * sizeof(float)));
#ifdef GOOD
    CK(cudaMalloc(&stamps, items * sizeof(float)));
#endif
    CK(cudaMalloc(&user, (size_t)users * DIM * sizeof(float)));
    CK(cudaMalloc(&cand, perSet * SETS * sizeof(int)));
    CK(cudaMalloc(&best, users * sizeof(int2)));
    write_items<<<(items + 255) / 256, 256>>>(table, stamps, items);
    write_users<<<(users * DIM + 255) / 256, 256>>>(user, cand, users, items);
    for (int r = 0; r < rounds; ++r)
        best_item<<<users / 8, 256>>>(table, user, cand + perSet * (r % SETS), best, users);
    CK(cudaGetLastError());
    std::vector<int2> b(users);
    CK(cudaMemcpy(b.data(), best, users * sizeof(int2), cudaMemcpyDeviceToHost));

    bool ok = true;
    const int set = (rounds - 1) % SETS;
    for (int t = 0; t < 200; ++t) {
        int u = (int)((long long)t * (users - 1) / 199);
        double top = -1e30, shown = -1e30;
        for (int k = 0; k < CANDIDATES; ++k) {
            int id = candidate(perSet * set + (size_t)u * CANDIDATES + k, items);
            double v = 0;
            for (int d = 0; d < DIM; ++d) v += (double)itemWeight(id, d) * userWeight(u, d);
            top = std::max(top, v);
            if (id == b[u].x) shown = v;
        }
        float said;
        memcpy(&said, &b[u].y, sizeof(said));
        ok = ok && fabs(shown - top) < 1e-4 && fabs(said - top) < 1e-4;
    }
    printf("user 0 gets item %d\n", b[0].x);
    CK(cudaFree(table)); CK(cudaFree(user)); CK(cudaFree(cand)); CK(cudaFree(best));
    if (stamps) CK(cudaFree(stamps));
    return report(ok);
}

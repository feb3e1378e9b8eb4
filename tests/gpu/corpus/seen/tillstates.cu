// Order table of a web shop, kept by columns: for each of the six order states the turnover (in cents) and the
// pieces of all orders above a floor price are summed up. Most orders are in the state "delivered".
// usage: tillstates orders queries
#include "common.h"

#define STATES 6
#define THREADS 256
typedef unsigned long long Sum;

__host__ __device__ inline unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

struct Order { unsigned state, pieces, cents; };

__host__ __device__ inline Order orderOf(unsigned row)
{
    unsigned h = scramble(row + 1u);
    Order o;
    o.state = (h & 15u) < 11u ? 5u : (h >> 4 & 15u) % STATES;
    o.pieces = 1u + ((h >> 8) & 15u);
    o.cents = 100u + ((h >> 12) & 16383u);
    return o;
}

__global__ void fill(unsigned char *state, unsigned char *pieces, unsigned *cents, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Order o = orderOf(i);
        state[i] = (unsigned char)o.state;
        pieces[i] = (unsigned char)o.pieces;
        cents[i] = o.cents;
    }
}

#ifdef GOOD
struct Tally { unsigned money[STATES], items[STATES]; };

__device__ inline void book(Tally &t, unsigned state, unsigned pieces, unsigned cents, unsigned floorPrice)
{
    #pragma unroll
    for (int k = 0; k < STATES; ++k)
        if (state == k && cents >= floorPrice) {
            t.money[k] += cents;
            t.items[k] += pieces;
        }
}
#endif

__global__ void turnover(const uchar4 *__restrict__ state, const uchar4 *__restrict__ pieces,
                         const uint4 *__restrict__ cents, unsigned n4, unsigned floorPrice, Sum *result)
{
    __shared__ unsigned money[STATES], items[STATES];
    if (threadIdx.x < STATES) money[threadIdx.x] = items[threadIdx.x] = 0;
    __syncthreads();
#ifdef GOOD
    Tally t = {};
#endif
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        uchar4 s = state[i], p = pieces[i];
        uint4 c = cents[i];
#ifdef GOOD
        book(t, s.x, p.x, c.x, floorPrice);
        book(t, s.y, p.y, c.y, floorPrice);
        book(t, s.z, p.z, c.z, floorPrice);
        book(t, s.w, p.w, c.w, floorPrice);
#else
        if (c.x >= floorPrice) { atomicAdd(&money[s.x], c.x); atomicAdd(&items[s.x], (unsigned)p.x); }
        if (c.y >= floorPrice) { atomicAdd(&money[s.y], c.y); atomicAdd(&items[s.y], (unsigned)p.y); }
        if (c.z >= floorPrice) { atomicAdd(&money[s.z], c.z); atomicAdd(&items[s.z], (unsigned)p.z); }
        if (c.w >= floorPrice) { atomicAdd(&money[s.w], c.w); atomicAdd(&items[s.w], (unsigned)p.w); }
#endif
    }
#ifdef GOOD
    #pragma unroll
    for (int k = 0; k < STATES; ++k) {
        unsigned m = __reduce_add_sync(0xffffffffu, t.money[k]), c = __reduce_add_sync(0xffffffffu, t.items[k]);
        if (threadIdx.x % 32 == 0) { atomicAdd(&money[k], m); atomicAdd(&items[k], c); }
    }
#endif
    __syncthreads();
    if (threadIdx.x < STATES) {
        atomicAdd(&result[threadIdx.x], (Sum)money[threadIdx.x]);
        atomicAdd(&result[STATES + threadIdx.x], (Sum)items[threadIdx.x]);
    }
}

int main(int argc, char **argv)
{
    unsigned n = (argc > 1 ? atoi(argv[1]) : 50331648) / 4 * 4;
    int queries = argc > 2 ? atoi(argv[2]) : 1500;
    unsigned char *state, *pieces;
    unsigned *cents;
    Sum *result;
    const size_t outBytes = (size_t)queries * 2 * STATES * sizeof(Sum);
    CK(cudaMalloc(&state, n));
    CK(cudaMalloc(&pieces, n));
    CK(cudaMalloc(&cents, n * sizeof(unsigned)));
    CK(cudaMalloc(&result, outBytes));
    CK(cudaMemset(result, 0, outBytes));
    fill<<<1056, THREADS>>>(state, pieces, cents, n);
    for (int q = 0; q < queries; ++q)
        turnover<<<792, THREADS>>>((const uchar4 *)state, (const uchar4 *)pieces, (const uint4 *)cents, n / 4,
                                    100u + 7u * (unsigned)(q % 200), result + (size_t)q * 2 * STATES);
    CK(cudaGetLastError());
    std::vector<Sum> r((size_t)queries * 2 * STATES);
    CK(cudaMemcpy(r.data(), result, outBytes, cudaMemcpyDeviceToHost));

    std::vector<Sum> want(2 * STATES, 0);
    const unsigned floorPrice = 100u + 7u * (unsigned)((queries - 1) % 200);
    for (unsigned i = 0; i < n; ++i) {
        Order o = orderOf(i);
        if (o.cents >= floorPrice) { want[o.state] += o.cents; want[STATES + o.state] += o.pieces; }
    }
    bool ok = true;
    for (int k = 0; k < 2 * STATES; ++k) ok = ok && r[(size_t)(queries - 1) * 2 * STATES + k] == want[k];
    printf("delivered: %.2f in %llu pieces\n", (double)want[5] / 100.0, want[STATES + 5]);
    CK(cudaFree(state)); CK(cudaFree(pieces)); CK(cudaFree(cents)); CK(cudaFree(result));
    return report(ok);
}

// A syndicate's lottery book: what would its tickets (6 of 49) have won in hundreds of thousands of simulated draws?
// A ticket or a draw is a mask of 49 bits.
// usage: tombolabook tickets draws
#include "common.h"

#ifdef GOOD
#define BATCH 5000           // draws per launch
#define PARTS 33
#else
#define BATCH 1
#define PARTS 1
#endif
typedef unsigned long long Mask;

static Mask six(unsigned &s)
{
    Mask m = 0;
    for (int k = 0; k < 6;) {
        Mask ball = 1ull << ((lcg(s) >> 12) % 49u);
        if (!(m & ball)) { m |= ball; k++; }
    }
    return m;
}

__host__ __device__ inline unsigned prize(int hits)
{
    return hits < 3 ? 0u : hits == 3 ? 10u : hits == 4 ? 60u : hits == 5 ? 1500u : 100000u;
}

__global__ void __launch_bounds__(256) check_tickets(const Mask *__restrict__ ticket, unsigned *won, int tickets,
                                                     const Mask *__restrict__ draw, int draws)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= tickets) return;
    const Mask mine = ticket[i];
    unsigned sum = 0;
#pragma unroll 4
    for (int d = blockIdx.y; d < draws; d += PARTS) sum += prize(__popcll(mine & draw[d]));
    if (sum) atomicAdd(&won[i], sum);
}

int main(int argc, char **argv)
{
    int tickets = argc > 1 ? atoi(argv[1]) : 40960;
    int draws = argc > 2 ? atoi(argv[2]) : 300000;
    std::vector<Mask> t(tickets), d(draws);
    unsigned s = 649;
    for (Mask &m : t) m = six(s);
    for (Mask &m : d) m = six(s);
    Mask *ticket, *draw; unsigned *won;
    CK(cudaMalloc(&ticket, tickets * sizeof(Mask)));
    CK(cudaMalloc(&draw, draws * sizeof(Mask)));
    CK(cudaMalloc(&won, tickets * sizeof(unsigned)));
    CK(cudaMemset(won, 0, tickets * sizeof(unsigned)));
    CK(cudaMemcpy(ticket, t.data(), tickets * sizeof(Mask), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(draw, d.data(), draws * sizeof(Mask), cudaMemcpyHostToDevice));
    dim3 grid((tickets + 255) / 256, PARTS);
    for (int k = 0; k < draws; k += BATCH)
        check_tickets<<<grid, 256>>>(ticket, won, tickets, draw + k, std::min(BATCH, draws - k));
    CK(cudaGetLastError());
    std::vector<unsigned> w(tickets);
    CK(cudaMemcpy(w.data(), won, tickets * sizeof(unsigned), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < tickets; i += 1 + tickets / 40) {
        unsigned want = 0;
        for (Mask m : d) want += prize(__builtin_popcountll(t[i] & m));
        ok = ok && w[i] == want;
    }
    double all = 0;
    for (unsigned v : w) all += v;
    printf("a ticket wins %.4f per draw\n", all / tickets / draws);
    CK(cudaFree(ticket)); CK(cudaFree(draw)); CK(cudaFree(won));
    return report(ok);
}

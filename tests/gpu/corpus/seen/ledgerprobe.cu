// Audit queries on a ledger held in device memory by columns: how many postings of one branch lie
// between two days, and their sum in cents.
#include "common.h"
typedef unsigned long long u64;

#ifndef POSTINGS
#define POSTINGS (1 << 20)
#endif
const int DAYS = 3650, BRANCHES = 40, TPB = 256;

struct Query { int from, to, branch, reserved; };
struct Answer { unsigned postings, reserved; u64 cents; };

__global__ void __launch_bounds__(TPB) audit(const int *__restrict__ day, const unsigned char *__restrict__ branch,
                                             const int *__restrict__ cents, const Query *__restrict__ query,
                                             Answer *answer)
{
    __shared__ unsigned count[TPB / 32];
    __shared__ u64 money[TPB / 32];
    Query q = *query;
    unsigned n = 0;
    u64 sum = 0;
    for (int i = blockIdx.x * TPB + threadIdx.x; i < POSTINGS; i += gridDim.x * TPB) {
        int d = day[i];
        if (d >= q.from && d < q.to && branch[i] == q.branch) {
            n++;
            sum += cents[i];
        }
    }
    n = __reduce_add_sync(0xffffffffu, n);
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0) {
        count[threadIdx.x / 32] = n;
        money[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < TPB / 32; w++) {
            n += count[w];
            sum += money[w];
        }
        if (n) {
            atomicAdd(&answer->postings, n);
            atomicAdd(&answer->cents, sum);
        }
    }
}

int main(int argc, char **argv)
{
    int queries = argc > 1 ? atoi(argv[1]) : 80000;
    const int n = POSTINGS;
    unsigned seed = 1887;
    std::vector<int> day(n), cents(n);
    std::vector<unsigned char> branch(n);
    for (int i = 0; i < n; i++) {
        day[i] = (int)(frand(seed) * DAYS);
        branch[i] = (unsigned char)(frand(seed) * BRANCHES);
        cents[i] = 100 + (int)(lcg(seed) >> 14);
    }
    std::vector<Query> query(queries);
    std::vector<Answer> answer(queries);
    for (auto &q : query) {
        q.from = (int)(frand(seed) * (DAYS - 400));
        q.to = q.from + 30 + (int)(frand(seed) * 370);
        q.branch = (int)(frand(seed) * BRANCHES);
        q.reserved = 0;
    }
    int *dday, *dcents;
    unsigned char *dbranch;
    Query *dquery;
    Answer *danswer;
    CK(cudaMalloc(&dday, n * sizeof(int)));
    CK(cudaMalloc(&dcents, n * sizeof(int)));
    CK(cudaMalloc(&dbranch, n));
    CK(cudaMalloc(&dquery, queries * sizeof(Query)));
    CK(cudaMalloc(&danswer, queries * sizeof(Answer)));
    CK(cudaMemcpy(dday, day.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dcents, cents.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dbranch, branch.data(), n, cudaMemcpyHostToDevice));
    CK(cudaMemset(danswer, 0, queries * sizeof(Answer)));

#ifdef GOOD
    CK(cudaMemcpy(dquery, query.data(), queries * sizeof(Query), cudaMemcpyHostToDevice));
    for (int k = 0; k < queries; k++)
        audit<<<528, TPB>>>(dday, dbranch, dcents, dquery + k, danswer + k);
    CK(cudaMemcpy(answer.data(), danswer, queries * sizeof(Answer), cudaMemcpyDeviceToHost));
#else
    for (int k = 0; k < queries; k++) {
        CK(cudaMemcpy(dquery + k, &query[k], sizeof(Query), cudaMemcpyHostToDevice));
        audit<<<528, TPB>>>(dday, dbranch, dcents, dquery + k, danswer + k);
        CK(cudaMemcpy(&answer[k], danswer + k, sizeof(Answer), cudaMemcpyDeviceToHost));
    }
#endif
    CK(cudaGetLastError());

    u64 most = 0;
    for (auto &a : answer) most = std::max(most, a.cents);
    printf("largest sum: %.2f\n", most / 100.0);
    bool ok = most > 0;
    for (int t = 0; t < 40; t++) {
        int k = (int)((size_t)t * queries / 40);
        unsigned c = 0;
        u64 s = 0;
        for (int i = 0; i < n; i++)
            if (day[i] >= query[k].from && day[i] < query[k].to && branch[i] == query[k].branch) {
                c++;
                s += cents[i];
            }
        ok = ok && answer[k].postings == c && answer[k].cents == s;
    }
    CK(cudaFree(dday)); CK(cudaFree(dcents)); CK(cudaFree(dbranch)); CK(cudaFree(dquery)); CK(cudaFree(danswer));
    return report(ok);
}

// Run-off triangles of an insurer: payments are added up by accident year and by development year,
// for many assumptions on inflation; then the chain-ladder factors are taken.
// usage: runoffclaims PAYMENTS ASSUMPTIONS
#include "common.h"

const int YEARS = 20;
const int CELLS = YEARS * YEARS;
typedef unsigned long long Money;
struct alignas(8) Payment { unsigned short acc, dev; unsigned paid; };

__global__ void add_payments(const Payment *__restrict__ book, const int *__restrict__ index, Money *triangle, int n)
{
#ifdef GOOD
    __shared__ unsigned part[CELLS];
    for (int c = threadIdx.x; c < CELLS; c += blockDim.x) part[c] = 0;
    __syncthreads();
#endif
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        Payment p = book[i];
        unsigned amount = (p.paid * (unsigned)index[p.acc + p.dev]) >> 8;
#ifdef GOOD
        atomicAdd(&part[p.acc * YEARS + p.dev], amount);
#else
        atomicAdd(&triangle[p.acc * YEARS + p.dev], (Money)amount);
#endif
    }
#ifdef GOOD
    __syncthreads();
    for (int c = threadIdx.x; c < CELLS; c += blockDim.x)
        if (part[c]) atomicAdd(&triangle[c], (Money)part[c]);
#endif
}

// one thread per development year: sum of the next column over the sum of this one
__global__ void ladder(const Money *__restrict__ triangle, double *factor)
{
    int d = threadIdx.x;
    if (d >= YEARS - 1) return;
    Money here = 0, next = 0;
    for (int a = 0; a < YEARS - 1 - d; a++) {
        Money cum = 0;
        for (int k = 0; k <= d; k++) cum += triangle[a * YEARS + k];
        here += cum;
        next += cum + triangle[a * YEARS + d + 1];
    }
    factor[d] = here ? (double)next / (double)here : 1.0;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 16000000;
    int cases = argc > 2 ? atoi(argv[2]) : 500;

    std::vector<Payment> book(n);
    unsigned s = 1905;
    for (Payment &p : book) {
        unsigned r = lcg(s), r2 = lcg(s);
        p.acc = (unsigned short)((r >> 8) % YEARS);
        p.dev = (unsigned short)((((r2 >> 8) & 1023) * ((r2 >> 18) & 1023) >> 10) * (unsigned)(YEARS - p.acc) >> 10);
        p.paid = 20 + (r >> 20);
    }
    std::vector<int> index((size_t)cases * YEARS * 2);
    for (int c = 0; c < cases; c++)
        for (int y = 0; y < 2 * YEARS; y++) index[(size_t)c * 2 * YEARS + y] = 256 + y * (1 + c % 9);

    Payment *dbook;
    int *dindex;
    Money *dtri;
    double *dfactor;
    CK(cudaMalloc(&dbook, n * sizeof(Payment)));
    CK(cudaMalloc(&dindex, index.size() * sizeof(int)));
    CK(cudaMalloc(&dtri, (size_t)cases * CELLS * sizeof(Money)));
    CK(cudaMalloc(&dfactor, (size_t)cases * YEARS * sizeof(double)));
    CK(cudaMemcpy(dbook, book.data(), n * sizeof(Payment), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dindex, index.data(), index.size() * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemset(dtri, 0, (size_t)cases * CELLS * sizeof(Money)));
    CK(cudaMemset(dfactor, 0, (size_t)cases * YEARS * sizeof(double)));

    for (int c = 0; c < cases; c++) {
        add_payments<<<132 * 8, 256>>>(dbook, dindex + (size_t)c * 2 * YEARS, dtri + (size_t)c * CELLS, n);
        ladder<<<1, 32>>>(dtri + (size_t)c * CELLS, dfactor + (size_t)c * YEARS);
    }
    CK(cudaGetLastError());
    std::vector<Money> tri((size_t)cases * CELLS);
    std::vector<double> factor((size_t)cases * YEARS);
    CK(cudaMemcpy(tri.data(), dtri, tri.size() * sizeof(Money), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(factor.data(), dfactor, factor.size() * sizeof(double), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int c = 0; c < cases; c += std::max(1, cases - 1)) {
        std::vector<Money> want(CELLS, 0);
        for (const Payment &p : book)
            want[p.acc * YEARS + p.dev] += (p.paid * (unsigned)index[(size_t)c * 2 * YEARS + p.acc + p.dev]) >> 8;
        for (int k = 0; k < CELLS; k++) if (want[k] != tri[(size_t)c * CELLS + k]) ok = false;
        Money here = 0, next = 0;
        for (int a = 0; a < YEARS - 1; a++) { here += want[a * YEARS]; next += want[a * YEARS] + want[a * YEARS + 1]; }
        printf("case %d: first factor %.5f (%.5f)\n", c, factor[(size_t)c * YEARS], (double)next / (double)here);
        if (!close_to(factor[(size_t)c * YEARS], (double)next / (double)here, 1e-9)) ok = false;
    }
    CK(cudaFree(dbook)); CK(cudaFree(dindex)); CK(cudaFree(dtri)); CK(cudaFree(dfactor));
    return report(ok);
}

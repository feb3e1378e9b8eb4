// Freight yard: revenue query over a table of shipments (filter on day and quantity, sum of discounted price).
#include "common.h"

struct Shipment {
    int id, customer, depot, carrier;
    int day;
    int quantity;
    float weight, price;
    int status, origin;
    float discount, tax;
    int commit_day, receipt_day, wagon, flags;
};

__host__ __device__ static inline unsigned mix(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ static inline Shipment make_row(unsigned i)
{
    unsigned h = mix(i), g = mix(i + 0x9e3779b9u);
    Shipment s;
    s.id = i; s.customer = h & 0xffff; s.depot = h % 97; s.carrier = g % 11;
    s.day = h % 2500; s.quantity = 1 + g % 50;
    s.weight = (g & 1023) * 0.5f; s.price = 10.0f + (h & 4095) * 0.25f;
    s.status = g & 3; s.origin = g % 61;
    s.discount = (g >> 8 & 15) * 0.01f; s.tax = 0.08f;
    s.commit_day = s.day + 20; s.receipt_day = s.day + 25; s.wagon = h & 511; s.flags = 0;
    return s;
}

#ifdef GOOD
struct Table { int *day, *quantity; float *price, *discount; };
#define DAY(i) t.day[i]
#define QTY(i) t.quantity[i]
#define PRICE(i) t.price[i]
#define DISC(i) t.discount[i]
#else
struct Table { Shipment *rows; };
#define DAY(i) t.rows[i].day
#define QTY(i) t.rows[i].quantity
#define PRICE(i) t.rows[i].price
#define DISC(i) t.rows[i].discount
#endif

__global__ void load_table(Table t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Shipment s = make_row(i);
#ifdef GOOD
    t.day[i] = s.day; t.quantity[i] = s.quantity; t.price[i] = s.price; t.discount[i] = s.discount;
#else
    t.rows[i] = s;
#endif
}

__global__ void revenue(Table t, int n, int day0, int day1, int maxqty, double *out)
{
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int d = DAY(i), q = QTY(i);
        float p = PRICE(i), c = DISC(i);
        if (d >= day0 && d < day1 && q < maxqty) sum += p * q * (1.0f - c);
    }
    for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    __shared__ float part[32];
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        double s = 0;
        for (int w = 0; w < (int)(blockDim.x >> 5); w++) s += part[w];
        atomicAdd(out, s);
    }
}

int main(int argc, char **argv)
{
    int queries = argc > 1 ? atoi(argv[1]) : 600;
    const int n = 16 << 20;
    Table t;
#ifdef GOOD
    CK(cudaMalloc(&t.day, n * sizeof(int)));
    CK(cudaMalloc(&t.quantity, n * sizeof(int)));
    CK(cudaMalloc(&t.price, n * sizeof(float)));
    CK(cudaMalloc(&t.discount, n * sizeof(float)));
#else
    CK(cudaMalloc(&t.rows, n * sizeof(Shipment)));
#endif
    double *out;
    CK(cudaMalloc(&out, queries * sizeof(double)));
    CK(cudaMemset(out, 0, queries * sizeof(double)));
    load_table<<<n / 256, 256>>>(t, n);
    CK(cudaGetLastError());
    for (int q = 0; q < queries; q++) {
        int day0 = (q * 37) % 2000;
        revenue<<<132 * 8, 256>>>(t, n, day0, day0 + 365, 24, out + q);
    }
    CK(cudaGetLastError());
    std::vector<double> r(queries);
    CK(cudaMemcpy(r.data(), out, queries * sizeof(double), cudaMemcpyDeviceToHost));

    int q = queries - 1, day0 = (q * 37) % 2000;
    double ref = 0;
    for (int i = 0; i < n; i++) {
        Shipment s = make_row(i);
        if (s.day >= day0 && s.day < day0 + 365 && s.quantity < 24) ref += s.price * s.quantity * (1.0f - s.discount);
    }
    printf("revenue %.6e (cpu %.6e)\n", r[q], ref);
    return report(close_to(r[q], ref, 1e-3));
}

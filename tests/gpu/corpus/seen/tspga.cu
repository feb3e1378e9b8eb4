// A genetic algorithm for the travelling salesman: tours compete, winners are copied with
// a piece of the tour turned round.
#include "common.h"

struct City { int x, y; };

__host__ __device__ inline unsigned draw(unsigned a, unsigned b)
{
    unsigned x = a * 0x9e3779b9u ^ b * 0x85ebca6bu;
    x ^= x >> 16; x *= 0x7feb352du;
    x ^= x >> 15; x *= 0x846ca68bu;
    return x ^ x >> 16;
}

__host__ __device__ inline int distance(City a, City b)
{
    int x = a.x - b.x, y = a.y - b.y;
    return (int)(sqrtf((float)(x * x + y * y)) + 0.5f);
}

// Tour t visits the cities in steps of a number of its own.
__global__ void first_tours(unsigned short *tours, int cities, int population)
{
    int t = blockIdx.x;
    for (int k = threadIdx.x; k < cities; k += blockDim.x)
        tours[(size_t)t * cities + k] = (k + draw(t, 1) % cities) % cities;
}

#ifdef GOOD
__global__ void fitness(const unsigned short *__restrict__ tours,
                        const City *__restrict__ city, int cities, int population,
                        int *cost, int *best)
{
    const unsigned short *mine = tours + (size_t)blockIdx.x * cities;
    int sum = 0;
    for (int k = threadIdx.x; k < cities; k += blockDim.x)
        sum += distance(city[mine[k]], city[mine[k + 1 == cities ? 0 : k + 1]]);
    __shared__ int part[4];
    for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(~0u, sum, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = part[0] + part[1] + part[2] + part[3];
        cost[blockIdx.x] = sum;
        atomicMin(best, sum);
    }
}
#else
__global__ void fitness(const unsigned short *__restrict__ tours,
                        const City *__restrict__ city, int cities, int population,
                        int *cost, int *best)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= population) return;
    const unsigned short *mine = tours + (size_t)t * cities;
    City start = city[mine[0]], here = start;
    int sum = 0;
    for (int k = 1; k < cities; k++) {
        City next = city[mine[k]];
        sum += distance(here, next);
        here = next;
    }
    sum += distance(here, start);
    cost[t] = sum;
    atomicMin(best, sum);
}
#endif

__global__ void breed(const unsigned short *__restrict__ old,
                      const int *__restrict__ cost,
                      unsigned short *__restrict__ young, int cities, int population,
                      int generation)
{
    int t = blockIdx.x;
    unsigned seed = generation * 4099u + t;
    int parent = draw(seed, 10) % population;
    for (int r = 11; r < 15; r++) {
        int other = draw(seed, r) % population;
        if (cost[other] < cost[parent]) parent = other;
    }
    int from = draw(seed, 20) % cities, to = from + draw(seed, 21) % 200;
    if (to >= cities) to = cities - 1;
    if (t % 8 == 0) to = from;          // one in eight stays as it was
    const unsigned short *p = old + (size_t)parent * cities;
    unsigned short *q = young + (size_t)t * cities;
    for (int k = threadIdx.x; k < cities; k += blockDim.x)
        q[k] = p[k >= from && k <= to ? from + to - k : k];
}

int main(int argc, char **argv)
{
    int generations = argc > 1 ? atoi(argv[1]) : 1500;
    int population = argc > 2 ? atoi(argv[2]) : 1024;
    int cities = argc > 3 ? atoi(argv[3]) : 2000;
    std::vector<City> city(cities);
    for (int i = 0; i < cities; i++)
        city[i] = {(int)(draw(i, 5) % 10000), (int)(draw(i, 6) % 10000)};
    City *dc;
    unsigned short *tours, *next;
    int *cost, *best;
    size_t bytes = (size_t)population * cities * 2;
    CK(cudaMalloc(&dc, cities * sizeof(City)));
    CK(cudaMalloc(&tours, bytes));
    CK(cudaMalloc(&next, bytes));
    CK(cudaMalloc(&cost, population * 4));
    CK(cudaMalloc(&best, 4));
    CK(cudaMemcpy(dc, city.data(), cities * sizeof(City), cudaMemcpyHostToDevice));
    CK(cudaMemset(best, 0x7f, 4));
    first_tours<<<population, 128>>>(tours, cities, population);
    for (int g = 0; g < generations; g++) {
#ifdef GOOD
        fitness<<<population, 128>>>(tours, dc, cities, population, cost, best);
#else
        fitness<<<(population + 127) / 128, 128>>>(tours, dc, cities, population, cost,
                                                   best);
#endif
        breed<<<population, 128>>>(tours, cost, next, cities, population, g);
        std::swap(tours, next);
    }
    CK(cudaGetLastError());
    int h = 0;
    std::vector<int> c(population);
    std::vector<unsigned short> one(cities);
    // next holds the tours of which cost tells the length.
    CK(cudaMemcpy(&h, best, 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(c.data(), cost, population * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(one.data(), next, cities * 2, cudaMemcpyDeviceToHost));
    std::vector<int> seen(cities);
    int length = 0, start = 0;
    for (int k = 0; k < cities; k++) {
        seen[one[k]]++;
        length += distance(city[one[k]], city[one[(k + 1) % cities]]);
    }
    for (int k = 0; k < cities; k++) {
        start += distance(city[k], city[(k + 1) % cities]);
        if (seen[k] != 1) h = 0;
    }
    printf("best tour %d, first %d\n", h, start);
    return report(h > 0 && length == c[0] && h <= start);
}

// Aviation: mean head wind of the next three days' hops, each of them planned many times over. Winds at cruising level
// lie on a quarter-degree grid, a map for each hour; a hop looks at the map of its hour every five minutes.
//   jetdrift [forecasts]
#include "common.h"
#include <cuda_fp16.h>

#define LON 1440
#define LAT 720
#define HOURS 72
#define FLIGHTS (6u << 20)
#define LOOKS 12

__host__ __device__ inline unsigned churn(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
__host__ __device__ inline float2 wind_of(unsigned hour, unsigned y, unsigned x)
{
    unsigned h = churn((hour * LAT + y) * LON + x);
    return make_float2(20.0f + (float)(h & 255u) * 0.0625f - 0.03f * (float)y, (float)(h >> 8 & 255u) * 0.0625f - 8.0f);
}

struct Flight { float x, y, dx, dy; };       // in cells of the grid, and per five minutes

__host__ __device__ inline Flight flight_of(unsigned number)
{
    unsigned h = churn(number * 2u + 1u), g = churn(h + 12345u);
    Flight f;
    f.x = (float)(h >> 8) * ((float)LON / 16777216.0f);
    f.y = 60.0f + (float)(g >> 8) * ((LAT - 120.0f) / 16777216.0f);
    f.dx = ((float)(h & 255u) - 127.5f) * 0.04f;
    f.dy = ((float)(g & 255u) - 127.5f) * 0.03f;
    return f;
}
static unsigned departure_of(unsigned number) { return churn(number ^ 0xa5a5a5a5u) % HOURS; }

__global__ void forecast(__half2 *winds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= HOURS * LAT * LON) return;
    float2 w = wind_of(i / (LAT * LON), i / LON % LAT, i % LON);
    winds[i] = __floats2half2_rn(w.x, w.y);
}

__global__ void __launch_bounds__(256) head_winds(const __half2 *__restrict__ winds, const float4 *__restrict__ flights,
                                                  const unsigned *__restrict__ departure, float *__restrict__ head)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    float4 f = flights[i];
    const __half2 *map = winds + (size_t)departure[i] * (LAT * LON);
    float sum = 0.0f;
    #pragma unroll 6
    for (int k = 0; k < LOOKS; ++k) {
        int x = (int)f.x, y = (int)f.y;
        float2 w = __half22float2(map[y * LON + x]);
        sum = fmaf(w.x, f.z, fmaf(w.y, f.w, sum));
        f.x += f.z;
        f.y += f.w;
        if (f.x < 0.0f) f.x += LON;
        if (f.x >= LON) f.x -= LON;
    }
    head[i] = sum;
}

int main(int argc, char **argv)
{
    int forecasts = argc > 1 ? atoi(argv[1]) : 700;
    __half2 *winds;
    float4 *flights;
    unsigned *departure;
    float *head;
    std::vector<unsigned> number(FLIGHTS), dep(FLIGHTS);
#ifdef GOOD
    // flights in the order of their departures, so that those under way together look at the same few maps
    unsigned place[HOURS + 1] = {};
    for (unsigned n = 0; n < FLIGHTS; ++n) ++place[departure_of(n) + 1];
    for (int h = 0; h < HOURS; ++h) place[h + 1] += place[h];
    for (unsigned n = 0; n < FLIGHTS; ++n) number[place[departure_of(n)]++] = n;
#else
    for (unsigned n = 0; n < FLIGHTS; ++n) number[n] = n;
#endif
    std::vector<float4> fl(FLIGHTS);
    for (unsigned i = 0; i < FLIGHTS; ++i) {
        Flight f = flight_of(number[i]);
        fl[i] = make_float4(f.x, f.y, f.dx, f.dy);
        dep[i] = departure_of(number[i]);
    }
    const unsigned cells = HOURS * LAT * LON;
    CK(cudaMalloc(&winds, cells * sizeof(__half2)));
    CK(cudaMalloc(&flights, FLIGHTS * sizeof(float4)));
    CK(cudaMalloc(&departure, FLIGHTS * sizeof(unsigned)));
    CK(cudaMalloc(&head, FLIGHTS * sizeof(float)));
    CK(cudaMemcpy(flights, fl.data(), FLIGHTS * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(departure, dep.data(), FLIGHTS * sizeof(unsigned), cudaMemcpyHostToDevice));
    forecast<<<(cells + 255) / 256, 256>>>(winds);
    for (int r = 0; r < forecasts; ++r) head_winds<<<FLIGHTS / 256, 256>>>(winds, flights, departure, head);
    CK(cudaGetLastError());
    std::vector<float> got(FLIGHTS);
    CK(cudaMemcpy(got.data(), head, FLIGHTS * sizeof(float), cudaMemcpyDeviceToHost));

    // a flight may take a neighbouring cell at one look where rounding decides, so some may differ
    unsigned off = 0, samples = 0;
    double mean = 0;
    for (unsigned i = 0; i < FLIGHTS; i += 211) {
        Flight f = flight_of(number[i]);
        double sum = 0;
        for (int k = 0; k < LOOKS; ++k) {
            float2 w = wind_of(dep[i], (unsigned)f.y, (unsigned)f.x);
            sum += (double)w.x * f.dx + (double)w.y * f.dy;
            f.x += f.dx;
            f.y += f.dy;
            if (f.x < 0.0f) f.x += LON;
            if (f.x >= LON) f.x -= LON;
        }
        off += !(fabs(got[i] - sum) < 0.5);
        mean += got[i];
        ++samples;
    }
    printf("mean: %.4f, %u of %u samples differ\n", mean / samples, off, samples);
    CK(cudaFree(winds)); CK(cudaFree(flights)); CK(cudaFree(departure)); CK(cudaFree(head));
    return report(off * 100 <= samples);
}

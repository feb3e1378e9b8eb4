// Electricity load forecast for the next day: each substation has its own weather forecast (24 temperatures), each
// of its feeders answers to the temperature in its own way; the hourly sums per substation go back to the planner.
// usage: gridmorrow stations days
#include "common.h"

#define HOURS 24
#define FEEDERS 16384        // per substation
#define THREADS 256

__constant__ float dayShape[HOURS];

struct Station {
    int id;
    std::vector<float> temperature;      // of tomorrow, as the weather service sent it
    void newForecast(int day)
    {
        for (int h = 0; h < HOURS; ++h)
            temperature[h] = 8.0f + (float)((id * 7 + day * 3 + h * 5) % 29) - 0.5f * (float)abs(h - 14);
    }
};

__host__ __device__ inline float feederLoad(float4 f, float temp, float shape)
{
    float heat = fmaxf(17.0f - temp, 0.0f), cool = fmaxf(temp - 23.0f, 0.0f);
    return f.x * shape + f.y * heat + f.z * cool + f.w * heat * heat;
}

__global__ void forecast(const float4 *__restrict__ feeder, const float *__restrict__ temp, float *total)
{
    __shared__ float sum[HOURS][THREADS / 32];
    const int st = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float4 f = feeder[(size_t)st * FEEDERS + blockIdx.y * THREADS + threadIdx.x];
    for (int h = 0; h < HOURS; ++h) {
        float load = feederLoad(f, temp[st * HOURS + h], dayShape[h]);
        for (int o = 16; o > 0; o >>= 1) load += __shfl_down_sync(0xffffffffu, load, o);
        if (lane == 0) sum[h][warp] = load;
    }
    __syncthreads();
    if (threadIdx.x < HOURS) {
        float s = 0.0f;
        for (int w = 0; w < THREADS / 32; ++w) s += sum[threadIdx.x][w];
        atomicAdd(&total[st * HOURS + threadIdx.x], s);
    }
}

int main(int argc, char **argv)
{
    int stations = argc > 1 ? atoi(argv[1]) : 128;
    int days = argc > 2 ? atoi(argv[2]) : 700;
    const size_t rowBytes = HOURS * sizeof(float), allBytes = stations * rowBytes;
    unsigned s = 17;
    std::vector<Station> station(stations);
    for (int i = 0; i < stations; ++i) {
        station[i].id = i;
        station[i].temperature.resize(HOURS);
    }
    std::vector<float4> feeder((size_t)stations * FEEDERS);
    for (auto &f : feeder) f = make_float4(1.0f + frand(s), 0.08f * frand(s), 0.05f * frand(s), 0.002f * frand(s));
    float shape[HOURS];
    for (int h = 0; h < HOURS; ++h) shape[h] = 1.0f + 0.4f * sinf(0.2618f * (float)(h - 8));

    float4 *df; float *dtemp, *dtotal, *total;
    CK(cudaMalloc(&df, feeder.size() * sizeof(float4)));
    CK(cudaMalloc(&dtemp, allBytes));
    CK(cudaMalloc(&dtotal, allBytes));
    CK(cudaMallocHost(&total, allBytes));
#ifdef GOOD
    float *all;
    CK(cudaMallocHost(&all, allBytes));
#endif
    CK(cudaMemcpyToSymbol(dayShape, shape, sizeof(shape)));
    CK(cudaMemcpy(df, feeder.data(), feeder.size() * sizeof(float4), cudaMemcpyHostToDevice));

    double year = 0;
    for (int day = 0; day < days; ++day) {
        for (auto &st : station) {
            st.newForecast(day);
#ifdef GOOD
            memcpy(all + st.id * HOURS, st.temperature.data(), rowBytes);
        }
        CK(cudaMemcpy(dtemp, all, allBytes, cudaMemcpyHostToDevice));
#else
            CK(cudaMemcpy(dtemp + st.id * HOURS, st.temperature.data(), rowBytes, cudaMemcpyHostToDevice));
        }
#endif
        CK(cudaMemsetAsync(dtotal, 0, allBytes));
        forecast<<<dim3(stations, FEEDERS / THREADS), THREADS>>>(df, dtemp, dtotal);
        CK(cudaGetLastError());
        CK(cudaMemcpy(total, dtotal, allBytes, cudaMemcpyDeviceToHost));
        for (int i = 0; i < stations * HOURS; ++i) year += total[i];
    }

    bool ok = year > 0;
    for (int i : {0, stations / 2, stations - 1})
        for (int h = 0; h < HOURS; h += 5) {
            double want = 0;
            for (int k = 0; k < FEEDERS; ++k)
                want += feederLoad(feeder[(size_t)i * FEEDERS + k], station[i].temperature[h], shape[h]);
            ok = ok && close_to(total[i * HOURS + h], want, 1e-4);
        }
    printf("forecast of all days: %.4g MWh\n", year);
    CK(cudaFree(df)); CK(cudaFree(dtemp)); CK(cudaFree(dtotal)); CK(cudaFreeHost(total));
#ifdef GOOD
    CK(cudaFreeHost(all));
#endif
    return report(ok);
}

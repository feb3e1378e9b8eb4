// Convective adjustment on a latitude-longitude grid: every column relaxes towards
// saturation in substeps, of which the rain belt near the equator needs many.
#include "common.h"

const int LATS = 2112, LONS = 8192;

__host__ __device__ inline unsigned mix(unsigned x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

__host__ __device__ inline void initial(size_t column, float &t, float &q)
{
    const unsigned r = mix((unsigned)column);
    t = 0.4f / 65536.0f * (r >> 16);
    q = 0.5f + 0.4f / 65536.0f * (r & 0xffff);
}

__host__ __device__ inline void adjust(float &t, float &q, float &rain, int substeps)
{
    for (int k = 0; k < substeps; k++) {
        const float sat = 0.30f + t * (0.45f + 0.20f * t);
        const float excess = fmaxf(q - sat, 0.0f);
        q += 0.004f * (0.9f - q) - 0.05f * excess;
        t += 0.03f * excess - 0.01f * t;
        rain += 0.05f * excess;
    }
}

__global__ void __launch_bounds__(1024)
convect(float *temp, float *humid, float *rain, const int *substeps, int rows)
{
#ifdef GOOD
    for (int lat = blockIdx.x; lat < LATS; lat += gridDim.x) {
#else
    const int first = blockIdx.x * rows, last = min(first + rows, LATS);
    for (int lat = first; lat < last; lat++) {
#endif
        const int n = substeps[lat];
        for (int lon = threadIdx.x; lon < LONS; lon += blockDim.x) {
            const size_t at = (size_t)lat * LONS + lon;
            float t = temp[at], q = humid[at], r = rain[at];
            adjust(t, q, r, n);
            temp[at] = t;
            humid[at] = q;
            rain[at] = r;
        }
    }
}

__global__ void begin(float *temp, float *humid, float *rain)
{
    const size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    initial(at, temp[at], humid[at]);
    rain[at] = 0.0f;
}

__global__ void heat_surface(float *temp, const float *sun, int step)
{
    const int lon = blockIdx.x * blockDim.x + threadIdx.x, lat = blockIdx.y;
    const size_t at = (size_t)lat * LONS + lon;
    temp[at] += sun[lat] * (((lon >> 7) + step) % 3 ? 0.05f : 0.0f);
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 10;
    const size_t n = (size_t)LATS * LONS;
    std::vector<float> sun(LATS);
    std::vector<int> substeps(LATS);
    for (int j = 0; j < LATS; j++) {
        const float y = (j + 0.5f) / LATS - 0.53f;
        sun[j] = 1.0f - 3.0f * y * y;
        substeps[j] = 20 + (int)(900.0f * expf(-y * y / 0.0025f));
    }
    int sms = 0;
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    float *dTemp, *dHumid, *dRain, *dSun;
    int *dSub;
    CK(cudaMalloc(&dTemp, n * sizeof(float)));
    CK(cudaMalloc(&dHumid, n * sizeof(float)));
    CK(cudaMalloc(&dRain, n * sizeof(float)));
    CK(cudaMalloc(&dSun, LATS * sizeof(float)));
    CK(cudaMalloc(&dSub, LATS * sizeof(int)));
    CK(cudaMemcpy(dSun, sun.data(), LATS * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dSub, substeps.data(), LATS * sizeof(int), cudaMemcpyHostToDevice));
    begin<<<(unsigned)(n / 256), 256>>>(dTemp, dHumid, dRain);
    for (int k = 0; k < steps; k++) {
        heat_surface<<<dim3(LONS / 256, LATS), 256>>>(dTemp, dSun, k);
        convect<<<sms, 1024>>>(dTemp, dHumid, dRain, dSub, (LATS + sms - 1) / sms);
    }
    CK(cudaGetLastError());
    // one column in 20000, north to south
    const size_t stride = 20000, some = n / stride;
    std::vector<float> endTemp(some), endRain(some);
    CK(cudaMemcpy2D(endTemp.data(), 4, dTemp, stride * 4, 4, some, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy2D(endRain.data(), 4, dRain, stride * 4, 4, some, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (size_t i = 0; i < some; i++) {
        const int lat = (int)(i * stride / LONS), lon = (int)(i * stride % LONS);
        float t, q, r = 0.0f;
        initial(i * stride, t, q);
        for (int k = 0; k < steps; k++) {
            t += sun[lat] * (((lon >> 7) + k) % 3 ? 0.05f : 0.0f);
            adjust(t, q, r, substeps[lat]);
        }
        ok = ok && close_to(endTemp[i], t, 1e-3) && close_to(endRain[i], r, 1e-3);
    }
    return report(ok);
}

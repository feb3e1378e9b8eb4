// Synthetic seismograms: for shot after shot the traces of all receivers are made of the echoes of many layers (a
// Ricker wavelet at each travel time) and sent to the host.
// usage: shotsynth receivers shots
#include "common.h"

#define SAMPLES 4096
#define LAYERS 160
#define SLOTS 4              // gathers kept on the host
#define THREADS 256

__host__ __device__ inline float arrival(float offset, float depth)
{
    float way = 4.0f * depth * depth + offset * offset;
    return sqrtf(way) / (1.5f + 0.0004f * depth);        // milliseconds
}

__global__ void __launch_bounds__(THREADS) make_traces(const float2 *__restrict__ layer, float *__restrict__ gather,
                                                       float shot, float frequency)
{
    __shared__ float2 echo[LAYERS];                      // when, how strong
    const float offset = 12.5f * (float)blockIdx.y - shot;
    for (int l = threadIdx.x; l < LAYERS; l += THREADS) {
        float2 q = layer[l];
        float t = arrival(offset, q.x);
        echo[l] = make_float2(t, q.y / (1.0f + 0.001f * t));
    }
    __syncthreads();
    const int s = blockIdx.x * THREADS + threadIdx.x;
    float v = 0.0f;
    #pragma unroll 8
    for (int l = 0; l < LAYERS; ++l) {
        float2 e = echo[l];
        float a = frequency * ((float)s - e.x);
        a *= a;
        v += e.y * (1.0f - 2.0f * a) * __expf(-a);
    }
    gather[(size_t)blockIdx.y * SAMPLES + s] = v;
}

static float shotAt(int shot) { return 25.0f * (float)(shot % 400); }

int main(int argc, char **argv)
{
    const int receivers = argc > 1 ? atoi(argv[1]) : 2048, shots = argc > 2 ? atoi(argv[2]) : 700;
    const size_t n = (size_t)receivers * SAMPLES;
    const float frequency = 3.14159265f * 0.03f;
    std::vector<float2> layer(LAYERS);
    unsigned s = 1906;
    for (int l = 0; l < LAYERS; ++l) layer[l] = make_float2(60.0f + 20.0f * l + 10.0f * frand(s), frand(s) - 0.5f);
#ifdef GOOD
    const int lanes = 2;
#else
    const int lanes = 1;
#endif
    float2 *dlayer; float *gather[lanes], *host[SLOTS];
    cudaStream_t stream[lanes];
    CK(cudaMalloc(&dlayer, LAYERS * sizeof(float2)));
    CK(cudaMemcpy(dlayer, layer.data(), LAYERS * sizeof(float2), cudaMemcpyHostToDevice));
    for (int k = 0; k < lanes; ++k) {
        CK(cudaMalloc(&gather[k], n * sizeof(float)));
        CK(cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking));
    }
    for (int k = 0; k < SLOTS; ++k) CK(cudaMallocHost(&host[k], n * sizeof(float)));
    CK(cudaDeviceSynchronize());                         // the layers have arrived
    for (int k = 0; k < shots; ++k) {
        const int lane = k % lanes;
        make_traces<<<dim3(SAMPLES / THREADS, receivers), THREADS, 0, stream[lane]>>>(dlayer, gather[lane], shotAt(k), frequency);
        CK(cudaMemcpyAsync(host[k % SLOTS], gather[lane], n * sizeof(float), cudaMemcpyDeviceToHost, stream[lane]));
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    for (int k = std::max(0, shots - SLOTS); k < shots; ++k)
        for (int q = 0; q < 200; ++q) {
            int r = (int)((long long)q * (receivers - 1) / 199), at = q * 977 % SAMPLES;
            double v = 0, size = 0;
            for (int l = 0; l < LAYERS; ++l) {
                double t = arrival(12.5f * (float)r - shotAt(k), layer[l].x), a = frequency * (at - t);
                double w = layer[l].y / (1.0 + 0.001 * t);
                v += w * (1.0 - 2.0 * a * a) * exp(-a * a);
                size += fabs(w) * exp(-0.5 * a * a);
            }
            ok = ok && fabs(host[k % SLOTS][(size_t)r * SAMPLES + at] - v) <= 2e-3 * (size + 0.1);
        }
    printf("first sample of the last gather: %.5f\n", host[(shots - 1) % SLOTS][0]);
    for (int k = 0; k < lanes; ++k) { CK(cudaFree(gather[k])); CK(cudaStreamDestroy(stream[k])); }
    for (int k = 0; k < SLOTS; ++k) CK(cudaFreeHost(host[k]));
    CK(cudaFree(dlayer));
    return report(ok);
}

// A map of how often something was measured where: lines "longitude,latitude,weight"
// are read from text and spread over the map with a bell curve.
#include "common.h"
#include <string>

const int MAP = 512;

// Number and separator.
static float number(const char *&p)
{
    bool minus = *p == '-';
    p += minus;
    double v = 0, scale = 1;
    for (; *p >= '0' && *p <= '9'; p++) v = v * 10 + (*p - '0');
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++) v += (*p - '0') * (scale *= 0.1);
    p++;
    return (float)(minus ? -v : v);
}

__global__ void spread(const float4 *__restrict__ sample, int n, float *map)
{
    __shared__ float4 s[256];
    int t = threadIdx.y * 32 + threadIdx.x;
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float px = x * (2.0f / MAP) - 1, py = y * (2.0f / MAP) - 1, sum = 0;
    for (int base = 0; base < n; base += 256) {
        __syncthreads();
        s[t] = base + t < n ? sample[base + t] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; k++) {
            float dx = px - s[k].x, dy = py - s[k].y;
            sum += s[k].z * __expf(-200.0f * (dx * dx + dy * dy));
        }
    }
    map[y * MAP + x] += sum;
}

std::string text_of(int lines, unsigned seed)
{
    std::string text;
    char line[64];
    for (int i = 0; i < lines; i++) {
        float r = frand(seed), a = 6.2831853f * frand(seed), w = frand(seed);
        int n = snprintf(line, sizeof line, "%.7f,%.7f,%.5f\n", r * cosf(a),
                         r * sinf(a), w);
        text.append(line, n);
    }
    return text;
}

// The samples of a text; the turn moves those of a later day.
static int parse(const std::string &text, float4 *out, int day)
{
    float c = cosf(day * 0.1f), s = sinf(day * 0.1f);
    int n = 0;
    for (const char *p = text.data(), *end = p + text.size(); p < end; n++) {
        float x = number(p), y = number(p), w = number(p);
        out[n] = make_float4(c * x - s * y, s * x + c * y, w, 0);
    }
    return n;
}

int main(int argc, char **argv)
{
    int days = argc > 1 ? atoi(argv[1]) : 100, lines = argc > 2 ? atoi(argv[2]) : 65536;
    std::vector<std::string> texts;
    for (int k = 0; k < 4; k++) texts.push_back(text_of(lines, 17 + k));
    cudaStream_t stream;
    CK(cudaStreamCreate(&stream));
    float4 *host[2], *sample[2];
    cudaEvent_t done[2];
    for (int k = 0; k < 2; k++) {
        CK(cudaMallocHost(&host[k], lines * sizeof(float4)));
        CK(cudaMalloc(&sample[k], lines * sizeof(float4)));
        CK(cudaEventCreateWithFlags(&done[k], cudaEventDisableTiming));
    }
    float *map;
    CK(cudaMalloc(&map, MAP * MAP * 4));
    CK(cudaMemset(map, 0, MAP * MAP * 4));
    CK(cudaDeviceSynchronize());
    double weight = 0;
    for (int d = 0; d < days; d++) {
        int k = d % 2;
        CK(cudaEventSynchronize(done[k]));
        int n = parse(texts[d % 4], host[k], d);
        CK(cudaMemcpyAsync(sample[k], host[k], n * sizeof(float4), cudaMemcpyHostToDevice,
                           stream));
        spread<<<dim3(MAP / 32, MAP / 8), dim3(32, 8), 0, stream>>>(sample[k], n, map);
        CK(cudaGetLastError());
        CK(cudaEventRecord(done[k], stream));
#ifndef GOOD
        CK(cudaStreamSynchronize(stream));
#endif
        for (int i = 0; i < n; i++) weight += host[k][i].z;
    }
    CK(cudaStreamSynchronize(stream));
    std::vector<float> h(MAP * MAP);
    CK(cudaMemcpy(h.data(), map, MAP * MAP * 4, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float v : h) sum += v;
    // A sample's bell covers pi / 200 of the area 4 of the map.
    double each = sum * 4 / (MAP * (double)MAP) / (M_PI / 200);
    double share = each / weight;
    printf("weight on the map %.2f, in the middle %.0f\n", share,
           h[MAP * MAP / 2 + MAP / 2] / days);
    return report(share > 0.9 && share < 1.1);
}

// Stage lighting: LED bars fade towards the colours of the running cue, frame after frame, and the light that falls
// on the stage floor is added up for the preview of the lighting desk.
// usage: cuewash bars frames
#include "common.h"

#define LEDS 128             // of a bar
#define FLOOR 768            // points of the preview in each direction

struct Bar { float x, y, narrow, speed; };

__host__ __device__ inline float cueLevel(int bar, int led, int channel, int cue)
{
    unsigned h = (unsigned)(bar * 73 + led * 5 + channel * 151 + cue * 977);
    h = (h ^ (h >> 7)) * 2654435761u;
    return (float)(h >> 24) * (1.0f / 255.0f);
}

__host__ __device__ inline float fadeStep(float now, float goal, float speed)
{
    float d = goal - now;
    return now + fminf(fmaxf(0.25f * d, -speed), speed);
}

__global__ void fade_bar(float3 *led, float4 *mean, const Bar *bars, int first, int cue)
{
    __shared__ float3 part[LEDS / 32];
    int bar = first + blockIdx.x, i = bar * LEDS + threadIdx.x;
    float3 c = led[i];
    float speed = bars[bar].speed;
    c.x = fadeStep(c.x, cueLevel(bar, threadIdx.x, 0, cue), speed);
    c.y = fadeStep(c.y, cueLevel(bar, threadIdx.x, 1, cue), speed);
    c.z = fadeStep(c.z, cueLevel(bar, threadIdx.x, 2, cue), speed);
    led[i] = c;
    for (int o = 16; o > 0; o >>= 1) {
        c.x += __shfl_down_sync(0xffffffffu, c.x, o);
        c.y += __shfl_down_sync(0xffffffffu, c.y, o);
        c.z += __shfl_down_sync(0xffffffffu, c.z, o);
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = c;
    __syncthreads();
    if (threadIdx.x == 0) {
        float4 m = make_float4(0.f, 0.f, 0.f, 0.f);
        for (int w = 0; w < LEDS / 32; ++w) { m.x += part[w].x; m.y += part[w].y; m.z += part[w].z; }
        mean[bar] = make_float4(m.x / LEDS, m.y / LEDS, m.z / LEDS, 0.0f);
    }
}

__host__ __device__ inline float falloff(const Bar &b, float x, float y)
{
    float dx = x - b.x, dy = y - b.y, f = fmaxf(1.0f - b.narrow * (dx * dx + dy * dy), 0.0f);
    return f * f;
}

__global__ void light_floor(const Bar *bars, const float4 *mean, float3 *stage, int count)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= FLOOR || py >= FLOOR) return;
    float3 sum = make_float3(0.f, 0.f, 0.f);
    for (int b = 0; b < count; ++b) {
        float f = falloff(bars[b], 0.025f * px, 0.025f * py);
        float4 m = mean[b];
        sum.x += f * m.x; sum.y += f * m.y; sum.z += f * m.z;
    }
    stage[py * FLOOR + px] = sum;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 120;
    int frames = argc > 2 ? atoi(argv[2]) : 1200;
    std::vector<Bar> bars(count);
    unsigned s = 55;
    for (auto &b : bars) {
        b.x = 19.0f * frand(s); b.y = 19.0f * frand(s);
        b.narrow = 0.01f + 0.03f * frand(s);
        b.speed = 0.01f + 0.05f * frand(s);
    }
    Bar *db; float3 *dl, *ds; float4 *dm;
    CK(cudaMalloc(&db, count * sizeof(Bar)));
    CK(cudaMalloc(&dl, (size_t)count * LEDS * sizeof(float3)));
    CK(cudaMalloc(&dm, count * sizeof(float4)));
    CK(cudaMalloc(&ds, FLOOR * FLOOR * sizeof(float3)));
    CK(cudaMemcpy(db, bars.data(), count * sizeof(Bar), cudaMemcpyHostToDevice));
    CK(cudaMemset(dl, 0, (size_t)count * LEDS * sizeof(float3)));
    for (int f = 0; f < frames; ++f) {
        int cue = f / 50;
#ifdef GOOD
        fade_bar<<<count, LEDS>>>(dl, dm, db, 0, cue);
#else
        for (int b = 0; b < count; ++b) fade_bar<<<1, LEDS>>>(dl, dm, db, b, cue);
#endif
        light_floor<<<dim3(FLOOR / 32, FLOOR / 4), dim3(32, 4)>>>(db, dm, ds, count);
        CK(cudaGetLastError());
    }
    std::vector<float3> stage(FLOOR * FLOOR), led((size_t)count * LEDS);
    CK(cudaMemcpy(stage.data(), ds, stage.size() * sizeof(float3), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(led.data(), dl, led.size() * sizeof(float3), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int b : {0, count / 2, count - 1})
        for (int i = 0; i < LEDS; i += 25) {
            float v = 0.0f;
            for (int f = 0; f < frames; ++f) v = fadeStep(v, cueLevel(b, i, 1, f / 50), bars[b].speed);
            ok = ok && close_to(led[(size_t)b * LEDS + i].y, v, 1e-3);
        }
    for (int p : {0, FLOOR * FLOOR / 2 + 70, FLOOR * FLOOR - 1}) {
        double want = 0;
        for (int b = 0; b < count; ++b) {
            double m = 0;
            for (int i = 0; i < LEDS; ++i) m += led[(size_t)b * LEDS + i].x / (double)LEDS;
            want += m * falloff(bars[b], 0.025f * (p % FLOOR), 0.025f * (p / FLOOR));
        }
        ok = ok && fabs(stage[p].x - want) <= 1e-3 * want + 1e-5;
    }
    printf("middle of the stage: red %.4f\n", stage[FLOOR * FLOOR / 2 + FLOOR / 2].x);
    CK(cudaFree(db)); CK(cudaFree(dl)); CK(cudaFree(dm)); CK(cudaFree(ds));
    return report(ok);
}

// Climate loggers in the showcases of a museum.  Each logger delivers one long record of relative humidity;
// for every day we follow how the moisture creeps into the wooden objects of that showcase (8 layers deep)
// and note the steepest gradient, which is what cracks the paint.    usage: vitrines LOGGERS OBJECTS DAYS
#include "common.h"

const int LAYERS = 8;
const int PERDAY = 288;          // one reading in five minutes
const int RECORDED = 128;        // days on a logger; longer studies start again from its first day

__host__ __device__ static inline float seep(float *m, float outside, float k)
{
    float below = m[0] - outside, worst = fabsf(below);
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int l = 0; l < LAYERS; l++) {
        float next = l + 1 < LAYERS ? m[l + 1] - m[l] : 0.0f;
        m[l] += k * (next - below);
        worst = fmaxf(worst, fabsf(next));
        below = next;
    }
    return worst;
}

// block x: part of the objects, block y: logger
__global__ void one_day(const float *__restrict__ humidity, float *__restrict__ moist, float *__restrict__ strain,
                        const float *__restrict__ perm, int objects)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x, logger = blockIdx.y;
    if (o >= objects) return;
    size_t all = (size_t)gridDim.y * objects, id = (size_t)logger * objects + o;
    const float *air = humidity + (size_t)logger * PERDAY;
    float m[LAYERS], k = perm[id], worst = strain[id];
#pragma unroll
    for (int l = 0; l < LAYERS; l++) m[l] = moist[l * all + id];
#pragma unroll 1
    for (int i = 0; i < PERDAY; i++) worst = fmaxf(worst, seep(m, air[i], k));
#pragma unroll
    for (int l = 0; l < LAYERS; l++) moist[l * all + id] = m[l];
    strain[id] = worst;
}

int main(int argc, char **argv)
{
    int loggers = argc > 1 ? atoi(argv[1]) : 160;
    int objects = argc > 2 ? atoi(argv[2]) : 1024;
    int days = argc > 3 ? atoi(argv[3]) : 800;
    size_t record = (size_t)RECORDED * PERDAY, all = (size_t)loggers * objects;

    float *log;                      // [logger][reading]
    CK(cudaMallocHost(&log, loggers * record * sizeof(float)));
    unsigned s = 9;
    for (int g = 0; g < loggers; g++) {
        float rh = 0.5f;
        for (size_t i = 0; i < record; i++) {
            rh += 0.01f * (frand(s) - 0.5f) + 0.002f * (0.5f - rh);
            log[g * record + i] = rh;
        }
    }
    std::vector<float> perm(all);
    for (float &p : perm) p = 0.02f + 0.2f * frand(s);
    std::vector<float> moist(all * LAYERS, 0.5f);

    float *dair, *dmoist, *dstrain, *dperm;
    CK(cudaMalloc(&dair, (size_t)loggers * PERDAY * sizeof(float)));
    CK(cudaMalloc(&dmoist, all * LAYERS * sizeof(float)));
    CK(cudaMalloc(&dstrain, all * sizeof(float)));
    CK(cudaMalloc(&dperm, all * sizeof(float)));
    CK(cudaMemcpy(dmoist, moist.data(), all * LAYERS * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dperm, perm.data(), all * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemset(dstrain, 0, all * sizeof(float)));

    const size_t day_bytes = PERDAY * sizeof(float);
    for (int d = 0; d < days; d++) {
        const float *today = log + (size_t)(d % RECORDED) * PERDAY;
#ifdef GOOD
        CK(cudaMemcpy2DAsync(dair, day_bytes, today, record * sizeof(float), day_bytes, loggers, cudaMemcpyHostToDevice));
#else
        for (int g = 0; g < loggers; g++)
            CK(cudaMemcpyAsync(dair + (size_t)g * PERDAY, today + g * record, day_bytes, cudaMemcpyHostToDevice));
#endif
        one_day<<<dim3((objects + 127) / 128, loggers), 128>>>(dair, dmoist, dstrain, dperm, objects);
    }
    CK(cudaGetLastError());
    std::vector<float> strain(all);
    CK(cudaMemcpy(moist.data(), dmoist, all * LAYERS * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(strain.data(), dstrain, all * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 4; q++) {
        size_t id = (all - 1) * q / 3;
        const float *mine = log + id / objects * record;
        float m[LAYERS], worst = 0;
        for (float &x : m) x = 0.5f;
        for (int d = 0; d < days; d++)
            for (int i = 0; i < PERDAY; i++) worst = std::max(worst, seep(m, mine[(size_t)(d % RECORDED) * PERDAY + i], perm[id]));
        printf("object %zu: moisture %.4f (%.4f), steepest %.4f (%.4f)\n", id, moist[(LAYERS - 1) * all + id],
               m[LAYERS - 1], strain[id], worst);
        if (!close_to(moist[(LAYERS - 1) * all + id], m[LAYERS - 1], 1e-4) || !close_to(strain[id], worst, 1e-4)) ok = false;
    }
    CK(cudaFreeHost(log));
    CK(cudaFree(dair)); CK(cudaFree(dmoist)); CK(cudaFree(dstrain)); CK(cudaFree(dperm));
    return report(ok);
}

// Loudness of a score rendered by waveshaping synthesis, bar after bar: each frame
// of 1024 samples has its own level for every voice; the levels go to the device.
#include "common.h"

const int BARS = 48, VOICES = 256, FRAMES = 1024, PER_FRAME = 1024, DEGREE = 14;

struct Tone { unsigned step; float bright; };
__constant__ float shape[DEGREE];

// phase is a fraction of 2^32; a parabola in place of the sine, then the shaper
__host__ __device__ inline float voice(unsigned phase, float bright, const float *c)
{
    const float p = (float)(int)phase * (1.0f / 4294967296.0f);
    const float x = bright * (8.0f * p * (1.0f - 2.0f * fabsf(p)));
    float y = c[DEGREE - 1];
    for (int k = DEGREE - 2; k >= 0; k--) y = y * x + c[k];
    return x * y;
}

__global__ void __launch_bounds__(256)
render_bar(const float *levels, const Tone *tones, float *energy)
{
    __shared__ float level[VOICES];
    __shared__ Tone tone[VOICES];
    __shared__ float warpSum[8];
    level[threadIdx.x] = levels[(size_t)blockIdx.x * VOICES + threadIdx.x];
    tone[threadIdx.x] = tones[threadIdx.x];
    __syncthreads();
    const unsigned t = blockIdx.x * PER_FRAME + threadIdx.x;
    float sample[4] = {};
    for (int v = 0; v < VOICES; v++) {
        const Tone n = tone[v];
        const float l = level[v];
#pragma unroll
        for (int j = 0; j < 4; j++) sample[j] += l * voice(n.step * (t + 256 * j), n.bright, shape);
    }
    float sum = 0.0f;
    for (int j = 0; j < 4; j++) sum += sample[j] * sample[j];
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0) warpSum[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) sum += warpSum[w];
        energy[blockIdx.x] = sum / PER_FRAME;
    }
}

int main()
{
    const size_t bar = (size_t)FRAMES * VOICES;
    float *levels, *dLevels, *dEnergy;
    CK(cudaMallocHost(&levels, BARS * bar * sizeof(float)));
    std::vector<Tone> tones(VOICES);
    float curve[DEGREE];
    unsigned s = 440;
    for (size_t i = 0; i < BARS * bar; i++) levels[i] = (lcg(s) >> 8) * (0.1f / 16777216.0f);
    for (Tone &n : tones) {
        n.step = 2000000u + (lcg(s) >> 4);
        n.bright = 0.2f + 0.8f * frand(s);
    }
    for (int k = 0; k < DEGREE; k++) curve[k] = (k % 3 ? -1.0f : 1.0f) / (k + 1.0f);
    Tone *dTones;
    CK(cudaMalloc(&dLevels, bar * sizeof(float)));
    CK(cudaMalloc(&dTones, VOICES * sizeof(Tone)));
    CK(cudaMalloc(&dEnergy, (size_t)BARS * FRAMES * sizeof(float)));
    CK(cudaMemcpy(dTones, tones.data(), VOICES * sizeof(Tone), cudaMemcpyHostToDevice));
    CK(cudaMemcpyToSymbol(shape, curve, sizeof(curve)));
    cudaStream_t stream;
    CK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int b = 0; b < BARS; b++) {
        const float *score = levels + b * bar;
#ifdef GOOD
        CK(cudaMemcpyAsync(dLevels, score, bar * sizeof(float), cudaMemcpyHostToDevice, stream));
#else
        for (int f = 0; f < FRAMES; f++)
            CK(cudaMemcpyAsync(dLevels + (size_t)f * VOICES, score + (size_t)f * VOICES,
                               VOICES * sizeof(float), cudaMemcpyHostToDevice, stream));
#endif
        render_bar<<<FRAMES, PER_FRAME / 4, 0, stream>>>(dLevels, dTones, dEnergy + (size_t)b * FRAMES);
    }
    CK(cudaGetLastError());
    CK(cudaStreamSynchronize(stream));
    std::vector<float> energy((size_t)BARS * FRAMES);
    CK(cudaMemcpy(energy.data(), dEnergy, energy.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 101; i < BARS * FRAMES; i += 3011) {
        const float *l = levels + (size_t)i * VOICES;
        double sum = 0;
        for (int k = 0; k < PER_FRAME; k++) {
            const unsigned t = (unsigned)(i % FRAMES) * PER_FRAME + k;
            float sample = 0;
            for (int v = 0; v < VOICES; v++) sample += l[v] * voice(tones[v].step * t, tones[v].bright, curve);
            sum += sample * sample;
        }
        ok = ok && close_to(energy[i], sum / PER_FRAME, 1e-3);
    }
    return report(ok);
}

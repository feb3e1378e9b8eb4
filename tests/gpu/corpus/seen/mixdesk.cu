// Off-line mix of a concert: 64 tracks go through gain, saturation and an echo of one block's
// length; each block of 4096 samples is then summed to two channels.
#include "common.h"

const int TRACKS = 64, BLOCK = 4096, TAPE = 16 * BLOCK, KEEP = 64;
const float FEEDBACK = 0.4f;

struct Strip { float gain, drive, left, right; };

#ifdef GOOD
#define STAGE(...) do { __VA_ARGS__; CK(cudaGetLastError()); } while (0)
#else
#define STAGE(...) do { __VA_ARGS__; CK(cudaGetLastError()); CK(cudaDeviceSynchronize()); } while (0)
#endif

__global__ void trim(const float *__restrict__ tape, float *__restrict__ bus, const Strip *__restrict__ strip, int from)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x, t = blockIdx.y;
    bus[t * BLOCK + k] = strip[t].gain * tape[(size_t)t * TAPE + from + k];
}

__global__ void saturate(float *__restrict__ bus, const Strip *__restrict__ strip)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x, t = blockIdx.y;
    bus[t * BLOCK + k] = tanhf(strip[t].drive * bus[t * BLOCK + k]);
}

__global__ void echo(float *__restrict__ bus, float *__restrict__ line)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x, t = blockIdx.y;
    float wet = bus[t * BLOCK + k] + FEEDBACK * line[t * BLOCK + k];
    line[t * BLOCK + k] = wet;
    bus[t * BLOCK + k] = wet;
}

__global__ void mixdown(const float *__restrict__ bus, const Strip *__restrict__ strip, float2 *__restrict__ master)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    float2 sum = make_float2(0, 0);
#pragma unroll 8
    for (int t = 0; t < TRACKS; t++) {
        float v = bus[t * BLOCK + k];
        sum.x += strip[t].left * v;
        sum.y += strip[t].right * v;
    }
    master[k] = sum;
}

int main(int argc, char **argv)
{
    int blocks = argc > 1 ? atoi(argv[1]) : 45000;
    unsigned seed = 14;
    std::vector<float> tape((size_t)TRACKS * TAPE);
    for (auto &v : tape) v = 2.0f * frand(seed) - 1.0f;
    std::vector<Strip> strip(TRACKS);
    for (auto &s : strip) {
        float pan = frand(seed);
        s = {0.2f + 0.8f * frand(seed), 0.5f + 2.0f * frand(seed), 1.0f - pan, pan};
    }
    float *dtape, *bus, *line;
    Strip *dstrip;
    float2 *master;
    CK(cudaMalloc(&dtape, tape.size() * sizeof(float)));
    CK(cudaMalloc(&bus, TRACKS * BLOCK * sizeof(float)));
    CK(cudaMalloc(&line, TRACKS * BLOCK * sizeof(float)));
    CK(cudaMalloc(&dstrip, TRACKS * sizeof(Strip)));
    CK(cudaMalloc(&master, KEEP * BLOCK * sizeof(float2)));
    CK(cudaMemset(line, 0, TRACKS * BLOCK * sizeof(float)));
    CK(cudaMemcpy(dtape, tape.data(), tape.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dstrip, strip.data(), TRACKS * sizeof(Strip), cudaMemcpyHostToDevice));

    auto position = [](int b) { return (b * 5 + b / 16) % 16 * BLOCK; };
    dim3 grid(BLOCK / 256, TRACKS);
    for (int b = 0; b < blocks; b++) {
        STAGE(trim<<<grid, 256>>>(dtape, bus, dstrip, position(b)));
        STAGE(saturate<<<grid, 256>>>(bus, dstrip));
        STAGE(echo<<<grid, 256>>>(bus, line));
        STAGE(mixdown<<<BLOCK / 64, 64>>>(bus, dstrip, master + (size_t)(b % KEEP) * BLOCK));
    }
    CK(cudaDeviceSynchronize());

    std::vector<float2> got(BLOCK);
    CK(cudaMemcpy(got.data(), master + (size_t)((blocks - 1) % KEEP) * BLOCK, BLOCK * sizeof(float2), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int k = 0; k < BLOCK; k += 37) {
        double left = 0, right = 0;
        for (int t = 0; t < TRACKS; t++) {
            double wet = 0;
            for (int b = std::max(0, blocks - 45); b < blocks; b++)
                wet = tanh((double)strip[t].drive * strip[t].gain * tape[(size_t)t * TAPE + position(b) + k]) + FEEDBACK * wet;
            left += strip[t].left * wet;
            right += strip[t].right * wet;
        }
        ok = ok && close_to(got[k].x, left, 1e-3) && close_to(got[k].y, right, 1e-3);
    }
    CK(cudaFree(dtape)); CK(cudaFree(bus)); CK(cudaFree(line)); CK(cudaFree(dstrip)); CK(cudaFree(master));
    return report(ok);
}

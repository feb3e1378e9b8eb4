// Search for pulses in filterbank data of a radio telescope: for every trial dispersion the channels are
// shifted by their delay and added, then the brightest sample is noted.
// usage: dedisperse SAMPLES CHANNELS BLOCKS_OF_TRIALS
#include "common.h"

const int TRIALS = 32;       // dispersions of one launch

// where the sample t of channel c lies in the filterbank
__host__ __device__ static inline size_t at(int t, int c, int samples, int channels)
{
#ifdef GOOD
    (void)channels;
    return (size_t)c * samples + t;
#else
    (void)samples;
    return (size_t)t * channels + c;
#endif
}

__global__ void shift_add(const float *__restrict__ bank, const int *__restrict__ delay, float *__restrict__ sums,
                          int out, int samples, int channels)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, trial = blockIdx.y;
    if (t >= out) return;
    const int *mine = delay + (size_t)trial * channels;
    float sum = 0.0f;
    for (int c = 0; c < channels; c++) sum += bank[at(t + mine[c], c, samples, channels)];
    sums[(size_t)trial * out + t] = sum;
}

// brightest sample of each trial; the time in the low bits
__global__ void brightest(const float *__restrict__ sums, unsigned long long *best, int out)
{
    __shared__ unsigned long long part[256];
    const float *row = sums + (size_t)blockIdx.y * out;
    unsigned long long top = 0;
    for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < out; t += gridDim.x * blockDim.x)
        top = max(top, (unsigned long long)(unsigned)row[t] << 32 | (unsigned)(out - t));
    part[threadIdx.x] = top;
    for (int w = blockDim.x / 2; w > 0; w /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < w) part[threadIdx.x] = max(part[threadIdx.x], part[threadIdx.x + w]);
    }
    if (threadIdx.x == 0) atomicMax(&best[blockIdx.y], part[0]);
}

int main(int argc, char **argv)
{
    int out = argc > 1 ? atoi(argv[1]) : 32768;
    int channels = argc > 2 ? atoi(argv[2]) : 256;
    int blocks = argc > 3 ? atoi(argv[3]) : 300;
    int trials = blocks * TRIALS, longest = 2048, samples = out + longest;

    std::vector<int> delay((size_t)trials * channels);
    for (int d = 0; d < trials; d++)
        for (int c = 0; c < channels; c++) {
            double f = 1.4 - 0.4 * c / channels;        // GHz
            double rel = (1 / (f * f) - 1 / 1.96) / (1 - 1 / 1.96);
            delay[(size_t)d * channels + c] = (int)((longest - 1) * rel * (d + 1) / trials);
        }
    std::vector<float> bank((size_t)samples * channels);
    unsigned s = 1967;
    for (float &b : bank) b = (float)(20 + (lcg(s) >> 27));
    const int pulsetrial = trials * 2 / 3, pulsetime = out / 3;
    for (int c = 0; c < channels; c++)
        bank[at(pulsetime + delay[(size_t)pulsetrial * channels + c], c, samples, channels)] += 40.0f;

    float *dbank, *dsums;
    int *ddelay;
    unsigned long long *dbest;
    CK(cudaMalloc(&dbank, bank.size() * sizeof(float)));
    CK(cudaMalloc(&ddelay, delay.size() * sizeof(int)));
    CK(cudaMalloc(&dsums, (size_t)TRIALS * out * sizeof(float)));
    CK(cudaMalloc(&dbest, trials * sizeof(unsigned long long)));
    CK(cudaMemcpy(dbank, bank.data(), bank.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(ddelay, delay.data(), delay.size() * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemset(dbest, 0, trials * sizeof(unsigned long long)));

    for (int b = 0; b < blocks; b++) {
        shift_add<<<dim3((out + 255) / 256, TRIALS), 256>>>(dbank, ddelay + (size_t)b * TRIALS * channels, dsums,
                                                            out, samples, channels);
        brightest<<<dim3(16, TRIALS), 256>>>(dsums, dbest + b * TRIALS, out);
    }
    CK(cudaGetLastError());
    std::vector<unsigned long long> best(trials);
    std::vector<float> sums((size_t)TRIALS * out);
    CK(cudaMemcpy(best.data(), dbest, trials * sizeof(unsigned long long), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(sums.data(), dsums, sums.size() * sizeof(float), cudaMemcpyDeviceToHost));

    int found = (int)(std::max_element(best.begin(), best.end(), [](unsigned long long a, unsigned long long b) {
                          return (a >> 32) < (b >> 32); }) - best.begin());
    int when = out - (int)(unsigned)best[found];
    printf("brightest in trial %d at %d (pulse: trial %d at %d)\n", found, when, pulsetrial, pulsetime);
    bool ok = abs(found - pulsetrial) <= trials / 100 + 1 && abs(when - pulsetime) <= 16;
    for (int q = 0; q < 50; q++) {
        int t = (int)((long long)q * (out - 1) / 49), trial = q * 5 % TRIALS;
        const int *mine = &delay[((size_t)(blocks - 1) * TRIALS + trial) * channels];
        float want = 0;
        for (int c = 0; c < channels; c++) want += bank[at(t + mine[c], c, samples, channels)];
        if (sums[(size_t)trial * out + t] != want) ok = false;
    }
    CK(cudaFree(dbank)); CK(cudaFree(ddelay)); CK(cudaFree(dsums)); CK(cudaFree(dbest));
    return report(ok);
}

// Search for periods in unevenly sampled light curves: classical periodogram
// of a handful of variable stars over a fine grid of frequencies.
#include "common.h"

constexpr int STARS = 16;
constexpr int OBS = 3072;        // photometric observations of one star
constexpr int FREQS = 33792;     // trial frequencies, 1/day

struct Peak { float power; int index; };

__global__ void __launch_bounds__(512) periodogram(const float *__restrict__ day,
                                                   const float *__restrict__ mag,
                                                   float f0, float df, float *__restrict__ power)
{
    __shared__ float t[OBS];
    __shared__ float y[OBS];
    const int star = blockIdx.x;
    for (int k = threadIdx.x; k < OBS; k += blockDim.x) {
        t[k] = day[star * OBS + k];
        y[k] = mag[star * OBS + k];
    }
    __syncthreads();
    for (int f = blockIdx.y * blockDim.x + threadIdx.x; f < FREQS; f += gridDim.y * blockDim.x) {
        float freq = f0 + df * f;
        float c = 0.0f, s = 0.0f, cc = 0.0f;
#pragma unroll 4
        for (int k = 0; k < OBS; k++) {
            float turns = freq * t[k];
            turns -= rintf(turns);
            float sn, cs;
            sincospif(2.0f * turns, &sn, &cs);
            c += y[k] * cs;
            s += y[k] * sn;
            cc += cs * cs;
        }
        power[star * FREQS + f] = 0.5f * (c * c / cc + s * s / (OBS - cc));
    }
}

int main()
{
    std::vector<float> day(STARS * OBS), mag(STARS * OBS);
    unsigned seed = 31415u;
    const float f0 = 0.02f, df = 0.0001f;
    for (int s = 0; s < STARS; s++) {
        float period = 0.7f + 0.35f * s, mean = 0.0f;
        for (int k = 0; k < OBS; k++) {
            float when = 200.0f * frand(seed);
            day[s * OBS + k] = when;
            mag[s * OBS + k] = 0.3f * sinf(6.2831853f * when / period) + 0.2f * frand(seed);
            mean += mag[s * OBS + k] / OBS;
        }
        for (int k = 0; k < OBS; k++) mag[s * OBS + k] -= mean;
    }

    float *dDay, *dMag, *dPower;
    CK(cudaMalloc(&dDay, day.size() * sizeof(float)));
    CK(cudaMalloc(&dMag, mag.size() * sizeof(float)));
    CK(cudaMalloc(&dPower, (size_t)STARS * FREQS * sizeof(float)));
    CK(cudaMemcpy(dDay, day.data(), day.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dMag, mag.data(), mag.size() * sizeof(float), cudaMemcpyHostToDevice));

#ifdef GOOD
    dim3 grid(STARS, FREQS / 1024);
#else
    dim3 grid(STARS);
#endif
    periodogram<<<grid, 512>>>(dDay, dMag, f0, df, dPower);
    CK(cudaGetLastError());
    std::vector<float> power((size_t)STARS * FREQS);
    CK(cudaMemcpy(power.data(), dPower, power.size() * sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int s = 0; s < STARS; s++) {
        Peak best{0.0f, -1};
        for (int f = 0; f < FREQS; f++)
            if (power[(size_t)s * FREQS + f] > best.power) best = {power[(size_t)s * FREQS + f], f};
        float period = 0.7f + 0.35f * s, found = 1.0f / (f0 + df * best.index);
        if (fabsf(found - period) > 0.02f * period) ok = false;
        for (int f = 37 + s; f < FREQS; f += 2711) {
            float freq = f0 + df * f;
            double c = 0, sn = 0, cc = 0;
            for (int k = 0; k < OBS; k++) {
                double turns = (double)(freq * day[s * OBS + k]);
                double a = 2.0 * M_PI * (turns - rint(turns));
                c += mag[s * OBS + k] * cos(a);
                sn += mag[s * OBS + k] * sin(a);
                cc += cos(a) * cos(a);
            }
            double ref = 0.5 * (c * c / cc + sn * sn / (OBS - cc));
            if (!close_to(power[(size_t)s * FREQS + f], ref, 2e-2)) ok = false;
        }
    }
    CK(cudaFree(dDay));
    CK(cudaFree(dMag));
    CK(cudaFree(dPower));
    return report(ok);
}

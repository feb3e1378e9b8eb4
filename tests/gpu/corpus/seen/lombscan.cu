// Variable stars: spectral power after Lomb (weighted, unevenly spaced observations) on a fixed
// list of trial frequencies, star after star.
#include "common.h"

#ifndef TRIALS
#define TRIALS 8192
#endif
const int SIGHTINGS = 4096, STARS = 16;
const float TWO_PI = 6.2831853f, FMAX = 8.0f, SPAN = 100.0f;   // cycles a day, days

struct Sighting { float t, m; };               // time and magnitude less the mean

__host__ __device__ inline float frequency(int i) { return FMAX * (i + 1) / TRIALS; }

__device__ inline float4 add(float4 s, Sighting o, float f)
{
    float turn = f * o.t;
    turn -= rintf(turn);
    float si, co;
    __sincosf(TWO_PI * turn, &si, &co);
    s.x += o.m * co;
    s.y += o.m * si;
    s.z += co * co;
    s.w += co * si;
    return s;
}

__device__ inline float power(float4 s)
{
    // the least squares fit a cos + b sin, its share of the sum of squares not yet divided
    float cc = s.z, cs = s.w, ss = SIGHTINGS - s.z, det = cc * ss - cs * cs;
    return (ss * s.x * s.x - 2.0f * cs * s.x * s.y + cc * s.y * s.y) / det;
}

#ifdef GOOD
__global__ void __launch_bounds__(256) periodogram(const Sighting *__restrict__ star, float *__restrict__ spectrum)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    float f = frequency(i);
    float4 s = make_float4(0, 0, 0, 0);
    for (int k = lane; k < SIGHTINGS; k += 32) s = add(s, star[k], f);
    for (int d = 16; d > 0; d >>= 1) {
        s.x += __shfl_xor_sync(~0u, s.x, d);
        s.y += __shfl_xor_sync(~0u, s.y, d);
        s.z += __shfl_xor_sync(~0u, s.z, d);
        s.w += __shfl_xor_sync(~0u, s.w, d);
    }
    if (lane == 0) spectrum[i] = power(s);
}
const int PER_TRIAL = 32;
#else
__global__ void __launch_bounds__(256) periodogram(const Sighting *__restrict__ star, float *__restrict__ spectrum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float f = frequency(i);
    float4 s = make_float4(0, 0, 0, 0);
    for (int k = 0; k < SIGHTINGS; k++) s = add(s, star[k], f);
    spectrum[i] = power(s);
}
const int PER_TRIAL = 1;
#endif

int main(int argc, char **argv)
{
    int stars = argc > 1 ? atoi(argv[1]) : 18000;
    unsigned seed = 12;
    std::vector<Sighting> obs((size_t)STARS * SIGHTINGS);
    for (int q = 0; q < STARS; q++) {
        float f = 0.2f + 6.0f * frand(seed), mean = 0;
        Sighting *o = &obs[(size_t)q * SIGHTINGS];
        for (int k = 0; k < SIGHTINGS; k++) {
            o[k].t = SPAN * (k + frand(seed)) / SIGHTINGS;
            o[k].m = 0.3f * sinf(TWO_PI * (f * o[k].t - floorf(f * o[k].t))) + frand(seed) - 0.5f;
            mean += o[k].m / SIGHTINGS;
        }
        for (int k = 0; k < SIGHTINGS; k++) o[k].m -= mean;
    }
    Sighting *dobs;
    float *spectrum;
    CK(cudaMalloc(&dobs, obs.size() * sizeof(Sighting)));
    CK(cudaMalloc(&spectrum, (size_t)STARS * TRIALS * sizeof(float)));
    CK(cudaMemcpy(dobs, obs.data(), obs.size() * sizeof(Sighting), cudaMemcpyHostToDevice));
    int last = 0;
    for (int q = 0; q < stars; q++) {
        last = q % STARS;
        periodogram<<<TRIALS * PER_TRIAL / 256, 256>>>(dobs + (size_t)last * SIGHTINGS, spectrum + (size_t)last * TRIALS);
    }
    CK(cudaGetLastError());

    std::vector<float> got(TRIALS);
    CK(cudaMemcpy(got.data(), spectrum + (size_t)last * TRIALS, TRIALS * sizeof(float), cudaMemcpyDeviceToHost));
    const Sighting *o = &obs[(size_t)last * SIGHTINGS];
    int top = (int)(std::max_element(got.begin(), got.end()) - got.begin());
    bool ok = true;
    for (int t = 0; t < 200; t++) {
        int i = t == 0 ? top : (int)((t * 739u + 64u) % TRIALS);
        double a = 0, b = 0, cc = 0, cs = 0, f = frequency(i);
        for (int k = 0; k < SIGHTINGS; k++) {
            double turn = f * o[k].t, co = cos(2 * M_PI * turn), si = sin(2 * M_PI * turn);
            a += o[k].m * co;
            b += o[k].m * si;
            cc += co * co;
            cs += co * si;
        }
        double ss = SIGHTINGS - cc, ref = (ss * a * a - 2 * cs * a * b + cc * b * b) / (cc * ss - cs * cs);
        ok = ok && fabs(got[i] - ref) < 1e-2 * ref + 2e-2;
    }
    CK(cudaFree(dobs)); CK(cudaFree(spectrum));
    return report(ok);
}

// Polyphonic synthesiser: thousands of voices with six kinds of oscillator render a
// phrase each; the mixer wants the level of every voice.
#include "common.h"

#define KINDS 6
#define LEN 32768

struct Voice { int kind; float freq, amp, mod; };

__host__ __device__ static inline float wrap(float p) { return p - floorf(p); }

__global__ void render(const Voice *__restrict__ v, float *__restrict__ level, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Voice a = v[i];
    float ph = 0.f, e = 0.f, st = 0.f, st2 = 0.f;
    switch (a.kind) {
    case 0: for (int k = 0; k < LEN; k++) { float s = __sinf(6.2831853f * ph); e += s * s; ph = wrap(ph + a.freq); } break;
    case 1: for (int k = 0; k < LEN; k++) { float s = 2 * ph - 1; st += 0.1f * (s - st); e += st * st; ph = wrap(ph + a.freq); } break;
    case 2: for (int k = 0; k < LEN; k++) { float s = ph < a.mod ? 1.f : -1.f; st = 0.7f * st + 0.3f * s; e += st * st; ph = wrap(ph + a.freq); } break;
    case 3: for (int k = 0; k < LEN; k++) { float s = __sinf(6.2831853f * (ph + a.mod * st)); st = s; e += s * s; ph = wrap(ph + a.freq); } break;
    case 4: for (int k = 0; k < LEN; k++) { float s = 4 * fabsf(ph - 0.5f) - 1; st += 0.2f * (s - st); st2 += 0.2f * (st - st2); e += st2 * st2; ph = wrap(ph + a.freq); } break;
    default: for (int k = 0; k < LEN; k++) { float x = ph * (1 - ph) * 4; float s = x * x * x - a.mod * x; e += s * s; ph = wrap(ph + a.freq * 1.5f); } break;
    }
    level[i] = a.amp * sqrtf(e / LEN);
}

static double cpuLevel(const Voice &a)
{
    float ph = 0, e = 0, st = 0, st2 = 0;
    for (int k = 0; k < LEN; k++) {
        float s, add = a.freq;
        switch (a.kind) {
        case 0: s = sinf(6.2831853f * ph); break;
        case 1: st += 0.1f * (2 * ph - 1 - st); s = st; break;
        case 2: st = 0.7f * st + 0.3f * (ph < a.mod ? 1.f : -1.f); s = st; break;
        case 3: s = st = sinf(6.2831853f * (ph + a.mod * st)); break;
        case 4: st += 0.2f * (4 * fabsf(ph - 0.5f) - 1 - st); st2 += 0.2f * (st - st2); s = st2; break;
        default: { float x = ph * (1 - ph) * 4; s = x * x * x - a.mod * x; add *= 1.5f; }
        }
        e += s * s;
        ph = wrap(ph + add);
    }
    return a.amp * sqrt(e / LEN);
}

int main(int argc, char **argv)
{
    int buffers = argc > 1 ? atoi(argv[1]) : 1;
    const int n = 6 * 96 * 1024;
    std::vector<Voice> v(n);
    unsigned seed = 11;
    for (int i = 0; i < n; i++) {
#ifdef GOOD
        v[i].kind = i / (n / KINDS);          // the voices are kept by kind
#else
        v[i].kind = lcg(seed) >> 16;
        v[i].kind %= KINDS;                   // in the order the notes came
#endif
        v[i].freq = 0.001f + 0.05f * frand(seed);
        v[i].amp = 0.2f + frand(seed);
        v[i].mod = 0.05f + 0.1f * frand(seed);
    }
    Voice *dv;
    float *dl;
    CK(cudaMalloc(&dv, n * sizeof(Voice)));
    CK(cudaMalloc(&dl, n * 4));
    CK(cudaMemcpy(dv, v.data(), n * sizeof(Voice), cudaMemcpyHostToDevice));
    for (int b = 0; b < buffers; b++) render<<<n / 256, 256>>>(dv, dl, n);
    CK(cudaGetLastError());
    std::vector<float> l(n);
    CK(cudaMemcpy(l.data(), dl, n * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 1; i < n; i += 20011) ok = ok && close_to(l[i], cpuLevel(v[i]), 0.03);
    CK(cudaFree(dv)); CK(cudaFree(dl));
    return report(ok);
}

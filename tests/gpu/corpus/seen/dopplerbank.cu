// Active sonar: blocks of hydrophone samples arrive in pinned host buffers, are
// correlated with a bank of eight Doppler-shifted replicas and the largest response
// per sample goes back to the host.
#include "common.h"

constexpr int SAMPLES = 4 << 20, TAPS = 96, REPLICAS = 8, BLOCK = 256, PER = 4, SLOTS = 3;

__constant__ float replica[TAPS * REPLICAS];

__global__ void __launch_bounds__(BLOCK) correlate(const float *in, float *out)
{
    __shared__ float s[BLOCK * PER + TAPS];
    const int base = blockIdx.x * BLOCK * PER;
    for (int i = threadIdx.x; i < BLOCK * PER + TAPS; i += BLOCK) s[i] = base + i < SAMPLES ? in[base + i] : 0.0f;
    __syncthreads();
    float acc[PER][REPLICAS] = {};
#pragma unroll 4
    for (int k = 0; k < TAPS; k++) {
        float v[PER];
#pragma unroll
        for (int p = 0; p < PER; p++) v[p] = s[threadIdx.x + p * BLOCK + k];
#pragma unroll
        for (int r = 0; r < REPLICAS; r++)
#pragma unroll
            for (int p = 0; p < PER; p++) acc[p][r] += v[p] * replica[k * REPLICAS + r];
    }
#pragma unroll
    for (int p = 0; p < PER; p++) {
        float m = 0;
#pragma unroll
        for (int r = 0; r < REPLICAS; r++) m = fmaxf(m, fabsf(acc[p][r]));
        out[base + threadIdx.x + p * BLOCK] = m;
    }
}

struct Slot {
    float *hin, *hout, *din, *dout;
    cudaStream_t st;
    cudaEvent_t done;
};

// what the host does with a finished block: look at a few range gates
static float gates(const float *h)
{
    float m = 0;
    for (int i = 0; i < SAMPLES; i += 16384) m = std::max(m, h[i]);
    return m;
}

int main(int argc, char **argv)
{
    int pings = argc > 1 ? atoi(argv[1]) : 120;
    std::vector<float> rep(TAPS * REPLICAS);
    for (int k = 0; k < TAPS; k++)
        for (int r = 0; r < REPLICAS; r++)
            rep[k * REPLICAS + r] = sinf(k * (0.3f + 0.02f * r) + 0.001f * k * k) / TAPS;
    CK(cudaMemcpyToSymbol(replica, rep.data(), rep.size() * sizeof(float)));

    const size_t bytes = SAMPLES * sizeof(float);
    Slot slot[SLOTS];
    cudaStream_t one;
    CK(cudaStreamCreate(&one));
    for (int k = 0; k < SLOTS; k++) {
        Slot &s = slot[k];
        CK(cudaMallocHost(&s.hin, bytes));
        CK(cudaMallocHost(&s.hout, bytes));
        CK(cudaMalloc(&s.din, bytes));
        CK(cudaMalloc(&s.dout, bytes));
        CK(cudaEventCreateWithFlags(&s.done, cudaEventDisableTiming));
#ifdef GOOD
        CK(cudaStreamCreate(&s.st));
#else
        s.st = one;
#endif
        unsigned seed = 17 + k;
        for (int i = 0; i < SAMPLES; i++) s.hin[i] = frand(seed) - 0.5f;
    }
    float peak = 0;
    for (int p = 0; p < pings; p++) {
        Slot &s = slot[p % SLOTS];
        if (p >= SLOTS) {
            CK(cudaEventSynchronize(s.done));
            peak = std::max(peak, gates(s.hout));
        }
        for (int i = 0; i < 64; i++) s.hin[i] = (float)((p + i) % 7) * 0.1f;      // header of the new ping
        CK(cudaMemcpyAsync(s.din, s.hin, bytes, cudaMemcpyHostToDevice, s.st));
        correlate<<<SAMPLES / (BLOCK * PER), BLOCK, 0, s.st>>>(s.din, s.dout);
        CK(cudaMemcpyAsync(s.hout, s.dout, bytes, cudaMemcpyDeviceToHost, s.st));
        CK(cudaEventRecord(s.done, s.st));
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    const Slot &last = slot[(pings - 1) % SLOTS];
    for (int q = 0; q < 32; q++) {
        int i = q * 131071;
        double m = 0;
        for (int r = 0; r < REPLICAS; r++) {
            double a = 0;
            for (int k = 0; k < TAPS && i + k < SAMPLES; k++) a += (double)last.hin[i + k] * rep[k * REPLICAS + r];
            m = std::max(m, fabs(a));
        }
        ok = ok && close_to(last.hout[i], m, 1e-4);
    }
    printf("peak %.4f\n", peak);
    for (auto &s : slot) {
        CK(cudaFreeHost(s.hin)); CK(cudaFreeHost(s.hout));
        CK(cudaFree(s.din)); CK(cudaFree(s.dout));
        CK(cudaEventDestroy(s.done));
#ifdef GOOD
        CK(cudaStreamDestroy(s.st));
#endif
    }
    CK(cudaStreamDestroy(one));
    return report(ok);
}

// Artificial life: foragers with one brain, a small neural network, walk on a field
// towards food. The brain has 8 senses, two hidden layers of 16 and 4 outputs.
#include "common.h"

const int SENSES = 8, HIDDEN = 16, OUT = 4;
const int W1 = 0, B1 = W1 + SENSES * HIDDEN, W2 = B1 + HIDDEN, B2 = W2 + HIDDEN * HIDDEN,
          W3 = B2 + HIDDEN, B3 = W3 + HIDDEN * OUT, WEIGHTS = B3 + OUT;

struct Herd {
    float *x, *y, *heading, *energy;
};

#ifdef GOOD
__constant__ float brain[WEIGHTS];
#endif

__host__ __device__ inline float food(float x, float y)
{
    float a = x * 0.05f, b = y * 0.04f;
    a -= floorf(a); b -= floorf(b);
    return 16 * a * (1 - a) * b * (1 - b);
}

__host__ __device__ inline float bend(float v) { return v > 0 ? v : 0.1f * v; }

__host__ __device__ inline void think(const float *w, const float *in, float *out)
{
    float h1[HIDDEN], h2[HIDDEN];
#pragma unroll
    for (int j = 0; j < HIDDEN; j++) {
        float s = w[B1 + j];
#pragma unroll
        for (int i = 0; i < SENSES; i++) s += w[W1 + j * SENSES + i] * in[i];
        h1[j] = bend(s);
    }
#pragma unroll
    for (int j = 0; j < HIDDEN; j++) {
        float s = w[B2 + j];
#pragma unroll
        for (int i = 0; i < HIDDEN; i++) s += w[W2 + j * HIDDEN + i] * h1[i];
        h2[j] = bend(s);
    }
#pragma unroll
    for (int j = 0; j < OUT; j++) {
        float s = w[B3 + j];
#pragma unroll
        for (int i = 0; i < HIDDEN; i++) s += w[W3 + j * HIDDEN + i] * h2[i];
        out[j] = bend(s);
    }
}

__host__ __device__ inline void act(const float *w, float &x, float &y, float &heading,
                                    float &energy)
{
    // The heading is a number of quarter turns between 0 and 4.
    float u = heading < 2 ? 1 - heading : heading - 3;
    float v = heading < 1 ? heading : heading < 3 ? 2 - heading : heading - 4;
    float in[SENSES], out[OUT];
    in[0] = food(x, y);
    in[1] = food(x + u, y + v);
    in[2] = food(x - v, y + u);
    in[3] = food(x + v, y - u);
    in[4] = energy;
    in[5] = u;
    in[6] = v;
    in[7] = food(x + 2 * u, y + 2 * v);
    think(w, in, out);
    float turn = fminf(fmaxf(out[0] - out[1], -0.5f), 0.5f);
    float speed = fminf(fmaxf(out[2], 0.0f), 1.0f);
    heading += turn;
    heading = heading < 0 ? heading + 4 : heading >= 4 ? heading - 4 : heading;
    x += speed * u;
    y += speed * v;
    x = x < 0 ? x + 1000 : x >= 1000 ? x - 1000 : x;
    y = y < 0 ? y + 1000 : y >= 1000 ? y - 1000 : y;
    energy = 0.95f * energy + 0.1f * in[0] - 0.01f * speed * (1 + fabsf(out[3]));
}

__global__ void born(Herd h, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    h.x[i] = i % 1000 + 0.5f;
    h.y[i] = i / 1000 % 1000 + 0.25f;
    h.heading[i] = (i % 37) * 0.1f;
    h.energy[i] = 1;
}

#ifdef GOOD
__global__ void live(Herd h, int n)
#else
__global__ void live(Herd h, int n, const float *__restrict__ brain)
#endif
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = h.x[i], y = h.y[i], heading = h.heading[i], energy = h.energy[i];
    act(brain, x, y, heading, energy);
    h.x[i] = x; h.y[i] = y; h.heading[i] = heading; h.energy[i] = energy;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 500, n = argc > 2 ? atoi(argv[2]) : 2 << 20;
    Herd h;
    CK(cudaMalloc(&h.x, n * 4ul));
    CK(cudaMalloc(&h.y, n * 4ul));
    CK(cudaMalloc(&h.heading, n * 4ul));
    CK(cudaMalloc(&h.energy, n * 4ul));
    born<<<(n + 127) / 128, 128>>>(h, n);
    float w[WEIGHTS];
    unsigned seed = 4711;
    for (float &v : w) v = (frand(seed) - 0.5f) * 0.8f;
    float *d;
    CK(cudaMalloc(&d, sizeof w));
    CK(cudaMemcpy(d, w, sizeof w, cudaMemcpyHostToDevice));
#ifdef GOOD
    CK(cudaMemcpyToSymbol(brain, w, sizeof w));
#endif
    float *early;        // the energies after some steps, for the check
    const int some = std::min(steps, 20);
    CK(cudaMalloc(&early, n * 4ul));
    for (int s = 0; s < steps; s++) {
#ifdef GOOD
        live<<<(n + 127) / 128, 128>>>(h, n);
#else
        live<<<(n + 127) / 128, 128>>>(h, n, d);
#endif
        if (s + 1 == some)
            CK(cudaMemcpyAsync(early, h.energy, n * 4ul, cudaMemcpyDeviceToDevice));
    }
    CK(cudaGetLastError());
    std::vector<float> energy(n);
    CK(cudaMemcpy(energy.data(), h.energy, n * 4ul, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float e : energy) sum += e;
    CK(cudaMemcpy(energy.data(), early, n * 4ul, cudaMemcpyDeviceToHost));
    // Some foragers on the host; a few may part from theirs by rounding.
    int tried = 0, same = 0;
    for (int i = 0; i < n; i += n / 200 + 1, tried++) {
        float x = i % 1000 + 0.5f, y = i / 1000 % 1000 + 0.25f;
        float a = (i % 37) * 0.1f, e = 1;
        for (int s = 0; s < some; s++) act(w, x, y, a, e);
        same += fabsf(e - energy[i]) < 0.01f;
    }
    printf("mean energy %.2f\n", sum / n);
    return report(same > tried * 0.95 && std::isfinite(sum));
}

// Tracking of a bunch of particles around a small storage ring: a list of drifts, quadrupoles and sextupoles.
// The beam loss monitor looks at the bunch after every turn.   usage: fodoring PARTICLES CELLS TURNS
#include "common.h"

struct Element { int kind; float length, strength; };   // 0 drift, 1 quadrupole, 2 sextupole kick
struct Ray { float x, px, y, py; };

__host__ __device__ static inline void pass(Ray &r, const Element &e)
{
    if (e.kind == 0) {
        r.x += e.length * r.px;
        r.y += e.length * r.py;
    } else if (e.kind == 1) {
        r.px -= e.strength * r.x;
        r.py += e.strength * r.y;
    } else {
        float kx = e.strength * (r.x * r.x - r.y * r.y), ky = 2.0f * e.strength * r.x * r.y;
        r.px -= kx;
        r.py += ky;
    }
}

// the elements first .. last-1 of the ring
__global__ void track(float *__restrict__ x, float *__restrict__ px, float *__restrict__ y, float *__restrict__ py,
                      const Element *__restrict__ ring, int first, int last, int particles)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= particles) return;
    Ray r = {x[i], px[i], y[i], py[i]};
    for (int e = first; e < last; e++) pass(r, ring[e]);
    x[i] = r.x;
    px[i] = r.px;
    y[i] = r.y;
    py[i] = r.py;
}

// in which turn was a particle first outside of the beam pipe
__global__ void monitor(const float *__restrict__ x, const float *__restrict__ y, int *__restrict__ lost, float pipe,
                        int turn, int particles)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= particles) return;
    if (lost[i] < 0 && x[i] * x[i] + y[i] * y[i] > pipe * pipe) lost[i] = turn;
}

int main(int argc, char **argv)
{
    int particles = argc > 1 ? atoi(argv[1]) : 65536;
    int cells = argc > 2 ? atoi(argv[2]) : 24;
    int turns = argc > 3 ? atoi(argv[3]) : 1000;

    std::vector<Element> ring;
    for (int c = 0; c < cells; c++) {
        ring.push_back({1, 0.0f, 0.45f});
        ring.push_back({0, 1.0f, 0.0f});
        ring.push_back({2, 0.0f, c % 2 ? 2e-4f : -2e-4f});
        ring.push_back({1, 0.0f, -0.45f});
        ring.push_back({0, 1.0f, 0.0f});
    }
    int elements = (int)ring.size();
#ifdef GOOD
    int atonce = elements;
#else
    int atonce = 1;
#endif

    std::vector<float> start[4];
    unsigned s = 88;
    for (auto &v : start) {
        v.resize(particles);
        for (float &q : v) q = 2.0f * frand(s) - 1.0f;          // millimetres, milliradians
    }
    size_t bytes = particles * sizeof(float);
    float *d[4];
    Element *dring;
    int *dlost;
    for (int k = 0; k < 4; k++) {
        CK(cudaMalloc(&d[k], bytes));
        CK(cudaMemcpy(d[k], start[k].data(), bytes, cudaMemcpyHostToDevice));
    }
    CK(cudaMalloc(&dring, elements * sizeof(Element)));
    CK(cudaMemcpy(dring, ring.data(), elements * sizeof(Element), cudaMemcpyHostToDevice));
    CK(cudaMalloc(&dlost, particles * sizeof(int)));
    CK(cudaMemset(dlost, 0xff, particles * sizeof(int)));

    int blocks = (particles + 127) / 128;
    for (int turn = 0; turn < turns; turn++) {
        for (int e = 0; e < elements; e += atonce)
            track<<<blocks, 128>>>(d[0], d[1], d[2], d[3], dring, e, e + atonce, particles);
        monitor<<<blocks, 128>>>(d[0], d[2], dlost, 30.0f, turn, particles);
    }
    CK(cudaGetLastError());
    std::vector<float> end[4];
    for (int k = 0; k < 4; k++) {
        end[k].resize(particles);
        CK(cudaMemcpy(end[k].data(), d[k], bytes, cudaMemcpyDeviceToHost));
    }
    std::vector<int> lost(particles);
    CK(cudaMemcpy(lost.data(), dlost, particles * sizeof(int), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int q = 0; q < 6; q++) {
        int i = (int)((long long)q * (particles - 1) / 5);
        Ray r = {start[0][i], start[1][i], start[2][i], start[3][i]};
        for (int turn = 0; turn < turns; turn++)
            for (const Element &e : ring) pass(r, e);
        printf("particle %d: x %.4f (%.4f), y %.4f (%.4f)\n", i, end[0][i], r.x, end[2][i], r.y);
        if (!close_to(end[0][i], r.x, 2e-2) || !close_to(end[2][i], r.y, 2e-2) || lost[i] >= 0) ok = false;
    }
    for (int k = 0; k < 4; k++) CK(cudaFree(d[k]));
    CK(cudaFree(dring)); CK(cudaFree(dlost));
    return report(ok);
}

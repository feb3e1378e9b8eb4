// Tram lines, each a ring of 32 trams that follow one another; at some steps a
// crowd waits along the line and boarding takes long. One warp simulates one line.
#include "common.h"

const int TRAMS = 32, PER_BLOCK = 32, LINES = 1056 * PER_BLOCK, STEPS = 500;
const float RING = 320.0f;

__host__ __device__ inline int boarding(int line, int step)
{
    unsigned h = (unsigned)line * 0x9e3779b9u + (unsigned)step * 0x85ebca6bu;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    return (h >> 27) == 0 ? 960 : 6;
}

__host__ __device__ inline float dwell(int passengers, float gap)
{
    float hall = 1.0f, door = 0.02f * gap;
    for (int k = 0; k < passengers; k++) {
        door = 0.97f * door + 0.02f * hall;
        hall = 0.98f * hall + 0.01f * door;
    }
    return door;
}

__host__ __device__ inline void drive(float &x, float &v, float gap, float stay)
{
    v += 0.1f * (0.12f * gap - v) - 0.2f * stay * v;
    x += 0.2f * v;
}

__global__ void __launch_bounds__(1024, 2) run_lines(float *place, float *speed, int from)
{
    __shared__ float at[PER_BLOCK][TRAMS];
    const int row = threadIdx.x / TRAMS, tram = threadIdx.x % TRAMS;
    const int id = blockIdx.x * blockDim.x + threadIdx.x, line = id / TRAMS;
    float x = place[id], v = speed[id];
    for (int step = from; step < from + STEPS; step++) {
        at[row][tram] = x;
#ifdef GOOD
        __syncwarp();
#else
        __syncthreads();
#endif
        const float gap = at[row][(tram + 1) % TRAMS] - x + (tram == TRAMS - 1 ? RING : 0.0f);
        drive(x, v, gap, dwell(boarding(line, step), gap));
#ifdef GOOD
        __syncwarp();
#else
        __syncthreads();
#endif
    }
    place[id] = x;
    speed[id] = v;
}

int main(int argc, char **argv)
{
    const int hours = argc > 1 ? atoi(argv[1]) : 3;
    const int n = LINES * TRAMS;
    std::vector<float> place(n), speed(n, 1.0f), endPlace(n), endSpeed(n);
    unsigned s = 41;
    for (int i = 0; i < n; i++) place[i] = RING / TRAMS * (i % TRAMS) + 4.0f * frand(s);
    float *dPlace, *dSpeed;
    CK(cudaMalloc(&dPlace, n * sizeof(float)));
    CK(cudaMalloc(&dSpeed, n * sizeof(float)));
    CK(cudaMemcpy(dPlace, place.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dSpeed, speed.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    for (int h = 0; h < hours; h++)
        run_lines<<<LINES / PER_BLOCK, 1024>>>(dPlace, dSpeed, h * STEPS);
    CK(cudaGetLastError());
    CK(cudaMemcpy(endPlace.data(), dPlace, n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(endSpeed.data(), dSpeed, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int line = 5; line < LINES; line += 6007) {
        float x[TRAMS], v[TRAMS], gap[TRAMS];
        for (int k = 0; k < TRAMS; k++) { x[k] = place[line * TRAMS + k]; v[k] = 1.0f; }
        for (int step = 0; step < hours * STEPS; step++) {
            const int people = boarding(line, step);
            for (int k = 0; k < TRAMS; k++) gap[k] = x[(k + 1) % TRAMS] - x[k] + (k == TRAMS - 1 ? RING : 0.0f);
            for (int k = 0; k < TRAMS; k++) drive(x[k], v[k], gap[k], dwell(people, gap[k]));
        }
        for (int k = 0; k < TRAMS; k++)
            ok = ok && close_to(endPlace[line * TRAMS + k], x[k], 2e-3) && close_to(endSpeed[line * TRAMS + k], v[k], 2e-2);
    }
    return report(ok);
}

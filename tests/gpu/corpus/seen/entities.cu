// Crowd of 4000 animated characters: the host moves each one, the GPU transforms its vertices.
//   entities [frames]
#include "common.h"

const int CROWD = 4000, VERTICES = 8192;

struct Pose { float4 row[3]; };
struct Character { Pose pose; float x, z, c, s, dc, ds, speed; };

__global__ void mesh(float *v, size_t n, float scale)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        v[i] = scale * ((unsigned)i * 2654435761u >> 16) / 65536.0f;
}

__global__ void transform(const Pose *__restrict__ pose, const float *__restrict__ x, const float *__restrict__ y,
                          const float *__restrict__ z, float *__restrict__ ox, float *__restrict__ oy, float *__restrict__ oz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Pose &p = pose[i / VERTICES];
    float4 a = p.row[0], b = p.row[1], c = p.row[2];
    float vx = x[i], vy = y[i], vz = z[i];
    ox[i] = a.x * vx + a.y * vy + a.z * vz + a.w;
    oy[i] = b.x * vx + b.y * vy + b.z * vz + b.w;
    oz[i] = c.x * vx + c.y * vy + c.z * vz + c.w;
}

// A step of the walk; the heading turns by a small fixed angle.
static void walk(Character &e)
{
    float c = e.c * e.dc - e.s * e.ds, s = e.s * e.dc + e.c * e.ds;
    e.c = c; e.s = s;
    e.x += e.speed * c; e.z += e.speed * s;
    e.pose.row[0] = make_float4(c, 0, -s, e.x);
    e.pose.row[1] = make_float4(0, 1, 0, 0);
    e.pose.row[2] = make_float4(s, 0, c, e.z);
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 40;
    const size_t n = (size_t)CROWD * VERTICES;
    float *v[6];
    Pose *pose;
    for (int k = 0; k < 6; k++) CK(cudaMalloc(&v[k], n * 4));
    CK(cudaMalloc(&pose, CROWD * sizeof(Pose)));
    for (int k = 0; k < 3; k++) mesh<<<2112, 256>>>(v[k], n, 1.0f + k);
    CK(cudaGetLastError());
    std::vector<Character> crowd(CROWD);
    unsigned seed = 5;
    for (Character &e : crowd) {
        float turn = 0.05f * frand(seed), heading = 6.28f * frand(seed);
        e.x = 100 * frand(seed); e.z = 100 * frand(seed); e.speed = 0.1f;
        e.c = cosf(heading); e.s = sinf(heading); e.dc = cosf(turn); e.ds = sinf(turn);
    }
#ifdef GOOD
    Pose *staging[2];
    cudaEvent_t sent[2];
    for (int k = 0; k < 2; k++) {
        CK(cudaMallocHost(&staging[k], CROWD * sizeof(Pose)));
        CK(cudaEventCreateWithFlags(&sent[k], cudaEventDisableTiming));
    }
#endif
    for (int f = 0; f < frames; f++) {
#ifndef GOOD
        for (int k = 0; k < CROWD; k++) {
            walk(crowd[k]);
            CK(cudaMemcpy(pose + k, &crowd[k].pose, sizeof(Pose), cudaMemcpyHostToDevice));
        }
#else
        CK(cudaEventSynchronize(sent[f % 2]));
        for (int k = 0; k < CROWD; k++) {
            walk(crowd[k]);
            staging[f % 2][k] = crowd[k].pose;
        }
        CK(cudaMemcpyAsync(pose, staging[f % 2], CROWD * sizeof(Pose), cudaMemcpyHostToDevice));
        CK(cudaEventRecord(sent[f % 2]));
#endif
        transform<<<n / 256, 256>>>(pose, v[0], v[1], v[2], v[3], v[4], v[5]);
        CK(cudaGetLastError());
    }
    std::vector<float> h(1 << 20);
    double sum = 0;
    for (int k = 3; k < 6; k++) {
        CK(cudaMemcpy(h.data(), v[k], h.size() * 4, cudaMemcpyDeviceToHost));
        for (float x : h) sum += x;
    }
    printf("mean coordinate %.4f\n", sum / (3.0 * h.size()));
    return report(std::isfinite(sum));
}

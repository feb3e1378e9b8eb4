// Scene of rigid objects: each frame the simulation on the CPU moves them, and
// the GPU transforms the vertices of all.
#include "common.h"
#include <string>

#define OBJECTS 64
#define VERTS 65536

struct Pose { float m[12]; };
struct Object {
    std::string name;
    float angle, spin, x, y, z;
    Pose pose;
    bool visible;
};

__global__ void mesh(float4 *v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = i % VERTS;
    float a = k * 0.0123f;
    v[i] = make_float4(__cosf(a), __sinf(a), (k >> 8) * (1.0f / 256.0f), 1.0f);
}

__global__ void transform(const float4 *__restrict__ v, float4 *__restrict__ w, const Pose *__restrict__ pose)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *m = pose[blockIdx.x * blockDim.x / VERTS].m;
    float4 p = v[i];
    w[i] = make_float4(m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3],
                       m[4] * p.x + m[5] * p.y + m[6] * p.z + m[7],
                       m[8] * p.x + m[9] * p.y + m[10] * p.z + m[11], p.w);
}

static void move(Object &o)
{
    o.angle += o.spin;
    float c = cosf(o.angle), s = sinf(o.angle);
    Pose p = { { c, -s, 0, o.x, s, c, 0, o.y, 0, 0, 1, o.z } };
    o.pose = p;
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 1000;
    const int n = OBJECTS * VERTS;
    std::vector<Object> scene(OBJECTS);
    unsigned s = 31;
    for (int o = 0; o < OBJECTS; o++)
        scene[o] = { "object" + std::to_string(o), 0.0f, 0.01f * frand(s), frand(s), frand(s), frand(s), Pose(), true };
    float4 *v, *w;
    Pose *pose;
    CK(cudaMalloc(&v, n * sizeof(float4)));
    CK(cudaMalloc(&w, n * sizeof(float4)));
    CK(cudaMalloc(&pose, OBJECTS * sizeof(Pose)));
    mesh<<<n / 256, 256>>>(v);
    CK(cudaGetLastError());

    std::vector<Pose> packed(OBJECTS);
    for (int f = 0; f < frames; f++) {
        for (auto &o : scene) move(o);
#ifdef GOOD
        for (int o = 0; o < OBJECTS; o++) packed[o] = scene[o].pose;
        CK(cudaMemcpyAsync(pose, packed.data(), OBJECTS * sizeof(Pose), cudaMemcpyHostToDevice));
#else
        for (int o = 0; o < OBJECTS; o++)
            CK(cudaMemcpyAsync(pose + o, &scene[o].pose, sizeof(Pose), cudaMemcpyHostToDevice));
#endif
        transform<<<n / 256, 256>>>(v, w, pose);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    bool ok = true;
    std::vector<float4> a(64), b(64);
    for (int o = 0; o < OBJECTS; o++) {
        CK(cudaMemcpy(a.data(), v + (size_t)o * VERTS + 500, 64 * sizeof(float4), cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(b.data(), w + (size_t)o * VERTS + 500, 64 * sizeof(float4), cudaMemcpyDeviceToHost));
        const float *m = scene[o].pose.m;
        for (int i = 0; i < 64; i++)
            for (int r = 0; r < 3; r++) {
                double want = (double)m[4 * r] * a[i].x + (double)m[4 * r + 1] * a[i].y + (double)m[4 * r + 2] * a[i].z + m[4 * r + 3];
                double got = r == 0 ? b[i].x : r == 1 ? b[i].y : b[i].z;
                if (!close_to(got, want, 1e-4)) ok = false;
            }
    }
    printf("%d frames, %s at angle %g\n", frames, scene[0].name.c_str(), scene[0].angle);
    CK(cudaFree(v)); CK(cudaFree(w)); CK(cudaFree(pose));
    return report(ok);
}

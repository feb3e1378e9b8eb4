// Forward kinematics of a crowd of articulated figures: the world transform of a
// joint is that of its parent times its own joint rotation. The joint tree has
// 24 levels; joints are stored level by level.
#include "common.h"

constexpr int FIGS = 512, JOINTS = 64, LEVELS = 24;

struct Tree { int parent[JOINTS], first[LEVELS + 1]; float3 off[JOINTS]; };
__constant__ Tree tree;

struct __align__(16) Xf { float r[9]; float p[3]; };

__host__ __device__ inline float joint_angle(int fig, int j, int frame)
{
    return 0.3f * (((fig * 31 + j * 17 + frame * 5) % 101) * 0.01f - 0.5f);
}

__host__ __device__ inline Xf attach(const Xf &a, float3 o, float s, float c)
{
    Xf x;
    for (int i = 0; i < 3; i++) {
        const float *r = a.r + 3 * i;
        x.r[3 * i + 0] = r[0] * c + r[1] * s;
        x.r[3 * i + 1] = r[1] * c - r[0] * s;
        x.r[3 * i + 2] = r[2];
        x.p[i] = a.p[i] + r[0] * o.x + r[1] * o.y + r[2] * o.z;
    }
    return x;
}

#ifdef GOOD
__global__ void fk_tree(Xf *world, int frame)
{
    __shared__ Xf w[JOINTS];
    int fig = blockIdx.x, j = threadIdx.x, level = 0;
    while (j >= tree.first[level + 1]) level++;
    float s, c;
    __sincosf(joint_angle(fig, j, frame), &s, &c);
    for (int l = 0; l < LEVELS; l++) {
        if (l == level) {
            Xf root = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {(float)fig, 0, 0}};
            w[j] = attach(l ? w[tree.parent[j]] : root, tree.off[j], s, c);
        }
        __syncthreads();
    }
    world[fig * JOINTS + j] = w[j];
}
#else
__global__ void fk_level(Xf *world, int frame, int level)
{
    int first = tree.first[level], n = tree.first[level + 1] - first;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= FIGS * n) return;
    int fig = t / n, j = first + t % n;
    float s, c;
    __sincosf(joint_angle(fig, j, frame), &s, &c);
    Xf root = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {(float)fig, 0, 0}};
    world[fig * JOINTS + j] = attach(level ? world[fig * JOINTS + tree.parent[j]] : root, tree.off[j], s, c);
}
#endif

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 3000;
    Tree h;
    int j = 0;
    for (int l = 0; l < LEVELS; l++) {               // 64 joints over 24 levels: 2 or 3 on each
        h.first[l] = j;
        int n = l == 0 ? 1 : l < 18 ? 3 : 2;
        for (int k = 0; k < n; k++, j++) {
            int pn = l ? h.first[l] - h.first[l - 1] : 1;
            h.parent[j] = l ? h.first[l - 1] + k % pn : 0;
            h.off[j] = make_float3(0.1f + 0.01f * k, 0.02f * l, 0.01f * (k - 1));
        }
    }
    h.first[LEVELS] = j;
    if (j != JOINTS) { fprintf(stderr, "tree has %d joints\n", j); return 1; }
    CK(cudaMemcpyToSymbol(tree, &h, sizeof h));
    Xf *world;
    CK(cudaMalloc(&world, FIGS * JOINTS * sizeof(Xf)));

    for (int f = 0; f < frames; f++) {
#ifdef GOOD
        fk_tree<<<FIGS, JOINTS>>>(world, f);
#else
        for (int l = 0; l < LEVELS; l++) {
            int n = FIGS * (h.first[l + 1] - h.first[l]);
            fk_level<<<(n + 127) / 128, 128>>>(world, f, l);
        }
#endif
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<Xf> got(FIGS * JOINTS);
    CK(cudaMemcpy(got.data(), world, got.size() * sizeof(Xf), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int fig = 0; fig < FIGS; fig += 73) {
        Xf w[JOINTS];
        for (int k = 0; k < JOINTS; k++) {
            Xf root = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {(float)fig, 0, 0}};
            float a = joint_angle(fig, k, frames - 1);
            w[k] = attach(k ? w[h.parent[k]] : root, h.off[k], sinf(a), cosf(a));
            for (int i = 0; i < 3; i++) ok = ok && close_to(got[fig * JOINTS + k].p[i], w[k].p[i], 1e-3);
        }
    }
    CK(cudaFree(world));
    return report(ok);
}

// A flag in the wind by position-based dynamics: threads of cloth are kept at their
// length, one set of independent constraints after the other, several times a frame.
#include "common.h"

const int SIDE = 96, COUNT = SIDE * SIDE, ITERATIONS = 8;

struct Cloth {
    float4 *at, *was, *speed;
    int *frame;
};

__host__ __device__ inline float4 plus(float4 a, float4 b, float s)
{
    return make_float4(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w);
}

__global__ void hang(Cloth c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= COUNT) return;
    int x = i % SIDE, y = i / SIDE;
    // w is the inverse mass: the corners of the left edge are held.
    float w = x == 0 && (y == 0 || y == SIDE - 1) ? 0.f : 1.f;
    c.at[i] = make_float4(x * 0.02f, -y * 0.02f, 0.01f * sinf(x * 0.3f), w);
    c.speed[i] = make_float4(0, 0, 0, 0);
    if (i == 0) *c.frame = 0;
}

__global__ void predict(Cloth c, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= COUNT) return;
    float4 p = c.at[i], v = c.speed[i];
    c.was[i] = p;
    if (p.w == 0) return;
    float gust = sinf(*c.frame * 0.05f + p.x);
    v.x += dt * (3 + gust); v.y -= dt * 9.81f; v.z += dt * 4 * gust;
    c.speed[i] = v;
    c.at[i] = plus(p, v, dt);
}

// Constraints between a point and its neighbour at (dx, dy); of these the ones whose
// points lie in the half that belongs to this colour.
__global__ void relax(Cloth c, int dx, int dy, int colour)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= COUNT) return;
    int x = i % SIDE, y = i / SIDE, ox = x + dx, oy = y + dy;
    if (((dx ? x : y) & 1) != colour || ox < 0 || ox >= SIDE || oy >= SIDE) return;
    int j = oy * SIDE + ox;
    float4 a = c.at[i], b = c.at[j];
    float w = a.w + b.w;
    if (w == 0) return;
    float4 d = plus(b, a, -1);
    float length = sqrtf(d.x * d.x + d.y * d.y + d.z * d.z);
    float rest = 0.02f * sqrtf((float)(dx * dx + dy * dy));
    float pull = 0.9f * (length - rest) / (length * w);
    c.at[i] = plus(a, d, a.w * pull);
    c.at[j] = plus(b, d, -b.w * pull);
}

__global__ void finish(Cloth c, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= COUNT) return;
    float4 p = c.at[i], q = c.was[i];
    c.speed[i] = make_float4((p.x - q.x) * 0.995f / dt, (p.y - q.y) * 0.995f / dt,
                             (p.z - q.z) * 0.995f / dt, 0);
    if (i == 0) ++*c.frame;
}

void launch_frame(Cloth c, cudaStream_t stream)
{
    const float dt = 0.005f;
    const int blocks = (COUNT + 127) / 128;
    predict<<<blocks, 128, 0, stream>>>(c, dt);
    for (int k = 0; k < ITERATIONS; k++)
        for (int colour = 0; colour < 2; colour++) {
            relax<<<blocks, 128, 0, stream>>>(c, 1, 0, colour);
            relax<<<blocks, 128, 0, stream>>>(c, 0, 1, colour);
            relax<<<blocks, 128, 0, stream>>>(c, 1, 1, colour);
            relax<<<blocks, 128, 0, stream>>>(c, -1, 1, colour);
        }
    finish<<<blocks, 128, 0, stream>>>(c, dt);
    CK(cudaGetLastError());
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 4000;
    Cloth c;
    CK(cudaMalloc(&c.at, COUNT * sizeof(float4)));
    CK(cudaMalloc(&c.was, COUNT * sizeof(float4)));
    CK(cudaMalloc(&c.speed, COUNT * sizeof(float4)));
    CK(cudaMalloc(&c.frame, 4));
    cudaStream_t stream;
    CK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    hang<<<(COUNT + 127) / 128, 128, 0, stream>>>(c);
#ifdef GOOD
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    launch_frame(c, stream);
    CK(cudaStreamEndCapture(stream, &graph));
    CK(cudaGraphInstantiate(&ready, graph, 0));
#endif
    for (int f = 0; f < frames; f++) {
#ifdef GOOD
        CK(cudaGraphLaunch(ready, stream));
#else
        launch_frame(c, stream);
#endif
    }
    CK(cudaStreamSynchronize(stream));
    std::vector<float4> p(COUNT);
    CK(cudaMemcpy(p.data(), c.at, COUNT * sizeof(float4), cudaMemcpyDeviceToHost));
    double stretch = 0, x = 0, y = 0;
    for (int i = 0; i < COUNT; i++) {
        x += p[i].x; y += p[i].y;
        if (i % SIDE + 1 == SIDE) continue;
        float4 d = plus(p[i + 1], p[i], -1);
        stretch += sqrtf(d.x * d.x + d.y * d.y + d.z * d.z) / 0.02f;
    }
    stretch /= SIDE * (SIDE - 1);
    printf("middle %.3f %.3f, stretch %.3f\n", x / COUNT, y / COUNT, stretch);
    return report(stretch > 0.7 && stretch < 2 && p[0].x == 0 && std::isfinite(x + y));
}

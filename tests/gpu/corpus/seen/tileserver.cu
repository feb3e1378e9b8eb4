// A map server: relief tiles are shaded. Heights go up, the slope is taken, shaded and
// made smooth, and the picture comes back; four streams work for four customers.
#include "common.h"

const int SIZE = 1536, COUNT = SIZE * SIZE, STREAMS = 4;

// What a tile needs on the GPU.
struct Desk {
    float *height;
    float2 *slope;
    float *light;
    uchar4 *picture;
    cudaEvent_t left;       // nobody works at it after this
};

void furnish(Desk &d)
{
    CK(cudaMalloc(&d.height, COUNT * 4));
    CK(cudaMalloc(&d.slope, COUNT * 8));
    CK(cudaMalloc(&d.light, COUNT * 4));
    CK(cudaMalloc(&d.picture, COUNT * 4));
    CK(cudaEventCreateWithFlags(&d.left, cudaEventDisableTiming));
}

__host__ __device__ inline float relief(int x, int y, int tile)
{
    return 40 * sinf(x * 0.013f + tile) * cosf(y * 0.017f) +
           9 * sinf(x * 0.07f + y * 0.05f);
}

__global__ void slope(const float *__restrict__ h, float2 *__restrict__ s)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int l = max(x - 1, 0), r = min(x + 1, SIZE - 1);
    int u = max(y - 1, 0), d = min(y + 1, SIZE - 1);
    s[y * SIZE + x] = make_float2(h[y * SIZE + r] - h[y * SIZE + l],
                                  h[d * SIZE + x] - h[u * SIZE + x]);
}

__global__ void shade(const float2 *__restrict__ s, float *__restrict__ light)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float2 g = s[i];
    float cosine = (1 - 0.6f * g.x - 0.6f * g.y) * rsqrtf(1 + g.x * g.x + g.y * g.y);
    light[i] = fmaxf(cosine, 0);
}

__global__ void smooth(const float *__restrict__ light, uchar4 *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++)
            sum += light[min(max(y + j, 0), SIZE - 1) * SIZE +
                         min(max(x + i, 0), SIZE - 1)];
    float v = fminf(sum * (150.0f / 25), 255.0f);
    out[y * SIZE + x] = make_uchar4(v, v * 0.9f, v * 0.7f, 255);
}

int main(int argc, char **argv)
{
    int tiles = argc > 1 ? atoi(argv[1]) : 1600;
    float *up[STREAMS];
    uchar4 *down[STREAMS];
    cudaStream_t stream[STREAMS];
#ifdef GOOD
    Desk desks[STREAMS];
    for (Desk &d : desks) furnish(d);
#else
    Desk desk;
    furnish(desk);
#endif
    for (int s = 0; s < STREAMS; s++) {
        CK(cudaMallocHost(&up[s], COUNT * 4));
        CK(cudaMallocHost(&down[s], COUNT * 4));
        CK(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
        for (int i = 0; i < COUNT; i++) up[s][i] = relief(i % SIZE, i / SIZE, s);
    }
    dim3 grid(SIZE / 32, SIZE / 8), block(32, 8);
    for (int t = 0; t < tiles; t++) {
        int s = t % STREAMS;
#ifdef GOOD
        Desk &d = desks[s];
#else
        Desk &d = desk;
#endif
        CK(cudaStreamWaitEvent(stream[s], d.left, 0));
        CK(cudaMemcpyAsync(d.height, up[s], COUNT * 4, cudaMemcpyHostToDevice,
                           stream[s]));
        slope<<<grid, block, 0, stream[s]>>>(d.height, d.slope);
        shade<<<COUNT / 256, 256, 0, stream[s]>>>(d.slope, d.light);
        smooth<<<grid, block, 0, stream[s]>>>(d.light, d.picture);
        CK(cudaGetLastError());
        CK(cudaMemcpyAsync(down[s], d.picture, COUNT * 4, cudaMemcpyDeviceToHost,
                           stream[s]));
        CK(cudaEventRecord(d.left, stream[s]));
    }
    CK(cudaDeviceSynchronize());
    bool ok = true;
    double mean = 0;
    for (int s = 0; s < STREAMS; s++) {
        const float *h = up[s];
        auto lit = [h](int x, int y) {
            float gx = h[y * SIZE + x + 1] - h[y * SIZE + x - 1];
            float gy = h[(y + 1) * SIZE + x] - h[(y - 1) * SIZE + x];
            return fmaxf((1 - 0.6f * gx - 0.6f * gy) / sqrtf(1 + gx * gx + gy * gy), 0);
        };
        for (int k = 0; k < 300; k++) {
            int x = 4 + k * 37 % (SIZE - 8), y = 4 + k * 91 % (SIZE - 8);
            float sum = 0;
            for (int j = -2; j <= 2; j++)
                for (int i = -2; i <= 2; i++) sum += lit(x + i, y + j);
            int want = (int)fminf(sum * (150.0f / 25), 255.0f);
            ok &= abs(want - down[s][y * SIZE + x].x) <= 1;
        }
        for (int i = 0; i < COUNT; i++) mean += down[s][i].x;
    }
    printf("mean light %.2f\n", mean / COUNT / STREAMS);
    return report(ok);
}

// Football: which team controls which part of the pitch? For every tracked moment a map of shares, from the influence of
// the players of either team, which falls with the square of the distance. 64 moments at a time come back to the host, which looks them up at the ball.
// usage: pitchcontrol batches
#include "common.h"

#define WIDE 512             // cells along the pitch, 105 m
#define HIGH 256             // across, 68 m
#define MOMENTS 64           // in a batch
#define PLAYERS 22           // the first eleven play at home
#define THREADS (WIDE / 4)
#define ROWS 8

__host__ __device__ inline float cellX(int i) { return (float)i * (105.0f / WIDE); }
__host__ __device__ inline float cellY(int j) { return (float)j * (68.0f / HIGH); }

__global__ void __launch_bounds__(THREADS) control(const float2 *__restrict__ player, float4 *__restrict__ share)
{
    __shared__ float2 at[PLAYERS];
    const int moment = blockIdx.y, i = threadIdx.x;
    if (i < PLAYERS) at[i] = player[moment * PLAYERS + i];
    __syncthreads();
    const float x = cellX(4 * i), step = 105.0f / WIDE;
    for (int r = 0; r < ROWS; ++r) {
        const int j = blockIdx.x * ROWS + r;
        const float y = cellY(j);
        float4 team[2];
#pragma unroll
        for (int t = 0; t < 2; ++t) {
            float4 n = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
            for (int p = 0; p < PLAYERS / 2; ++p) {
                const float2 q = at[t * (PLAYERS / 2) + p];
                const float dy = y - q.y, far = 1.0f + dy * dy, dx = x - q.x;
                n.x += __fdividef(1.0f, far + dx * dx);
                n.y += __fdividef(1.0f, far + (dx + step) * (dx + step));
                n.z += __fdividef(1.0f, far + (dx + 2.0f * step) * (dx + 2.0f * step));
                n.w += __fdividef(1.0f, far + (dx + 3.0f * step) * (dx + 3.0f * step));
            }
            team[t] = n;
        }
        const float4 h = team[0], a = team[1];
        share[((size_t)moment * HIGH + j) * THREADS + i] =
            make_float4(__fdividef(h.x, a.x + h.x), __fdividef(h.y, a.y + h.y),
                        __fdividef(h.z, a.z + h.z), __fdividef(h.w, a.w + h.w));
    }
}

int main(int argc, char **argv)
{
    const int batches = argc > 1 ? atoi(argv[1]) : 300, moments = batches * MOMENTS;
    const size_t cells = (size_t)MOMENTS * WIDE * HIGH;
    std::vector<float2> track((size_t)moments * PLAYERS);
    std::vector<int> ball(moments);
    unsigned s = 90;
    for (int m = 0; m < moments; ++m) {
        for (int p = 0; p < PLAYERS; ++p) {
            float2 q = m ? track[(size_t)(m - 1) * PLAYERS + p] : make_float2(105.0f * frand(s), 68.0f * frand(s));
            q.x = std::min(std::max(q.x + frand(s) - 0.5f, 0.0f), 105.0f);
            q.y = std::min(std::max(q.y + frand(s) - 0.5f, 0.0f), 68.0f);
            track[(size_t)m * PLAYERS + p] = q;
        }
        ball[m] = (int)(lcg(s) >> 8) % (WIDE * HIGH);
    }
    float2 *player; float *share;
    CK(cudaMalloc(&player, track.size() * sizeof(float2)));
    CK(cudaMalloc(&share, cells * sizeof(float)));
    CK(cudaMemcpy(player, track.data(), track.size() * sizeof(float2), cudaMemcpyHostToDevice));
#ifdef GOOD
    float *map;
    CK(cudaMallocHost(&map, cells * sizeof(float)));
#else
    std::vector<float> maps(cells);
    float *map = maps.data();
#endif
    double home = 0, want = 0;
    for (int b = 0; b < batches; ++b) {
        control<<<dim3(HIGH / ROWS, MOMENTS), THREADS>>>(player + (size_t)b * MOMENTS * PLAYERS, (float4 *)share);
        CK(cudaMemcpy(map, share, cells * sizeof(float), cudaMemcpyDeviceToHost));
        for (int m = 0; m < MOMENTS; ++m) home += map[(size_t)m * WIDE * HIGH + ball[b * MOMENTS + m]];
    }
    CK(cudaGetLastError());
    for (int m = 0; m < moments; ++m) {
        double team[2] = { 0, 0 };
        for (int p = 0; p < PLAYERS; ++p) {
            float2 q = track[(size_t)m * PLAYERS + p];
            double dx = cellX(ball[m] % WIDE) - q.x, dy = cellY(ball[m] / WIDE) - q.y;
            team[p / (PLAYERS / 2)] += 1.0 / (1.0 + dx * dx + dy * dy);
        }
        want += team[0] / (team[0] + team[1]);
    }
    printf("the home side controls the ball for %.3f %% of the match\n", 100.0 * home / moments);
#ifdef GOOD
    CK(cudaFreeHost(map));
#endif
    CK(cudaFree(player)); CK(cudaFree(share));
    return report(fabs(home - want) < 1e-3 * moments);
}

// Tracking of the ball by camera: a Kalman filter over each recorded flight,
// and the process noise under which the flight is most likely.
#include "common.h"

constexpr int MAXS = 6;
constexpr int FLIGHTS = 192 * 1024;
constexpr int FRAMES = 50;
constexpr int NOISES = 40;

struct Motion {
    int states;              // x, y, vx, vy
    float step[MAXS][MAXS];  // transition of one frame
    float noise[MAXS][MAXS];
    float sensor;            // variance of a sighting
};

struct Best { float score; int noise; };

__global__ void __launch_bounds__(128) filterFlights(const float2 *__restrict__ sight, Motion m,
                                                     int which, Best *__restrict__ best)
{
    const int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= FLIGHTS) return;
#ifdef GOOD
    constexpr int n = 4;
#else
    const int n = m.states;
#endif
    float x[MAXS], x1[MAXS], P[MAXS][MAXS], A[MAXS][MAXS];
    for (int i = 0; i < n; i++) {
        x[i] = 0.0f;
        for (int j = 0; j < n; j++) P[i][j] = i == j ? 25.0f : 0.0f;
    }
    float score = 0.0f;
#pragma unroll 1
    for (int t = 0; t < FRAMES; t++) {
        float2 s = sight[(size_t)t * FLIGHTS + f];
        for (int i = 0; i < n; i++) {
            x1[i] = 0.0f;
            for (int k = 0; k < n; k++) x1[i] += m.step[i][k] * x[k];
            for (int j = 0; j < n; j++) {
                A[i][j] = 0.0f;
                for (int k = 0; k < n; k++) A[i][j] += m.step[i][k] * P[k][j];
            }
        }
        for (int i = 0; i < n; i++) {
            x[i] = x1[i];
            for (int j = 0; j < n; j++) {
                P[i][j] = m.noise[i][j];
                for (int k = 0; k < n; k++) P[i][j] += A[i][k] * m.step[j][k];
            }
        }
#pragma unroll
        for (int z = 0; z < 2; z++) {
            float spread = P[z][z] + m.sensor;
            float inv = 1.0f / spread;
            float miss = (z == 0 ? s.x : s.y) - x[z];
            for (int j = 0; j < n; j++) x1[j] = P[z][j];
            for (int i = 0; i < n; i++) {
                float gain = x1[i] * inv;
                x[i] += gain * miss;
                for (int j = 0; j < n; j++) P[i][j] -= gain * x1[j];
            }
            score -= 0.5f * (miss * miss * inv + __logf(spread));
        }
    }
    if (which == 0 || score > best[f].score) best[f] = Best{score, which};
}

static Motion makeMotion(int which)
{
    Motion m{};
    m.states = 4;
    for (int i = 0; i < 4; i++) {
        m.step[i][i] = 1.0f;
        m.noise[i][i] = (i < 2 ? 0.002f : 0.1f) * 0.02f * powf(1.2f, which);
    }
    m.step[0][2] = m.step[1][3] = 0.04f;   // seconds
    m.step[2][2] = m.step[3][3] = 0.995f;
    m.sensor = 0.02f;
    return m;
}

static double scoreHost(const std::vector<float2> &sight, int f, const Motion &m)
{
    double x[4] = {}, P[4][4] = {}, A[4][4], score = 0.0;
    for (int i = 0; i < 4; i++) P[i][i] = 25.0;
    for (int t = 0; t < FRAMES; t++) {
        double y[4] = {}, row[4];
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 4; k++) y[i] += m.step[i][k] * x[k];
        for (int i = 0; i < 16; i++) {
            A[i / 4][i % 4] = 0.0;
            for (int k = 0; k < 4; k++) A[i / 4][i % 4] += m.step[i / 4][k] * P[k][i % 4];
        }
        for (int i = 0; i < 16; i++) {
            P[i / 4][i % 4] = m.noise[i / 4][i % 4];
            for (int k = 0; k < 4; k++) P[i / 4][i % 4] += A[i / 4][k] * m.step[i % 4][k];
        }
        const double seen[2] = {sight[(size_t)t * FLIGHTS + f].x, sight[(size_t)t * FLIGHTS + f].y};
        for (int z = 0; z < 2; z++) {
            double spread = P[z][z] + m.sensor, miss = seen[z] - y[z];
            std::copy(P[z], P[z] + 4, row);
            for (int i = 0; i < 4; i++) y[i] += row[i] / spread * miss;
            for (int i = 0; i < 16; i++) P[i / 4][i % 4] -= row[i / 4] / spread * row[i % 4];
            score -= 0.5 * (miss * miss / spread + log(spread));
        }
        std::copy(y, y + 4, x);
    }
    return score;
}

int main()
{
    std::vector<float2> sight((size_t)FLIGHTS * FRAMES);
    unsigned seed = 1966u;
    for (int f = 0; f < FLIGHTS; f++) {
        float x = frand(seed), y = frand(seed), vx = 8.0f * frand(seed), vy = 6.0f * frand(seed);
        for (int t = 0; t < FRAMES; t++) {
            vx += 0.3f * (frand(seed) - 0.5f);
            vy += 0.3f * (frand(seed) - 0.5f) - 0.01f;
            x += 0.04f * vx;
            y += 0.04f * vy;
            unsigned r = lcg(seed);
            sight[(size_t)t * FLIGHTS + f] = make_float2(x + 0.4f * ((r >> 20) / 4096.0f - 0.5f),
                                                         y + 0.4f * ((r >> 8 & 4095u) / 4096.0f - 0.5f));
        }
    }
    float2 *dSight;
    Best *dBest;
    CK(cudaMalloc(&dSight, sight.size() * sizeof(float2)));
    CK(cudaMalloc(&dBest, FLIGHTS * sizeof(Best)));
    CK(cudaMemcpy(dSight, sight.data(), sight.size() * sizeof(float2), cudaMemcpyHostToDevice));
    for (int q = 0; q < NOISES; q++) {
        filterFlights<<<FLIGHTS / 128, 128>>>(dSight, makeMotion(q), q, dBest);
        CK(cudaGetLastError());
    }
    std::vector<Best> best(FLIGHTS);
    CK(cudaMemcpy(best.data(), dBest, FLIGHTS * sizeof(Best), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int f = 9; f < FLIGHTS; f += 1201) {
        double top = -1e300;
        for (int q = 0; q < NOISES; q++) top = std::max(top, scoreHost(sight, f, makeMotion(q)));
        if (best[f].noise < 0 || best[f].noise >= NOISES || !close_to(best[f].score, top, 5e-3)) ok = false;
    }
    CK(cudaFree(dSight));
    CK(cudaFree(dBest));
    return report(ok);
}

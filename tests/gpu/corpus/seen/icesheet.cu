// Shallow-ice model of an ice cap on a hilly island: the ice creeps downhill by Glen's flow law,
// it snows above the snow line and melts below.   usage: icesheet SIDE YEARS
#include "common.h"

struct Law { float glen, soft, dt, snowline, gain; };

// diffusivity on the face between two cells: thickness h, squared slope g
__device__ float creep(float h, float g, const Law &law)
{
#ifdef GOOD
    float h2 = h * h;
    return law.soft * (h2 * h2 * h) * g;
#else
    return law.soft * powf(h, law.glen + 2.0f) * powf(g, 0.5f * (law.glen - 1.0f));
#endif
}

__device__ float face(float ha, float hb, float sa, float sb, float across, const Law &law)
{
    float along = sb - sa;
    return creep(0.5f * (ha + hb), along * along + across * across, law) * along;
}

__global__ void ice_step(const float *__restrict__ ice, const float *__restrict__ bed, float *__restrict__ out,
                         int n, Law law)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    size_t c = (size_t)y * n + x;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1) { out[c] = 0.0f; return; }
    float h = ice[c], hw = ice[c - 1], he = ice[c + 1], hn = ice[c - n], hs = ice[c + n];
    float s = h + bed[c], sw = hw + bed[c - 1], se = he + bed[c + 1], sn = hn + bed[c - n], ss = hs + bed[c + n];
    float gx = 0.5f * (se - sw), gy = 0.5f * (ss - sn);
    float q = face(h, he, s, se, gy, law) + face(h, hw, s, sw, gy, law)
            + face(h, hs, s, ss, gx, law) + face(h, hn, s, sn, gx, law);
    float balance = fminf(law.gain * (s - law.snowline), 0.2f * law.gain);
    out[c] = fmaxf(0.0f, h + law.dt * (q + balance));
}

__host__ __device__ static inline float hill(int x, int y, int n)
{
    float u = 2.0f * x / n - 1.0f, v = 2.0f * y / n - 1.0f;
    float bumps = 0.125f * (float)(((x >> 4) * 7 + (y >> 4) * 13) & 15) / 15.0f;
    return fmaxf(0.0f, 1.0f - u * u - v * v) + bumps;
}

__global__ void island(float *bed, float *ice, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    bool rim = x == 0 || y == 0 || x == n - 1 || y == n - 1;
    bed[(size_t)y * n + x] = hill(x, y, n);
    ice[(size_t)y * n + x] = rim ? 0.0f : 0.6f + 0.05f * (float)((x * 5 + y * 3) & 7);
}

static double cpu_face(double ha, double hb, double sa, double sb, double across, const Law &law)
{
    double along = sb - sa;
    return law.soft * pow(0.5 * (ha + hb), law.glen + 2) * pow(along * along + across * across, 0.5 * (law.glen - 1)) * along;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    int years = argc > 2 ? atoi(argv[2]) : 900;
    Law law = {3.0f, 0.8f, 0.1f, 0.9f, 0.02f};
    size_t bytes = (size_t)n * n * sizeof(float);
    float *bed, *ice, *next;
    CK(cudaMalloc(&bed, bytes));
    CK(cudaMalloc(&ice, bytes));
    CK(cudaMalloc(&next, bytes));
    dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);
    island<<<grid, block>>>(bed, ice, n);
    for (int y = 0; y < years; y++) {
        ice_step<<<grid, block>>>(ice, bed, next, n, law);
        std::swap(ice, next);
    }
    CK(cudaGetLastError());

    // compare the last year with the CPU, in some places
    bool ok = true;
    for (int q = 1; q <= 6; q++) {
        int x = n * q / 7, y = std::min(n - 2, n / 2 + q * 5);
        float row[3][3], old[3][3];
        for (int k = 0; k < 3; k++) {
            size_t at = (size_t)(y + k - 1) * n + x - 1;
            CK(cudaMemcpy(old[k], next + at, 3 * sizeof(float), cudaMemcpyDeviceToHost));
            CK(cudaMemcpy(row[k], ice + at, 3 * sizeof(float), cudaMemcpyDeviceToHost));
        }
        double s[3][3];
        for (int j = 0; j < 3; j++) for (int i = 0; i < 3; i++) s[j][i] = (double)old[j][i] + hill(x + i - 1, y + j - 1, n);
        double gx = 0.5 * (s[1][2] - s[1][0]), gy = 0.5 * (s[2][1] - s[0][1]), h = old[1][1];
        double flow = cpu_face(h, old[1][2], s[1][1], s[1][2], gy, law) + cpu_face(h, old[1][0], s[1][1], s[1][0], gy, law)
                    + cpu_face(h, old[2][1], s[1][1], s[2][1], gx, law) + cpu_face(h, old[0][1], s[1][1], s[0][1], gx, law);
        double want = std::max(0.0, h + law.dt * (flow + std::min(law.gain * (s[1][1] - law.snowline), 0.2 * law.gain)));
        printf("(%d,%d): %.5f -> %.5f (%.5f)\n", x, y, h, row[1][1], want);
        if (!close_to(row[1][1], want, 1e-5)) ok = false;
    }
    CK(cudaFree(bed)); CK(cudaFree(ice)); CK(cudaFree(next));
    return report(ok);
}

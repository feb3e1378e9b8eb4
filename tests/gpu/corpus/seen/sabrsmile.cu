// Grid search of SABR parameters: squared error of the Hagan smile against the
// quotes of one expiry, for 64^4 parameter sets, expiry after expiry.
#include "common.h"

const int QUOTES = 64, SIDE = 64, SETS = SIDE * SIDE * SIDE * SIDE;

struct Quote { float fk, lnfk, vol, weight; };
__constant__ Quote quotes[QUOTES];

#ifdef GOOD
__device__ inline float power(float x, float y) { return __powf(x, y); }
__device__ inline float logn(float x) { return __logf(x); }
__device__ inline float ratio(float x, float y) { return __fdividef(x, y); }
__device__ inline float root(float x) { return x * rsqrtf(x); }
#else
__device__ inline float power(float x, float y) { return powf(x, y); }
__device__ inline float logn(float x) { return logf(x); }
__device__ inline float ratio(float x, float y) { return x / y; }
__device__ inline float root(float x) { return sqrtf(x); }
#endif

__host__ __device__ inline void params(int i, float &alpha, float &beta, float &rho, float &nu)
{
    alpha = 0.05f + 0.25f / SIDE * (i % SIDE);
    beta = 0.30f + 0.60f / SIDE * (i / SIDE % SIDE);
    rho = -0.70f + 0.90f / SIDE * (i / (SIDE * SIDE) % SIDE);
    nu = 0.20f + 0.60f / SIDE * (i / (SIDE * SIDE * SIDE));
}

__global__ void smile_error(float expiry, float *err)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float alpha, beta, rho, nu;
    params(i, alpha, beta, rho, nu);
    const float b = 1.0f - beta, nua = nu / alpha, scale = 1.0f / (1.0f - rho);
    const float c1 = b * b / 24.0f, c2 = b * b * b * b / 1920.0f;
    const float d1 = c1 * expiry, d2 = 0.25f * rho * beta * nu * expiry;
    const float d3 = 1.0f + (2.0f - 3.0f * rho * rho) / 24.0f * nu * nu * expiry;
    float sum = 0.0f;
#pragma unroll 2
    for (int k = 0; k < QUOTES; k++) {
        const float l = quotes[k].lnfk, l2 = l * l;
        const float p = power(quotes[k].fk, 0.5f * b);
        const float q = ratio(alpha, p);
        const float z = nua * p * l;
        const float x = logn((root(1.0f - 2.0f * rho * z + z * z) + z - rho) * scale);
        const float v = q * ratio(z, x * (1.0f + l2 * (c1 + c2 * l2))) * (d3 + q * (d2 + d1 * q));
        const float e = v - quotes[k].vol;
        sum += quotes[k].weight * e * e;
    }
    err[i] = sum;
}

static double reference(const Quote *qs, float expiry, int i)
{
    float fa, fb, fr, fn;
    params(i, fa, fb, fr, fn);
    const double a = fa, be = fb, r = fr, n = fn, b = 1 - be, T = expiry;
    double sum = 0;
    for (int k = 0; k < QUOTES; k++) {
        const double l = qs[k].lnfk, p = pow((double)qs[k].fk, 0.5 * b), z = n / a * p * l;
        const double x = log((sqrt(1 - 2 * r * z + z * z) + z - r) / (1 - r));
        const double head = a / (p * (1 + b * b / 24 * l * l + b * b * b * b / 1920 * l * l * l * l));
        const double tail = 1 + (b * b / 24 * a * a / (p * p) + r * be * n * a / (4 * p)
                                 + (2 - 3 * r * r) / 24 * n * n) * T;
        const double e = head * z / x * tail - qs[k].vol;
        sum += qs[k].weight * e * e;
    }
    return sum;
}

int main(int argc, char **argv)
{
    const int expiries = argc > 1 ? atoi(argv[1]) : 8;
    float *dErr;
    CK(cudaMalloc(&dErr, SETS * sizeof(float)));
    std::vector<float> some(4096);
    bool ok = true;
    unsigned s = 5;
    for (int x = 0; x < expiries; x++) {
        const float forward = 0.025f + 0.002f * x, expiry = 0.25f * (x + 1);
        std::vector<Quote> qs(QUOTES);
        for (int k = 0; k < QUOTES; k++) {
            float m = 0.05f + 0.45f * (k / 2) / (QUOTES / 2);
            if (k % 2) m = -m;
            const float strike = forward * expf(-m);
            qs[k] = {forward * strike, logf(forward / strike), 0.2f + 0.3f * m * m + 0.02f * frand(s), 1.0f / QUOTES};
        }
        CK(cudaMemcpyToSymbol(quotes, qs.data(), QUOTES * sizeof(Quote)));
        smile_error<<<SETS / 256, 256>>>(expiry, dErr);
        CK(cudaGetLastError());
        const int first = 1000003 * (x + 1);
        CK(cudaMemcpy(some.data(), dErr + first, some.size() * sizeof(float), cudaMemcpyDeviceToHost));
        for (int c = 0; c < 4096; c += 37)
            ok = ok && close_to(some[c], reference(qs.data(), expiry, first + c), 2e-3);
    }
    return report(ok);
}

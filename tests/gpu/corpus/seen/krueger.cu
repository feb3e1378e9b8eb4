// Survey points from latitude and longitude (degrees) to a transverse Mercator zone, by the series of
// Krueger to the third order; coordinates are wanted to a tenth of a millimetre.
#include "common.h"

#ifndef POINTS
#define POINTS (1 << 24)
#endif
#ifdef GOOD
const int BLOCK = 128;
#else
const int BLOCK = 256;
#endif

struct Zone
{
    double e, radius, meridian, east0;         // eccentricity, k0 * rectifying radius, central meridian, false easting
    double a1, a2, a3;
};

static Zone make_zone(double a, double inverse_f, double meridian)
{
    double f = 1 / inverse_f, n = f / (2 - f), n2 = n * n, n3 = n2 * n;
    Zone z;
    z.e = sqrt(f * (2 - f));
    z.radius = 0.9996 * a / (1 + n) * (1 + n2 / 4 + n2 * n2 / 64);
    z.meridian = meridian;
    z.east0 = 500000;
    z.a1 = n / 2 - 2 * n2 / 3 + 5 * n3 / 16;
    z.a2 = 13 * n2 / 48 - 3 * n3 / 5;
    z.a3 = 61 * n3 / 240;
    return z;
}

// the inverse hyperbolic tangent of small arguments, |x| < 0.082
__host__ __device__ inline double atanh_small(double x)
{
    double q = x * x;
    double s = fma(q, fma(q, fma(q, 1.0 / 13, 1.0 / 11), 1.0 / 9), 1.0 / 7);
    return x * fma(q, fma(q, fma(q, s, 1.0 / 5), 1.0 / 3), 1.0);
}

__host__ __device__ inline double2 project(const Zone &z, double2 geo)
{
    double sp, sl, cl, half_turns = (geo.y - z.meridian) * (1.0 / 180);
#ifdef __CUDA_ARCH__
    sp = sinpi(geo.x * (1.0 / 180));
    sincospi(half_turns, &sl, &cl);
#else
    sp = sin(M_PI * (geo.x * (1.0 / 180)));
    sl = sin(M_PI * half_turns);
    cl = cos(M_PI * half_turns);
#endif
    // tangent of the conformal latitude
    double grow = sqrt((1 + sp) / (1 - sp)) * exp(-z.e * atanh_small(z.e * sp));
    double t = 0.5 * (grow - 1 / grow), h2 = 1 / (t * t + cl * cl);
    double xi = atan2(t, cl), eta = 0.5 * log1p(2 * sl * (sqrt(1 + t * t) + sl) * h2);
    // cosine and sine of 2 xi, hyperbolic ones of 2 eta, without further transcendentals
    double c2 = (cl * cl - t * t) * h2, s2 = 2 * t * cl * h2;
    double ch = (1 + t * t + sl * sl) * h2, sh = 2 * sl * sqrt(1 + t * t) * h2;
    // Clenshaw summation of the complex series
    double pr = 2 * c2 * ch, pi = -2 * s2 * sh;
    double br = z.a2 + pr * z.a3, bi = pi * z.a3;
    double ar = z.a1 + pr * br - pi * bi - z.a3, ai = pr * bi + pi * br;
    double north = z.radius * (xi + s2 * ch * ar - c2 * sh * ai);
    double east = z.east0 + z.radius * (eta + s2 * ch * ai + c2 * sh * ar);
    return make_double2(east, north);
}

__global__ void __launch_bounds__(BLOCK) to_zone(const double2 *__restrict__ geo, double2 *__restrict__ grid, Zone z)
{
    int k = blockIdx.x * BLOCK + threadIdx.x;
    grid[k] = project(z, geo[k]);
}

int main(int argc, char **argv)
{
    int epochs = argc > 1 ? atoi(argv[1]) : 5500;
    unsigned seed = 6;
    Zone z = make_zone(6378137.0, 298.257222101, 9.0);
    std::vector<double2> geo(POINTS);
    for (auto &g : geo) g = make_double2(47 + 8 * (double)frand(seed), 6 + 6 * (double)frand(seed));
    double2 *dgeo, *grid;
    CK(cudaMalloc(&dgeo, POINTS * sizeof(double2)));
    CK(cudaMalloc(&grid, POINTS * sizeof(double2)));
    CK(cudaMemcpy(dgeo, geo.data(), POINTS * sizeof(double2), cudaMemcpyHostToDevice));
    for (int e = 0; e < epochs; e++) to_zone<<<POINTS / BLOCK, BLOCK>>>(dgeo, grid, z);
    CK(cudaGetLastError());

    bool ok = true;
    std::vector<double2> got(1024);
    for (int t = 0; t < 16; t++) {
        size_t first = (size_t)t * (POINTS / 16);
        CK(cudaMemcpy(got.data(), grid + first, got.size() * sizeof(double2), cudaMemcpyDeviceToHost));
        for (size_t k = 0; k < got.size(); k++) {
            double2 ref = project(z, geo[first + k]);
            ok = ok && fabs(got[k].x - ref.x) < 1e-6 && fabs(got[k].y - ref.y) < 1e-6;
            ok = ok && got[k].x > 2e5 && got[k].x < 8e5 && got[k].y > 5e6 && got[k].y < 6.2e6;
        }
    }
    CK(cudaFree(dgeo)); CK(cudaFree(grid));
    return report(ok);
}

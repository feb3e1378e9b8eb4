// Mechanical compaction of a sedimentary basin: porosity, overburden and
// pore pressure of every cell are advanced through geological time.
#include "common.h"

struct Lithology {
    double phi0;      // surface porosity
    double beta;      // compressibility, 1/MPa
    double kappa;     // drainage rate per step
    double rhoGrain;  // t/m3
};

constexpr int NX = 384, NY = 384, NZ = 128;   // columns, rows, layers
constexpr int STEPS = 40;

__host__ __device__ inline size_t cellOf(int ix, int iy, int iz)
{
    return ((size_t)iz * NY + iy) * NX + ix;
}

__host__ __device__ inline double compact(double phi, double load, double &pore,
                                          const Lithology &l, double dt)
{
    double eff = load - pore;
    if (eff < 0.0) eff = 0.0;
    double target = l.phi0 / (1.0 + l.beta * eff);
    double next = phi + dt * l.kappa * (target - phi);
    pore += dt * (0.4 * (phi - next) * load - 0.05 * l.kappa * pore);
    return next;
}

__global__ void compactStep(double *__restrict__ porosity, double *__restrict__ pore,
                            const double *__restrict__ load, Lithology lith, double dt)
{
    int iy = blockIdx.y * blockDim.y + threadIdx.y;
#ifdef GOOD
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    int iz = blockIdx.z;
#else
    int iz = blockIdx.x * blockDim.x + threadIdx.x;
    int ix = blockIdx.z;
#endif
    if (ix >= NX || iy >= NY || iz >= NZ) return;
    size_t c = cellOf(ix, iy, iz);
    double u = pore[c];
    porosity[c] = compact(porosity[c], load[c], u, lith, dt);
    pore[c] = u;
}

__global__ void depositLoad(double *__restrict__ load, double weight)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (c < (size_t)NX * NY * NZ) load[c] += weight;
}

int main()
{
    const size_t n = (size_t)NX * NY * NZ;
    Lithology shale{0.60, 0.045, 0.12, 2.65};
    const double dt = 0.5, weight = 0.8;

    std::vector<double> phi(n), load(n), pore(n, 0.0);
    unsigned seed = 77u;
    for (int iz = 0; iz < NZ; iz++)
        for (int iy = 0; iy < NY; iy++)
            for (int ix = 0; ix < NX; ix++) {
                size_t c = cellOf(ix, iy, iz);
                phi[c] = 0.45 + 0.15 * frand(seed);
                load[c] = 0.11 * iz + 0.002 * ix + 0.001 * iy;
                pore[c] = 0.3 * load[c];
            }

    double *dPhi, *dLoad, *dPore;
    CK(cudaMalloc(&dPhi, n * sizeof(double)));
    CK(cudaMalloc(&dLoad, n * sizeof(double)));
    CK(cudaMalloc(&dPore, n * sizeof(double)));
    CK(cudaMemcpy(dPhi, phi.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dLoad, load.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dPore, pore.data(), n * sizeof(double), cudaMemcpyHostToDevice));

    dim3 block(32, 8);
#ifdef GOOD
    dim3 grid(NX / 32, NY / 8, NZ);
#else
    dim3 grid(NZ / 32, NY / 8, NX);
#endif
    int flat = (int)((n + 255) / 256);
    for (int s = 0; s < STEPS; s++) {
        if (s % 4 == 0) {
            depositLoad<<<flat, 256>>>(dLoad, weight);
            CK(cudaGetLastError());
        }
        compactStep<<<grid, block>>>(dPhi, dPore, dLoad, shale, dt);
        CK(cudaGetLastError());
    }
    std::vector<double> outPhi(n), outPore(n);
    CK(cudaMemcpy(outPhi.data(), dPhi, n * sizeof(double), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(outPore.data(), dPore, n * sizeof(double), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (size_t c = 0; c < n; c += 4099) {
        double p = phi[c], l = load[c], u = pore[c];
        for (int s = 0; s < STEPS; s++) {
            if (s % 4 == 0) l += weight;
            p = compact(p, l, u, shale, dt);
        }
        if (!close_to(outPhi[c], p, 1e-9) || !close_to(outPore[c], u, 1e-9)) ok = false;
    }
    CK(cudaFree(dPhi));
    CK(cudaFree(dLoad));
    CK(cudaFree(dPore));
    return report(ok);
}

// Laser optics: exposures of a speckle pattern, the interference of forty scatterers that drift from shot to shot.
// Each exposure goes to the host, which follows the contrast on a coarse grid.
//   speckleshots [shots]
#include "common.h"

static const int SIDE = 2048, SCATTERERS = 40;

struct Scatterer { float kx, ky, phase, drift; };

__constant__ Scatterer scatterer[SCATTERERS];

__global__ void expose(float *__restrict__ image, float time)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float re = 0, im = 0;
#pragma unroll
    for (int k = 0; k < SCATTERERS; k++) {
        float s, c;
        __sincosf(scatterer[k].kx * x + (scatterer[k].ky * y + (scatterer[k].phase + scatterer[k].drift * time)), &s, &c);
        re += c;
        im += s;
    }
    image[y * SIDE + x] = re * re + im * im;
}

static double intensity(const std::vector<Scatterer> &all, int x, int y, double time)
{
    double re = 0, im = 0;
    for (const Scatterer &s : all) {
        double p = (double)s.kx * x + (double)s.ky * y + s.phase + s.drift * time;
        re += cos(p);
        im += sin(p);
    }
    return re * re + im * im;
}

int main(int argc, char **argv)
{
    int shots = argc > 1 ? atoi(argv[1]) : 700;
    const size_t n = (size_t)SIDE * SIDE;
    std::vector<Scatterer> all(SCATTERERS);
    unsigned seed = 633;
    for (Scatterer &s : all) s = { 0.012f * (frand(seed) - 0.5f), 0.012f * (frand(seed) - 0.5f), 6.2f * frand(seed), 0.5f * frand(seed) };
    CK(cudaMemcpyToSymbol(scatterer, all.data(), SCATTERERS * sizeof(Scatterer)));
    float *image;
    CK(cudaMalloc(&image, n * sizeof(float)));
#ifdef GOOD
    float *shot;
    CK(cudaMallocHost(&shot, n * sizeof(float)));
#else
    std::vector<float> buffer(n);
    float *shot = buffer.data();
#endif
    double contrast = 0;
    bool ok = true;
    for (int t = 0; t < shots; t++) {
        float time = 0.01f * t;
        expose<<<dim3(SIDE / 32, SIDE / 8), dim3(32, 8)>>>(image, time);
        CK(cudaMemcpy(shot, image, n * sizeof(float), cudaMemcpyDeviceToHost));
        double sum = 0, squares = 0;
        for (int g = 0; g < 256; g++) {
            double v = shot[(size_t)(g / 16 * 128 + 40) * SIDE + g % 16 * 128 + 70];
            sum += v;
            squares += v * v;
        }
        contrast += sqrt(std::max(0.0, squares / 256 - sum * sum / 65536)) / (sum / 256);
        if (t % 100 == 99)
            for (int g = 0; g < 200; g++) {
                int x = g * 911 % SIDE, y = g * 577 % SIDE;
                ok = ok && fabs(shot[(size_t)y * SIDE + x] - intensity(all, x, y, time)) < 0.3;
            }
    }
    printf("mean contrast %.3f\n", contrast / shots);
    ok = ok && contrast / shots > 0.2 && contrast / shots < 2;
#ifdef GOOD
    CK(cudaFreeHost(shot));
#endif
    CK(cudaFree(image));
    return report(ok);
}

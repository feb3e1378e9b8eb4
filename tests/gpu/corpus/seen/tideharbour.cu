// Harmonic tide prediction: height at each port and hour from 12 constituents.
#include "common.h"

#define NC 12
__constant__ float speed[NC], amp0[NC];

__global__ void predict(const float *__restrict__ lat, const float *__restrict__ lon,
                        float *__restrict__ height, int ports, int hours, float start)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    int h = blockIdx.y;
    if (p >= ports || h >= hours) return;
#ifdef GOOD
    float t = start + h * 0.25f, z = 0.0f;
    float node = 1.0f + 0.04f * lat[p];
    for (int c = 0; c < NC; c++) {
        float phase = speed[c] * t - 2.0f * 3.14159265f * lon[p] / 36.0f * (c % 3);
        z += node * amp0[c] * cosf(phase);
    }
    height[(size_t)h * ports + p] = z + 0.15f * expf(-0.5f * z * z);
#else
    float t = start + h * 0.25, z = 0.0;
    float node = 1.0 + 0.04 * lat[p];
    for (int c = 0; c < NC; c++) {
        float phase = speed[c] * t - 2.0 * 3.14159265358979 * lon[p] / 36.0 * (c % 3);
        z += node * amp0[c] * cos((double)phase);
    }
    height[(size_t)h * ports + p] = z + 0.15 * exp(-0.5 * z * z);
#endif
}

int main(int argc, char **argv)
{
    int weeks = argc > 1 ? atoi(argv[1]) : 80;
    const int ports = 1 << 17, hours = 96;
    std::vector<float> lat(ports), lon(ports), sp(NC), am(NC);
    unsigned seed = 3;
    for (int i = 0; i < ports; i++) { lat[i] = frand(seed) - 0.5f; lon[i] = frand(seed); }
    for (int c = 0; c < NC; c++) { sp[c] = 0.05f + 0.08f * c; am[c] = 1.0f / (1 + c); }
    float *dla, *dlo, *dh;
    CK(cudaMalloc(&dla, ports * 4));
    CK(cudaMalloc(&dlo, ports * 4));
    CK(cudaMalloc(&dh, (size_t)ports * hours * 4));
    CK(cudaMemcpy(dla, lat.data(), ports * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dlo, lon.data(), ports * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpyToSymbol(speed, sp.data(), NC * 4));
    CK(cudaMemcpyToSymbol(amp0, am.data(), NC * 4));
    float start = 0;
    for (int w = 0; w < weeks; w++) {
        start = 24.0f * w;
        predict<<<dim3(ports / 256, hours), 256>>>(dla, dlo, dh, ports, hours, start);
    }
    CK(cudaGetLastError());
    std::vector<float> out((size_t)ports * hours);
    CK(cudaMemcpy(out.data(), dh, out.size() * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int k = 0; k < 100; k++) {
        int p = k * 1301 % ports, h = k * 7 % hours;
        double z = 0, t = start + h * 0.25;
        for (int c = 0; c < NC; c++)
            z += (1 + 0.04 * lat[p]) * am[c] * cos(sp[c] * t - 2 * 3.14159265358979 * lon[p] / 36 * (c % 3));
        z += 0.15 * exp(-0.5 * z * z);
        ok = ok && close_to(out[(size_t)h * ports + p], z, 5e-3);
    }
    CK(cudaFree(dla)); CK(cudaFree(dlo)); CK(cudaFree(dh));
    return report(ok);
}

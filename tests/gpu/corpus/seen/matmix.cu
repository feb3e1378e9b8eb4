// Material driver: the strain history of every integration point of a mesh is integrated in one launch,
// four constitutive laws mixed. The point list comes from the mesher.
#include "common.h"

static const int N = 4 * 1024 * 1024;

static __host__ __device__ unsigned hash32(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
// the good mesher numbers the points material by material
static __host__ __device__ int material_of(int i)
{
#ifdef GOOD
    return i / (N / 4);
#else
    return hash32(i) & 3;
#endif
}
static __host__ __device__ float rate_of(int i) { return 0.5f + 1e-7f * (float)(hash32(i ^ 0x1234567) & 0xfffff); }

static __host__ __device__ float integrate(int mat, float rate, int sub)
{
    float s = 0.0f, h = 0.0f, de = rate * 1.0e-5f;
    switch (mat) {
    case 0:                                     // elastic with stiffening
        for (int k = 0; k < sub; k++) { s += de * (1.0f + 0.1f * s * s); h += s * de; }
        break;
    case 1:                                     // perfect-ish plasticity, linear hardening
        for (int k = 0; k < sub; k++) {
            float trial = s + de, over = trial - (0.05f + h);
            float dp = over > 0.0f ? over * 0.9f : 0.0f;
            s = trial - dp; h += 0.01f * dp;
        }
        break;
    case 2:                                     // viscoelastic, two branches
        for (int k = 0; k < sub; k++) {
            float b = h + 0.05f * (de - 0.02f * h);
            s = s * 0.995f + de + 0.1f * (b - h); h = b;
        }
        break;
    default:                                    // damage
        for (int k = 0; k < sub; k++) {
            float y = s * s * 0.5f;
            h = fminf(0.95f, h + 0.02f * y * (1.0f - h));
            s += de * (1.0f - h) - 0.001f * s;
        }
    }
    return s + h;
}

__global__ void describe_mesh(unsigned char *mat, float *rate)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    mat[i] = (unsigned char)material_of(i);
    rate[i] = rate_of(i);
}
__global__ void stress_update(const unsigned char *mat, const float *rate, float *stress, int sub)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) stress[i] = integrate(mat[i], rate[i], sub);
}

int main(int argc, char **argv)
{
    int sub = argc > 1 ? atoi(argv[1]) : 40000;
    unsigned char *mat;
    float *rate, *stress;
    CK(cudaMalloc(&mat, N));
    CK(cudaMalloc(&rate, N * sizeof(float)));
    CK(cudaMalloc(&stress, N * sizeof(float)));
    describe_mesh<<<N / 256, 256>>>(mat, rate);
    CK(cudaGetLastError());
    stress_update<<<N / 256, 256>>>(mat, rate, stress, sub);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 11; i < N; i += N / 23) {
        float v;
        CK(cudaMemcpy(&v, stress + i, sizeof v, cudaMemcpyDeviceToHost));
        ok = ok && close_to(v, integrate(material_of(i), rate_of(i), sub), 2e-3);
    }
    cudaFree(mat); cudaFree(rate); cudaFree(stress);
    return report(ok);
}

// Product shots of a polished kettle: deferred shading with eight studio lamps that are carried around it.
// The normals come from the G-buffer; the highlight is Blinn's, with exponent 64.
// usage: kettlegloss width height pictures
#include "common.h"

#define LAMPS 8
struct Studio {
    float lx[LAMPS], ly[LAMPS], lz[LAMPS];       // towards the lamp
    float hx[LAMPS], hy[LAMPS], hz[LAMPS];       // half way to the camera
    float power[LAMPS];
};

__host__ __device__ inline float4 normalAt(int x, int y, int w, int h)
{
    float a = (x + 0.5f) / w * 2.0f - 1.0f, b = (y + 0.5f) / h * 2.0f - 1.0f;
    float s = 1.0f / sqrtf(a * a + b * b + 1.0f);
    return make_float4(a * s, b * s, s, 0.2f + 0.3f * ((x ^ y) & 1));      // normal, albedo
}

__global__ void rasterise(float4 *g, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < w) g[(size_t)blockIdx.y * w + x] = normalAt(x, blockIdx.y, w, h);
}

__device__ inline float highlight(float c, float shine)
{
#ifdef GOOD
    c *= c; c *= c; c *= c; c *= c; c *= c;      // the exponent of all our metals is 64
    return c * c;
#else
    return powf(c, shine);
#endif
}

__global__ void shade(const float4 *__restrict__ g, float *__restrict__ out, int n, Studio st, float shine)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = g[i];
    float diffuse = 0.05f, gloss = 0.0f;
#pragma unroll
    for (int l = 0; l < LAMPS; l++) {
        float d = fmaxf(v.x * st.lx[l] + v.y * st.ly[l] + v.z * st.lz[l], 0.0f);
        float c = fmaxf(v.x * st.hx[l] + v.y * st.hy[l] + v.z * st.hz[l], 0.0f);
        diffuse += st.power[l] * d;
        gloss += st.power[l] * highlight(c, shine);
    }
    out[i] = v.w * diffuse + 0.5f * gloss;
}

static Studio arrange(int picture)
{
    Studio s;
    for (int l = 0; l < LAMPS; l++) {
        float a = 0.785398f * l + 0.01f * (picture % 600), z = 0.4f + 0.05f * l;
        float r = sqrtf(1.0f - z * z);
        s.lx[l] = r * cosf(a); s.ly[l] = r * sinf(a); s.lz[l] = z;
        float m = 1.0f / sqrtf(s.lx[l] * s.lx[l] + s.ly[l] * s.ly[l] + (z + 1.0f) * (z + 1.0f));
        s.hx[l] = s.lx[l] * m; s.hy[l] = s.ly[l] * m; s.hz[l] = (z + 1.0f) * m;
        s.power[l] = 0.6f + 0.1f * (l % 3);
    }
    return s;
}

int main(int argc, char **argv)
{
    int w = argc > 1 ? atoi(argv[1]) : 3840, h = argc > 2 ? atoi(argv[2]) : 2160;
    int pictures = argc > 3 ? atoi(argv[3]) : 5000;
    int n = w * h;
    float4 *g; float *out;
    CK(cudaMalloc(&g, n * sizeof(float4)));
    CK(cudaMalloc(&out, n * sizeof(float)));
    rasterise<<<dim3((w + 255) / 256, h), 256>>>(g, w, h);
    for (int p = 0; p < pictures; p++) shade<<<(n + 255) / 256, 256>>>(g, out, n, arrange(p), 64.0f);
    CK(cudaGetLastError());
    std::vector<float> got(n);
    CK(cudaMemcpy(got.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));

    Studio s = arrange(pictures - 1);
    bool ok = true;
    for (int i = 0; i < n; i += 401) {
        float4 v = normalAt(i % w, i / w, w, h);
        double diffuse = 0.05, gloss = 0;
        for (int l = 0; l < LAMPS; l++) {
            diffuse += s.power[l] * std::max(0.0, (double)v.x * s.lx[l] + v.y * s.ly[l] + v.z * s.lz[l]);
            gloss += s.power[l] * pow(std::max(0.0, (double)v.x * s.hx[l] + v.y * s.hy[l] + v.z * s.hz[l]), 64.0);
        }
        ok = ok && close_to(got[i], v.w * diffuse + 0.5 * gloss, 1e-3);
    }
    printf("middle pixel %.4f\n", got[n / 2 + w / 2]);
    CK(cudaFree(g)); CK(cudaFree(out));
    return report(ok);
}

// Skinned crowd: each frame the host poses the skeleton of every character
// (a palette of 3x4 bone matrices), sends the palettes to the GPU and a kernel
// skins the common mesh once per character.
#include "common.h"

constexpr int CHARS = 128, BONES = 32, VERTS = 16384, PAL = BONES * 12;

struct Weights { int b[2]; float w[2]; };

struct Character {
    float speed, phase, x, z;
    // writes this character's palette for time t
    void pose(float t, float *pal) const
    {
        float s = sinf(speed * t + phase), c = sqrtf(1.0f - s * s);
        for (int b = 0; b < BONES; b++) {
            float *m = pal + b * 12, h = 0.05f * b;
            m[0] = c;  m[1] = -s; m[2] = 0;  m[3] = x + h * s;
            m[4] = s;  m[5] = c;  m[6] = 0;  m[7] = h;
            m[8] = 0;  m[9] = 0;  m[10] = 1; m[11] = z + speed * t;
        }
    }
};

__global__ void skin(const float4 *pos, const Weights *wt, const float *pal, float *out)
{
    __shared__ float m[PAL];
    int v = blockIdx.x * blockDim.x + threadIdx.x, ch = blockIdx.y;
    for (int i = threadIdx.x; i < PAL; i += blockDim.x) m[i] = pal[ch * PAL + i];
    __syncthreads();
    float4 p = pos[v];
    Weights w = wt[v];
    float r[3];
    for (int a = 0; a < 3; a++) {
        const float *m0 = m + w.b[0] * 12 + a * 4, *m1 = m + w.b[1] * 12 + a * 4;
        r[a] = w.w[0] * (m0[0] * p.x + m0[1] * p.y + m0[2] * p.z + m0[3]) +
               w.w[1] * (m1[0] * p.x + m1[1] * p.y + m1[2] * p.z + m1[3]);
    }
    float *o = out + (size_t)ch * 3 * VERTS;
    o[v] = r[0];
    o[VERTS + v] = r[1];
    o[2 * VERTS + v] = r[2];
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 1200;
    unsigned seed = 99;
    std::vector<float4> pos(VERTS);
    std::vector<Weights> wt(VERTS);
    for (int v = 0; v < VERTS; v++) {
        pos[v] = make_float4(frand(seed), frand(seed), frand(seed), 1);
        float a = frand(seed);
        int b = v * (BONES - 1) / VERTS;
        wt[v] = {{b, b + 1}, {a, 1 - a}};
    }
    std::vector<Character> crowd(CHARS);
    for (auto &c : crowd) c = {0.5f + frand(seed), 6.28f * frand(seed), 50 * frand(seed), 50 * frand(seed)};

    float4 *dpos;
    Weights *dwt;
    float *dpal, *dout, *hpal[2];
    cudaEvent_t sent[2];
    cudaStream_t st;
    CK(cudaStreamCreate(&st));
    CK(cudaMalloc(&dpos, VERTS * sizeof(float4)));
    CK(cudaMalloc(&dwt, VERTS * sizeof(Weights)));
    CK(cudaMalloc(&dpal, CHARS * PAL * sizeof(float)));
    CK(cudaMalloc(&dout, (size_t)CHARS * VERTS * 3 * sizeof(float)));
    CK(cudaMemcpy(dpos, pos.data(), VERTS * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dwt, wt.data(), VERTS * sizeof(Weights), cudaMemcpyHostToDevice));
    for (int k = 0; k < 2; k++) {
        CK(cudaMallocHost(&hpal[k], CHARS * PAL * sizeof(float)));
        CK(cudaEventCreateWithFlags(&sent[k], cudaEventDisableTiming));
    }

    float t = 0;
    for (int f = 0; f < frames; f++) {
        float *pal = hpal[f & 1];
        t = f * (1.0f / 60);
        CK(cudaEventSynchronize(sent[f & 1]));     // staging buffer of two frames ago is free again
        for (int c = 0; c < CHARS; c++) {
            crowd[c].pose(t, pal + c * PAL);
#ifndef GOOD
            CK(cudaMemcpyAsync(dpal + c * PAL, pal + c * PAL, PAL * sizeof(float), cudaMemcpyHostToDevice, st));
#endif
        }
#ifdef GOOD
        CK(cudaMemcpyAsync(dpal, pal, CHARS * PAL * sizeof(float), cudaMemcpyHostToDevice, st));
#endif
        CK(cudaEventRecord(sent[f & 1], st));
        skin<<<dim3(VERTS / 256, CHARS), 256, 0, st>>>(dpos, dwt, dpal, dout);
    }
    CK(cudaGetLastError());
    CK(cudaStreamSynchronize(st));

    bool ok = true;
    for (int q = 0; q < 8; q++) {
        int c = (q * 37) % CHARS, v = (q * 4099 + 7) % VERTS;
        float pal[PAL];
        crowd[c].pose(t, pal);
        for (int a = 0; a < 3; a++) {
            double s = 0;
            for (int k = 0; k < 2; k++) {
                const float *m = pal + wt[v].b[k] * 12 + a * 4;
                s += wt[v].w[k] * (m[0] * pos[v].x + m[1] * pos[v].y + m[2] * pos[v].z + m[3]);
            }
            float got;
            CK(cudaMemcpy(&got, dout + ((size_t)c * 3 + a) * VERTS + v, sizeof(float), cudaMemcpyDeviceToHost));
            ok = ok && close_to(got, s, 1e-4);
        }
    }
    for (int k = 0; k < 2; k++) { CK(cudaFreeHost(hpal[k])); CK(cudaEventDestroy(sent[k])); }
    CK(cudaFree(dpos)); CK(cudaFree(dwt)); CK(cudaFree(dpal)); CK(cudaFree(dout));
    CK(cudaStreamDestroy(st));
    return report(ok);
}

// Peptide search in mass spectra: the b and y fragments of every candidate peptide are looked up in
// the binned spectrum, the intensities found are its score.
#include "common.h"

#ifndef PEPTIDES
#define PEPTIDES (1 << 20)
#endif
const int SLOT = 32, LONGEST = 30, BINS = 8192, SPECTRA = 64;
const int TPB = 256;
#ifdef GOOD
const int CREW = 32;
#else
const int CREW = 256;
#endif
const int WATER = 18011;               // masses in thousandths of a dalton

static const int residue_mass[20] = {57021, 71037, 87032, 97053, 99068, 101048, 103009, 113084, 113085, 114043,
                                     115027, 128059, 128095, 129043, 131040, 137059, 147068, 156101, 163063, 186079};

__global__ void __launch_bounds__(TPB) comb(const unsigned char *__restrict__ residues, const int *__restrict__ length,
                                            const int *__restrict__ mass, const float *__restrict__ spectrum,
                                            float *__restrict__ score)
{
    __shared__ int weight[TPB / CREW][SLOT];
    __shared__ float hits[TPB / CREW];
    int crew = threadIdx.x / CREW, t = threadIdx.x % CREW, pep = blockIdx.x * (TPB / CREW) + crew;
    int n = length[pep];
    if (t < n) weight[crew][t] = mass[residues[(size_t)pep * SLOT + t]];
    if (t == 0) hits[crew] = 0;
    __syncthreads();
    float s = 0;
    if (t < n - 1) {
        int b = 0, all = 0;
        for (int k = 0; k < n; k++) {
            int w = weight[crew][k];
            all += w;
            if (k <= t) b += w;
        }
        s = spectrum[b / 1000] + spectrum[(all - b + WATER) / 1000];
    }
    for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffffu, s, d);
    if (t % 32 == 0) atomicAdd(&hits[crew], s);
    __syncthreads();
    if (t == 0) score[pep] = hits[crew] / (n - 1);
}

__global__ void best_of(const float *__restrict__ score, int *best)
{
    float m = 0;
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < PEPTIDES; p += gridDim.x * blockDim.x) m = fmaxf(m, score[p]);
    int bits = __reduce_max_sync(0xffffffffu, __float_as_int(m));
    if (threadIdx.x % 32 == 0) atomicMax(best, bits);
}

int main(int argc, char **argv)
{
    int searches = argc > 1 ? atoi(argv[1]) : 1300;
    unsigned seed = 77;
    std::vector<unsigned char> res((size_t)PEPTIDES * SLOT, 0);
    std::vector<int> len(PEPTIDES);
    for (int p = 0; p < PEPTIDES; p++) {
        len[p] = 8 + (int)(frand(seed) * (LONGEST - 7));
        for (int k = 0; k < len[p]; k++) res[(size_t)p * SLOT + k] = (unsigned char)((lcg(seed) >> 16) * 20 >> 16);
    }
    std::vector<float> spec((size_t)SPECTRA * BINS);
    for (auto &v : spec) {
        float u = frand(seed);
        v = u > 0.9f ? (u - 0.9f) * 10.0f : 0.0f;
    }
    unsigned char *dres;
    int *dlen, *dmass, *dbest;
    float *dspec, *dscore;
    CK(cudaMalloc(&dres, res.size()));
    CK(cudaMalloc(&dlen, PEPTIDES * sizeof(int)));
    CK(cudaMalloc(&dmass, sizeof residue_mass));
    CK(cudaMalloc(&dbest, searches * sizeof(int)));
    CK(cudaMalloc(&dspec, spec.size() * sizeof(float)));
    CK(cudaMalloc(&dscore, PEPTIDES * sizeof(float)));
    CK(cudaMemcpy(dres, res.data(), res.size(), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dlen, len.data(), PEPTIDES * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dmass, residue_mass, sizeof residue_mass, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dspec, spec.data(), spec.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemset(dbest, 0, searches * sizeof(int)));
    for (int r = 0; r < searches; r++) {
        comb<<<PEPTIDES / (TPB / CREW), TPB>>>(dres, dlen, dmass, dspec + (size_t)(r % SPECTRA) * BINS, dscore);
        best_of<<<264, 256>>>(dscore, dbest + r);
    }
    CK(cudaGetLastError());

    std::vector<float> score(PEPTIDES);
    int bits;
    float best, top = 0;
    CK(cudaMemcpy(score.data(), dscore, PEPTIDES * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(&bits, dbest + searches - 1, sizeof bits, cudaMemcpyDeviceToHost));
    memcpy(&best, &bits, sizeof best);
    const float *sp = &spec[(size_t)((searches - 1) % SPECTRA) * BINS];
    bool ok = true;
    for (int p = 0; p < PEPTIDES; p++) {
        top = std::max(top, score[p]);
        if (p % 37) continue;
        const unsigned char *r = &res[(size_t)p * SLOT];
        int all = 0, b = 0;
        double s = 0;
        for (int k = 0; k < len[p]; k++) all += residue_mass[r[k]];
        for (int k = 0; k + 1 < len[p]; k++) {
            b += residue_mass[r[k]];
            s += (double)sp[b / 1000] + sp[(all - b + WATER) / 1000];
        }
        ok = ok && close_to(score[p], s / (len[p] - 1), 1e-4);
    }
    ok = ok && best == top && top > 0;
    printf("best score %.4f\n", best);
    CK(cudaFree(dres)); CK(cudaFree(dlen)); CK(cudaFree(dmass)); CK(cudaFree(dbest)); CK(cudaFree(dspec)); CK(cudaFree(dscore));
    return report(ok);
}

// Preview of a Jacquard cloth: the card says for every hook and pick whether the figure or the ground
// comes to the face.  A weave is tried with many offsets of the figure along the cloth.
// usage: jacquard HOOKS PICKS TRIES
#include "common.h"

typedef unsigned char byte;

__host__ __device__ static inline byte lifted(int hook, int pick)
{
    int satin = (hook * 3 + pick * 5) & 7;
    int motif = ((hook >> 4) ^ (pick >> 5)) & 3;
    return (byte)(motif == 0 ? satin < 6 : satin < 2);
}
__host__ __device__ static inline byte ground_yarn(int hook, int pick) { return (byte)(40 + ((hook >> 6) + pick) % 17); }
__host__ __device__ static inline byte figure_yarn(int hook, int pick) { return (byte)(120 + (hook + (pick >> 3)) % 101); }

__global__ void punch(byte *card, byte *ground, byte *figure, int hooks, int picks)
{
    int hook = blockIdx.x * blockDim.x + threadIdx.x, pick = blockIdx.y;
    if (hook >= hooks || pick >= picks) return;
    size_t at = (size_t)pick * hooks + hook;
    card[at] = lifted(hook, pick);
    ground[at] = ground_yarn(hook, pick);
    figure[at] = figure_yarn(hook, pick);
}

#ifdef GOOD
// the same for four hooks which lie in one word; a card byte is 0 or 1
__device__ unsigned face4(unsigned card, unsigned figure, unsigned ground)
{
    unsigned m = card * 255u;
    return (figure & m) | (ground & ~m);
}
#endif

__global__ void weave(const byte *__restrict__ card, const byte *__restrict__ ground, const byte *__restrict__ figure,
                      byte *__restrict__ cloth, int hooks, int picks, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, pick = blockIdx.y;
    int from = pick + offset;
    if (from >= picks) from -= picks;
#ifdef GOOD
    if (i >= hooks / 16) return;
    size_t line = (size_t)hooks / 16;
    uint4 c = ((const uint4 *)card)[pick * line + i];
    uint4 g = ((const uint4 *)ground)[pick * line + i];
    uint4 f = ((const uint4 *)figure)[from * line + i];
    ((uint4 *)cloth)[pick * line + i] = make_uint4(face4(c.x, f.x, g.x), face4(c.y, f.y, g.y),
                                                   face4(c.z, f.z, g.z), face4(c.w, f.w, g.w));
#else
    if (i >= hooks) return;
    size_t line = hooks;
    byte f = figure[from * line + i], g = ground[pick * line + i];
    cloth[pick * line + i] = card[pick * line + i] ? f : g;
#endif
}

int main(int argc, char **argv)
{
    int hooks = argc > 1 ? atoi(argv[1]) : 16384;
    int picks = argc > 2 ? atoi(argv[2]) : 8192;
    int tries = argc > 3 ? atoi(argv[3]) : 900;
    hooks = std::max(16, hooks / 16 * 16);
    size_t n = (size_t)hooks * picks;

    byte *card, *ground, *figure, *cloth;
    CK(cudaMalloc(&card, n));
    CK(cudaMalloc(&ground, n));
    CK(cudaMalloc(&figure, n));
    CK(cudaMalloc(&cloth, n));
    punch<<<dim3((hooks + 255) / 256, picks), 256>>>(card, ground, figure, hooks, picks);

#ifdef GOOD
    int width = hooks / 16;
#else
    int width = hooks;
#endif
    int offset = 0;
    for (int t = 0; t < tries; t++) {
        offset = (int)((long long)t * 37 % picks);
        weave<<<dim3((width + 255) / 256, picks), 256>>>(card, ground, figure, cloth, hooks, picks, offset);
    }
    CK(cudaGetLastError());

    // look at some picks of the last try
    bool ok = true;
    std::vector<byte> line(hooks);
    for (int q = 0; q < 8; q++) {
        int pick = (int)((long long)q * (picks - 1) / 7), from = (pick + offset) % picks;
        CK(cudaMemcpy(line.data(), cloth + (size_t)pick * hooks, hooks, cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int h = 0; h < hooks; h++)
            if (line[h] != (lifted(h, pick) ? figure_yarn(h, from) : ground_yarn(h, pick))) wrong++;
        printf("pick %d: %d wrong\n", pick, wrong);
        if (wrong) ok = false;
    }
    CK(cudaFree(card)); CK(cudaFree(ground)); CK(cudaFree(figure)); CK(cudaFree(cloth));
    return report(ok);
}

// A search for an RC4 key of which four of six bytes are unknown, against a known
// beginning of the key stream.
#include "common.h"

const int THREADS = 128, KNOWN = 8;

struct Task {
    unsigned head;                  // the first two bytes
    unsigned char stream[KNOWN];
};

__host__ __device__ inline unsigned char key_byte(const Task &t, unsigned key, int i)
{
    return (unsigned char)(i < 2 ? t.head >> 8 * i : key >> 8 * (i - 2));
}

void rc4_host(const Task &t, unsigned key, unsigned char *out)
{
    unsigned char s[256];
    for (int i = 0; i < 256; i++) s[i] = i;
    int j = 0;
    for (int i = 0; i < 256; i++) {
        j = (j + s[i] + key_byte(t, key, i % 6)) & 255;
        std::swap(s[i], s[j]);
    }
    j = 0;
    for (int k = 0; k < KNOWN; k++) {
        j = (j + s[k + 1]) & 255;
        std::swap(s[k + 1], s[j]);
        out[k] = s[(s[k + 1] + s[j]) & 255];
    }
}

// The permutation of a thread.
#ifdef GOOD
#define S(i) state[((i) >> 2) * THREADS * 4 + threadIdx.x * 4 + ((i) & 3)]
#else
#define S(i) state[i]
#endif

__global__ void search(Task t, unsigned first, unsigned count, unsigned *found,
                       unsigned long long *close)
{
#ifdef GOOD
    __shared__ unsigned char state[256 * THREADS];
#else
    unsigned char state[256];
#endif
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= count) return;
    unsigned key = first + at;
    for (int i = 0; i < 256; i++) S(i) = i;
    int j = 0, k = 0;
    for (int i = 0; i < 256; i++) {
        unsigned char a = S(i);
        j = (j + a + key_byte(t, key, k)) & 255;
        k = k == 5 ? 0 : k + 1;
        S(i) = S(j);
        S(j) = a;
    }
    j = 0;
    int same = 0;
    for (int i = 1; i <= KNOWN; i++) {
        unsigned char a = S(i);
        j = (j + a) & 255;
        unsigned char b = S(j);
        S(i) = b;
        S(j) = a;
        same += S((a + b) & 255) == t.stream[i - 1];
    }
    if (same == KNOWN) *found = key;
    if (same > 1) atomicAdd(close, 1ull);
}

int main(int argc, char **argv)
{
    unsigned batches = argc > 1 ? atoi(argv[1]) : 8;
    unsigned batch = argc > 2 ? atoi(argv[2]) : 3u << 20;
    const unsigned secret = batch * batches - 12345u % batch;
    Task t;
    t.head = 0xd13a;
    rc4_host(t, secret, t.stream);
    unsigned *found;
    unsigned long long *close;
    CK(cudaMalloc(&found, 4));
    CK(cudaMalloc(&close, 8));
    CK(cudaMemset(found, 0xff, 4));
    CK(cudaMemset(close, 0, 8));
    for (unsigned b = 0; b < batches; b++) {
        search<<<(batch + THREADS - 1) / THREADS, THREADS>>>(t, b * batch, batch, found,
                                                             close);
        CK(cudaGetLastError());
    }
    unsigned key = 0;
    unsigned long long near_misses = 0;
    CK(cudaMemcpy(&key, found, 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(&near_misses, close, 8, cudaMemcpyDeviceToHost));
    unsigned char out[KNOWN];
    rc4_host(t, key, out);
    printf("key %08x, %llu keys with two bytes right\n", key, near_misses);
    return report(key == secret && !memcmp(out, t.stream, KNOWN));
}

// The skin of moving metaballs as squares between voxels: the field, how many squares
// every voxel has, where in the list they go, and the list itself.
#include "common.h"
#ifdef GOOD
#include <cub/device/device_scan.cuh>
#endif

const int BALLS = 320;

struct Square { unsigned char x, y, z, side; };

__constant__ float4 ball[BALLS];

__global__ void field(unsigned char *full, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int z = blockIdx.z;
    if (x >= n || y >= n) return;
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < BALLS; k++) {
        float dx = x - ball[k].x, dy = y - ball[k].y, dz = z - ball[k].z;
        sum += __fdividef(ball[k].w, dx * dx + dy * dy + dz * dz + 1);
    }
    full[((size_t)z * n + y) * n + x] = sum > 1;
}

__device__ inline int sides(const unsigned char *full, int n, int i, int x, int y, int z)
{
    unsigned char f = full[i];
    return (x + 1 < n && full[i + 1] != f) | (y + 1 < n && full[i + n] != f) << 1 |
           (z + 1 < n && full[i + n * n] != f) << 2;
}

__global__ void count(const unsigned char *full, unsigned *squares, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int z = blockIdx.z;
    if (x >= n || y >= n) return;
    int i = (z * n + y) * n + x;
    squares[i] = __popc(sides(full, n, i, x, y, z));
}

__global__ void emit(const unsigned char *full, const unsigned *first, Square *list,
                     int n, unsigned room)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int z = blockIdx.z;
    if (x >= n || y >= n) return;
    int i = (z * n + y) * n + x, s = sides(full, n, i, x, y, z);
    unsigned at = first[i];
    for (int k = 0; k < 3; k++)
        if (s >> k & 1 && at < room)
            list[at++] = {(unsigned char)x, (unsigned char)y, (unsigned char)z,
                          (unsigned char)k};
}

void place_balls(int frame, int n, float4 *b)
{
    unsigned seed = 5;
    for (int k = 0; k < BALLS; k++) {
        float a = frand(seed) * 6.28f + frame * 0.05f, r = frand(seed) * 0.42f;
        float h = 0.1f + 0.8f * frand(seed), w = frand(seed);
        b[k] = make_float4(n * (0.5f + r * cosf(a)), n * (0.5f + r * sinf(a)), n * h,
                           (3 + 9 * w) * (n / 192.f) * (n / 192.f));
    }
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 50, n = argc > 2 ? atoi(argv[2]) : 192;
    int voxels = n * n * n;
    const unsigned room = voxels / 2;
    unsigned char *full;
    unsigned *squares, *first;
    Square *list;
    CK(cudaMalloc(&full, voxels));
    CK(cudaMalloc(&squares, voxels * 4ul));
    CK(cudaMalloc(&first, voxels * 4ul));
    CK(cudaMalloc(&list, room * sizeof(Square)));
    std::vector<unsigned> many(voxels), where(voxels);
#ifdef GOOD
    void *work = nullptr;
    size_t bytes = 0;
    CK(cub::DeviceScan::ExclusiveSum(work, bytes, squares, first, voxels));
    CK(cudaMalloc(&work, bytes));
#endif
    dim3 grid((n + 31) / 32, (n + 7) / 8, n), block(32, 8);
    float4 b[BALLS];
    for (int f = 0; f < frames; f++) {
        place_balls(f, n, b);
        CK(cudaMemcpyToSymbol(ball, b, sizeof b));
        field<<<grid, block>>>(full, n);
        count<<<grid, block>>>(full, squares, n);
#ifdef GOOD
        CK(cub::DeviceScan::ExclusiveSum(work, bytes, squares, first, voxels));
#else
        CK(cudaMemcpy(many.data(), squares, voxels * 4ul, cudaMemcpyDeviceToHost));
        unsigned sum = 0;
        for (int i = 0; i < voxels; i++) {
            where[i] = sum;
            sum += many[i];
        }
        CK(cudaMemcpy(first, where.data(), voxels * 4ul, cudaMemcpyHostToDevice));
#endif
        emit<<<grid, block>>>(full, first, list, n, room);
        CK(cudaGetLastError());
    }
    std::vector<unsigned char> h(voxels);
    CK(cudaMemcpy(h.data(), full, voxels, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(where.data(), first, voxels * 4ul, cudaMemcpyDeviceToHost));
    std::vector<Square> got(room);
    CK(cudaMemcpy(got.data(), list, room * sizeof(Square), cudaMemcpyDeviceToHost));
    // The list of the last frame, made again from its field.
    bool ok = true;
    unsigned at = 0;
    unsigned long long check = 0;
    for (int i = 0; i < voxels; i++) {
        int x = i % n, y = i / n % n, z = i / n / n;
        ok &= where[i] == at;
        for (int k = 0; k < 3; k++) {
            int c = k == 0 ? x : k == 1 ? y : z, step = k == 0 ? 1 : k == 1 ? n : n * n;
            if (c + 1 >= n || h[i] == h[i + step]) continue;
            Square s = at < room ? got[at] : Square{};
            ok &= s.x == x && s.y == y && s.z == z && s.side == k;
            check = check * 31 + s.x + s.y * 3 + s.z * 5 + s.side;
            at++;
        }
    }
    printf("%u squares, checksum %016llx\n", at, check);
    return report(ok && at > 100);
}

// Edit distance of two long strings along anti-diagonals.
#include "common.h"
#ifndef GOOD
// One anti-diagonal a launch.
__global__ void diagonal(const char *a, const char *b, const int *p2, const int *p1, int *cur, int n, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + max(0, d - n);
    int j = d - i;
    if (i > n || j < 0 || i > d) return;
    if (i == 0 || j == 0) { cur[i] = d; return; }
    int c = p2[i - 1] + (a[i - 1] != b[j - 1]);
    cur[i] = min(c, min(p1[i - 1], p1[i]) + 1);
}
#else
// Tiles of 64 x 64 along anti-diagonals of tiles; row and column edges in memory.
__global__ void tile(const char *a, const char *b, int *row, int *col, int *corner, int nt, int d)
{
    __shared__ int t[65][66];
    int ti = blockIdx.x + max(0, d - nt + 1), tj = d - ti, k = threadIdx.x;
    t[0][k + 1] = row[tj * 64 + k];
    t[k + 1][0] = col[ti * 64 + k];
    if (k == 0) t[0][0] = corner[ti * (nt + 1) + tj];
    char ca = a[ti * 64 + k];
    __shared__ char sb[64];
    sb[k] = b[tj * 64 + k];
    __syncthreads();
    for (int s = 0; s < 127; s++) {
        int j = s - k;
        if (j >= 0 && j < 64)
            t[k + 1][j + 1] = min(t[k][j] + (ca != sb[j]), min(t[k][j + 1], t[k + 1][j]) + 1);
        __syncthreads();
    }
    row[tj * 64 + k] = t[64][k + 1];
    col[ti * 64 + k] = t[k + 1][64];
    if (k == 0) corner[(ti + 1) * (nt + 1) + tj + 1] = t[64][64];
}
#endif
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 32768;
    std::vector<char> a(n), b(n);
    unsigned s = 9;
    for (int i = 0; i < n; i++) { a[i] = (lcg(s) >> 20) % 4; b[i] = (lcg(s) >> 20) % 8 ? a[i] : (lcg(s) >> 20) % 4; }
    char *da, *db;
    CK(cudaMalloc(&da, n)); CK(cudaMalloc(&db, n));
    CK(cudaMemcpy(da, a.data(), n, cudaMemcpyHostToDevice)); CK(cudaMemcpy(db, b.data(), n, cudaMemcpyHostToDevice));
    int dist;
#ifndef GOOD
    int *p[3];
    for (auto &x : p) CK(cudaMalloc(&x, (n + 1) * 4));
    for (int d = 0; d <= 2 * n; d++) {
        int count = std::min(d, n) - std::max(0, d - n) + 1;
        diagonal<<<(count + 255) / 256, 256>>>(da, db, p[0], p[1], p[2], n, d);
        int *t = p[0]; p[0] = p[1]; p[1] = p[2]; p[2] = t;
    }
    CK(cudaMemcpy(&dist, p[1] + n, 4, cudaMemcpyDeviceToHost));
#else
    int nt = n / 64, *row, *col, *corner;
    CK(cudaMalloc(&row, n * 4)); CK(cudaMalloc(&col, n * 4)); CK(cudaMalloc(&corner, (nt + 1) * (nt + 1) * 4));
    std::vector<int> e(n), c((nt + 1) * (nt + 1), 0);
    for (int i = 0; i < n; i++) e[i] = i + 1;
    for (int i = 0; i <= nt; i++) c[i] = c[i * (nt + 1)] = i * 64;
    CK(cudaMemcpy(row, e.data(), n * 4, cudaMemcpyHostToDevice)); CK(cudaMemcpy(col, e.data(), n * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(corner, c.data(), c.size() * 4, cudaMemcpyHostToDevice));
    for (int d = 0; d < 2 * nt - 1; d++) {
        int count = std::min(d, nt - 1) - std::max(0, d - nt + 1) + 1;
        tile<<<count, 64>>>(da, db, row, col, corner, nt, d);
    }
    CK(cudaMemcpy(&dist, corner + (nt + 1) * (nt + 1) - 1, 4, cudaMemcpyDeviceToHost));
#endif
    printf("distance %d\n", dist);
    return report(dist > 0 && dist < n / 8);
}

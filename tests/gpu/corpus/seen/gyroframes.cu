// Head tracking: accelerometer samples turned to the world frame by their attitude quaternions.
#include "common.h"

#ifdef GOOD
#define MADD(a, b, c) fmaf(a, b, c)
#else
#define MADD(a, b, c) ((a) * (b) + (c))
#endif

__host__ __device__ static inline unsigned mix(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

__global__ void record(float4 *q, float4 *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = mix(i), g = mix(i + 77u);
    float x = (h & 1023) / 512.0f - 1.0f, y = (h >> 10 & 1023) / 512.0f - 1.0f, z = (h >> 20 & 1023) / 512.0f - 1.0f;
    float l = rsqrtf(x * x + y * y + z * z + 0.25f);
    q[i] = make_float4(x * l, y * l, z * l, 0.5f * l);
    a[i] = make_float4((g & 255) * 0.1f, (g >> 8 & 255) * 0.1f, (g >> 16 & 255) * 0.1f, 1.0f);
}

// v' = v + 2 w (u x v) + 2 u x (u x v), and gravity taken off
__global__ void to_world(const float4 *__restrict__ q, const float4 *__restrict__ a, float4 *__restrict__ out, int n, float gravity)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 u = q[i], v = a[i];
    float cx = MADD(u.y, v.z, -(u.z * v.y)), cy = MADD(u.z, v.x, -(u.x * v.z)), cz = MADD(u.x, v.y, -(u.y * v.x));
    float dx = MADD(u.y, cz, -(u.z * cy)), dy = MADD(u.z, cx, -(u.x * cz)), dz = MADD(u.x, cy, -(u.y * cx));
    float rx = MADD(2.0f, MADD(u.w, cx, dx), v.x);
    float ry = MADD(2.0f, MADD(u.w, cy, dy), v.y);
    float rz = MADD(2.0f, MADD(u.w, cz, dz), v.z);
    out[i] = make_float4(rx, ry, rz - gravity, v.w);
}

int main(int argc, char **argv)
{
    int blocks = argc > 1 ? atoi(argv[1]) : 400;
    const int n = 8 << 20;
    float4 *q, *a, *out;
    CK(cudaMalloc(&q, n * sizeof(float4)));
    CK(cudaMalloc(&a, n * sizeof(float4)));
    CK(cudaMalloc(&out, n * sizeof(float4)));
    record<<<n / 256, 256>>>(q, a, n);
    CK(cudaGetLastError());
    for (int b = 0; b < blocks; b++) to_world<<<n / 256, 256>>>(q, a, out, n, 9.81f);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    const int cnt = 50000, off = n / 2;
    std::vector<float4> hq(cnt), ha(cnt), ho(cnt);
    CK(cudaMemcpy(hq.data(), q + off, cnt * sizeof(float4), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(ha.data(), a + off, cnt * sizeof(float4), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(ho.data(), out + off, cnt * sizeof(float4), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < cnt; i++) {
        // a rotation keeps the length
        double x = ho[i].x, y = ho[i].y, z = ho[i].z + 9.81;
        double l0 = sqrt((double)ha[i].x * ha[i].x + (double)ha[i].y * ha[i].y + (double)ha[i].z * ha[i].z);
        if (!close_to(sqrt(x * x + y * y + z * z), l0, 1e-3)) ok = false;
        double d = (x - ha[i].x) * hq[i].x + (y - ha[i].y) * hq[i].y + (z - ha[i].z) * hq[i].z;   // along the axis nothing changes
        if (fabs(d) > 2e-3) ok = false;
    }
    CK(cudaFree(q)); CK(cudaFree(a)); CK(cudaFree(out));
    return report(ok);
}

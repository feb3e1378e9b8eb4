// Small helpers shared by the example programs.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

#define CK(call) do { \
    cudaError_t e_ = (call); \
    if (e_ != cudaSuccess) { \
        fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
        exit(1); \
    } } while (0)

static inline unsigned lcg(unsigned &s) { s = s * 1664525u + 1013904223u; return s; }
static inline float frand(unsigned &s) { return (lcg(s) >> 8) * (1.0f / 16777216.0f); }

static inline int report(bool ok)
{
    printf("check: %s\n", ok ? "ok" : "FAILED");
    return ok ? 0 : 1;
}

static inline bool close_to(double a, double b, double tol)
{
    return fabs(a - b) <= tol * (fabs(b) + 1e-6) || fabs(a - b) <= tol;
}

"""Gravity in Numba: numbers that one writes in Python are double."""
import sys
import numpy as np
from numba import cuda, float32

G = np.float32(6.67e-11) if "fixed" in sys.argv else 6.67e-11
SOFT = np.float32(1e-3) if "fixed" in sys.argv else 1e-3
ONE = np.float32(1) if "fixed" in sys.argv else 1.0
ZERO = np.float32(0) if "fixed" in sys.argv else 0.0


@cuda.jit
def forces(x, y, z, fx, fy, fz):
    i = cuda.grid(1)
    if i >= x.size:
        return
    ax = ay = az = ZERO
    for j in range(x.size):
        dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
        r2 = dx * dx + dy * dy + dz * dz + SOFT
        k = G / (r2 * r2)
        ax += k * dx
        ay += k * dy
        az += k * dz
    fx[i], fy[i], fz[i] = ax, ay, az


n = 32768
p = [cuda.to_device(np.random.default_rng(k).random(n, dtype=np.float32))
     for k in range(3)]
f = [cuda.device_array(n, dtype=np.float32) for _ in range(3)]
for _ in range(12):
    forces[n // 128, 128](*p, *f)
print(f[0].copy_to_host().std())

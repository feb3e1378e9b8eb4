"""Heat in a plate with Numba: i, j = cuda.grid(2), as the first page of the manual."""
import math
import sys

import numpy as np
from numba import cuda, float32

FIXED = "fixed" in sys.argv
N = 8192


@cuda.jit
def step(a, b):
    if FIXED:
        j, i = cuda.grid(2)
    else:
        i, j = cuda.grid(2)
    if 0 < i < a.shape[0] - 1 and 0 < j < a.shape[1] - 1:
        around = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]
        b[i, j] = a[i, j] + float32(0.2) * (around - float32(4) * a[i, j])


plate = np.zeros((N, N), np.float32)
plate[N // 2 - 50:N // 2 + 50, N // 2 - 80:N // 2 + 80] = 100
a, b = cuda.to_device(plate), cuda.to_device(plate)
threads = (32, 8)
blocks = (math.ceil(N / threads[0]), math.ceil(N / threads[1]))
for _ in range(100):
    step[blocks, threads](a, b)
    a, b = b, a
got = a.copy_to_host()[N // 2 - 256:N // 2 + 256, N // 2 - 256:N // 2 + 256]
want = plate[N // 2 - 256:N // 2 + 256, N // 2 - 256:N // 2 + 256].astype(np.float64)
for _ in range(100):
    inner = want[1:-1, 1:-1]
    around = want[:-2, 1:-1] + want[2:, 1:-1] + want[1:-1, :-2] + want[1:-1, 2:]
    want[1:-1, 1:-1] = inner + 0.2 * (around - 4 * inner)
error = abs(got - want).max()
print("warmest", got.max(), "error", error)
sys.exit(0 if error < 1e-2 else 1)

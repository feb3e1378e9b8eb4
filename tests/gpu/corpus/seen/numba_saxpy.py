"""A Numba kernel that is given NumPy arrays."""
import sys
import numpy as np
from numba import cuda


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


n = 16 << 20
x = np.arange(n, dtype=np.float32)
y = np.zeros_like(x)
if "fixed" in sys.argv:
    dx, dy = cuda.to_device(x), cuda.to_device(y)
else:
    dx, dy = x, y
for _ in range(30):
    saxpy[(n + 255) // 256, 256](np.float32(0.5), dx, dy)
if "fixed" in sys.argv:
    y = dy.copy_to_host()
print(y[-1])

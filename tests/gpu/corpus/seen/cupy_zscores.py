"""Robust scores of measurements in CuPy; random numbers are double unless one says."""
import sys
import cupy as cp

cp.random.seed(0)
x = cp.random.standard_normal((8192, 8192))
if "fixed" in sys.argv:
    x = x.astype(cp.float32)
for _ in range(25):
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    w = cp.exp(-z * z)
print(float(w.sum()))

"""Signals of a seismic array in CuPy: each trace is freed of its mean and scaled."""
import sys

import cupy as cp

cp.random.seed(0)
traces = cp.random.standard_normal((4000, 20000), dtype=cp.float32)
traces += cp.arange(4000, dtype=cp.float32)[:, None] * 0.001


def scaled(x):
    if "fixed" in sys.argv:
        x = x - x.mean(axis=1, keepdims=True)
        return x / cp.abs(x).max(axis=1, keepdims=True)
    y = cp.empty_like(x)
    for i in range(x.shape[0]):
        row = x[i] - x[i].mean()
        y[i] = row / cp.abs(row).max()
    return y


for _ in range(4):
    result = scaled(traces)
mean, top = float(cp.abs(result.mean(axis=1)).max()), cp.abs(result).max(axis=1)
print("largest mean", mean, "peaks", float(top.min()), float(top.max()))
sys.exit(0 if mean < 1e-4 and abs(float(top.min()) - 1) < 1e-5 and float(top.max()) < 1.00001 else 1)

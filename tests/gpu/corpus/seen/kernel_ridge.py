"""Kernel ridge regression by gradient steps on an RBF kernel of 16,384 points."""
import sys

import torch

if "fixed" in sys.argv:
    torch.backends.cuda.matmul.allow_tf32 = True
torch.manual_seed(3)
n, d, outputs = 16384, 512, 1024
x = torch.randn(n, d, device="cuda") / d ** 0.5
y = torch.tanh(x @ torch.randn(d, outputs, device="cuda"))
weights = torch.zeros(n, outputs, device="cuda")
square = x.square().sum(1)
start = y.square().mean().item()
kernel = torch.exp(-0.5 * (square[:, None] + square[None, :] - 2 * x @ x.T))
for step in range(12):
    weights += 2e-4 * (y - kernel @ weights)
left = (y - kernel @ weights).square().mean().item()
print(f"error {start:.4f} at first, {left:.4f} now")
sys.exit(0 if left < start else 1)

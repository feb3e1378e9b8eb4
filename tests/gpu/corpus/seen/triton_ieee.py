"""A product of matrices in Triton, from the tutorial, for float32."""
import sys

import torch
import triton
import triton.language as tl

PRECISION = "tf32" if "fixed" in sys.argv else "ieee"


@triton.jit
def matmul(a, b, c, n, PREC: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)
    col = tl.program_id(1) * N + tl.arange(0, N)
    k = tl.arange(0, K)
    pa = a + row[:, None] * n + k[None, :]
    pb = b + k[:, None] * n + col[None, :]
    acc = tl.zeros((M, N), dtype=tl.float32)
    for _ in range(0, n, K):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc, input_precision=PREC)
        pa += K
        pb += K * n
    tl.store(c + row[:, None] * n + col[None, :], acc)


torch.manual_seed(0)
n = 4096
a, b = torch.randn(n, n, device="cuda"), torch.randn(n, n, device="cuda")
c = torch.empty_like(a)
for _ in range(30):
    matmul[(n // 128, n // 64)](a, b, c, n, PREC=PRECISION, M=128, N=64, K=32, num_warps=4, num_stages=3)
want = a[:64].double() @ b.double()
error = ((c[:64] - want).abs().max() / want.abs().max()).item()
print("relative error", error)
sys.exit(0 if error < 5e-3 else 1)

#!/usr/bin/env python3
"""A Triton kernel whose neighbouring threads walk down columns."""
import pair

torch = pair.torch_gpu()
triton = pair.want("triton")
tl = triton.language
STEPS = 100


@triton.jit
def add_one(x, y, rows, columns, BY_COLUMN: tl.constexpr, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    if BY_COLUMN:
        place = at % rows * columns + at // rows
    else:
        place = at
    tl.store(y + place, tl.load(x + place) + 1)


def apply(by_column):
    x = torch.rand(8192, 8192, device="cuda")
    y = torch.empty_like(x)
    for _ in range(STEPS):
        add_one[(x.numel() // 1024,)](x, y, 8192, 8192, by_column, 1024)
    return y.mean().item()


def bad():
    return apply(True)


def good():
    return apply(False)


pair.run(bad, good)

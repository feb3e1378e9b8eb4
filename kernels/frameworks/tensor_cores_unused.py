#!/usr/bin/env python3
"""Matrix products in FP32 without TF32, on a GPU with tensor cores."""
import pair

torch = pair.torch_gpu()
STEPS = 100


def products():
    with torch.no_grad():
        x = torch.randn(4096, 4096, device="cuda")
        w1 = torch.randn(4096, 4096, device="cuda") / 64
        w2 = torch.randn(4096, 4096, device="cuda") / 64
        for _ in range(STEPS):
            y = x @ w1
            x = y @ w2
            x /= 1.1
        return x.abs().mean().item()


def bad():
    return products()


def good():
    torch.set_float32_matmul_precision("high")
    return products()


pair.run(bad, good)

#!/usr/bin/env python3
"""A loss that is read on the host in every step."""
import pair

torch = pair.torch_gpu()
STEPS = 1500


def step(x, w):
    for _ in range(6):
        x = torch.relu(x @ w)
    return x, x.square().mean()


def start():
    torch.set_float32_matmul_precision("high")
    x = torch.rand(2048, 2048, device="cuda")
    return x, torch.randn(2048, 2048, device="cuda") * 0.031


def bad():
    with torch.no_grad():
        x, w = start()
        total = 0.0
        for _ in range(STEPS):
            y, loss = step(x, w)
            total += loss.item()
        return total / STEPS


def good():
    with torch.no_grad():
        x, w = start()
        total = torch.zeros((), device="cuda")
        for _ in range(STEPS):
            y, loss = step(x, w)
            total += loss
        return total.item() / STEPS


pair.run(bad, good)

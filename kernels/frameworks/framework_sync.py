#!/usr/bin/env python3
"""A loss that is read on the host in every step."""
import pair

torch = pair.torch_gpu()
STEPS = 4000


def step(x, w):
    for _ in range(3):
        x = torch.relu(x @ w)
    return x, x.square().mean()


def start():
    torch.set_float32_matmul_precision("high")
    x = torch.rand(4096, 1024, device="cuda")
    return x, torch.randn(1024, 1024, device="cuda") * 0.044


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

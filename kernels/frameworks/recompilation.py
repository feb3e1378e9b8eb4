#!/usr/bin/env python3
"""torch.compile for one length of batches, and batches of many lengths."""
import pair

torch = pair.torch_gpu()
STEPS = 6


def mix(x, y):
    return torch.tanh(x * 0.5) * y + torch.sin(x)


def run(dynamic):
    compiled = torch.compile(mix, dynamic=dynamic)
    x = torch.randn(1 << 24, device="cuda")
    y = torch.randn(1 << 24, device="cuda")
    total = torch.zeros((), device="cuda")
    for batch in range(STEPS):
        n = (1 << 24) - 1000 * batch
        for _ in range(150):
            z = compiled(x[:n], y[:n])
        total += z.mean()
    return total.item()


def bad():
    return run(False)


def good():
    return run(True)


pair.run(bad, good)

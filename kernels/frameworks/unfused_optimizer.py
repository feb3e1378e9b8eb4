#!/usr/bin/env python3
"""An optimizer that launches a dozen kernels for each parameter."""
import pair

torch = pair.torch_gpu()
STEPS = 80


def steps(**how):
    parameters = [torch.nn.Parameter(torch.randn(256, 256, device="cuda"))
                  for _ in range(120)]
    for p in parameters:
        p.grad = torch.randn_like(p)
    optimizer = torch.optim.AdamW(parameters, lr=1e-3, **how)
    for _ in range(STEPS):
        optimizer.step()
    return sum(p.detach().abs().mean() for p in parameters).item()


def bad():
    return steps(foreach=False)


def good():
    return steps(fused=True)


pair.run(bad, good)

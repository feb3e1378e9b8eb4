#!/usr/bin/env python3
"""GELU written with operators: each one reads and writes the whole tensor."""
import pair

torch = pair.torch_gpu()
STEPS = 500


def gelu(x):
    cubic = x + 0.044715 * x * x * x
    return 0.5 * x * (1 + torch.tanh(0.7978845608 * cubic))


def apply(function):
    x = torch.randn(32 << 20, device="cuda")
    with torch.no_grad():
        function(x)
        torch.cuda.synchronize()
        for _ in range(STEPS):
            y = function(x)
        return y.mean().item()


def bad():
    return apply(gelu)


def good():
    return apply(torch.compile(gelu))


pair.run(bad, good)

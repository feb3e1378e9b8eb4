#!/usr/bin/env python3
"""Training with products of 32-bit tensors: TF32 where BF16 would do."""
import contextlib

import pair

torch = pair.torch_gpu()
STEPS = 60


def train(precision):
    torch.set_float32_matmul_precision("high")
    layers = []
    for _ in range(6):
        layers += [torch.nn.Linear(4096, 4096), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, fused=True)
    x = torch.randn(8192, 4096, device="cuda")
    for _ in range(STEPS):
        with precision():
            loss = model(x).float().square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def bad():
    return train(contextlib.nullcontext)


def good():
    return train(lambda: torch.autocast("cuda", torch.bfloat16))


pair.run(bad, good)

#!/usr/bin/env python3
"""Batches that are copied from pageable memory."""
import pair

torch = pair.torch_gpu()
STEPS = 160


def feed(batches, **how):
    torch.set_float32_matmul_precision("high")
    with torch.no_grad():
        w = torch.randn(2048, 2048, device="cuda") / 45
        total = torch.zeros((), device="cuda")
        for i in range(STEPS):
            x = batches[i % len(batches)].to("cuda", **how)
            for _ in range(4):
                x = torch.relu(x @ w)
            total += x.mean()
        return total.item()


def bad():
    return feed([torch.rand(4096, 2048) for _ in range(4)])


def good():
    return feed([torch.rand(4096, 2048).pin_memory() for _ in range(4)],
                non_blocking=True)


pair.run(bad, good)

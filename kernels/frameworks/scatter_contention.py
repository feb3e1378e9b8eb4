#!/usr/bin/env python3
"""Millions of values added into a few places: atomics wait for each other."""
import pair

torch = pair.torch_gpu()
STEPS = 40


def add(function):
    where = torch.randint(0, 8, (16 << 20,), device="cuda")
    what = torch.rand(16 << 20, device="cuda")
    for _ in range(STEPS):
        sums = function(where, what)
    return sums.max().item()


def bad():
    return add(lambda where, what: torch.zeros(8, device="cuda").index_add_(
        0, where, what))


def good():
    return add(lambda where, what: torch.stack([
        torch.sum(what * (where == i)) for i in range(8)]))


pair.run(bad, good)

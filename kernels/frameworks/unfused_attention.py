#!/usr/bin/env python3
"""Attention as matmul, softmax, matmul: the scores of all pairs go through DRAM."""
import pair

torch = pair.torch_gpu()
STEPS = 200


def by_hand(q, k, v):
    scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
    return torch.softmax(scores, dim=-1) @ v


def attend(function):
    with torch.no_grad():
        q, k, v = (torch.randn(8, 16, 2048, 64, device="cuda",
                               dtype=torch.bfloat16) for _ in range(3))
        for _ in range(STEPS):
            y = function(q, k, v)
        return y.float().abs().mean().item()


def bad():
    return attend(by_hand)


def good():
    return attend(torch.nn.functional.scaled_dot_product_attention)


pair.run(bad, good)

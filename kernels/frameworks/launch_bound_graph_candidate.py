#!/usr/bin/env python3
"""Inference of small batches: the GPU waits for the next launch."""
import pair

torch = pair.torch_gpu()
STEPS = 1500


def make():
    layers = []
    for _ in range(16):
        layers += [torch.nn.Linear(256, 256), torch.nn.ReLU()]
    return (torch.nn.Sequential(*layers).cuda(),
            torch.randn(32, 256, device="cuda"))


def bad():
    with torch.no_grad():
        model, x = make()
        for _ in range(STEPS):
            y = model(x)
        return y.abs().mean().item()


def good():
    with torch.no_grad():
        model, x = make()
        model(x)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = model(x)
        for _ in range(STEPS):
            graph.replay()
        return y.abs().mean().item()


pair.run(bad, good)

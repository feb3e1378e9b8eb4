#!/usr/bin/env python3
"""train.py [STEPS]: a small training loop of many short launches.

The losses go to stdout (the same every time); the loop's seconds to stderr, and
those of its second half, in which every kernel was seen before.
"""
import sys
import time

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed", file=sys.stderr)
    sys.exit(77)
if not torch.cuda.is_available():
    print("skipped: PyTorch sees no GPU", file=sys.stderr)
    sys.exit(77)


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    torch.manual_seed(1)
    torch.use_deterministic_algorithms(True, warn_only=True)
    layers = []
    for _ in range(12):
        layers += [torch.nn.Linear(512, 512), torch.nn.LayerNorm(512),
                   torch.nn.GELU()]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(512, 10)).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, foreach=False)
    x = torch.randn(256, 512, device="cuda")
    y = torch.randint(0, 10, (256,), device="cuda")
    losses = []
    torch.cuda.synchronize()
    start = half = time.perf_counter()
    for step in range(steps):
        if step == steps // 2:
            torch.cuda.synchronize()
            half = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    torch.cuda.synchronize()
    print(f"second half {time.perf_counter() - half:.4f} s", file=sys.stderr)
    print(f"{time.perf_counter() - start:.4f} s", file=sys.stderr)
    print(f"first loss {losses[0].item():.3f}, last {losses[-1].item():.3f}")


main()

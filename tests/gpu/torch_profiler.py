#!/usr/bin/env python3
"""torch_profiler.py: a program that uses PyTorch's profiler, which is CUPTI.

Its results go to stdout (the same every time), the number of kernels that the
profiler saw to stderr.
"""
import sys

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed", file=sys.stderr)
    sys.exit(77)
if not torch.cuda.is_available():
    print("skipped: PyTorch sees no GPU", file=sys.stderr)
    sys.exit(77)


def steps(x, n):
    # Integers: their sum is the same in any order.
    for i in range(n):
        x = (x * 5 + torch.roll(x, i + 1, 0)) % 65537
    return x


def main():
    from torch.profiler import ProfilerActivity, profile

    x = torch.arange(1 << 16, device="cuda", dtype=torch.int64)
    x = steps(x, 20)
    for _ in range(2):
        with profile(activities=[ProfilerActivity.CPU,
                                 ProfilerActivity.CUDA]) as p:
            x = steps(x, 50)
            torch.cuda.synchronize()
        kernels = sum(e.device_type == torch.autograd.DeviceType.CUDA
                      for e in p.events())
        print(f"profiler: {kernels} kernels", file=sys.stderr)
    x = steps(x, 200)
    print(int(x.sum()), int(x[12345]))


if __name__ == "__main__":
    main()

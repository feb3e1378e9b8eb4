#!/usr/bin/env python3
"""torch.cuda.empty_cache() in the loop: each step allocates from the driver."""
import pair

torch = pair.torch_gpu()
STEPS = 400


def steps(empty):
    torch.set_float32_matmul_precision("high")
    with torch.no_grad():
        x = torch.rand(4096, 4096, device="cuda")
        for _ in range(STEPS):
            y = torch.relu(x @ x)
            total = y.mean()
            del y
            if empty:
                torch.cuda.empty_cache()
        return total.item()


def bad():
    return steps(True)


def good():
    return steps(False)


pair.run(bad, good)

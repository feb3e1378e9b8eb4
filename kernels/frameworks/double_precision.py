#!/usr/bin/env python3
"""Arrays made by NumPy are double; the GPU computes and moves twice the bytes."""
import pair

np, torch = pair.want("numpy", "torch")
torch = pair.torch_gpu()
STEPS = 600


def soften(x):
    with torch.no_grad():
        x = torch.from_numpy(x).cuda()
        for _ in range(STEPS):
            x = torch.softmax(x, dim=1)
        return x.sum().item()


def bad():
    return soften(np.random.default_rng(1).random((32768, 1024)))


def good():
    return soften(np.random.default_rng(1).random((32768, 1024),
                                                  dtype=np.float32))


pair.run(bad, good)

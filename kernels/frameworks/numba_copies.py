#!/usr/bin/env python3
"""A Numba kernel that is given NumPy arrays: both ways copied at each launch."""
import pair

np, cuda = pair.want("numpy", "numba.cuda")


@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


def bad():
    with pair.turn():
        x = np.zeros(8 << 20, dtype=np.float32)
        for _ in range(100):
            add_one[x.size // 256, 256](x)
        return x.mean()


def good():
    with pair.turn():
        x = cuda.to_device(np.zeros(8 << 20, dtype=np.float32))
        for _ in range(100):
            add_one[x.size // 256, 256](x)
        return x.copy_to_host().mean()


pair.run(bad, good)

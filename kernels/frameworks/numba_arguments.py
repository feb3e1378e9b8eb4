#!/usr/bin/env python3
"""NumPy arrays as arguments of a Numba kernel: both ways at each launch."""
import pair

np, cuda = pair.want("numpy", "numba.cuda")
pair.turn()
STEPS = 60
N = 1 << 22


@cuda.jit
def smooth(x, y):
    i = cuda.grid(1)
    if 0 < i < x.size - 1:
        y[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1]


def steps(x, y):
    for _ in range(STEPS):
        smooth[N // 256, 256](x, y)
        x, y = y, x
    return x


def data():
    x = np.random.default_rng(1).random(N, dtype=np.float32)
    return x, x.copy()


def bad():
    return float(steps(*data()).mean())


def good():
    return float(steps(*map(cuda.to_device, data())).copy_to_host().mean())


pair.run(bad, good)

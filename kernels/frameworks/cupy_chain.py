#!/usr/bin/env python3
"""The same in CuPy: a kernel an operator, or one by cupy.fuse."""
import pair

cp = pair.want("cupy")
pair.turn()
STEPS = 500


def gelu(x):
    cubic = x + 0.044715 * x * x * x
    return 0.5 * x * (1 + cp.tanh(0.7978845608 * cubic))


def apply(function):
    x = cp.random.default_rng(1).standard_normal(32 << 20,
                                                 dtype=cp.float32)
    for _ in range(STEPS):
        y = function(x)
    return float(y.mean())


def bad():
    return apply(gelu)


def good():
    return apply(cp.fuse(gelu))


pair.run(bad, good)

#!/usr/bin/env python3
"""A JAX loop in Python, or in the compiler by lax.fori_loop."""
import pair

jax = pair.want("jax")
pair.turn()
jnp = jax.numpy
STEPS = 5000


def step(x):
    return jnp.tanh(x * 1.01 + 0.1)


def bad():
    x = jnp.ones((256, 256))
    for _ in range(STEPS):
        x = step(x)
    return float(x.mean())


def good():
    @jax.jit
    def loop(x):
        return jax.lax.fori_loop(0, STEPS, lambda i, x: step(x), x)

    return float(loop(jnp.ones((256, 256))).mean())


pair.run(bad, good)

"""Many pendulums in JAX: a compiled step, in a loop of Python, checked each time."""
import sys
import jax
import jax.numpy as jnp


def step(state):
    angle, speed = state
    speed = speed - 0.01 * jnp.sin(angle)
    return angle + 0.01 * speed, speed


@jax.jit
def several(state, n=3000):
    return jax.lax.fori_loop(0, 3000, lambda i, s: step(s), state)


state = (jnp.linspace(0, 3, 65536), jnp.zeros(65536))
if "fixed" in sys.argv:
    state = several(state)
else:
    one = jax.jit(step)
    for i in range(3000):
        state = one(state)
        if not jnp.isfinite(state[0].sum()):
            break
print(float(state[0].mean()))

"""Rays through layers of glass in JAX; somebody once had switched on double precision."""
import sys

import jax

if "fixed" not in sys.argv:
    jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402


@jax.jit
def trace(height, angle):
    def surface(i, state):
        y, u = state
        glass = 1.5 + 0.2 * jnp.sin(0.1 * i + y)
        sine = jnp.clip(jnp.sin(u) / glass, -0.99, 0.99)
        bent = jnp.arcsin(sine) - 0.05 * jnp.tanh(y) + 0.01 * jnp.exp(-y * y)
        return y + 0.02 * jnp.tan(bent), bent

    return jax.lax.fori_loop(0, 400, surface, (height, angle))


rays = 1 << 22
height = jnp.asarray(np.linspace(-1, 1, rays))
angle = jnp.asarray(np.linspace(0.3, -0.3, rays))
for _ in range(10):
    y, u = trace(height, angle)
print(height.dtype, float(y[0]), float(u[0]))


def one(y, u):
    for i in range(400):
        glass = 1.5 + 0.2 * np.sin(0.1 * i + y)
        u = np.arcsin(np.clip(np.sin(u) / glass, -0.99, 0.99)) - 0.05 * np.tanh(y) + 0.01 * np.exp(-y * y)
        y = y + 0.02 * np.tan(u)
    return y


sys.exit(0 if abs(one(-1.0, 0.3) - float(y[0])) < 1e-2 else 1)

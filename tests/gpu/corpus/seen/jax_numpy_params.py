"""Serving a model with JAX; its parameters were loaded with NumPy."""
import sys

import jax
import jax.numpy as jnp
import numpy as np

rng = np.random.default_rng(0)
WIDTH, LAYERS = 4096, 6
params = [(rng.standard_normal((WIDTH, WIDTH), dtype=np.float32) / WIDTH ** 0.5,
           np.zeros(WIDTH, np.float32)) for _ in range(LAYERS)]


@jax.jit
def predict(params, x):
    for w, b in params:
        x = jnp.tanh(x @ w + b)
    return x.argmax(axis=1)


if "fixed" in sys.argv:
    params = jax.device_put(params)
requests = [rng.standard_normal((64, WIDTH), dtype=np.float32) for _ in range(4)]
answers = [np.asarray(predict(params, requests[i % 4])) for i in range(40)]
print("first answers", answers[0][:8])
same = all((answers[i] == answers[i % 4]).all() for i in range(40))
sys.exit(0 if same and len(set(answers[0].tolist())) > 1 else 1)

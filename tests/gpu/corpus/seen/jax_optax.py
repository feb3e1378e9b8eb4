"""An MLP in JAX with optax; the step was never put into jax.jit."""
import sys
import jax
import jax.numpy as jnp
import optax

key = jax.random.PRNGKey(0)
sizes = [784, 1024, 1024, 10]
params = [(jax.random.normal(k, (i, o)) * i ** -0.5, jnp.zeros(o)) for k, i, o in
          zip(jax.random.split(key, 3), sizes, sizes[1:])]
x = jax.random.normal(key, (512, 784))
y = jax.random.randint(key, (512,), 0, 10)
optimizer = optax.adam(1e-3)
state = optimizer.init(params)


def loss_of(params):
    h = x
    for w, b in params[:-1]:
        h = jax.nn.relu(h @ w + b)
    logits = h @ params[-1][0] + params[-1][1]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def step(params, state):
    loss, grads = jax.value_and_grad(loss_of)(params)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), state, loss


if "fixed" in sys.argv:
    step = jax.jit(step)
for _ in range(60):
    params, state, loss = step(params, state)
print(float(loss))

"""A convolutional text classifier in JAX; each batch is padded to its longest text."""
import os
os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.06")   # 8 GB of 141 are enough
import sys
import numpy as np
import jax
import jax.numpy as jnp

FIXED = "fixed" in sys.argv
VOCAB, DIM, BATCH, STEPS = 20000, 128, 64, 160


def init(key):
    keys = jax.random.split(key, 6)
    conv = lambda k, width: jax.random.normal(k, (width, DIM, DIM)) * (width * DIM) ** -0.5
    return {"embed": jax.random.normal(keys[0], (VOCAB, DIM)) * 0.1, "conv": [conv(k, 3) for k in keys[1:5]],
            "out": jax.random.normal(keys[5], (DIM, 2)) * 0.1}


def loss_fn(params, tokens, labels):
    mask = (tokens > 0)[..., None]
    x = params["embed"][tokens] * mask
    for kernel in params["conv"]:
        y = jax.lax.conv_general_dilated(x, kernel, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))
        x = (x + jax.nn.relu(y)) * mask
    logits = (x.sum(1) / mask.sum(1)) @ params["out"]
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean()


@jax.jit
def step(params, tokens, labels):
    loss, grads = jax.value_and_grad(loss_fn)(params, tokens, labels)
    return jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, params, grads), loss


def pad(texts):
    length = max(map(len, texts))
    if FIXED:   # few shapes: lengths in steps of 128
        length = -(-length // 128) * 128
    tokens = np.zeros((len(texts), length), np.int32)
    for row, text in zip(tokens, texts):
        row[:len(text)] = text
    return tokens


rng = np.random.default_rng(0)
params = init(jax.random.PRNGKey(0))
for i in range(STEPS):
    # texts of about one length lie together, as most loaders put them
    longest = 100 + 20 * (i * 7 % 8)
    texts = [rng.integers(1, VOCAB, longest - int(rng.integers(0, 20)) * (k > 0)) for k in range(BATCH)]
    labels = np.array([t[0] % 2 for t in texts])
    params, loss = step(params, pad(texts), labels)
print(f"loss {float(loss):.2f}")

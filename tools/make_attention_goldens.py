"""Writes tests/data/attention/goldens.safetensors: what the attention library has to give, from NumPy.

Run: python tools/make_attention_goldens.py   (torch, numpy, safetensors)

Inputs need no random generator: cos(start + arange), and the tests make them anew. Every formula is
written out here pair by pair from its paper; sparsemax by bisection on its threshold, where the library
sorts.
"""

import math
import pathlib

import numpy as np
import torch
from safetensors.torch import save_file

OUT = pathlib.Path(__file__).parent.parent / "tests" / "data" / "attention" / "goldens.safetensors"
tensors = {}


def cosines(shape, start=0.0, factor=1.0):
    return factor * np.cos(start + np.arange(math.prod(shape), dtype=np.float64)).reshape(shape)


def store(name, value):
    tensors[name] = torch.as_tensor(np.ascontiguousarray(value))


def softmax(row):
    e = np.exp(row - row.max())
    return e / e.sum()


def sparsemax(row):
    """max(row - tau, 0) with the tau at which it sums to 1; the sum falls as tau rises."""
    low, high = row.max() - 1.0, row.max()
    for _ in range(200):
        middle = (low + high) / 2
        if np.maximum(row - middle, 0).sum() > 1.0:
            low = middle
        else:
            high = middle
    return np.maximum(row - (low + high) / 2, 0)


NORMALISERS = {"softmax": softmax, "sparsemax": sparsemax, "none": lambda row: row}


# Shapes of one head's parameters, in the order of the store, and the score of one pair.
def additive(p, q, k):
    return p[2][0] @ np.tanh(p[0] @ q + p[1] @ k)


def bilinear(p, q, k):
    return q @ p[0] @ k


def cosine(p, q, k):
    return p[0][0] * (q @ k) / math.sqrt((q @ q) * (k @ k))


def gaussian(p, q, k):
    return -((p[0][0] * (q - k)) ** 2).sum() / 2


SCORES = {
    "additive": (additive, 5, [(6, 4), (6, 5), (1, 6)]),
    "dot": (lambda p, q, k: q @ k, 4, []),
    "scaled_dot": (lambda p, q, k: q @ k / 2.0, 4, []),
    "bilinear": (bilinear, 5, [(4, 5)]),
    "cosine": (cosine, 4, [(1,)]),
    "gaussian": (gaussian, 4, [(1,)]),
}


def scores_and_outputs(kind, heads):
    score, key_size, shapes = SCORES[kind]
    q, k = cosines((2, heads, 3, 4)), cosines((2, heads, 4, key_size), 1)
    v, lengths = cosines((2, heads, 4, 3), 2), [4, 2]
    # A parameter of all heads has head h's rows one after another.
    whole = [cosines((s[0] * heads, *s[1:]), 3 + i, 0.7) for i, s in enumerate(shapes)]
    s = np.zeros((2, heads, 3, 4))
    for b, h, i, j in np.ndindex(*s.shape):
        own = [w[h * t[0] : (h + 1) * t[0]] for w, t in zip(whole, shapes)]
        s[b, h, i, j] = score(own, q[b, h, i], k[b, h, j])
    squeeze = (lambda x: x[:, 0]) if heads == 1 else (lambda x: x)
    store(f"{kind}.{heads}.scores", squeeze(s))
    for name, normalise in NORMALISERS.items():
        weights = np.zeros_like(s)
        for b, h, i in np.ndindex(*s.shape[:3]):
            weights[b, h, i, : lengths[b]] = normalise(s[b, h, i, : lengths[b]])
        store(f"{kind}.{heads}.{name}.weights", squeeze(weights))
        store(f"{kind}.{heads}.{name}.output", squeeze(weights @ v))


def sparsemax_rows():
    """Rows of 1 to 67 keys; ties, one far ahead, all equal, far from 0."""
    for n in (1, 2, 3, 8, 67):
        x = cosines((5, n), 1.3)
        x[1] *= 0.1
        x[2] *= 30.0
        x[3] = 0.25
        x[4] += 1000.0
        store(f"sparsemax.{n}.weights", np.stack([sparsemax(row) for row in x]))


for kind in SCORES:
    for heads in (1, 2):
        scores_and_outputs(kind, heads)
sparsemax_rows()

OUT.parent.mkdir(parents=True, exist_ok=True)
save_file(dict(sorted(tensors.items())), str(OUT))
print(f"{len(tensors)} tensors, {OUT.stat().st_size} bytes")

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
    tensors[name] = torch.as_tensor(np.array(np.asarray(value), order="C"))


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


# K(u) of a distance u that the width has multiplied.
KERNELS = {
    "gaussian": lambda u: math.exp(-u * u / 2),
    "boxcar": lambda u: 1.0 if u < 1 else 0.0,
    "epanechnikov": lambda u: max(1 - u * u, 0.0),
    "triangular": lambda u: max(1 - u, 0.0),
    "cosine": lambda u: math.cos(math.pi * u / 2) if u < 1 else 0.0,
}


def kernel_pooling(name, size):
    kernel, lengths = KERNELS[name], [5, 3]
    q, k, v = cosines((2, 4, size), 0, 2.0), cosines((2, 5, size), 1, 2.0), cosines((2, 5, 2), 2)
    q[1, 3] += 50.0  # nothing in reach, but for the Gaussian
    width = np.array(0.6) if size == 1 else cosines((size,), 0.3) * 0.4
    weights = np.zeros((2, 4, 5))
    for b, i in np.ndindex(2, 4):
        row = np.zeros(5)
        for j in range(lengths[b]):
            u = math.sqrt((((q[b, i] - k[b, j]) * width) ** 2).sum())
            row[j] = -u * u / 2 if name == "gaussian" else kernel(u)
        n = lengths[b]
        if name == "gaussian":
            weights[b, i, :n] = softmax(row[:n])
        elif row.sum() > 0:
            weights[b, i] = row / row.sum()
    store(f"kernel.{name}.{size}.weights", weights)
    store(f"kernel.{name}.{size}.output", weights @ v)


def kernel_regression():
    """The chapter's points and its training of the width, written with PyTorch as the chapter writes it."""
    i = torch.arange(50, dtype=torch.float64)
    x = 5 * (i + 0.5) / 50 + 0.04 * torch.cos(3 * i)
    y = 2 * torch.sin(x) + x**0.8 + 0.5 * torch.cos(37 * i)
    others = ~torch.eye(50, dtype=torch.bool)
    keys = x.repeat(50, 1)[others].reshape(50, 49)
    values = y.repeat(50, 1)[others].reshape(50, 49)

    def attend(w, queries, keys, values):
        return (torch.softmax(-(((queries[:, None] - keys) * w) ** 2) / 2, -1) * values).sum(-1)

    w, losses = torch.tensor(1.0, dtype=torch.float64, requires_grad=True), []
    for _ in range(5):
        loss = ((attend(w, x, keys, values) - y) ** 2).sum()
        losses.append(loss.item())
        (gradient,) = torch.autograd.grad(loss, w)
        w = (w - 0.5 * gradient).detach().requires_grad_(True)
    there = torch.linspace(-1, 6, 15, dtype=torch.float64)
    left_out = ((attend(w, x, keys, values) - y) ** 2).mean()
    store("regression.x", x)
    store("regression.y", y)
    store("regression.losses", np.array(losses))
    store("regression.width", w.detach().numpy())
    store("regression.loo", left_out.detach().numpy())
    store("regression.there", there)
    store("regression.predicted", attend(w, there, x[None], y[None]).detach())


def structured():
    states, lengths = cosines((2, 5, 6)), [5, 2]
    first, second = cosines((4, 6), 1), cosines((3, 4), 2)
    weights = np.zeros((2, 3, 5))
    for b, r in np.ndindex(2, 3):
        n = lengths[b]
        row = [second[r] @ np.tanh(first @ states[b, t]) for t in range(n)]
        weights[b, r, :n] = softmax(np.array(row))
    penalty = []
    for a in weights:
        total = 0.0
        for i, j in np.ndindex(3, 3):
            total += (sum(a[i, t] * a[j, t] for t in range(5)) - (i == j)) ** 2
        penalty.append(total)
    store("structured.weights", weights)
    store("structured.output", weights @ states)
    store("structured.penalty", np.array(penalty))


for kernel in KERNELS:
    for size in (1, 3):
        kernel_pooling(kernel, size)
kernel_regression()
structured()
for kind in SCORES:
    for heads in (1, 2):
        scores_and_outputs(kind, heads)
sparsemax_rows()

OUT.parent.mkdir(parents=True, exist_ok=True)
save_file(dict(sorted(tensors.items())), str(OUT))
print(f"{len(tensors)} tensors, {OUT.stat().st_size} bytes")

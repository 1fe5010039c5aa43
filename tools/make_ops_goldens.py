"""Writes tests/data/ops/goldens.safetensors: what attention has to give, from PyTorch and NumPy.

Run: python tools/make_ops_goldens.py   (torch, numpy, safetensors)

Inputs need no random generator: cos(start + arange). Every case is stored with its inputs, in double
precision, so that the tests need neither Python nor these formulas. Where PyTorch has the operation, it
is the oracle; the rest is written out here in NumPy loops, from the paper's formula.
"""

import math
import pathlib

import numpy as np
import torch
from safetensors.torch import save_file

OUT = pathlib.Path(__file__).parent.parent / "tests" / "data" / "ops" / "goldens.safetensors"
torch.set_default_dtype(torch.float64)
tensors = {}


def cosines(shape, start=0, factor=1.0):
    return factor * torch.cos(start + torch.arange(math.prod(shape), dtype=torch.float64)).reshape(shape)


def store(case, **values):
    for name, value in values.items():
        tensors[f"{case}.{name}"] = torch.as_tensor(value).detach().contiguous().clone()


def padding(lengths, keys):
    return torch.arange(keys)[None, :] < torch.tensor(lengths)[:, None]


def sdpa(case, sizes, mask=None):
    """Output and gradients of F.scaled_dot_product_attention; mask bool, true = may attend."""
    b, h, tq, tk, dh, dv = sizes
    q, k, v = cosines((b, h, tq, dh)), cosines((b, h, tk, dh), 1), cosines((b, h, tk, dv), 2)
    for x in (q, k, v):
        x.requires_grad_(True)
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    (out * cosines(out.shape, 3)).sum().backward()
    store(case, q=q, k=k, v=v, output=out, dq=q.grad, dk=k.grad, dv=v.grad)
    if mask is not None:
        store(case, mask=mask)


def multi_head(case, query, key, value, heads, bias):
    b, tq, tk = 2, 3, 4
    layer = torch.nn.MultiheadAttention(query, heads, bias=bias, kdim=key, vdim=value, batch_first=True)
    own = key != query or value != query
    if own:
        w = [layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight]
    else:
        w = list(layer.in_proj_weight.chunk(3))
    with torch.no_grad():
        for start, x in enumerate(w):
            x.copy_(cosines(x.shape, start, 0.5))
        layer.out_proj.weight.copy_(cosines(layer.out_proj.weight.shape, 3, 0.5))
        if bias:
            layer.in_proj_bias.copy_(cosines(layer.in_proj_bias.shape, 4, 0.5))
            layer.out_proj.bias.copy_(cosines(layer.out_proj.bias.shape, 5, 0.5))
    q, k, v = cosines((b, tq, query), 6), cosines((b, tk, key), 7), cosines((b, tk, value), 8)
    lengths = [4, 2]
    out, weights = layer(q, k, v, key_padding_mask=~padding(lengths, tk), average_attn_weights=False)
    store(case, q=q, k=k, v=v, lengths=torch.tensor(lengths), output=out, weights=weights)
    store(case, wq=w[0], wk=w[1], wv=w[2], wo=layer.out_proj.weight)
    if bias:
        bq, bk, bv = layer.in_proj_bias.chunk(3)
        store(case, bq=bq, bk=bk, bv=bv, bo=layer.out_proj.bias)


def softmax(row):
    e = np.exp(row - row.max())
    return e / e.sum()


def masked_softmax(case, lengths):
    """The chapter's definition, on lengths of at least 1: softmax over the first keys, zero beyond."""
    x = cosines((2, 2, 4)).numpy()
    lens = np.array(lengths)
    out = np.zeros_like(x)
    for b in range(2):
        for i in range(2):
            n = lens[b] if lens.ndim == 1 else lens[b, i]
            out[b, i, :n] = softmax(x[b, i, :n])
    store(case, scores=x, lengths=lens, weights=out)


def pooled(scores, values, lengths):
    weights = np.zeros_like(scores)
    for b in range(scores.shape[0]):
        for i in range(scores.shape[1]):
            weights[b, i, : lengths[b]] = softmax(scores[b, i, : lengths[b]])
    return weights, np.stack([w @ v for w, v in zip(weights, values)])


def additive(case):
    q, k = cosines((2, 3, 5)).numpy(), cosines((2, 4, 7), 1).numpy()
    values, lengths = cosines((2, 4, 6), 2).numpy(), [4, 2]
    wq, wk, w = cosines((8, 5), 3).numpy(), cosines((8, 7), 4).numpy(), cosines((8,), 5).numpy()
    scores = np.zeros((2, 3, 4))
    for b in range(2):
        for i in range(3):
            for j in range(4):
                scores[b, i, j] = w @ np.tanh(wq @ q[b, i] + wk @ k[b, j])
    weights, output = pooled(scores, values, lengths)
    store(case, q=q, k=k, values=values, lengths=np.array(lengths), wq=wq, wk=wk, w=w, scores=scores,
          weights=weights, output=output)


def gaussian(case):
    q, k = cosines((2, 3, 2)).numpy(), cosines((2, 4, 2), 1).numpy()
    values, width, lengths = cosines((2, 4, 1), 2).numpy(), np.array([1.5, 0.5]), [4, 3]
    scores = np.zeros((2, 3, 4))
    for b in range(2):
        for i in range(3):
            for j in range(4):
                scores[b, i, j] = -(((q[b, i] - k[b, j]) * width) ** 2).sum() / 2
    weights, output = pooled(scores, values, lengths)
    store(case, q=q, k=k, values=values, width=width, lengths=np.array(lengths), weights=weights,
          output=output)


M64, M32 = (1 << 64) - 1, (1 << 32) - 1


def mix64(x):
    x = (x + 0x9E3779B97F4A7C15) & M64
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & M64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & M64
    return x ^ (x >> 31)


def mix32(x):
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & M32
    x = ((x ^ (x >> 15)) * 0x846CA68B) & M32
    return x ^ (x >> 16)


def dropout(case, p, seed, step, site, rows, columns):
    def combine(key, word):
        return mix64(key ^ mix64(word))

    out = np.zeros((len(rows), columns))
    for r, row in enumerate(rows):
        key = combine(combine(combine(seed, step), site), row) >> 32
        for c in range(columns):
            drawn = mix32(key ^ ((c * 0x9E3779B9) & M32))
            out[r, c] = 0.0 if drawn < int(p * 2**32) else 1.0 / (1.0 - p)
    store(case, mask=out, rows=np.array(rows))


sdpa("sdpa.plain", (2, 3, 4, 5, 6, 7))
sdpa("sdpa.one", (1, 1, 1, 1, 1, 1))
sdpa("sdpa.padding", (3, 2, 4, 5, 6, 7), padding([5, 1, 3], 5)[:, None, None, :])
sdpa("sdpa.causal", (2, 2, 33, 33, 8, 8), torch.ones(33, 33, dtype=torch.bool).tril())
sdpa("sdpa.cached", (2, 2, 3, 9, 4, 4), torch.ones(3, 9, dtype=torch.bool).tril(6))
sdpa("sdpa.dense", (2, 3, 4, 5, 6, 7), cosines((2, 3, 4, 5), 4) > -0.6)
multi_head("mha.same", 8, 8, 8, 2, True)
multi_head("mha.own", 8, 5, 7, 4, True)
multi_head("mha.plain", 6, 6, 6, 3, False)
masked_softmax("softmax.sentence", [2, 3])
masked_softmax("softmax.query", [[1, 3], [2, 4]])
additive("additive")
gaussian("gaussian")
dropout("dropout.tenth", 0.1, 42, 7, 3, [0, 1, 5, 1000000], 67)
dropout("dropout.half", 0.5, 0, 0, 0, [0, 1, 2], 33)

OUT.parent.mkdir(parents=True, exist_ok=True)
save_file(dict(sorted(tensors.items())), str(OUT))
print(f"{len(tensors)} tensors, {OUT.stat().st_size} bytes")

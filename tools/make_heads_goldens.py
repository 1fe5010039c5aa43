"""Writes tests/data/attention/heads.safetensors: multi-head attention with its options, positions, layers.

Run: python tools/make_heads_goldens.py   (torch, numpy, safetensors)

Inputs need no random generator: cos(start + arange). Where PyTorch has the thing (grouped heads, RMSNorm,
GELU, SiLU) it is the oracle; the rest is written out here in NumPy, pair by pair, from the papers' formulas,
in double precision. Every case is stored with its inputs.
"""

import math
import pathlib

import numpy as np
import torch
from safetensors.torch import save_file

OUT = pathlib.Path(__file__).parent.parent / "tests" / "data" / "attention" / "heads.safetensors"
torch.set_default_dtype(torch.float64)
tensors = {}
B, T, D, H = 2, 6, 12, 4


def cosines(shape, start=0.0, factor=1.0):
    return factor * np.cos(start + np.arange(math.prod(shape), dtype=np.float64)).reshape(shape)


def store(case, **values):
    for name, value in values.items():
        tensors[f"{case}.{name}"] = torch.as_tensor(np.asarray(value)).detach().contiguous().clone()


# Positions, from each paper.


def turned(x, position, layout):
    """Su et al. 2021, 3.2.2: pair i of the features as a complex number, times e^(i position theta)."""
    d = len(x)
    out = x.copy()
    for i in range(d // 2):
        a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, d // 2 + i)
        z = complex(x[a], x[b]) * np.exp(1j * position * 10000.0 ** (-2 * i / d))
        out[a], out[b] = z.real, z.imag
    return out


def slopes(n):
    """The paper's code: get_slopes of Press et al."""

    def power_of_2(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    if math.log2(n).is_integer():
        return power_of_2(n)
    closest = 2 ** math.floor(math.log2(n))
    return power_of_2(closest) + slopes(2 * closest)[0::2][: n - closest]


def bucket(relative, bidirectional, buckets, most):
    """mesh_tensorflow's _relative_position_bucket; relative = key - query."""
    ret, n = 0, -relative
    if bidirectional:
        buckets //= 2
        ret += int(n < 0) * buckets
        n = abs(n)
    else:
        n = max(n, 0)
    exact = buckets // 2
    if n < exact:
        return ret + n
    large = exact + int(math.log(n / exact) / math.log(most / exact) * (buckets - exact))
    return ret + min(large, buckets - 1)


def softmax(row):
    e = np.exp(row - row.max())
    return e / e.sum()


def sparsemax(row):
    """Martins & Astudillo 2016, algorithm 1."""
    z = np.sort(row)[::-1]
    k = max(k for k in range(1, len(z) + 1) if 1 + k * z[k - 1] > z[:k].sum())
    return np.maximum(row - (z[:k].sum() - 1) / k, 0)


NORMALISERS = {"softmax": softmax, "sparsemax": sparsemax, "none": lambda row: row}


def phi(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def heads(case, kv=H, d=D, h=H, causal=False, window=0, lengths=None, rotary=None, alibi=False,
          relative=None, t5=None, linear=False, scale=None, bias=False, kind="dot",
          normaliser="softmax", number=0):
    """Self-attention of x (B, T, d), written out pair by pair."""
    dh = d // h
    kv = min(kv, h)
    x = cosines((B, T, d), number)
    names = {"query": d, "key": kv * dh, "value": kv * dh, "output": d}
    weights = {f"{name}.weight": cosines((rows, d), number + 1 + i, 0.5)
               for i, (name, rows) in enumerate(names.items())}
    if bias:
        weights |= {f"{name}.bias": cosines((rows,), number + 5 + i, 0.5)
                    for i, (name, rows) in enumerate(names.items())}
    if relative:
        weights["relative.key.weight"] = cosines((2 * relative["max"] + 1, dh), number + 9, 0.5)
        if relative["values"]:
            weights["relative.value.weight"] = cosines((2 * relative["max"] + 1, dh), number + 10, 0.5)
    if t5:
        weights["t5.weight"] = cosines((t5["buckets"], h), number + 11, 0.5)

    sizes = {"additive": {"query.weight": (h * dh, dh), "key.weight": (h * dh, dh), "score.weight": (h, dh)},
             "bilinear": {"key.weight": (h * dh, dh)}, "cosine": {"scale": (h,)}, "gaussian": {"width": (h,)}}
    for i, (name, shape) in enumerate(sizes.get(kind, {}).items()):
        weights[f"score.{name}"] = cosines(shape, number + 12 + i, 0.5)

    def own_score(n, q, k):
        def matrix(name):
            return weights[f"score.{name}.weight"][n * dh : (n + 1) * dh]

        if kind == "additive":
            return weights["score.score.weight"][n] @ np.tanh(matrix("query") @ q + matrix("key") @ k)
        if kind == "bilinear":
            return q @ matrix("key") @ k
        if kind == "cosine":
            return weights["score.scale"][n] * (q @ k) / np.linalg.norm(q) / np.linalg.norm(k)
        if kind == "gaussian":
            return -((weights["score.width"][n] * (q - k)) ** 2).sum() / 2
        return q @ k * scale

    def linear_map(name, v):
        return weights[f"{name}.weight"] @ v + (weights[f"{name}.bias"] if bias else 0)

    def clipped(distance):
        return max(-relative["max"], min(relative["max"], distance)) + relative["max"]

    scale = dh**-0.5 if scale is None else scale
    lengths = lengths or [T] * B
    probability = np.zeros((B, h, T, T))
    output = np.zeros((B, T, d))
    for b in range(B):
        for i in range(T):
            joined = np.zeros(d)
            for n in range(h):
                own, shared = slice(n * dh, (n + 1) * dh), n // (h // kv)
                group = slice(shared * dh, (shared + 1) * dh)
                q = linear_map("query", x[b, i])[own]
                sees = [j for j in range(T) if j < lengths[b] and (not causal or j <= i)
                        and (window == 0 or abs(i - j) < window)]
                if not sees:
                    continue
                scores, values = [], []
                for j in sees:
                    k, v = linear_map("key", x[b, j])[group], linear_map("value", x[b, j])[group]
                    at_q = q
                    if rotary:
                        at_q, k = turned(q, i, rotary), turned(k, j, rotary)
                    if relative:
                        k = k + weights["relative.key.weight"][clipped(j - i)]
                        if relative["values"]:
                            v = v + weights["relative.value.weight"][clipped(j - i)]
                    score = phi(at_q) @ phi(k) if linear else own_score(n, at_q, k)
                    if alibi:
                        score -= slopes(h)[n] * abs(i - j)
                    if t5:
                        score += weights["t5.weight"][
                            bucket(j - i, t5["both"], t5["buckets"], t5["most"]), n]
                    scores.append(score)
                    values.append(v)
                scores = np.array(scores)
                p = scores / scores.sum() if linear else NORMALISERS[normaliser](scores)
                probability[b, n, i, sees] = p
                joined[own] = p @ np.array(values)
            output[b, i] = linear_map("output", joined)
    store(case, x=x, lengths=lengths, output=output, weights=probability)
    store(case, **{f"parameter.{name}": value for name, value in weights.items()})


def grouped(case, kv, causal, number):
    """PyTorch's own grouped heads, between projections made by hand."""
    dh = D // H
    x = torch.as_tensor(cosines((B, T, D), number))
    w = {name: torch.as_tensor(cosines((rows, D), number + 1 + i, 0.5))
         for i, (name, rows) in enumerate({"query": D, "key": kv * dh, "value": kv * dh, "output": D}.items())}

    def split(name, n):
        return (x @ w[name].T).view(B, T, n, dh).transpose(1, 2)

    out = torch.nn.functional.scaled_dot_product_attention(
        split("query", H), split("key", kv), split("value", kv), is_causal=causal, enable_gqa=True)
    store(case, x=x, lengths=[T] * B, output=out.transpose(1, 2).reshape(B, T, D) @ w["output"].T)
    store(case, **{f"parameter.{name}.weight": value for name, value in w.items()})


def positions():
    x = cosines((3, 7), 2)
    for layout in ("interleaved", "halves"):
        store("turned", **{layout: np.stack([turned(row, 5 + t, layout) for t, row in enumerate(x)])})
    store("turned", x=x)
    store("alibi", **{f"slopes{n}": slopes(n) for n in (1, 2, 3, 6, 8, 12, 16)})
    reach = range(-200, 201)
    store("t5", both=[bucket(n, True, 32, 128) for n in reach],
          causal=[bucket(n, False, 32, 128) for n in reach],
          small=[bucket(n, True, 8, 20) for n in reach])


def layers():
    x = torch.as_tensor(cosines((4, 6), 3, 2.0))
    norm = torch.nn.RMSNorm(6, eps=1e-5)
    with torch.no_grad():
        norm.weight.copy_(torch.as_tensor(cosines((6,), 1)))
    store("rms", x=x, weight=norm.weight.detach(), output=norm(x).detach())
    parts = {f"{name}.{kind}": torch.as_tensor(cosines(shape, start, 0.5)) for start, (name, kind, shape) in enumerate(
        [("inner", "weight", (9, 6)), ("inner", "bias", (9,)), ("gate", "weight", (9, 6)), ("gate", "bias", (9,)),
         ("outer", "weight", (6, 9)), ("outer", "bias", (6,))])}
    inner = x @ parts["inner.weight"].T + parts["inner.bias"]
    gate = x @ parts["gate.weight"].T + parts["gate.bias"]
    store("feed_forward", x=x, **parts)
    for name, value in {"relu": torch.relu(inner), "gelu": torch.nn.functional.gelu(inner),
                        "swiglu": torch.nn.functional.silu(gate) * inner}.items():
        store("feed_forward", **{name: value @ parts["outer.weight"].T + parts["outer.bias"]})


def encoder_layer(norm_first, activation, bias):
    """torch.nn.TransformerEncoderLayer over sentences of 4 and 2 tokens, one by one; names as ours."""
    layer = torch.nn.TransformerEncoderLayer(8, 2, 12, 0.0, activation, batch_first=True, norm_first=norm_first)
    weights = {}
    with torch.no_grad():
        for start, (_, parameter) in enumerate(layer.named_parameters()):
            parameter.copy_(torch.as_tensor(cosines(tuple(parameter.shape), start, 0.5)))
        attention = layer.self_attn
        if not bias:
            attention.in_proj_bias.zero_(), attention.out_proj.bias.zero_()
        names = ("query", "key", "value")
        for kind, whole in (("weight", attention.in_proj_weight), ("bias", attention.in_proj_bias)):
            weights |= {f"self_attention.{name}.{kind}": x for name, x in zip(names, whole.chunk(3))}
        for ours, theirs in {"self_attention.output": attention.out_proj, "feed_forward.inner": layer.linear1,
                             "feed_forward.outer": layer.linear2, "norm1": layer.norm1, "norm2": layer.norm2}.items():
            weights |= {f"{ours}.weight": theirs.weight, f"{ours}.bias": theirs.bias}
        x = torch.as_tensor(cosines((6, 8), 3))
        output = torch.cat([layer(x[None, :4])[0], layer(x[None, 4:])[0]])
    case = f"encoder.{'first' if norm_first else 'after'}.{activation}.{'bias' if bias else 'plain'}"
    store(case, x=x, output=output, **{name: x.detach() for name, x in weights.items()})


grouped("torch.two", 2, True, 20)
grouped("torch.one", 1, False, 21)
heads("plain", bias=True, lengths=[6, 3])
heads("dot", scale=1.0, causal=True, number=1)
heads("grouped", kv=2, bias=True, lengths=[6, 2], number=2)
heads("multi_query", kv=1, causal=True, number=3)
heads("rotary", rotary="interleaved", causal=True, number=4)
heads("rotary.halves", rotary="halves", d=10, h=2, lengths=[6, 1], number=5)  # five features a head
heads("alibi", alibi=True, d=12, h=3, causal=True, number=6)
heads("alibi.both", alibi=True, kv=2, lengths=[6, 4], number=7)
heads("relative", relative={"max": 2, "values": True}, lengths=[6, 3], number=8)
heads("relative.keys", relative={"max": 3, "values": False}, causal=True, kv=2, number=9)
heads("t5", t5={"buckets": 8, "most": 5, "both": True}, lengths=[6, 5], number=10)
heads("t5.causal", t5={"buckets": 4, "most": 5, "both": False}, causal=True, number=11)
heads("window", window=2, lengths=[6, 3], number=12)
heads("window.causal", window=3, causal=True, rotary="halves", number=13)
heads("linear", linear=True, lengths=[6, 0], bias=True, number=14)
heads("linear.causal", linear=True, causal=True, kv=2, number=15)
heads("additive", kind="additive", lengths=[6, 3], number=16)
heads("bilinear", kind="bilinear", kv=2, causal=True, number=17)
heads("cosine", kind="cosine", rotary="interleaved", lengths=[6, 4], number=18)
heads("gaussian", kind="gaussian", alibi=True, causal=True, number=19)
heads("sparsemax", normaliser="sparsemax", lengths=[6, 5], number=22)
heads("none", normaliser="none", kv=1, causal=True, number=23)
positions()
layers()
for norm_first in (False, True):
    for activation in ("relu", "gelu"):
        for bias in (False, True):
            encoder_layer(norm_first, activation, bias)

OUT.parent.mkdir(parents=True, exist_ok=True)
save_file(dict(sorted(tensors.items())), str(OUT))
print(f"{len(tensors)} tensors, {OUT.stat().st_size} bytes")

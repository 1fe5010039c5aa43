"""The usual ways to write each mechanism of attention in PyTorch, by the names of
bench/attention_cases.cpp. Each form is a function of a case's inputs (name to leaf, in order) that
returns the pass; it may put other leaves in their place, named "a+b" for a and b joined.
"""

import math

import torch
from torch import nn
from torch.nn import functional

HEADS = 4
FORMS = {}


def form(case, name):
    def register(prepare):
        FORMS.setdefault(case, {})[name] = prepare
        return prepare
    return register


def triple(x):
    return x["queries"], x["keys"], x["values"]


def joined(x, *names):
    """Replaces leaves by one that holds them all, as a module with one product for them has it."""
    leaf = torch.cat([x.pop(name).detach() for name in names]).requires_grad_()
    x["+".join(names)] = leaf
    return leaf


def hidden(queries, keys):
    """True where a key comes after the query."""
    return torch.ones(queries, keys, dtype=torch.bool).triu(1)


def pooled(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    return scores.softmax(-1) @ values


@form("masked softmax", "masked_fill, softmax")
def masked_softmax(x):
    scores = x["scores"]
    batch, _, keys = scores.shape
    lengths = torch.tensor([keys * (b + 1) // batch for b in range(batch)])
    return lambda: scores.masked_fill(
        (torch.arange(keys)[None, :] >= lengths[:, None])[:, None, :], float("-inf")).softmax(-1)


@form("sparsemax", "sort, cumsum")
def sparsemax(x):
    scores = x["scores"]
    batch, _, keys = scores.shape
    lengths = torch.tensor([keys * (b + 1) // batch for b in range(batch)])

    def run():
        mask = (torch.arange(keys)[None, :] >= lengths[:, None])[:, None, :]
        z = scores.masked_fill(mask, -1e9)
        ordered = z.sort(-1, descending=True).values
        sums = ordered.cumsum(-1) - 1
        ranks = torch.arange(1, keys + 1)
        support = (ranks * ordered > sums).sum(-1, keepdim=True)
        return (z - sums.gather(-1, support - 1) / support).clamp(min=0)
    return run


@form("average, causal", "softmax of zeros")
def average(x):
    values = x["values"]
    batch, length, _ = values.shape
    return lambda: pooled(torch.zeros(batch, length, length), values, hidden(length, length))


@form("average, causal", "cumsum")
def average_by_sums(x):
    values = x["values"]
    return lambda: values.cumsum(1) / torch.arange(1, values.shape[1] + 1)[:, None]


@form("gaussian kernel", "difference of all pairs")
def gaussian(x):
    q, k, v = triple(x)
    w = x["width"]
    return lambda: pooled(-0.5 * ((w * (q[:, :, None] - k[:, None])) ** 2).sum(-1), v)


@form("epanechnikov kernel", "difference of all pairs")
def epanechnikov(x):
    q, k, v = triple(x)

    def run():
        w = 0.125 * x["width"]
        weights = (1 - ((w * (q[:, :, None] - k[:, None])) ** 2).sum(-1)).clamp(min=0)
        return weights / weights.sum(-1, keepdim=True) @ v
    return run


@form("structured", "two products, tanh, softmax")
def structured(x):
    states, w1, w2 = x["x"], x["features.weight"], x["hops.weight"]
    return lambda: (w2 @ torch.tanh(states @ w1.T).transpose(1, 2)).softmax(-1) @ states


@form("additive", "tanh of all pairs")
def additive(x):
    q, k, v = triple(x)
    wq, wk, w = x["query.weight"], x["key.weight"], x["score.weight"]
    return lambda: pooled(
        (torch.tanh((q @ wq.T)[:, :, None] + (k @ wk.T)[:, None]) @ w.reshape(-1, 1)).squeeze(-1), v)


@form("dot", "products, softmax")
def dot(x):
    q, k, v = triple(x)
    return lambda: pooled(q @ k.transpose(1, 2), v)


@form("dot", "scaled_dot_product_attention")
def dot_fused(x):
    return lambda: functional.scaled_dot_product_attention(
        *(t[:, None] for t in triple(x)), scale=1.0).squeeze(1)


@form("scaled dot", "products, softmax")
def scaled_dot(x):
    q, k, v = triple(x)
    return lambda: pooled(q @ k.transpose(1, 2) / math.sqrt(q.shape[-1]), v)


@form("scaled dot", "scaled_dot_product_attention")
def scaled_dot_fused(x):
    return lambda: functional.scaled_dot_product_attention(
        *(t[:, None] for t in triple(x))).squeeze(1)


@form("scaled dot, causal", "products, softmax")
def causal(x):
    q, k, v = triple(x)
    return lambda: pooled(q @ k.transpose(1, 2) / math.sqrt(q.shape[-1]), v,
                          hidden(q.shape[1], k.shape[1]))


@form("scaled dot, causal", "scaled_dot_product_attention")
def causal_fused(x):
    return lambda: functional.scaled_dot_product_attention(
        *(t[:, None] for t in triple(x)), is_causal=True).squeeze(1)


@form("bilinear", "products, softmax")
def bilinear(x):
    q, k, v = triple(x)
    return lambda: pooled(q @ (k @ x["key.weight"].T).transpose(1, 2), v)


@form("cosine", "normalize, products, softmax")
def cosine(x):
    q, k, v = triple(x)
    return lambda: pooled(x["scale"] * (functional.normalize(q, dim=-1)
                                        @ functional.normalize(k, dim=-1).transpose(1, 2)), v)


def module_of(x):
    """nn.MultiheadAttention with these weights."""
    module = nn.MultiheadAttention(x["x"].shape[-1], HEADS, bias=False, batch_first=True)
    module.in_proj_weight = nn.Parameter(joined(x, "query.weight", "key.weight", "value.weight"))
    x["query.weight+key.weight+value.weight"] = module.in_proj_weight
    module.out_proj.weight = nn.Parameter(x["output.weight"].detach())
    x["output.weight"] = module.out_proj.weight
    return module


@form("multi-head", "nn.MultiheadAttention")
def multi_head(x):
    module = module_of(x)
    return lambda: module(x["x"], x["x"], x["x"], need_weights=False)[0]


@form("multi-head, causal", "nn.MultiheadAttention")
def multi_head_causal(x):
    module, length = module_of(x), x["x"].shape[1]
    return lambda: module(x["x"], x["x"], x["x"], need_weights=False, is_causal=True,
                          attn_mask=hidden(length, length))[0]


def in_heads(x, weight, heads):
    """(B, T, D) -> (B, heads, T, Dh)"""
    return (x @ weight.T).unflatten(-1, (heads, -1)).transpose(1, 2)


@form("grouped heads, causal", "repeat_interleave, scaled_dot_product_attention")
def grouped(x):
    def run():
        t = x["x"]
        q = in_heads(t, x["query.weight"], HEADS)
        k, v = (in_heads(t, x[name], HEADS // 2).repeat_interleave(2, 1)
                for name in ("key.weight", "value.weight"))
        seen = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return seen.transpose(1, 2).flatten(2) @ x["output.weight"].T
    return run


@form("rotary", "two halves, stack")
def rotary(x):
    t = x["x"]
    length, width = t.shape[-2:]

    def run():
        angles = torch.outer(torch.arange(length), 10000.0 ** (-torch.arange(0, width, 2) / width))
        cos, sin, even, odd = angles.cos(), angles.sin(), t[..., 0::2], t[..., 1::2]
        return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)
    return run


def fused(x, mask=None):
    return functional.scaled_dot_product_attention(*triple(x), attn_mask=mask)


def distances(length):
    """key - query, (T, T)."""
    return torch.arange(length)[None, :] - torch.arange(length)[:, None]


@form("alibi, causal", "scaled_dot_product_attention with a bias")
def alibi(x):
    length = x["queries"].shape[2]

    def run():
        slopes = 2.0 ** (-8 * torch.arange(1, HEADS + 1) / HEADS)
        bias = -slopes[:, None, None] * distances(length).abs()
        return fused(x, bias.masked_fill(hidden(length, length), float("-inf")))
    return run


def t5_buckets(distance, buckets=32, longest=128):
    """As T5's own code has them, in both directions."""
    half = buckets // 2
    later, distance = (distance > 0) * half, distance.abs()
    exact = half // 2
    far = exact + (torch.log(distance.clamp(min=1) / exact) / math.log(longest / exact)
                   * (half - exact)).long()
    return later + torch.where(distance < exact, distance, far.clamp(max=half - 1))


@form("t5 bias", "scaled_dot_product_attention with a bias")
def t5(x):
    length = x["queries"].shape[2]
    return lambda: fused(x, x["weight"][t5_buckets(distances(length))].permute(2, 0, 1)[None])


@form("relative vectors", "a vector for each pair, einsum")
def relative(x):
    q, k, v = triple(x)
    keys, values = x["key.weight"], x["value.weight"]
    longest = keys.shape[0] // 2

    def run():
        rows = distances(q.shape[2]).clamp(-longest, longest) + longest
        scores = q @ k.transpose(2, 3) + torch.einsum("bhid,ijd->bhij", q, keys[rows])
        weights = (scores / math.sqrt(q.shape[-1])).softmax(-1)
        return weights @ v + torch.einsum("bhij,ijd->bhid", weights, values[rows])
    return run


@form("window of 16", "scaled_dot_product_attention with a mask")
def window(x):
    length = x["queries"].shape[2]

    def run():
        behind = -distances(length)
        return fused(x, (behind >= 0) & (behind < 16))
    return run


def features(x):
    return functional.elu(x) + 1


@form("linear", "einsum")
def linear(x):
    def run():
        q, k, v = features(x["queries"]), features(x["keys"]), x["values"]
        normaliser = torch.einsum("bhtd,bhd->bht", q, k.sum(2))
        return torch.einsum("bhtd,bhde->bhte", q, torch.einsum("bhtd,bhte->bhde", k, v)) \
            / normaliser[..., None]
    return run


@form("linear, causal", "cumsum of outer products")
def linear_causal(x):
    def run():
        q, k, v = features(x["queries"]), features(x["keys"]), x["values"]
        sums = torch.einsum("bhtd,bhte->bhtde", k, v).cumsum(2)
        normaliser = torch.einsum("bhtd,bhtd->bht", q, k.cumsum(2))
        return torch.einsum("bhtd,bhtde->bhte", q, sums) / normaliser[..., None]
    return run


@form("linear, causal", "products under a mask")
def linear_causal_quadratic(x):
    def run():
        q, k, v = features(x["queries"]), features(x["keys"]), x["values"]
        weights = (q @ k.transpose(2, 3)).tril()
        return weights @ v / weights.sum(-1, keepdim=True)
    return run

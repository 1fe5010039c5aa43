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


@form("multi-head", "nn.MultiheadAttention")
def multi_head(x):
    module = nn.MultiheadAttention(x["x"].shape[-1], HEADS, bias=False, batch_first=True)
    module.in_proj_weight = nn.Parameter(joined(x, "query.weight", "key.weight", "value.weight"))
    x["query.weight+key.weight+value.weight"] = module.in_proj_weight
    module.out_proj.weight = nn.Parameter(x["output.weight"].detach())
    x["output.weight"] = module.out_proj.weight
    return lambda: module(x["x"], x["x"], x["x"], need_weights=False)[0]

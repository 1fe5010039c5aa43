"""The best ways of PyTorch to write each op of bench/op_cases.cpp, by its names. A form is a function
of the case's leaves (name to leaf, in order) and its sizes that returns the pass. `compiled` forms
are torch.compile of a plain one, where there is a C++ compiler.
"""

import math

import torch
from torch.nn import functional

FORMS = {}
# Draws of their own: the results are not those of attend.
RANDOM = {"residual norm, dropout"}


def form(case, name, compiled=False):
    def register(prepare):
        forms = FORMS.setdefault(case, {})
        forms[name] = prepare
        if compiled:
            forms[f"{name}; torch.compile"] = lambda x, sizes: torch.compile(prepare(x, sizes))
        return prepare
    return register


def real_keys(batch, keys):
    lengths = torch.tensor([-(-keys * (b + 1) // batch) for b in range(batch)])
    return torch.arange(keys) < lengths[:, None]  # (B, Tk)


def padding(batch, queries, keys):
    return ~real_keys(batch, keys)[:, None, None, :]


def causal(batch, queries, keys):
    return torch.ones(queries, keys, dtype=torch.bool).triu(1 + keys - queries)


def some_keys(batch, queries, keys):
    """Every fourth key, in each sentence another one."""
    return ((torch.arange(keys) * 7 + torch.arange(batch)[:, None]) % 4 == 0)[:, None, None, :]


def some_pairs(batch, queries, keys):
    return (torch.arange(queries)[:, None] * 5 + torch.arange(keys) * 3) % 4 == 0


def targets_of(n, vocabulary):
    return (torch.arange(n) * 7919 + 3) % vocabulary


for kind, hidden_of in (("padding", padding), ("causal", causal)):
    @form(f"masked softmax, {kind}", "masked_fill, softmax", compiled=True)
    def masked_softmax(x, sizes, hidden_of=hidden_of):
        scores, (batch, _, queries, keys) = x["scores"], sizes
        hidden = hidden_of(batch, queries, keys)
        return lambda: scores.masked_fill(hidden, float("-inf")).softmax(-1)

    @form(f"masked softmax, {kind}", "mask added, softmax")
    def added(x, sizes, hidden_of=hidden_of):
        scores, (batch, _, queries, keys) = x["scores"], sizes
        bias = torch.zeros(()).where(~hidden_of(batch, queries, keys), float("-inf"))
        return lambda: (scores + bias).softmax(-1)


for kind, hidden_of in (("padding", padding), ("causal", causal), ("keys", some_keys),
                        ("pairs", some_pairs)):
    @form(f"scaled dot-product, {kind}", "products, softmax", compiled=True)
    def products(x, sizes, hidden_of=hidden_of):
        q, k, v = x["queries"], x["keys"], x["values"]
        hidden = hidden_of(sizes[0], sizes[2], sizes[2])
        scale = 1 / math.sqrt(sizes[3])
        return lambda: (scale * q @ k.transpose(2, 3)).masked_fill(
            hidden, float("-inf")).softmax(-1) @ v


for kind, hidden_of in (("keys", some_keys), ("pairs", some_pairs)):
    @form(f"scaled dot-product, {kind}", "scaled_dot_product_attention")
    def fused_mask(x, sizes, hidden_of=hidden_of):
        q, k, v = x["queries"], x["keys"], x["values"]
        mask = ~hidden_of(sizes[0], sizes[2], sizes[2]).expand(sizes[0], 1, sizes[2], -1)
        return lambda: functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)


@form("scaled dot-product", "scaled_dot_product_attention")
def fused(x, sizes):
    q, k, v = x["queries"], x["keys"], x["values"]
    return lambda: functional.scaled_dot_product_attention(q, k, v)


@form("scaled dot-product, padding", "scaled_dot_product_attention")
def fused_padding(x, sizes):
    q, k, v = x["queries"], x["keys"], x["values"]
    mask = real_keys(sizes[0], sizes[2])[:, None, None, :].expand(-1, 1, sizes[2], -1)
    return lambda: functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)


@form("scaled dot-product, causal", "scaled_dot_product_attention")
def fused_causal(x, sizes):
    q, k, v = x["queries"], x["keys"], x["values"]
    return lambda: functional.scaled_dot_product_attention(q, k, v, is_causal=True)


@form("additive attention", "tanh of all pairs", compiled=True)
def additive(x, sizes):
    q, k, w, v = x["queries"], x["keys"], x["score"], x["values"]
    hidden = ~real_keys(sizes[0], sizes[2])[:, None, :]
    return lambda: (torch.tanh(q[:, :, None] + k[:, None]) @ w).masked_fill(
        hidden, float("-inf")).softmax(-1) @ v


@form("residual norm", "sum, layer_norm", compiled=True)
def residual_norm(x, sizes):
    return lambda: functional.layer_norm(x["x"] + x["change"], sizes[1:], x["gain"], x["bias"])


@form("residual norm, dropout", "dropout, sum, layer_norm", compiled=True)
def residual_norm_dropout(x, sizes):
    return lambda: functional.layer_norm(x["x"] + functional.dropout(x["change"], 0.1), sizes[1:],
                                         x["gain"], x["bias"])


@form("cross-entropy", "cross_entropy", compiled=True)
def cross_entropy(x, sizes):
    targets = targets_of(*sizes)
    return lambda: functional.cross_entropy(x["logits"], targets, reduction="sum")


@form("projected cross-entropy", "linear, cross_entropy", compiled=True)
def projected_cross_entropy(x, sizes):
    targets = targets_of(sizes[0], sizes[2])
    return lambda: functional.cross_entropy(
        functional.linear(x["hidden"], x["weight"], x["bias"]), targets, reduction="sum")


def steps_of(sizes):
    """How many sequences are at each step, and the lengths."""
    batch, steps = sizes[:2]
    lengths = torch.tensor([max(1, steps * (batch - b) // batch) for b in range(batch)])
    return torch.stack([(lengths > t).sum() for t in range(steps)]), lengths


def weights_of(x):
    return [x[name] for name in ("input.weight", "hidden.weight", "input.bias", "hidden.bias")]


@form("gru sequence", "nn.GRU, packed")
def gru_packed(x, sizes):
    live, _ = steps_of(sizes)
    initial = torch.zeros(1, sizes[0], sizes[3])
    # What nn.GRU calls, with the leaves as its weights.
    return lambda: torch._VF.gru(x["rows"], live, initial, weights_of(x), True, 1, 0.0, True,
                                 False)[0]


@form("gru sequence", "nn.GRU, padded rows taken out")
def gru_padded(x, sizes):
    batch, steps, width, hidden = sizes
    live, _ = steps_of(sizes)
    initial = torch.zeros(1, batch, hidden)
    place = torch.cat([t * batch + torch.arange(n) for t, n in enumerate(live.tolist())])

    def run():
        padded = torch.zeros(steps * batch, width).index_copy(0, place, x["rows"])
        states = torch._VF.gru(padded.view(steps, batch, width), initial, weights_of(x), True, 1,
                               0.0, True, False, False)[0]
        return states.reshape(steps * batch, hidden)[place]
    return run

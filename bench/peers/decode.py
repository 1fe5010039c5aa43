"""Greedy decoding in eager PyTorch with cached state, written for speed.

The decoders hold what inference can prepare: joined query, key and value weights, keys and values of
the source once a sentence, those of the target in a buffer that a step adds to, recurrent states.
Attention is PyTorch's fused one; no mask where no sentence is padded. Sentences that have ended
leave the batch once they are a quarter of it. Shapes as in models.py; step takes one token a sentence.
"""

import math

import torch
from torch.nn import functional

from models import real_tokens
from steps import pad


class CachedRecurrent:
    """GRU without attention, and Bahdanau's."""

    def __init__(self, model):
        self.model, self.decoder = model, model.decoder
        self.attention = getattr(self.decoder, "attention", None)
        gru = self.decoder.gru
        self.cells = [[getattr(gru, f"{name}_l{layer}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
                      for layer in range(gru.num_layers)]

    def start(self, source, lengths, most):
        encoded = self.model.encoder(source, lengths)
        self.states = list(encoded.state)  # a (B, H) each layer
        self.kept = {"code": self.states[-1]}
        if self.attention is not None:
            self.kept = {"values": encoded.memory, "keys": self.attention.key(encoded.memory)}
            if int(lengths.min()) < source.shape[1]:
                hidden = torch.zeros(source.shape).masked_fill_(~encoded.mask, float("-inf"))
                self.kept["hidden"] = hidden  # (B, S)

    def look(self):
        query = self.attention.query(self.states[-1])[:, None, :]
        features = torch.tanh(query + self.kept["keys"])  # (B, S, A)
        scores = functional.linear(features, self.attention.score.weight).squeeze(-1)  # (B, S)
        if "hidden" in self.kept:
            scores = scores + self.kept["hidden"]
        weights = torch.softmax(scores, dim=-1)
        return torch.bmm(weights[:, None, :], self.kept["values"]).squeeze(1)  # (B, H)

    def step(self, tokens):
        x = self.decoder.embedding(tokens)  # (B, E)
        x = torch.cat((x, self.kept["code"]) if self.attention is None else (self.look(), x), dim=-1)
        for layer, cell in enumerate(self.cells):
            x = self.states[layer] = torch.gru_cell(x, self.states[layer], *cell)
        return self.decoder.output(x)  # (B, V)

    def keep(self, rows):
        self.states = [state[rows] for state in self.states]
        self.kept = {name: tensor[rows] for name, tensor in self.kept.items()}


class CachedTransformer:
    def __init__(self, model):
        self.model, self.heads = model, model.decoder.layers[0].self_attention.heads
        # (3 H, H), and of the source's keys and values (2 H, H)
        self.encoder = [(layer, joined(layer.self_attention)) for layer in model.encoder.layers]
        self.decoder = [(layer, joined(layer.self_attention), joined(layer.cross_attention)[layer.norm1.weight.numel():])
                        for layer in model.decoder.layers]

    def split(self, x, parts):
        """(B, T, parts H) -> parts of (B, heads, T, H / heads)"""
        return x.unflatten(-1, (parts, self.heads, -1)).permute(2, 0, 3, 1, 4).unbind(0)

    def embed(self, embedding, ids, first):
        x = functional.embedding(ids, embedding.weight) * math.sqrt(embedding.embedding_dim)
        return x + embedding.positions[first : first + ids.shape[1]]

    def start(self, source, lengths, most):
        self.mask = None
        if int(lengths.min()) < source.shape[1]:
            self.mask = real_tokens(lengths, source.shape[1])[:, None, None, :]  # (B, 1, 1, S)
        x = self.embed(self.model.encoder.embedding, source, 0)  # (B, S, H)
        for layer, qkv in self.encoder:
            q, k, v = self.split(functional.linear(x, qkv), 3)
            pooled = functional.scaled_dot_product_attention(q, k, v, attn_mask=self.mask)
            x = layer.norm1(x + layer.self_attention.output(pooled.transpose(1, 2).flatten(-2)))
            x = layer.norm2(x + layer.feed_forward(x))
        self.source = [self.split(functional.linear(x, kv), 2) for _, _, kv in self.decoder]
        batch, width = len(source), x.shape[-1]
        self.cache = torch.empty(len(self.decoder), 2, batch, self.heads, most, width // self.heads)
        self.position = 0

    def step(self, tokens):
        x = self.embed(self.model.decoder.embedding, tokens[:, None], self.position)  # (B, 1, H)
        self.position += 1
        for i, (layer, qkv, _) in enumerate(self.decoder):
            q, k, v = self.split(functional.linear(x, qkv), 3)
            keys, values = self.cache[i, :, :, :, : self.position].unbind(0)
            keys[:, :, -1:], values[:, :, -1:] = k, v
            pooled = functional.scaled_dot_product_attention(q, keys, values)
            x = layer.norm1(x + layer.self_attention.output(pooled.transpose(1, 2).flatten(-2)))
            (q,) = self.split(layer.cross_attention.query(x), 1)
            pooled = functional.scaled_dot_product_attention(q, *self.source[i], attn_mask=self.mask)
            x = layer.norm2(x + layer.cross_attention.output(pooled.transpose(1, 2).flatten(-2)))
            x = layer.norm3(x + layer.feed_forward(x))
        return self.model.decoder.output(x[:, 0])  # (B, V)

    def keep(self, rows):
        self.cache = self.cache[:, :, rows]
        self.source = [(k[rows], v[rows]) for k, v in self.source]
        self.mask = None if self.mask is None else self.mask[rows]


def joined(attention):
    return torch.cat([attention.query.weight, attention.key.weight, attention.value.weight]).detach()


def cached(model):
    return (CachedTransformer if hasattr(model.decoder, "layers") else CachedRecurrent)(model)


@torch.inference_mode()
def greedy(decoder, sources, most, begin=2, end=3, padding=1):
    """Lists of ids, end marks included -> lists of the ids written, without the end mark."""
    decoder.start(pad(sources, 0, padding), torch.tensor([len(s) for s in sources]), most)
    written = [[] for _ in sources]
    rows = list(range(len(sources)))  # of the decoder: the sentence of each, None once it ended
    tokens = torch.full((len(rows),), begin)
    for _ in range(most):
        tokens = decoder.step(tokens).argmax(-1)  # (B)
        for i, token in enumerate(tokens.tolist()):
            if token == end:
                rows[i] = None
            elif rows[i] is not None:
                written[rows[i]].append(token)
        live = [i for i, sentence in enumerate(rows) if sentence is not None]
        if not live:
            break
        if 4 * len(live) <= 3 * len(rows):
            decoder.keep(live)
            rows, tokens = [rows[i] for i in live], tokens[live]
    return written

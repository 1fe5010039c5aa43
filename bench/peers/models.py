"""The chapter's three translators in eager PyTorch: what attend is checked and timed against.

Written the way a course or a first implementation writes them: modules, padding, one Python step
a decoder token where attention needs the last state. Shapes: B batch, S source, T target, E
embedding, H hidden, A attention, V vocabulary; batch first.

Two forms. `padded` is the chapter's: the encoder runs over the padding too, so the final state of
a short sentence has seen padding. `packed` runs the encoder over real tokens only, as attend does.
The Transformer masks padding everywhere, so for it both forms are one.
"""

from dataclasses import dataclass
import math
from typing import NamedTuple

import torch
from torch import nn
from torch.nn.utils import rnn

KINDS = ("gru", "bahdanau", "transformer")


@dataclass
class Options:
    kind: str
    source_vocabulary: int
    target_vocabulary: int
    embedding: int = 32  # recurrent models; the Transformer uses hidden
    hidden: int = 32
    layers: int = 2  # of the encoder and of the decoder, each
    dropout: float = 0.1
    heads: int = 4  # Transformer
    feed_forward: int = 64  # Transformer
    tied_embeddings: bool = False  # the output projection is the target embedding
    packed: bool = False  # the encoder sees real tokens only
    keys_once: bool = False  # Bahdanau: W_k once a batch, not at every step as in the chapter


class Encoded(NamedTuple):
    memory: torch.Tensor  # (B, S, H)
    state: torch.Tensor | None  # (layers, B, H); None: Transformer
    mask: torch.Tensor  # (B, S), true for real tokens


def real_tokens(lengths, steps):
    return torch.arange(steps)[None, :] < lengths[:, None]  # (B, S)


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)


class GruEncoder(nn.Module):
    def __init__(self, o: Options):
        super().__init__()
        self.packed = o.packed
        self.embedding = nn.Embedding(o.source_vocabulary, o.embedding)
        between = o.dropout if o.layers > 1 else 0.0
        self.gru = nn.GRU(o.embedding, o.hidden, o.layers, batch_first=True, dropout=between)

    def forward(self, source, lengths):
        x = self.embedding(source)  # (B, S, E)
        mask = real_tokens(lengths, source.shape[1])
        if not self.packed:
            memory, state = self.gru(x)  # (B, S, H), (layers, B, H)
            return Encoded(memory, state, mask)
        x = rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        memory, state = self.gru(x)
        memory, _ = rnn.pad_packed_sequence(memory, batch_first=True, total_length=source.shape[1])
        return Encoded(memory, state, mask)


class GruDecoder(nn.Module):
    """Without attention: the code is the encoder's last top state, joined to every input."""

    def __init__(self, o: Options):
        super().__init__()
        self.embedding = nn.Embedding(o.target_vocabulary, o.embedding)
        between = o.dropout if o.layers > 1 else 0.0
        width = o.embedding + o.hidden
        self.gru = nn.GRU(width, o.hidden, o.layers, batch_first=True, dropout=between)
        self.output = nn.Linear(o.hidden, o.target_vocabulary)

    def forward(self, inputs, encoded):
        x = self.embedding(inputs)  # (B, T, E)
        code = encoded.state[-1][:, None, :].expand(-1, x.shape[1], -1)  # (B, T, H)
        hidden, _ = self.gru(torch.cat((x, code), dim=-1), encoded.state)
        return self.output(hidden)  # (B, T, V)


class AdditiveAttention(nn.Module):
    """v^T tanh(W_q q + W_k k) (Bahdanau, Cho, Bengio 2015, appendix A.1.2)."""

    def __init__(self, hidden, dropout):
        super().__init__()
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.key = nn.Linear(hidden, hidden, bias=False)
        self.score = nn.Linear(hidden, 1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, keys, values, mask):
        features = torch.tanh(self.query(query)[:, None, :] + keys)  # (B, S, A)
        weights = masked_softmax(self.score(features).squeeze(-1), mask)  # (B, S)
        return torch.bmm(self.dropout(weights)[:, None, :], values)  # (B, 1, H)


class BahdanauDecoder(nn.Module):
    def __init__(self, o: Options):
        super().__init__()
        self.keys_once = o.keys_once
        self.attention = AdditiveAttention(o.hidden, o.dropout)
        self.embedding = nn.Embedding(o.target_vocabulary, o.embedding)
        between = o.dropout if o.layers > 1 else 0.0
        width = o.hidden + o.embedding
        self.gru = nn.GRU(width, o.hidden, o.layers, batch_first=True, dropout=between)
        self.output = nn.Linear(o.hidden, o.target_vocabulary)

    def forward(self, inputs, encoded):
        state, outputs = encoded.state, []
        keys = self.attention.key(encoded.memory) if self.keys_once else None
        for x in self.embedding(inputs).split(1, dim=1):  # (B, 1, E)
            k = keys if self.keys_once else self.attention.key(encoded.memory)
            context = self.attention(state[-1], k, encoded.memory, encoded.mask)  # (B, 1, H)
            hidden, state = self.gru(torch.cat((context, x), dim=-1), state)
            outputs.append(hidden)
        return self.output(torch.cat(outputs, dim=1))  # (B, T, V)


class MultiHeadAttention(nn.Module):
    def __init__(self, o: Options):
        super().__init__()
        self.heads = o.heads
        self.query = nn.Linear(o.hidden, o.hidden, bias=False)
        self.key = nn.Linear(o.hidden, o.hidden, bias=False)
        self.value = nn.Linear(o.hidden, o.hidden, bias=False)
        self.output = nn.Linear(o.hidden, o.hidden, bias=False)
        self.dropout = nn.Dropout(o.dropout)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)  # (B, heads, S, H / heads)

    def forward(self, queries, memory, mask):
        q = self.split(self.query(queries))
        k, v = self.split(self.key(memory)), self.split(self.value(memory))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # (B, heads, Tq, Tk)
        pooled = self.dropout(masked_softmax(scores, mask)) @ v
        return self.output(pooled.transpose(1, 2).flatten(-2))  # (B, Tq, H)


class FeedForward(nn.Module):
    def __init__(self, o: Options):
        super().__init__()
        self.inner = nn.Linear(o.hidden, o.feed_forward)
        self.outer = nn.Linear(o.feed_forward, o.hidden)

    def forward(self, x):
        return self.outer(torch.relu(self.inner(x)))


class EncoderLayer(nn.Module):
    """Post-norm: LayerNorm(x + dropout(sublayer(x)))."""

    def __init__(self, o: Options):
        super().__init__()
        self.self_attention, self.feed_forward = MultiHeadAttention(o), FeedForward(o)
        self.norm1, self.norm2 = nn.LayerNorm(o.hidden), nn.LayerNorm(o.hidden)
        self.dropout = nn.Dropout(o.dropout)

    def forward(self, x, mask):
        x = self.norm1(x + self.dropout(self.self_attention(x, x, mask)))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


class DecoderLayer(nn.Module):
    def __init__(self, o: Options):
        super().__init__()
        self.self_attention, self.cross_attention = MultiHeadAttention(o), MultiHeadAttention(o)
        self.feed_forward = FeedForward(o)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(o.hidden) for _ in range(3))
        self.dropout = nn.Dropout(o.dropout)

    def forward(self, x, memory, causal, mask):
        x = self.norm1(x + self.dropout(self.self_attention(x, x, causal)))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, mask)))
        return self.norm3(x + self.dropout(self.feed_forward(x)))


def sinusoidal_positions(count, width):
    """Sines in the even columns, cosines in the odd ones, 10000^(-2i / width), from position 0."""
    angles = torch.arange(count, dtype=torch.float64)[:, None] * torch.pow(
        10000.0, -torch.arange(0, width, 2, dtype=torch.float64) / width)
    table = torch.zeros(count, width, dtype=torch.float64)
    table[:, 0::2], table[:, 1::2] = angles.sin(), angles.cos()[:, : width // 2]
    return table.to(torch.get_default_dtype())


class PositionedEmbedding(nn.Embedding):
    """embedding * sqrt(H) + positions, then dropout."""

    def __init__(self, vocabulary, o: Options, longest=1000):
        super().__init__(vocabulary, o.hidden)
        self.register_buffer("positions", sinusoidal_positions(longest, o.hidden), persistent=False)
        self.dropout = o.dropout

    def forward(self, ids):
        x = super().forward(ids) * math.sqrt(self.embedding_dim) + self.positions[: ids.shape[1]]
        return nn.functional.dropout(x, self.dropout, self.training)


class TransformerEncoder(nn.Module):
    def __init__(self, o: Options):
        super().__init__()
        self.embedding = PositionedEmbedding(o.source_vocabulary, o)
        self.layers = nn.ModuleList(EncoderLayer(o) for _ in range(o.layers))

    def forward(self, source, lengths):
        mask = real_tokens(lengths, source.shape[1])  # (B, S)
        x = self.embedding(source)  # (B, S, H)
        for layer in self.layers:
            x = layer(x, mask[:, None, None, :])
        return Encoded(x, None, mask)


class TransformerDecoder(nn.Module):
    def __init__(self, o: Options):
        super().__init__()
        self.embedding = PositionedEmbedding(o.target_vocabulary, o)
        self.layers = nn.ModuleList(DecoderLayer(o) for _ in range(o.layers))
        self.output = nn.Linear(o.hidden, o.target_vocabulary)

    def forward(self, inputs, encoded):
        # Padding stands at the end of a target, so the causal mask hides it from real positions.
        causal = torch.ones(inputs.shape[1], inputs.shape[1], dtype=torch.bool).tril()
        x = self.embedding(inputs)  # (B, T, H)
        for layer in self.layers:
            x = layer(x, encoded.memory, causal, encoded.mask[:, None, None, :])
        return self.output(x)  # (B, T, V)


class Translator(nn.Module):
    def __init__(self, o: Options):
        super().__init__()
        if o.kind not in KINDS:
            raise ValueError(f"expected a kind of {', '.join(KINDS)}, found '{o.kind}'")
        encoder = TransformerEncoder if o.kind == "transformer" else GruEncoder
        decoders = {"gru": GruDecoder, "bahdanau": BahdanauDecoder, "transformer": TransformerDecoder}
        self.options = o
        self.encoder, self.decoder = encoder(o), decoders[o.kind](o)
        self.apply(xavier_weights)
        if o.tied_embeddings:
            self.decoder.output.weight = self.decoder.embedding.weight

    def forward(self, source, lengths, inputs):
        """source (B, S), lengths (B), inputs (B, T) -> logits (B, T, V)"""
        return self.decoder(inputs, self.encoder(source, lengths))


def xavier_weights(module):
    """Xavier uniform for the weights of linear and recurrent layers; all else as PyTorch has it."""
    if isinstance(module, (nn.Linear, nn.GRU)):
        for name, parameter in module.named_parameters():
            if name.startswith("weight"):
                nn.init.xavier_uniform_(parameter)

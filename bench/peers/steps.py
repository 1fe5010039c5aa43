"""What the scripts share: batches from id lists, the loss, and one training step."""

import json
import pathlib
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional

from models import Options


class Batch(NamedTuple):
    source: torch.Tensor  # (B, S), padded
    lengths: torch.Tensor  # (B)
    inputs: torch.Tensor  # (B, T): begin mark, then the target moved on by one
    targets: torch.Tensor  # (B, T), padded
    mask: torch.Tensor  # (B, T), true for real target tokens
    tokens: int  # real target tokens


def pad(sentences, steps, padding):
    width = max([steps, *map(len, sentences)])
    return torch.tensor([list(s) + [padding] * (width - len(s)) for s in sentences])


def make_batch(source, target, steps, begin, padding):
    """Lists of id lists, end marks included. Each side is padded to `steps`, or to its longest."""
    targets = pad(target, steps, padding)
    first = torch.full((len(target), 1), begin)
    mask = torch.arange(targets.shape[1])[None, :] < torch.tensor([len(t) for t in target])[:, None]
    return Batch(pad(source, steps, padding), torch.tensor([len(s) for s in source]),
                 torch.cat((first, targets[:, :-1]), dim=1), targets, mask, int(mask.sum()))


def summed_loss(model, batch):
    """Cross-entropy (nats) summed over real target tokens."""
    logits = model(batch.source, batch.lengths, batch.inputs)
    losses = functional.cross_entropy(logits.transpose(1, 2), batch.targets, reduction="none")
    return (losses * batch.mask).sum()


def train_step(model, optimiser, batch, clip, divisor=None, loss=summed_loss):
    """One update with the loss divided by `divisor`, by default the real target tokens. Returns the
    mean loss a token. `loss` may be summed_loss, compiled."""
    optimiser.zero_grad()
    total = loss(model, batch)
    (total / (divisor or batch.tokens)).backward()
    if clip > 0:
        nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimiser.step()
    return float(total.detach()) / batch.tokens


def adam(model, rate):
    return torch.optim.Adam(model.parameters(), lr=rate, betas=(0.9, 0.999), eps=1e-8)


def read_json(folder, name):
    return json.loads((pathlib.Path(folder) / name).read_text(encoding="utf-8"))


def read_options(meta, **changes):
    """meta.json to Options. kind, source_vocabulary and target_vocabulary have to be there."""
    known = [key for key in Options.__dataclass_fields__ if key in meta]
    return Options(**{**{key: meta[key] for key in known}, **changes})


def read_batches(folder, meta):
    """batches.json: [{"source": [[ids]], "target": [[ids]]}]. Padded to meta's `steps`, else 10."""
    steps = meta.get("steps", 10)
    return [make_batch(b["source"], b["target"], steps, meta["begin_id"], meta["padding_id"])
            for b in read_json(folder, "batches.json")]

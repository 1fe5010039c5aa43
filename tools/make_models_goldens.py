"""Writes tests/data/models/KIND.safetensors: losses, logits and gradients of the PyTorch peers.

Run: python tools/make_models_goldens.py   (torch, safetensors; the peers in bench/peers)

The weights need no random generator: cos(start + arange) scaled, start being the parameter's place in
the sorted list of names. Everything is in double precision and stored with its inputs.
"""

import pathlib
import re
import sys

import torch
from safetensors.torch import save_file

ROOT = pathlib.Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "bench" / "peers"))
import models  # noqa: E402
from weights import peer_name  # noqa: E402

SOURCE = [[5, 9, 4, 8, 3], [7, 3], [6, 4, 3], [10, 3]]
TARGET = [[4, 5, 6, 7, 8, 3], [11, 12, 3], [9, 10, 3], [3]]
BEGIN, PADDING = 2, 1

torch.set_default_dtype(torch.float64)


def padded(rows):
    longest = max(map(len, rows))
    return torch.tensor([row + [PADDING] * (longest - len(row)) for row in rows])


def our_name(name):
    """gru.weight_ih_l0 -> gru.layers.0.weight_ih"""
    match = re.fullmatch(r"(.*\.gru)\.(\w+)_l(\d+)", name)
    ours = f"{match[1]}.layers.{match[3]}.{match[2]}" if match else name
    assert peer_name(ours) == name
    return ours


def goldens(kind):
    options = models.Options(kind, 11, 13, embedding=6, hidden=8, layers=2, dropout=0.0, heads=2,
                             feed_forward=12, packed=True)
    peer = models.Translator(options)
    ours = {our_name(name): parameter for name, parameter in peer.named_parameters()}
    with torch.no_grad():
        for start, name in enumerate(sorted(ours)):
            parameter = ours[name]
            values = torch.cos(start + torch.arange(parameter.numel(), dtype=torch.float64))
            parameter.copy_(0.5 * values.reshape(parameter.shape))
    source, target = padded(SOURCE), padded(TARGET)
    lengths = torch.tensor([len(row) for row in SOURCE])
    inputs = torch.cat((torch.full((len(TARGET), 1), BEGIN), target[:, :-1]), dim=1)
    logits = peer(source, lengths, inputs)
    real = torch.cat([logits[b, : len(row)] for b, row in enumerate(TARGET)])
    loss = torch.nn.functional.cross_entropy(real, torch.tensor(sum(TARGET, [])), reduction="sum")
    loss.backward()
    tensors = {"logits": real, "loss": loss.reshape(1)}
    for name, parameter in ours.items():
        shape = parameter.shape[1:] if name == "decoder.attention.score.weight" else parameter.shape
        tensors["weight." + name] = parameter.reshape(shape)
        tensors["gradient." + name] = parameter.grad.reshape(shape)
    return {name: t.detach().contiguous().clone() for name, t in tensors.items()}


if __name__ == "__main__":
    folder = ROOT / "tests" / "data" / "models"
    folder.mkdir(parents=True, exist_ok=True)
    for kind in models.KINDS:
        save_file(goldens(kind), folder / f"{kind}.safetensors")

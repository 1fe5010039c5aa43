"""attend's tensor names and the peers': the same, but for how nn.GRU names its layers."""

import re

from safetensors.torch import load_file

GRU_OF_OURS = re.compile(r"\.gru\.layers\.(\d+)\.(weight_ih|weight_hh|bias_ih|bias_hh)$")


def peer_name(name):
    """encoder.gru.layers.0.weight_ih -> encoder.gru.weight_ih_l0"""
    return GRU_OF_OURS.sub(r".gru.\2_l\1", name)


def load_weights(model, path):
    """Copies every tensor of the safetensors file `path`; missing or left over names are an error."""
    tensors = {peer_name(name): tensor for name, tensor in load_file(path).items()}
    score = "decoder.attention.score.weight"  # (A) in the file, a row (1, A) in nn.Linear
    if score in tensors:
        tensors[score] = tensors[score].reshape(1, -1)
    if model.options.tied_embeddings:
        tensors["decoder.output.weight"] = tensors["decoder.embedding.weight"]
    model.load_state_dict(tensors, strict=True)

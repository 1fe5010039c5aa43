"""Converts a trained Transformer's folder to CTranslate2 (float32).

    python bench/peers/to_ctranslate2.py MODEL OUT

Where the two differ: attend's positions are sine and cosine interleaved, from 0, so the table is
stored; a source ends with <eos>, which the caller passes; the target begins with <bos>. Post-norm,
ReLU, query, key and value joined as CTranslate2 wants them.
"""

import argparse
import json
import pathlib
import shutil

import ctranslate2
from ctranslate2.converters import utils
from ctranslate2.specs import common_spec, transformer_spec
import numpy
from safetensors.numpy import load_file

from load_config import read_config
from vocabulary import read_vocabulary

LONGEST = 1024  # of the stored positions


def positions(count, width):
    """Sines in the even columns, cosines in the odd ones, 10000^(-2i / width), from position 0."""
    angles = numpy.arange(count)[:, None] * 10000.0 ** (-numpy.arange(0, width, 2) / width)
    table = numpy.zeros((count, width))
    table[:, 0::2], table[:, 1::2] = numpy.sin(angles), numpy.cos(angles)[:, : width // 2]
    return table.astype(numpy.float32)


class Weights:
    def __init__(self, folder):
        self.tensors = load_file(pathlib.Path(folder) / "model.safetensors")

    def linear(self, spec, name):
        spec.weight = self.tensors[f"{name}.weight"]
        if f"{name}.bias" in self.tensors:
            spec.bias = self.tensors[f"{name}.bias"]

    def joined(self, spec, prefix, names):
        parts = [common_spec.LinearSpec() for _ in names]
        for part, name in zip(parts, names):
            self.linear(part, f"{prefix}.{name}")
        utils.fuse_linear(spec, parts)

    def norm(self, spec, name):
        spec.gamma, spec.beta = self.tensors[f"{name}.weight"], self.tensors[f"{name}.bias"]

    def self_attention(self, spec, prefix, norm):
        self.joined(spec.linear[0], f"{prefix}.self_attention", ("query", "key", "value"))
        self.linear(spec.linear[1], f"{prefix}.self_attention.output")
        self.norm(spec.layer_norm, f"{prefix}.{norm}")

    def cross_attention(self, spec, prefix, norm):
        self.linear(spec.linear[0], f"{prefix}.cross_attention.query")
        self.joined(spec.linear[1], f"{prefix}.cross_attention", ("key", "value"))
        self.linear(spec.linear[2], f"{prefix}.cross_attention.output")
        self.norm(spec.layer_norm, f"{prefix}.{norm}")

    def feed_forward(self, spec, prefix, norm):
        self.linear(spec.linear_0, f"{prefix}.feed_forward.inner")
        self.linear(spec.linear_1, f"{prefix}.feed_forward.outer")
        self.norm(spec.layer_norm, f"{prefix}.{norm}")

    def embedding(self, spec, side):
        embeddings = spec.embeddings[0] if isinstance(spec.embeddings, list) else spec.embeddings
        embeddings.weight = self.tensors[f"{side}.embedding.weight"]
        spec.position_encodings.encodings = positions(LONGEST, embeddings.weight.shape[1])


def convert(folder, out):
    config = read_config(folder)
    if config["kind"] != "transformer":
        raise ValueError(f"CTranslate2 has Transformers alone; this is a {config['kind']} model")
    weights = Weights(folder)
    spec = transformer_spec.TransformerSpec.from_config(
        config["layers"], config["heads"], pre_norm=False, activation=common_spec.Activation.RELU)
    weights.embedding(spec.encoder, "encoder")
    weights.embedding(spec.decoder, "decoder")
    for i, layer in enumerate(spec.encoder.layer):
        prefix = f"encoder.layers.{i}"
        weights.self_attention(layer.self_attention, prefix, "norm1")
        weights.feed_forward(layer.ffn, prefix, "norm2")
    for i, layer in enumerate(spec.decoder.layer):
        prefix = f"decoder.layers.{i}"
        weights.self_attention(layer.self_attention, prefix, "norm1")
        weights.cross_attention(layer.attention, prefix, "norm2")
        weights.feed_forward(layer.ffn, prefix, "norm3")
    output = spec.decoder.projection
    if config.get("tied_embeddings"):
        output.weight, output.bias = spec.decoder.embeddings.weight, weights.tensors["decoder.output.bias"]
    else:
        weights.linear(output, "decoder.output")
    spec.register_source_vocabulary(read_vocabulary(folder, "source"))
    spec.register_target_vocabulary(read_vocabulary(folder, "target"))
    spec.config.unk_token, spec.config.bos_token, spec.config.eos_token = "<unk>", "<bos>", "<eos>"
    spec.config.decoder_start_token = "<bos>"
    spec.config.layer_norm_epsilon = 1e-5
    spec.validate()
    spec.optimize()
    shutil.rmtree(out, ignore_errors=True)
    pathlib.Path(out).mkdir(parents=True)
    spec.save(str(out))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()
    convert(arguments.model, arguments.out)
    print(json.dumps({"ctranslate2": ctranslate2.__version__, "folder": str(arguments.out)}))


if __name__ == "__main__":
    main()

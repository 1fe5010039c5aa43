"""Loads a trained model's folder into the PyTorch peer: `model = load_model("my-model")`."""

import pathlib
import tomllib

from safetensors import safe_open

from models import Options, Translator
from weights import load_weights


# What the peer is built for.
PLAIN = {"cell": "gru", "bidirectional": False, "score": "auto", "normaliser": "softmax", "positions": "sinusoidal",
         "key_value_heads": 0, "window": 0, "linear_attention": False, "activation": "relu", "norm": "layer",
         "norm_first": False, "attention_bias": False, "tied_embeddings": False}


def load_model(folder):
    folder = pathlib.Path(folder)
    config = tomllib.loads((folder / "config.toml").read_text(encoding="utf-8"))["model"]
    for key, value in PLAIN.items():
        if config.get(key, value) != value:
            raise ValueError(f"the peer has no {key} = {config[key]}")
    known = ("kind", "embedding", "hidden", "layers", "heads", "feed_forward")
    with safe_open(folder / "model.safetensors", "pt") as file:
        source, target = (file.get_slice(f"{side}.embedding.weight").get_shape()[0]
                          for side in ("encoder", "decoder"))
    model = Translator(Options(source_vocabulary=source, target_vocabulary=target, packed=True,
                               **{key: config[key] for key in known if key in config}))
    load_weights(model, folder / "model.safetensors")
    return model.eval()  # model(source ids (B, S), lengths (B), decoder inputs (B, T)) -> logits

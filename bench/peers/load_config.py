"""The [model] table of a trained model's folder, refused where the peers have no such model."""

import pathlib
import tomllib

# What the peers are built for.
PLAIN = {"cell": "gru", "bidirectional": False, "score": "auto", "normaliser": "softmax", "positions": "sinusoidal",
         "key_value_heads": 0, "window": 0, "linear_attention": False, "activation": "relu", "norm": "layer",
         "norm_first": False, "attention_bias": False}


def read_config(folder):
    text = (pathlib.Path(folder) / "config.toml").read_text(encoding="utf-8")
    config = tomllib.loads(text)["model"]
    for key, value in PLAIN.items():
        if config.get(key, value) != value:
            raise ValueError(f"the peer has no {key} = {config[key]}")
    return config

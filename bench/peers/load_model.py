"""Loads a trained model's folder into the PyTorch peer: `model = load_model("my-model")`."""

import pathlib

from safetensors import safe_open

from load_config import read_config
from models import Options, Translator
from weights import load_weights


def load_model(folder):
    folder = pathlib.Path(folder)
    config = read_config(folder)  # the [model] table, refused where the peer has no such model
    known = ("kind", "embedding", "hidden", "layers", "heads", "feed_forward", "tied_embeddings")
    with safe_open(folder / "model.safetensors", "pt") as file:
        source, target = (file.get_slice(f"{side}.embedding.weight").get_shape()[0]
                          for side in ("encoder", "decoder"))
    model = Translator(Options(source_vocabulary=source, target_vocabulary=target, packed=True,
                               **{key: config[key] for key in known if key in config}))
    load_weights(model, folder / "model.safetensors")
    return model.eval()  # model(source ids (B, S), lengths (B), decoder inputs (B, T)) -> logits

"""Does a trained model give the same logits here? Compares with what attend wrote.

    attend_bench_steps logits --model MODEL --data PAIRS --out FOLDER
    python bench/peers/same_logits.py MODEL FOLDER
"""

import argparse
import pathlib
import sys

from safetensors.torch import load_file
import torch

from load_model import load_model
from steps import make_batch, read_json


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    arguments = parser.parse_args()

    pairs = read_json(arguments.folder, "pairs.json")
    batch = make_batch(pairs["source"], pairs["target"], 1, pairs["begin_id"], pairs["padding_id"])
    ours = load_file(arguments.folder / "logits.safetensors")["logits"]  # (target tokens, V)
    with torch.no_grad():
        theirs = load_model(arguments.model)(batch.source, batch.lengths, batch.inputs)[batch.mask]
    if ours.shape != theirs.shape or ours.numel() == 0:
        sys.exit(f"expected logits of {tuple(theirs.shape)}, found {tuple(ours.shape)}")
    difference = float((ours - theirs).abs().max())
    good = difference <= arguments.tolerance  # false for NaN
    print(f"{len(pairs['source'])} pairs, {ours.shape[0]} x {ours.shape[1]} logits up to "
          f"{float(theirs.abs().max()):.1f}: largest difference {difference:.2e}, "
          f"{'within' if good else 'not within'} {arguments.tolerance:g}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

"""Does attend train the same model? Repeats its steps from its initial weights, dropout 0.

    python bench/peers/parity.py FOLDER

FOLDER, written by attend: init.safetensors; meta.json with kind, source_vocabulary,
target_vocabulary, embedding, hidden, layers, heads, feed_forward, begin_id, padding_id, lr, clip
(0: none); batches.json, a list of steps [{"source": [[ids]], "target": [[ids]]}], end marks included;
losses.json, attend's mean loss per real target token at each step. Prints both losses of each step;
exit status 1 when one differs by more than 1e-4. In the precision of init.safetensors: training
amplifies differences of rounding, in float tenfold in a few steps, so more than an epoch wants double.
"""

import argparse
import pathlib
import sys

from safetensors import safe_open
import torch

from models import Translator
from steps import adam, read_batches, read_json, read_options, train_step
from weights import load_weights


def precision(path):
    with safe_open(path, "pt") as file:
        return file.get_tensor(next(iter(file.keys()))).dtype


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--first", type=int, help="compare so many steps alone")
    arguments = parser.parse_args()

    meta = read_json(arguments.folder, "meta.json")
    expected = read_json(arguments.folder, "losses.json")
    batches = read_batches(arguments.folder, meta)
    if not batches or len(batches) != len(expected):
        sys.exit(f"expected a loss for each batch, and one at least; found {len(expected)} losses "
                 f"and {len(batches)} batches")

    torch.set_num_threads(1)
    initial = arguments.folder / "init.safetensors"
    torch.set_default_dtype(precision(initial))
    model = Translator(read_options(meta, packed=True, keys_once=True, dropout=0.0)).train()
    load_weights(model, initial)
    optimiser = adam(model, meta["lr"])
    differences = []
    for step, (batch, ours) in enumerate(zip(batches[: arguments.first], expected), 1):
        peer = train_step(model, optimiser, batch, meta["clip"])
        differences.append(abs(peer - ours))
        print(f"step {step}: attend {ours:.6f}, PyTorch {peer:.6f}, difference {differences[-1]:.2e}")
    good = all(d <= arguments.tolerance for d in differences)  # false for NaN, which max() may skip
    print(f"{meta['kind']}: largest difference {max(differences):.2e}, "
          f"{'all within' if good else 'not all within'} {arguments.tolerance:g}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

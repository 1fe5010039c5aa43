"""A PyTorch peer that trains, in a process of its own.

    python bench/peers/serve_training.py FOLDER --form "packed, keys once" --threads 1 [--compile]

FOLDER is what `attend_bench_steps parity` wrote. Prints a line of JSON about itself, then one for each
line of input, which holds the seconds of a window or {"steps": 30}. With --compile the loss is compiled by torch.compile,
before the first line.
"""

import argparse
import json
import pathlib
import sys

from measure import status_bytes
from steps import read_batches, read_json
from train_speed import Runner


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--form", required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--compile", action="store_true")
    arguments = parser.parse_args()
    meta = read_json(arguments.folder, "meta.json")
    before = status_bytes("VmRSS")
    runner = Runner(meta, read_batches(arguments.folder, meta), arguments.form, arguments.threads,
                    arguments.compile)
    print(json.dumps({"form": arguments.form, "threads": arguments.threads,
                      "seconds_to_compile": runner.seconds_to_compile}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        told = {}
        if isinstance(asked, dict):
            for _ in range(asked["steps"]):
                runner.step(next(runner.batches))
        else:
            told["tokens_per_second"] = runner.window(asked)
        print(json.dumps({**told, "before": before, "resident": status_bytes("VmHWM")}), flush=True)


if __name__ == "__main__":
    main()

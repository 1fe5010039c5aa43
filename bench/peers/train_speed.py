"""Times the peer's training on the batches of a folder as parity.py describes it, dropout on.

    python bench/peers/train_speed.py FOLDER --seconds 10 --threads 1 2

Every form (padded, packed; for Bahdanau also with the keys projected once a batch) and number of
threads gets windows of a second, taken in turn so that a busy neighbour meets them all alike. One
JSON line each; tokens are real target tokens. The last line is the fastest by median.
"""

import argparse
import itertools
import json
import pathlib
import statistics
import time

import torch

from models import Translator
from steps import adam, read_batches, read_json, read_options, summed_loss, train_step


FORMS = {"gru": ["padded", "packed"], "transformer": ["padded"],
         "bahdanau": ["padded", "padded, keys once", "packed, keys once"]}


class Runner:
    """One model under training: `window` runs whole steps until the time is over."""

    def __init__(self, meta, batches, form, threads, compiled=False):
        torch.manual_seed(1)
        torch.set_num_threads(threads)
        self.form, self.threads, self.clip = form, threads, meta["clip"]
        # A folder written for parity.py may say 0; timing is with dropout on.
        options = read_options(meta, packed=form.startswith("packed"), keys_once="keys once" in form,
                               dropout=meta.get("dropout") or 0.1)
        self.model = Translator(options).train()
        self.optimiser = adam(self.model, meta["lr"])
        self.batches = itertools.cycle(batches)
        self.speeds, self.loss, self.seconds_to_compile = [], summed_loss, 0.0
        if compiled:
            self.compile(batches)

    def compile(self, batches):
        """For the size of most batches alone, and only such are trained on; where sizes differ, for any."""
        start = time.perf_counter()
        shapes = [(b.source.shape, b.targets.shape) for b in batches]
        most = max(shapes, key=shapes.count)
        alike = [b for b, shape in zip(batches, shapes) if shape == most]
        any_size = 2 * len(alike) < len(batches)
        chosen = batches if any_size else alike
        self.loss = torch.compile(summed_loss, dynamic=any_size)
        self.batches = itertools.cycle(chosen)
        for batch in chosen[:3]:
            self.step(batch)
        self.seconds_to_compile = time.perf_counter() - start

    def step(self, batch):
        train_step(self.model, self.optimiser, batch, self.clip, loss=self.loss)

    def seconds_a_step(self):
        """Of one, after one for warming up that a slow model is not given."""
        torch.set_num_threads(self.threads)
        for _ in range(2):
            start = time.perf_counter()
            self.step(next(self.batches))
            if (elapsed := time.perf_counter() - start) > 2:
                break
        return elapsed

    def window(self, seconds):
        torch.set_num_threads(self.threads)
        start, tokens = time.perf_counter(), 0
        while (elapsed := time.perf_counter() - start) < seconds or not tokens:
            batch = next(self.batches)
            self.step(batch)
            tokens += batch.tokens
        return tokens / elapsed

    def result(self, kind):
        return {"kind": kind, "form": self.form, "threads": self.threads,
                "tokens_per_second": round(statistics.median(self.speeds), 1),
                "slowest": round(min(self.speeds), 1), "fastest": round(max(self.speeds), 1),
                "windows": len(self.speeds), "torch": torch.__version__}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=10, help="of timing for each form (default 10)")
    parser.add_argument("--warm-up", type=float, default=1, help="seconds for each form (default 1)")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()

    meta = read_json(arguments.folder, "meta.json")
    batches = read_batches(arguments.folder, meta)
    runners = [Runner(meta, batches, form, n) for form in FORMS[meta["kind"]]
               for n in arguments.threads]
    for runner in runners:
        runner.window(arguments.warm_up)
    for _ in range(max(1, round(arguments.seconds))):
        for runner in runners:
            runner.speeds.append(runner.window(1.0))
    results = [runner.result(meta["kind"]) for runner in runners]
    for result in results:
        print(json.dumps(result))
    print(json.dumps({"best": max(results, key=lambda r: r["tokens_per_second"])}))


if __name__ == "__main__":
    main()

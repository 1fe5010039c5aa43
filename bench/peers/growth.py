"""How training's speed grows: against sentence length, batch, width, vocabulary and threads.

    python bench/peers/growth.py BUILD --out growth.json

Pairs are made by formula: all sentences of a point have one length, so that nothing is padded; word j
of a file is number 7919 j of the vocabulary, which it goes through evenly. Batches of a point are the
same for both sides, by attend_bench_steps parity. PyTorch's form is the fastest of compare.py; where one
step of it takes longer than --most, the point has none. One thread, but for the threads. The roof is what
the measured peak of multiply-adds and the measured memory allow: flops.py's operations and Adam's pass
over the parameters, seven numbers read or written a parameter and step, at the speed of the
memory or cache that holds them.
"""

import argparse
import contextlib
import json
import pathlib
import shutil
import statistics
import subprocess
import sys

from compare import Contender
from flops import flops_a_token
from measure import machine, rounded, write_results
from steps import read_batches, read_json
from train_speed import Runner

FORM = {"gru": "packed", "bahdanau": "packed, keys once", "transformer": "padded"}
BASE = {"length": 16, "sentences": 64, "hidden": 32, "vocabulary": 1000}
TOKENS = 2048  # a batch, while its sentences grow
POINTS = {
    "length": [{"length": n, "sentences": max(2, TOKENS // n)} for n in (8, 16, 32, 64, 128, 256, 512, 1024)],
    "batch": [{"sentences": n} for n in (1, 4, 16, 64, 256, 1024)],
    "hidden": [{"hidden": n, "sentences": 32} for n in (32, 64, 128, 256, 512, 1024)],
    "vocabulary": [{"vocabulary": n} for n in (200, 1000, 10000, 50000)],
}
THREADS = [{"hidden": 32}, {"hidden": 256}]


def write_pairs(path, words, length, sentences):
    """So many pairs at least that every word occurs on both sides, in full batches, three at least."""
    batches = max(3, -(-words // (sentences * (length - 1))))
    drawn = (f"w{7919 * j % words}" for j in range(2 * batches * sentences * (length - 1)))
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(batches * sentences):
            source, target = ([next(drawn) for _ in range(length - 1)] for _ in range(2))
            file.write(f"{' '.join(source)}\t{' '.join(target)}\n")


class Point:
    def __init__(self, arguments, kind, changes, folder):
        self.arguments, self.kind, self.folder = arguments, kind, folder
        self.size = {**BASE, **changes}
        self.steps = arguments.build / "bench/attend_bench_steps"

    def prepare(self):
        size = self.size
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        pairs = self.folder / "pairs.tsv"
        write_pairs(pairs, size["vocabulary"] - 4, size["length"], size["sentences"])
        hidden = size["hidden"]
        settings = {"data.limit": 0, "data.steps": size["length"], "text.min_frequency": 1,
                    "training.batch_size": size["sentences"], "model.hidden": hidden,
                    "model.embedding": hidden, "model.feed_forward": 2 * hidden, "training.learning_rate": 0.001}
        self.workload = ["--config", self.kind, "--data", pairs]
        for key, value in settings.items():
            self.workload += ["--set", f"{key}={value}"]
        subprocess.run([self.steps, "parity", *self.workload, "--steps", "3", "--threads", "1", "--out", self.folder],
                       check=True, stdout=subprocess.DEVNULL)
        self.meta = read_json(self.folder, "meta.json")
        self.batches = read_json(self.folder, "batches.json")

    def ours(self, threads):
        command = [self.steps, "speed", *self.workload, "--out", self.folder / "run"]
        return contextlib.closing(Contender("attend", command, threads))

    def roof(self, roof, parameters):
        """Tokens a second that this machine allows."""
        tokens = sum(map(len, self.batches[0]["target"]))
        # Values, gradients and Adam's two means: 16 bytes a parameter.
        sizes = sorted(map(int, roof["triad_gbs"]))
        size = next((n for n in sizes if n >= 16 * parameters), sizes[-1])
        bytes_a_second = roof["triad_gbs"][str(size)] * 1e9
        seconds = (tokens * flops_a_token(self.meta, self.batches) / (roof["gflops"] * 1e9)
                   + 28 * parameters / bytes_a_second)
        return tokens / seconds

    def measure(self, roof, threads=1):
        peer = Runner(self.meta, read_batches(self.folder, self.meta), FORM[self.kind], threads)
        a, b = [], []
        with self.ours(threads) as ours:
            parameters = ours.about["parameters"]
            ours.window(self.arguments.seconds)
            slow = peer.seconds_a_step() > self.arguments.most
            for _ in range(self.arguments.rounds):
                a.append(ours.window(self.arguments.seconds))
                if not slow:
                    b.append(peer.window(self.arguments.seconds))
        told = {"kind": self.kind, "threads": threads, **self.size, "parameters": parameters,
                "attend": rounded(statistics.median(a)), "attend_least": rounded(min(a)),
                "attend_greatest": rounded(max(a)),
                "mflop_a_token": rounded(flops_a_token(self.meta, self.batches) * 1e-6)}
        if b:
            told |= {"peer": rounded(statistics.median(b)), "peer_least": rounded(min(b)),
                     "peer_greatest": rounded(max(b))}
        if roof:
            told["roof"] = rounded(self.roof(roof, parameters))
        return told


def table(curves):
    for name, points in curves.items():
        yield f"\n| {name} | model | attend, tokens/s | PyTorch's | ratio | roof |"
        yield "| ---: | --- | ---: | ---: | ---: | ---: |"
        for p in points:
            x = f"{p['sentences' if name == 'batch' else name]:,}"
            x += f", hidden {p['hidden']}" if name == "threads" else ""
            peer = f"{p['peer']:,.0f} | {p['attend'] / p['peer']:.2g}" if "peer" in p else "- | -"
            roof = f"{p['roof']:,.0f}" if "roof" in p else "-"
            yield f"| {x} | {p['kind']} | {p['attend']:,.0f} | {peer} | {roof} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path, help="a build folder with the benches")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="results, as JSON")
    parser.add_argument("--curves", nargs="+", choices=[*POINTS, "threads"], default=[*POINTS, "threads"])
    parser.add_argument("--kinds", nargs="+", choices=FORM, default=list(FORM))
    parser.add_argument("--every", type=int, default=1, help="take each Nth point alone")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.2, help="of a window")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--most", type=float, default=5, help="seconds of a peer's step")
    arguments = parser.parse_args()

    told = subprocess.run([arguments.build / "bench/attend_bench_roof", "0.3", "1"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    roof, folder, curves = json.loads(told), arguments.out.parent / "growth", {}
    for name in arguments.curves:
        print(f"timing growth, {name} ...", file=sys.stderr, flush=True)
        points = THREADS if name == "threads" else POINTS[name][:: arguments.every]
        for kind in arguments.kinds:
            for changes in points:
                point = Point(arguments, kind, changes, folder)
                point.prepare()
                for threads in arguments.threads if name == "threads" else [1]:
                    curves.setdefault(name, []).append(point.measure(None if threads > 1 else roof, threads))
    shutil.rmtree(folder, ignore_errors=True)
    write_results(arguments.out, {"machine": machine(), "roof": roof, "curves": curves})
    print("\n".join(table(curves)))


if __name__ == "__main__":
    main()

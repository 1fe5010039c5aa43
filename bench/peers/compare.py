"""Times attend's training beside the peer's, in turn, and checks that it is the same work.

    python bench/peers/compare.py build/dev/bench/attend_bench_steps pairs.txt --out results.json

For each workload attend first trains without dropout, 10 steps in float and 20 in double, which
parity.py repeats. Then, with
dropout, every contender (attend and each form of the peer, one and two threads) has windows of a
second, one round after the other, so that a busy neighbour meets them all alike. Each side counts
with its best contender by median; the ratio is the median over the rounds, with the least and the
greatest. Tokens are real target tokens. attend's windows are of the trainer as the program runs it,
with making batches; the peer's batches are ready tensors.
"""

import argparse
import contextlib
import json
import pathlib
import platform
import re
import statistics
import subprocess
import sys

import torch

from steps import read_batches, read_json
from train_speed import FORMS, Runner

LARGER = {
    "gru": ["model.embedding=256", "model.hidden=256"],
    "bahdanau": ["model.embedding=256", "model.hidden=256"],
    "transformer": ["model.hidden=128", "model.layers=4", "model.feed_forward=512"],
}
HERE = pathlib.Path(__file__).parent


class Ours:
    """attend_bench_steps in a process of its own, which sleeps between windows."""

    form = "attend"

    def __init__(self, command, threads):
        self.threads, self.speeds = threads, []
        self.process = subprocess.Popen([*command, "--threads", str(threads)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.about = self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"attend_bench_steps ended with status {self.process.wait()}")
        return json.loads(line)

    def window(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        return self.read()["tokens_per_second"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def check_parity(program, workload, folder, *precision):
    """The largest difference of a step's loss; ends the program when it is too large."""
    subprocess.run([program, "parity", *workload, *precision, "--out", folder], check=True,
                   stdout=subprocess.DEVNULL)
    told = subprocess.run([sys.executable, HERE / "parity.py", folder], text=True,
                          stdout=subprocess.PIPE)
    if told.returncode != 0:
        sys.exit(told.stdout)
    return float(re.search(r"largest difference (\S+),", told.stdout)[1])


def time_all(contenders, rounds, seconds):
    for contender in contenders:
        contender.window(seconds)
    for r in range(rounds):
        # Each round begins with another one.
        turn = r % len(contenders)
        for contender in contenders[turn:] + contenders[:turn]:
            contender.speeds.append(contender.window(seconds))


def summary(contender):
    return {"form": contender.form, "threads": contender.threads,
            "tokens_per_second": round(statistics.median(contender.speeds)),
            "slowest": round(min(contender.speeds)), "fastest": round(max(contender.speeds))}


def compare(program, workload, folder, arguments):
    in_double = check_parity(program, workload, folder, "--steps", "20", "--double")
    difference = check_parity(program, workload, folder, "--steps", "10")
    meta = read_json(folder, "meta.json")
    batches = read_batches(folder, meta)
    command = [program, "speed", *workload, "--out", str(folder / "run")]
    with contextlib.ExitStack() as stack:
        ours = [stack.enter_context(contextlib.closing(Ours(command, n))) for n in arguments.threads]
        theirs = [Runner(meta, batches, form, n) for form in FORMS[meta["kind"]]
                  for n in arguments.threads]
        time_all(ours + theirs, arguments.rounds, arguments.seconds)
    best_ours, best_theirs = (max(side, key=lambda c: statistics.median(c.speeds))
                              for side in (ours, theirs))
    ratios = [a / b for a, b in zip(best_ours.speeds, best_theirs.speeds)]
    return {"kind": meta["kind"], "workload": workload[4:], "parameters": ours[0].about["parameters"],
            "vocabularies": [meta["source_vocabulary"], meta["target_vocabulary"]],
            "loss_difference": difference, "loss_difference_in_double": in_double,
            "attend": summary(best_ours), "peer": summary(best_theirs),
            "ratio": round(statistics.median(ratios), 2), "ratio_least": round(min(ratios), 2),
            "ratio_greatest": round(max(ratios), 2),
            "all": [summary(c) for c in ours + theirs]}


def machine():
    processor = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        found = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
        processor = found[1] if found else processor
    return {"processor": processor, "cores": torch.get_num_threads(), "system": platform.platform(),
            "libtorch_isa": torch.backends.cpu.get_cpu_capability(), "torch": torch.__version__,
            "python": platform.python_version()}


def table(results):
    yield "| model | attend | threads | PyTorch | threads, form | ratio | least to greatest | loss apart | in double |"
    yield "| --- | ---: | ---: | ---: | --- | ---: | --- | ---: | ---: |"
    for r in results:
        a, b = r["attend"], r["peer"]
        yield (f"| {r['name']} | {a['tokens_per_second']:,} | {a['threads']} "
               f"| {b['tokens_per_second']:,} | {b['threads']}, {b['form']} | {r['ratio']:.2f} "
               f"| {r['ratio_least']:.2f} to {r['ratio_greatest']:.2f} "
               f"| {r['loss_difference']:.1e} | {r['loss_difference_in_double']:.1e} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="attend_bench_steps")
    parser.add_argument("data")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="results, as JSON")
    parser.add_argument("--kinds", nargs="+", choices=FORMS, default=list(FORMS))
    parser.add_argument("--larger", action="store_true", help="wider models too")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0, help="of a window")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()

    folder, results = arguments.out.parent, []
    folder.mkdir(parents=True, exist_ok=True)
    for larger in (False, True) if arguments.larger else (False,):
        for kind in arguments.kinds:
            name = f"{kind}, larger" if larger else kind
            print(f"timing {name} ...", file=sys.stderr, flush=True)
            workload = ["--config", kind, "--data", arguments.data]
            for assignment in LARGER[kind] if larger else []:
                workload += ["--set", assignment]
            result = compare(arguments.program, workload, folder / name.replace(", ", "-"), arguments)
            results.append({"name": name, **result})
    told = {"machine": machine(), "rounds": arguments.rounds, "seconds": arguments.seconds,
            "results": results}
    arguments.out.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print(f"{', '.join(f'{k} {v}' for k, v in told['machine'].items())}\n")
    print("\n".join(table(results)))


if __name__ == "__main__":
    main()

"""Times attend's training beside PyTorch's, in turn, and checks that it is the same work.

    python bench/peers/compare.py BUILD pairs.txt --out training.json

For each workload attend first trains without dropout, 10 steps in float and 20 in double (3 and 3 of
the large Transformer), which parity.py repeats. Then, with dropout, every contender has windows, one round
after the other, so that a busy neighbour meets them all alike: attend; attend with ATTEND_FUSED=0, its
composed operations; each form of eager PyTorch; torch.compile of the padded form, where it can be had.
Each is a process of its own, with one and with two threads. A side counts with its best contender by
median; the ratio is the median over the rounds, with the least and the greatest. Tokens are real target
tokens. attend's windows are of the trainer as the program runs it, with making batches; the peer's
batches are ready tensors. GFLOP/s are by flops.py's formula, the share of the peak by attend_bench_roof,
measured in between.
"""

import argparse
import contextlib
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import sysconfig

from flops import flops_a_token
from measure import (Program, machine, median, ratios, rounded, shown_ratio, summary, time_all,
                     write_results)
from workloads import TRAINING, sets

HERE = pathlib.Path(__file__).parent
# The chapter's own form is for the chapter's sizes; elsewhere the fastest.
FORMS = {"gru": ["padded", "packed"], "transformer": ["padded"],
         "bahdanau": ["padded", "padded, keys once", "packed, keys once"],
         "bahdanau, hidden 256": ["packed, keys once"], "transformer 4+4, d 128": ["padded"]}
COMPILED = {"gru": "padded", "transformer": "padded", "bahdanau": "padded, keys once",
            "bahdanau, hidden 256": "padded, keys once", "transformer 4+4, d 128": "padded"}


class Contender:
    """A process that answers the seconds of a window with its tokens a second, after a first line."""

    def __init__(self, form, command, threads, **environment):
        self.form, self.threads, self.speeds, self.resident = form, threads, [], 0
        self.program = Program([*command, "--threads", threads], **environment)
        self.about = self.program.read()

    def window(self, seconds):
        told = self.program.ask(seconds)
        self.resident = max(self.resident, told["resident"])
        return told["tokens_per_second"]

    def result(self):
        return {**summary(self), "resident_mib": rounded(self.resident / 2**20)}

    def close(self):
        self.program.close()


def check_parity(program, workload, folder, steps, compared, *precision):
    """The largest difference of the loss of the steps compared; ends the program when it is too large."""
    subprocess.run([program, "parity", *workload, "--steps", str(steps), *precision, "--out", folder], check=True,
                   stdout=subprocess.DEVNULL)
    told = subprocess.run([sys.executable, HERE / "parity.py", folder, "--first", str(compared)], text=True,
                          stdout=subprocess.PIPE)
    if told.returncode != 0:
        sys.exit(told.stdout)
    return float(re.search(r"largest difference (\S+),", told.stdout)[1])


def why_no_compile():
    """What torch.compile lacks here, or none."""
    if shutil.which("g++") is None and shutil.which("clang++") is None:
        return "torch.compile is left out: it needs a C++ compiler"
    if not (pathlib.Path(sysconfig.get_path("include")) / "Python.h").exists():
        return "torch.compile is left out: it needs Python.h (Debian: python3-dev)"
    return None


def roof(build, threads):
    """GFLOP/s of fused multiply-adds, by number of threads."""
    told = subprocess.run([build / "bench/attend_bench_roof", "0.3", str(max(threads))], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.splitlines()
    return {line["threads"]: line["gflops"] for line in map(json.loads, told)}


class Workload:
    def __init__(self, arguments, name):
        preset, settings = TRAINING[name]
        self.arguments, self.name = arguments, name
        self.program = arguments.build / "bench/attend_bench_steps"
        self.workload = ["--config", preset, "--data", arguments.data, *sets(settings)]
        self.folder = arguments.out.parent / "training" / re.sub(r"\W+", "-", name)
        self.folder.mkdir(parents=True, exist_ok=True)

    def check(self):
        in_float, in_double = (3, 3) if "4+4" in self.name else (10, 20)
        apart = check_parity(self.program, self.workload, self.folder, in_double, in_double, "--double")
        # The last one leaves the batches that the peers train on: a whole epoch of the chapter's.
        return {"loss_difference": check_parity(self.program, self.workload, self.folder, 10, in_float),
                "loss_difference_in_double": apart}

    def batches(self):
        """The batches that the peers train on, without a check."""
        subprocess.run([self.program, "parity", *self.workload, "--steps", "10", "--out", self.folder],
                       check=True, stdout=subprocess.DEVNULL)

    def ours(self):
        return [self.program, "speed", *self.workload, "--out", self.folder / "run"]

    def theirs(self, form):
        return [sys.executable, HERE / "serve_training.py", self.folder, "--form", form]

    def contenders(self, stack):
        """By side; and the notes on what is left out."""
        ours = self.ours()
        sides, notes = {"attend": [], "composed": [], "PyTorch": []}, []
        add = lambda side, *what, **how: sides.setdefault(side, []).append(  # noqa: E731
            stack.enter_context(contextlib.closing(Contender(*what, **how))))
        for threads in self.arguments.threads:
            add("attend", "attend", ours, threads)
            add("composed", "composed", ours, threads, ATTEND_FUSED="0")
            for form in FORMS[self.name]:
                add("PyTorch", form, self.theirs(form), threads)
            # Compiling the large one takes minutes: with all threads alone.
            few = "4+4" in self.name and threads < max(self.arguments.threads)
            if self.arguments.compile and not why_no_compile() and not few:
                form = COMPILED[self.name]
                add("torch.compile", f"{form}, compiled", [*self.theirs(form), "--compile"], threads)
        if self.arguments.compile and why_no_compile():
            notes.append(why_no_compile())
        return sides, notes

    def compare(self):
        told = {"name": self.name, "workload": self.workload[4:], **self.check()}
        meta, batches = (json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
                         for name in ("meta", "batches"))
        with contextlib.ExitStack() as stack:
            sides, notes = self.contenders(stack)
            peaks = roof(self.arguments.build, self.arguments.threads)
            time_all([c for side in sides.values() for c in side], self.arguments.rounds,
                     self.arguments.seconds)
            about = sides["attend"][0].about
        flops = flops_a_token(meta, batches)
        best = max(sides["attend"], key=median)
        rate = {c.threads: flops * median(c) * 1e-9 for c in sides["attend"]}
        return {**told, "parameters": about["parameters"], "notes": notes,
                "vocabularies": [about["source_vocabulary"], about["target_vocabulary"]],
                "target_tokens_a_batch": rounded(statistics.mean(sum(map(len, b["target"])) for b in batches)),
                "mflop_a_token": rounded(flops * 1e-6),
                "peak_gflops": {str(n): r for n, r in peaks.items()},
                "gflops": {str(n): rounded(r) for n, r in rate.items()},
                "share_of_peak": {str(n): rounded(r / peaks[n]) for n, r in rate.items()},
                "ratios": {side: ratios(sides["attend"], cs) for side, cs in sides.items() if side != "attend"},
                # Two threads beside one of PyTorch's too, where its second one does not help.
                "threads_gain": rounded(median(best) / median(sides["attend"][0])),
                "all": {side: [c.result() for c in cs] for side, cs in sides.items()},
                "seconds_to_compile": [c.about["seconds_to_compile"] for c in sides.get("torch.compile", [])]}


def table(results):
    yield "| model | eager PyTorch, one thread | best of each | torch.compile, best | composed, best | tokens/s, one thread | best | PyTorch's best | % of peak | loss apart | in double |"
    yield "| --- | --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for r in results:
        eager = r["ratios"]["PyTorch"]
        best = eager["best"]
        others = " | ".join(shown_ratio(r["ratios"][side]["best"]) if side in r["ratios"] else "-"
                            for side in ("torch.compile", "composed"))
        one = r["all"]["attend"][0]
        share = r["share_of_peak"][str(one["threads"])]
        yield (f"| {r['name']} | {shown_ratio(eager['one thread'])} | {shown_ratio(best)} | {others} "
               f"| {one['tokens_per_second']:,.0f} | {best['attend']['tokens_per_second']:,.0f} "
               f"| {best['peer']['tokens_per_second']:,.0f} ({best['peer']['form']}, {best['peer']['threads']}) "
               f"| {100 * share:.0f} | {r['loss_difference']:.1e} | {r['loss_difference_in_double']:.1e} |")
    for note in sorted({note for r in results for note in r["notes"]}):
        yield f"\n{note}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path, help="a build folder with the benches")
    parser.add_argument("data")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="results, as JSON")
    parser.add_argument("--workloads", nargs="+", choices=TRAINING, default=list(TRAINING))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.6, help="of a window")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--no-compile", dest="compile", action="store_false", help="without torch.compile")
    arguments = parser.parse_args()

    about = json.loads(subprocess.run([arguments.build / "attend", "info", "--json"], text=True,
                                      stdout=subprocess.PIPE).stdout or "{}")
    results = []
    for name in arguments.workloads:
        print(f"timing training, {name} ...", file=sys.stderr, flush=True)
        results.append(Workload(arguments, name).compare())
        write_results(arguments.out, {"machine": machine(about), "rounds": arguments.rounds,
                                      "seconds": arguments.seconds, "results": results})
    print("\n".join(table(results)))


if __name__ == "__main__":
    main()

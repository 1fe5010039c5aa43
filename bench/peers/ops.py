"""Times each op on kernels beside PyTorch's best ways of writing it, and checks that both give the
same.

    python bench/peers/ops.py build/dev/bench/attend_bench_ops --out results.json

attend_bench_ops writes inputs, outputs and gradients of each case at its first size, and every form
has to repeat them. Then, for each size, attend and every form have windows in turn, forward alone,
then forward and backward. A time is the median over the rounds, a ratio the median over the rounds of
PyTorch's fastest form (by median) to attend. All on one thread. torch.compile takes its time before
any window, and once: its cache is kept.
"""

import argparse
import contextlib
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import safetensors.torch
import torch

import attention
from attention import difference, filled, shown
from measure import machine
from ops_forms import FORMS, RANDOM


class Ours:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "speed"], text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def window(self, case, size, backward, seconds):
        print(json.dumps({"case": case, "size": size, "backward": backward, "seconds": seconds}),
              file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"attend_bench_ops ended with status {self.process.wait()}")
        return json.loads(line)["seconds"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Theirs(attention.Theirs):
    def __init__(self, case, form, inputs, size):
        self.form, self.inputs = form, dict(inputs)
        self.forward = FORMS[case][form](self.inputs, size)


def forms_of(case, arguments):
    return [form for form in FORMS[case] if arguments.compile or "torch.compile" not in form]


def check(program, cases, arguments):
    """The largest difference of an output or a gradient of each case; ends the program when one is
    too large."""
    worst, failures = {}, []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "check", "--out", folder], check=True)
        for case, sizes in cases.items():
            stored = safetensors.torch.load_file(f"{folder}/{case}.safetensors")
            inputs = {name: stored[f"input.{name}"] for name in sizes[0]["shapes"]}
            for form in [] if case in RANDOM else forms_of(case, arguments):
                theirs = Theirs(case, form, {n: t.clone().requires_grad_() for n, t in inputs.items()},
                                sizes[0]["size"])
                output, gradients = theirs.run(True)
                apart = {"output": difference(output, stored["output"].reshape(output.shape))}
                for name, gradient in zip(inputs, gradients):
                    apart[f"gradient of {name}"] = difference(gradient, stored[f"gradient.{name}"])
                worst[case] = max(worst.get(case, 0.0), *apart.values())
                failures += [f"{case}, {form}: {what} is {value:.1e} off"
                             for what, value in apart.items() if value > 1e-4]
    if failures:
        sys.exit("not the same:\n" + "\n".join(failures))
    return worst


def time_one(ours, case, size, shapes, arguments):
    contenders = [Theirs(case, form, filled(shapes), size) for form in forms_of(case, arguments)]
    told = {}
    for backward in (False, True):
        own, other = [], {theirs.form: [] for theirs in contenders}
        for _ in range(arguments.rounds):
            own.append(ours.window(case, size, backward, arguments.seconds))
            for theirs in contenders:
                other[theirs.form].append(theirs.window(backward, arguments.seconds))
        best = min(other, key=lambda form: statistics.median(other[form]))
        ratios = [b / a for a, b in zip(own, other[best])]
        told["forward and backward" if backward else "forward"] = {
            "attend": statistics.median(own), "best": best,
            "peer": {form: statistics.median(seconds) for form, seconds in other.items()},
            "ratio": statistics.median(ratios), "ratio_least": min(ratios),
            "ratio_greatest": max(ratios)}
    return told


def table(results):
    yield "| op | size | forward: ms | ratio | and backward: ms | ratio | least to greatest | PyTorch's fastest form |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | --- | --- |"
    for r in results:
        a, b = r["time"]["forward"], r["time"]["forward and backward"]
        yield (f"| {r['case']} | {r['text']} | {shown(a['attend'])} | {a['ratio']:.2g} "
               f"| {shown(b['attend'])} | {b['ratio']:.2g} "
               f"| {b['ratio_least']:.2g} to {b['ratio_greatest']:.2g} | {b['best']} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program", help="attend_bench_ops")
    parser.add_argument("--out", type=pathlib.Path, help="results, as JSON")
    parser.add_argument("--check", action="store_true", help="compare the results, time nothing")
    parser.add_argument("--no-compile", dest="compile", action="store_false",
                        help="leave torch.compile out, which needs a C++ compiler and minutes")
    parser.add_argument("--cases", nargs="+", help="by name; default: all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.05, help="of a window")
    arguments = parser.parse_args()
    torch.set_num_threads(1)

    listed = json.loads(subprocess.run([arguments.program, "list"], check=True, text=True,
                                       stdout=subprocess.PIPE).stdout)
    known = {case["name"]: [{"size": s["size"], "text": s["text"],
                             "shapes": {i["name"]: i["shape"] for i in s["inputs"]}}
                            for s in case["sizes"]] for case in listed["cases"]}
    if unknown := [case for case in arguments.cases or [] if case not in known]:
        parser.error(f"no case {unknown[0]!r}; there are: {', '.join(known)}")
    cases = {name: known[name] for name in arguments.cases or known}
    worst = check(arguments.program, cases, arguments)
    for case, apart in worst.items():
        print(f"{case}: the same to {apart:.1e}", file=sys.stderr if arguments.out else sys.stdout)
    if arguments.check:
        return
    results = []
    with contextlib.closing(Ours(arguments.program)) as ours:
        for case, sizes in cases.items():
            for one in sizes:
                print(f"timing {case} at {one['text']} ...", file=sys.stderr, flush=True)
                results.append({"case": case, "size": one["size"], "text": one["text"],
                                "difference": worst.get(case),
                                "time": time_one(ours, case, one["size"], one["shapes"], arguments)})
    if arguments.out:
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        told = {"machine": {**machine(), "attend_isa": listed["isa"], "threads": 1},
                "rounds": arguments.rounds, "seconds": arguments.seconds, "results": results}
        arguments.out.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print("\n".join(table(results)))


if __name__ == "__main__":
    main()

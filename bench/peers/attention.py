"""Times each mechanism of attention beside PyTorch's usual ways of writing it, and checks that both
give the same.

    python bench/peers/attention.py build/dev/bench/attend_bench_attention --out results.json

First attend_bench_attention writes inputs, outputs and gradients of each case, and every form has to
repeat them. Then, for each length, attend and every form have windows in turn, so that a busy
neighbour meets them all alike: forward alone, then forward and backward. A time is the median over
the rounds, a ratio the median over the rounds of PyTorch's fastest form (by median) to attend.
Memory is by how much the resident memory of a process rose at most during one pass, forward and
backward, over what it was with the inputs; attend's and each form's by the same reading of
/proc/self/status, in a process of its own. All on one thread.
"""

import argparse
import contextlib
import ctypes
import gc
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import safetensors.torch
import torch

from attention_forms import FORMS
from measure import machine, status_bytes


class Ours:
    def __init__(self, program):
        self.program = program
        self.process = subprocess.Popen([program, "speed"], text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def window(self, case, length, backward, seconds):
        json.dump({"case": case, "length": length, "backward": backward, "seconds": seconds},
                  self.process.stdin)
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"attend_bench_attention ended with status {self.process.wait()}")
        return json.loads(line)["seconds"]

    def memory(self, case, length):
        told = subprocess.run([self.program, "memory", case, "--length", str(length), "--backward"],
                              check=True, text=True, stdout=subprocess.PIPE)
        return json.loads(told.stdout)["resident"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def listed(program, length):
    told = subprocess.run([program, "list", "--length", str(length)], check=True, text=True,
                          stdout=subprocess.PIPE)
    return {case["name"]: {i["name"]: i["shape"] for i in case["inputs"]}
            for case in json.loads(told.stdout)}


def filled(shapes):
    """Leaves as Work::fill makes them; what is timed hangs on no value, so the scale is left out."""
    return {name: torch.cos(0.7 * torch.arange(torch.Size(shape).numel()) + i).reshape(shape)
            .requires_grad_() for i, (name, shape) in enumerate(shapes.items())}


class Theirs:
    def __init__(self, case, form, inputs):
        self.form, self.inputs = form, dict(inputs)
        self.forward = FORMS[case][form](self.inputs)

    def run(self, backward):
        if not backward:
            with torch.no_grad():
                return self.forward(), None
        output = self.forward()
        return output, torch.autograd.grad(output, list(self.inputs.values()), output.detach())

    def window(self, backward, seconds):
        self.run(backward)
        start, passes = time.perf_counter(), 0
        while (elapsed := time.perf_counter() - start) < seconds or not passes:
            self.run(backward)
            passes += 1
        return elapsed / passes


def memory(case, form, small, large):
    """In a child, and with what the heap holds free given back, so that nothing from before is there
    to be used again."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        Theirs(case, form, filled(small)).run(True)
        theirs = Theirs(case, form, filled(large))
        gc.collect()
        with contextlib.suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)
        try:
            pathlib.Path("/proc/self/clear_refs").write_text("5")
            before = status_bytes("VmRSS")
            theirs.run(True)
            told = max(0, status_bytes("VmHWM") - before)
        except OSError:
            told = None
        os.write(write, json.dumps(told).encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as pipe:
        return json.loads(pipe.read())


def difference(actual, expected):
    """The largest, beside the largest element."""
    if actual.shape != expected.shape:
        return float("inf")
    scale = max(expected.abs().max().item(), 1e-6)
    apart = (actual - expected).abs().max().item() / scale
    return apart if apart == apart else float("inf")


def check(program, length, cases):
    """The largest difference of an output or a gradient of each case; ends the program when one is
    too large, or when a case has no form."""
    worst, failures = {}, []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "check", "--length", str(length), "--out", folder], check=True,
                       stdout=subprocess.DEVNULL)
        for case in cases:
            if case not in FORMS:
                failures.append(f"{case}: no form of it in attention_forms.py")
                continue
            stored = safetensors.torch.load_file(f"{folder}/{case}.safetensors")
            inputs = {name[6:]: stored[name] for name in stored if name.startswith("input.")}
            for form in FORMS[case]:
                theirs = Theirs(case, form, {n: t.clone().requires_grad_() for n, t in inputs.items()})
                output, gradients = theirs.run(True)
                apart = {"output": difference(output, stored["output"])}
                for name, gradient in zip(theirs.inputs, gradients):
                    expected = torch.cat([stored[f"gradient.{n}"] for n in name.split("+")])
                    apart[f"gradient of {name}"] = difference(gradient, expected)
                worst[case] = max(worst.get(case, 0.0), *apart.values())
                failures += [f"{case}, {form}: {what} is {value:.1e} off"
                             for what, value in apart.items() if value > 1e-4]
    if failures:
        sys.exit("not the same:\n" + "\n".join(failures))
    return worst


def time_all(ours, case, shapes, length, arguments):
    contenders = [Theirs(case, form, filled(shapes)) for form in FORMS[case]]
    told = {}
    for backward in (False, True):
        own, other = [], {theirs.form: [] for theirs in contenders}
        for _ in range(arguments.rounds):
            own.append(ours.window(case, length, backward, arguments.seconds))
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


def shown(seconds):
    return f"{seconds * 1e3:.2g}" if seconds < 0.1 else f"{seconds * 1e3:.0f}"


def mebibytes(count):
    return "-" if count is None else f"{count / 2**20:.1f}" if count < 10 * 2**20 else f"{count / 2**20:.0f}"


def table(results, lengths):
    """A row a case: times and ratios of forward and backward at each length, memory at the last."""
    yield ("| mechanism | " + " | ".join(f"T = {n}: ms | ratio" for n in lengths)
           + " | MiB | PyTorch's | PyTorch's fastest form |")
    yield "| --- |" + " ---: | ---: |" * len(lengths) + " ---: | ---: | --- |"
    for first in results:
        if first["length"] != lengths[0]:
            continue
        rows = [r for r in results if r["case"] == first["case"]]
        times = [r["time"]["forward and backward"] for r in rows]
        used, best = rows[-1]["memory"], times[-1]["best"]
        cells = " | ".join(f"{shown(t['attend'])} | {t['ratio']:.2g}" for t in times)
        yield (f"| {first['case']} | {cells} | {mebibytes(used['attend'])} | {mebibytes(used[best])} "
               f"| {best} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program", help="attend_bench_attention")
    parser.add_argument("--out", type=pathlib.Path, help="results, as JSON")
    parser.add_argument("--check", action="store_true", help="compare the results, time nothing")
    parser.add_argument("--cases", nargs="+", help="by name; default: all")
    parser.add_argument("--lengths", type=int, nargs="+", default=[64, 256])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.05, help="of a window")
    arguments = parser.parse_args()
    torch.set_num_threads(1)

    known = listed(arguments.program, 16)
    cases = arguments.cases or list(known)
    if unknown := [case for case in cases if case not in known]:
        parser.error(f"no case {unknown[0]!r}; there are: {', '.join(known)}")
    worst = check(arguments.program, 32, cases)
    for case, apart in worst.items():
        print(f"{case}: the same to {apart:.1e}", file=sys.stderr if arguments.out else sys.stdout)
    if arguments.check:
        return
    shapes = {length: listed(arguments.program, length) for length in arguments.lengths}
    # Before any window, so that the children begin small.
    used = {(case, length): {form: memory(case, form, known[case], shapes[length][case])
                             for form in FORMS[case]}
            for length in arguments.lengths for case in cases}
    results = []
    for length in arguments.lengths:
        with contextlib.closing(Ours(arguments.program)) as ours:
            for case in cases:
                print(f"timing {case} at {length} ...", file=sys.stderr, flush=True)
                results.append({"case": case, "length": length, "difference": worst[case],
                                "time": time_all(ours, case, shapes[length][case], length, arguments),
                                "memory": {"attend": ours.memory(case, length),
                                           **used[case, length]}})
    results.sort(key=lambda r: cases.index(r["case"]))
    if arguments.out:
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        told = {"machine": machine(), "rounds": arguments.rounds, "seconds": arguments.seconds,
                "results": results}
        arguments.out.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print("\n".join(table(results, arguments.lengths)))


if __name__ == "__main__":
    main()

"""How much a busy neighbour slows training: a process that spins beside it.

    python bench/peers/neighbour.py BUILD pairs.txt --out neighbour.json

attend's training and PyTorch's, one and two threads each, in windows alone and windows beside the
process, in turn. What is left is tokens a second beside over alone. On two processors one thread has
one to itself; two threads and the neighbour share two in three equal parts, so that two thirds would be
in proportion.
"""

import argparse
import contextlib
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

from compare import FORMS, Contender, Workload
from measure import machine, rounded, write_results


@contextlib.contextmanager
def spinning():
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    os.kill(process.pid, signal.SIGSTOP)
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def measure(contender, neighbour, rounds, seconds):
    contender.window(seconds)
    alone, beside = [], []
    for _ in range(rounds):
        alone.append(contender.window(seconds))
        os.kill(neighbour, signal.SIGCONT)
        time.sleep(0.1)
        beside.append(contender.window(seconds))
        os.kill(neighbour, signal.SIGSTOP)
    left = [b / a for a, b in zip(alone, beside)]
    return {"form": contender.form, "threads": contender.threads, "alone": rounded(statistics.median(alone)),
            "beside": rounded(statistics.median(beside)), "left": rounded(statistics.median(left)),
            "left_least": rounded(min(left)), "left_greatest": rounded(max(left))}


def table(results):
    yield "| model | side | threads | alone, tokens/s | beside a busy process | left |"
    yield "| --- | --- | ---: | ---: | ---: | --- |"
    for r in results:
        yield (f"| {r['name']} | {r['form']} | {r['threads']} | {r['alone']:,.0f} | {r['beside']:,.0f} "
               f"| **{r['left']:.2f}** ({r['left_least']:.2f} to {r['left_greatest']:.2f}) |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path, help="a build folder with the benches")
    parser.add_argument("data")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="results, as JSON")
    parser.add_argument("--workloads", nargs="+", choices=FORMS, default=["bahdanau", "transformer"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of a window")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()

    results = []
    for name in arguments.workloads:
        print(f"timing training beside a busy process, {name} ...", file=sys.stderr, flush=True)
        workload = Workload(arguments, name)
        workload.batches()
        for form, command in (("attend", workload.ours()), ("PyTorch", workload.theirs(FORMS[name][-1]))):
            for threads in arguments.threads:
                with spinning() as pid, contextlib.closing(Contender(form, command, threads)) as contender:
                    results.append({"name": name, **measure(contender, pid, arguments.rounds, arguments.seconds)})
    write_results(arguments.out, {"machine": machine(), "results": results})
    print("\n".join(table(results)))


if __name__ == "__main__":
    main()

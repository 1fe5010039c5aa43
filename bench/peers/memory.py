"""The most memory that training holds, attend's beside PyTorch's, and what a second epoch adds.

    python bench/peers/memory.py BUILD pairs.txt --out memory.json

Each side in a process of its own, one thread and two, by VmHWM of /proc/self/status. attend's is
counted over three epochs (the large Transformer over two), with what the heap and the count of allocations (malloc and its kin, hooked)
were at the end of each: after the first epoch neither the heap nor the peak should rise. PyTorch's over
the same batches, each of them three times, in its fastest form. "Before" is the program with its data
and model, before the first step.
"""

import argparse
import contextlib
import json
import pathlib
import subprocess
import sys

from compare import FORMS, Contender, Workload
from measure import machine, write_results


def ours(workload, threads, epochs):
    told = subprocess.run([workload.arguments.build / "bench/attend_bench_memory", *workload.workload, "--threads",
                           str(threads), "--epochs", str(epochs), "--out", workload.folder / "run"],
                          check=True, text=True, stdout=subprocess.PIPE)
    return json.loads(told.stdout)


def theirs(workload, form, threads):
    with contextlib.closing(Contender(form, workload.theirs(form), threads)) as contender:
        return contender.program.ask({"steps": 30})


def mib(count):
    return f"{count / 2**20:.1f}"


def table(results):
    yield ("| model | threads | attend: before, peak MiB | PyTorch: before, peak | allocations a step, second epoch "
           "| heap after each epoch, MiB | peak after them |")
    yield "| --- | ---: | ---: | ---: | ---: | --- | --- |"
    for r in results:
        a, b, epochs = r["attend"], r["PyTorch"], r["attend"]["epochs"]
        yield (f"| {r['name']} | {r['threads']} | {mib(a['before'])}, {mib(epochs[-1]['peak'])} "
               f"| {mib(b['before'])}, {mib(b['resident'])} | {epochs[1]['allocations'] / epochs[1]['steps']:.0f} "
               f"| {', '.join(mib(e['heap']) for e in epochs)} | {', '.join(mib(e['peak']) for e in epochs)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path, help="a build folder with the benches")
    parser.add_argument("data")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="results, as JSON")
    parser.add_argument("--workloads", nargs="+", choices=FORMS, default=list(FORMS))
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()

    results = []
    for name in arguments.workloads:
        print(f"measuring memory, {name} ...", file=sys.stderr, flush=True)
        workload = Workload(arguments, name)
        if "4+4" in name:  # an epoch of all pairs takes minutes
            workload.workload += ["--set", "data.sample=12000"]
        workload.batches()
        for threads in arguments.threads if "4+4" not in name else [max(arguments.threads)]:
            epochs = 2 if "4+4" in name else 3
            results.append({"name": name, "threads": threads, "attend": ours(workload, threads, epochs),
                            "PyTorch": theirs(workload, FORMS[name][-1], threads)})
    write_results(arguments.out, {"machine": machine(), "results": results})
    print("\n".join(table(results)))


if __name__ == "__main__":
    main()

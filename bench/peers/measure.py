"""What the comparing scripts share: programs that wait between windows, turns, ratios, the machine."""

import contextlib
import importlib.metadata
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import time


class Program:
    """A process that answers a line of JSON with a line of JSON and sleeps in between."""

    def __init__(self, command, **environment):
        self.command = [str(part) for part in command]
        self.process = subprocess.Popen(self.command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env={**os.environ, **environment})

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{' '.join(self.command)} ended with status {self.process.wait()}")
        return json.loads(line)

    def ask(self, question):
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return self.read()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def time_all(contenders, rounds, seconds):
    """Windows in turn, each round beginning with another contender, after one for warming up."""
    for contender in contenders:
        contender.window(seconds)
    for r in range(rounds):
        turn = r % len(contenders)
        for contender in contenders[turn:] + contenders[:turn]:
            # Threads of OpenMP still spin for a moment after their last work.
            time.sleep(min(0.25, seconds / 2))
            contender.speeds.append(contender.window(seconds))


def median(contender):
    return statistics.median(contender.speeds)


def rounded(value):
    """To four digits."""
    return float(f"{value:.4g}")


def summary(contender):
    return {"form": contender.form, "threads": contender.threads,
            "tokens_per_second": rounded(median(contender)),
            "slowest": rounded(min(contender.speeds)), "fastest": rounded(max(contender.speeds))}


def ratio(ours, theirs):
    """The best of ours by median over the best of theirs: the median over the rounds, the least, the
    greatest; and ours' fastest window over theirs."""
    a, b = max(ours, key=median), max(theirs, key=median)
    rounds = [x / y for x, y in zip(a.speeds, b.speeds)]
    return {"ratio": rounded(statistics.median(rounds)), "least": rounded(min(rounds)),
            "greatest": rounded(max(rounds)), "of_fastest": rounded(max(a.speeds) / max(b.speeds)),
            "attend": summary(a), "peer": summary(b)}


def ratios(ours, theirs):
    """With one thread each, and each side with its best number of threads."""
    told = {}
    for name, allowed in (("one thread", [1]), ("best", sorted({c.threads for c in ours + theirs}))):
        sides = [[c for c in side if c.threads in allowed] for side in (ours, theirs)]
        if all(sides):
            told[name] = ratio(*sides)
    return told


def shown_ratio(r):
    return f"**{r['ratio']:.3g}** ({r['least']:.3g} to {r['greatest']:.3g})"


def version(package):
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(package)
    return None


def machine(about=None):
    """`about`: what a program of ours said of itself, such as its instruction set."""
    processor = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        found = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
        processor = found[1] if found else processor
    versions = {name: version(name) for name in ("torch", "ctranslate2", "numpy")}
    return {"processor": processor, "cores": len(os.sched_getaffinity(0)), "system": platform.platform(),
            "python": platform.python_version(), **{k: v for k, v in versions.items() if v},
            **(about or {})}


def write_results(path, told):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def status_bytes(key):
    """A line of /proc/self/status, such as VmHWM."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(rf"^{key}:\s*(\d+)", status, re.M)[1]) * 1024

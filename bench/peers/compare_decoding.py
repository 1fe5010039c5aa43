"""Times attend's greedy decoding beside PyTorch with cached state, and beside CTranslate2.

    python bench/peers/compare_decoding.py BUILD pairs.txt --out decoding.json

BUILD is a build folder, for attend and attend_bench_decode. Models are trained first, by attend: the
chapter's three at their settings, and a Transformer of 4 + 4 layers, hidden 128, 10,000 words, for as
long as --train says; they end their sentences themselves. All contenders get the same sentences in the
same order, one or 32 a call, and before a time is taken every peer has to write the same tokens as
attend, but for one sentence in a hundred (where two words are as likely up to rounding). Each contender
is a process of its own; windows are taken in turn. Beside PyTorch, which gets ids and gives ids, attend
does either that or text to text, whichever is faster; beside CTranslate2, which gets tokens and gives
tokens, text to text.
With two threads attend and CTranslate2 may share a batch's sentences out, or not: two forms each.
Milliseconds are of a call, p50 and p99 over all lines twice, on one thread; "first" is from the start of
a process to its first translation (attend's: the program itself); memory is the most that was resident.
"""

import argparse
import contextlib
import json
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import time

from measure import Program, machine, ratios, rounded, shown_ratio, summary, time_all, write_results
from workloads import CHAPTER, LARGE, sets

HERE = pathlib.Path(__file__).parent
IDS = "ids to ids"
# Small batches, so that it learns something in the time.
LEARN = ["training.batch_tokens=1024", "training.validate_every=0"]


class Contender:
    def __init__(self, form, command, threads, split):
        self.form, self.threads, self.split = form, threads, split
        self.command, self.program = command, None
        self.use(1)

    def use(self, batch):
        self.batch, self.speeds, self.milliseconds, self.resident = batch, [], [], 0
        return self

    def window(self, seconds):
        split = max(1, self.batch // self.threads) if self.split else self.batch
        told = self.program.ask({"batch": self.batch, "split": split, "seconds": seconds})
        self.resident = max(self.resident, told["resident"])
        return told["tokens"] / told["seconds"]

    def all_lines(self):
        """The milliseconds of each call, every line once: of the same sentences for every contender."""
        told = self.program.ask({"batch": self.batch, "split": self.batch, "all": True})
        self.milliseconds += told["milliseconds"]

    def result(self):
        ordered = sorted(self.milliseconds)
        quantiles = {"p50_ms": rounded(statistics.median(ordered)),
                     "p99_ms": rounded(ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))])} if ordered else {}
        return {**summary(self), **quantiles, "resident_mib": rounded(self.resident / 2**20)}


def train(build, name, preset, settings, data, folder, seconds):
    """Once; a model that is there is used."""
    model = folder / name
    if (model / "trained").exists():
        return model
    shutil.rmtree(model, ignore_errors=True)
    print(f"training {name} ...", file=sys.stderr, flush=True)
    command = [build / "attend", "train", "--config", preset, "--data", data, "--out", model, "--quiet",
               *sets(settings)]
    process = subprocess.Popen(command)
    try:
        status = process.wait(timeout=seconds or None)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        process.wait()
        status = 0
    if status != 0:
        sys.exit(f"training {name} ended with status {status}")
    (model / "trained").touch()
    return model


def choose_lines(data, count, limit):
    """Distinct sources, evenly from the first `limit` pairs, or from all."""
    with open(data, encoding="utf-8") as file:
        sources = [line.split("\t")[0] for line in file]
    sources = list(dict.fromkeys(sources[:limit] if limit else sources))
    step = max(1, len(sources) // count)
    return sources[step // 2 :: step][:count]


def difference(ours, theirs):
    return sum(o["target"] != t for o, t in zip(ours, theirs, strict=True))


def first(command):
    """Seconds to the first line of output."""
    start = time.perf_counter()
    process = subprocess.Popen([str(c) for c in command], text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    process.stdout.readline()
    seconds = time.perf_counter() - start
    process.stdout.close()
    process.wait()
    return seconds


class Comparison:
    """One model: its contenders, checked to write the same."""

    def __init__(self, build, name, model, lines, steps, threads):
        self.build, self.name, self.model, self.steps = build, name, model, steps
        self.text = model / "lines.txt"
        self.text.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.lines, self.sentences = lines, model / "translations.json"
        self.decode = build / "bench/attend_bench_decode"
        subprocess.run([self.decode, "translations", "--model", model, "--lines", self.text, "--max-steps",
                        str(steps), "--out", self.sentences], check=True)
        self.written = json.loads(self.sentences.read_text(encoding="utf-8"))
        self.peers = {"PyTorch": self.peer("torch", model)}
        if name.startswith("transformer"):
            # So that CTranslate2 and its start need no torch.
            subprocess.run([sys.executable, HERE / "to_ctranslate2.py", model, model / "ctranslate2"], check=True,
                           stdout=subprocess.DEVNULL)
            self.peers["CTranslate2"] = self.peer("ctranslate2", model / "ctranslate2")
        self.threads = threads

    def peer(self, engine, model):
        return [sys.executable, HERE / "serve_decoding.py", "--engine", engine, "--model", model, "--sentences",
                self.sentences, "--max-steps", str(self.steps)]

    def contenders(self):
        """By side. With more than one thread also the form that shares sentences out."""
        ours = [self.decode, "speed", "--model", self.model, "--lines", self.text, "--max-steps", str(self.steps)]
        sides = {side: [] for side in ("attend", *self.peers)}
        for threads in self.threads:
            count = ["--threads", str(threads)]
            sides["attend"].append(Contender("together", ours + count, threads, False))
            if threads == 1:
                sides["attend"].append(Contender(IDS, [*ours, "--ids"], threads, False))
            for side, command in self.peers.items():
                sides[side].append(Contender("together", command + count, threads, False))
            if threads > 1:
                sides["attend"].append(Contender("shared out", ours + count, threads, True))
            if threads > 1 and "CTranslate2" in sides:
                sides["CTranslate2"].append(
                    Contender("shared out", self.peers["CTranslate2"] + count + ["--workers"], threads, True))
        return sides

    def check(self, sides):
        told = {}
        for side in self.peers:
            apart = difference(self.written, sides[side][0].program.ask({"translate": 32}))
            told[side] = apart
            if apart > 0.01 * len(self.written):
                sys.exit(f"{self.name}: {side} writes {apart} of {len(self.written)} sentences otherwise")
        return told

    def time(self, rounds, seconds):
        with contextlib.ExitStack() as stack:
            sides = self.contenders()
            every = [c for side in sides.values() for c in side]
            for contender in every:
                contender.program = stack.enter_context(contextlib.closing(Program(contender.command)))
            apart, results = self.check(sides), []
            for batch in (1, 32):
                # A sentence alone can't be shared out.
                used = {side: [c.use(batch) for c in cs if batch > 1 or not c.split] for side, cs in sides.items()}
                time_all([c for cs in used.values() for c in cs], rounds, seconds)
                for _ in range(2):
                    for contenders in used.values():
                        contenders[0].all_lines()
                results.append({
                    "batch": batch,
                    "ratios": {side: ratios([c for c in used["attend"] if side == "PyTorch" or c.form != IDS],
                                            used[side]) for side in self.peers},
                    "all": {side: [c.result() for c in cs] for side, cs in used.items()}})
        tokens = sum(len(w["log_probabilities"]) for w in self.written)
        return {"model": self.name, "sentences": len(self.lines), "tokens_a_sentence": rounded(tokens / len(self.lines)),
                "written_otherwise": apart, "first": self.first(rounds), "results": results}

    def first(self, rounds):
        """Seconds from the start of a process to its first translation: median."""
        commands = {"attend": [self.build / "attend", "translate", "--quiet", "--model", self.model, self.lines[0]],
                    **{side: [*command, "--first"] for side, command in self.peers.items()}}
        taken = {side: [] for side in commands}
        for _ in range(min(rounds, 5)):
            for side, command in commands.items():
                taken[side].append(first(command))
        return {side: rounded(statistics.median(seconds)) for side, seconds in taken.items()}


def starts(build):
    """Seconds that a program with LibTorch takes to do nothing, and one without: the least of some."""
    commands = {"with LibTorch": [build / "attend", "--version"],
                "without": [build / "bench/attend_bench_roof", "--nothing"]}
    return {name: rounded(min(first(command) for _ in range(7))) for name, command in commands.items()}


def table(results, start):
    yield "| model | batch | peer | ratio, one thread | ratio, best | attend, tokens/s | peer's | p50, p99 ms | peer's |"
    yield "| --- | ---: | --- | --- | --- | ---: | ---: | ---: | ---: |"
    for model in results:
        for r in model["results"]:
            ours = r["all"]["attend"][0]
            for side, told in r["ratios"].items():
                theirs, best = r["all"][side][0], told["best"]
                shown = " | ".join(f"{c['p50_ms']:.3g}, {c['p99_ms']:.3g}" for c in (ours, theirs))
                yield (f"| {model['model']} | {r['batch']} | {side} "
                       f"| {shown_ratio(told['one thread'])} | {shown_ratio(best)} "
                       f"| {best['attend']['tokens_per_second']:,.0f} | {best['peer']['tokens_per_second']:,.0f} "
                       f"| {shown} |")
    yield ""
    yield "| model | side | first translation, s | peak MiB, one thread |"
    yield "| --- | --- | ---: | ---: |"
    for model in results:
        for side, seconds in model["first"].items():
            most = max(r["all"][side][0]["resident_mib"] for r in model["results"])
            yield f"| {model['model']} | {side} | {seconds:.2f} | {most:.0f} |"
    yield (f"\nTo start and do nothing, `attend --version` takes {start['with LibTorch']:.2g} s, a program of the same "
           f"library without LibTorch {start['without']:.2g} s.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path, help="a build folder with the benches")
    parser.add_argument("data")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="results, as JSON")
    parser.add_argument("--models", nargs="+", choices=[*CHAPTER, "transformer 4+4, d 128"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="of a window")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--train", type=float, default=60, help="seconds for the large model, once")
    arguments = parser.parse_args()

    folder, results = arguments.out.parent / "models", []
    folder.mkdir(parents=True, exist_ok=True)
    models = {**{kind: (kind, [], 0, 600, 10) for kind in CHAPTER},
              "transformer 4+4, d 128": ("transformer", LARGE + LEARN, arguments.train, 0, 64)}
    for name in arguments.models or models:
        preset, settings, seconds, limit, steps = models[name]
        model = train(arguments.build, name, preset, settings, arguments.data, folder, seconds)
        lines = choose_lines(arguments.data, 256, limit)
        comparison = Comparison(arguments.build, name, model, lines, steps, arguments.threads)
        print(f"timing decoding, {name} ...", file=sys.stderr, flush=True)
        results.append(comparison.time(arguments.rounds, arguments.seconds))
    about = json.loads(subprocess.run([arguments.build / "attend", "info", "--json"], text=True,
                                      stdout=subprocess.PIPE).stdout or "{}")
    start = starts(arguments.build)
    write_results(arguments.out, {"machine": machine(about), "rounds": arguments.rounds,
                                  "seconds": arguments.seconds, "start": start, "results": results})
    print("\n".join(table(results, start)))


if __name__ == "__main__":
    main()

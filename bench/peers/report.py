"""The plots and tables of docs/performance.md, from whatever results are there; a section without any
keeps its own.

    python bench/peers/report.py RESULTS BUILD/bench/attend_bench_plot docs/performance.md

RESULTS is the folder that tools/bench.sh writes to. attend/render draws the plots, into a folder beside
the page. A section's table and plots stand between the lines <!-- table: SECTION -->
and <!-- end -->.
"""

import argparse
import json
import pathlib
import re
import subprocess

import attention
import compare
import compare_decoding
import growth
import memory
import neighbour

NAMES = {"gru": "GRU", "bahdanau": "Bahdanau", "transformer": "Transformer"}


def plot_training(told):
    results = told["results"]
    sides = [("eager PyTorch, one thread", "PyTorch", "one thread"), ("eager PyTorch, best of each", "PyTorch", "best"),
             ("torch.compile, best of each", "torch.compile", "best")]
    value = lambda r, side, which: r["ratios"].get(side, {}).get(which, {}).get("ratio")  # noqa: E731
    yield {"file": "training", "title": "Training: attend's tokens a second over PyTorch's", "value_axis": "times as many",
           "names": [r["name"] for r in results],
           "bars": [{"name": f"over {name}", "values": [value(r, side, which) for r in results]}
                    for name, side, which in sides if any(value(r, side, which) for r in results)]}
    yield {"file": "peak", "title": "Training, one thread: share of the measured peak of multiply-adds",
           "value_axis": "% of the peak", "names": [r["name"] for r in results],
           "bars": [{"name": "", "values": [100 * r["share_of_peak"]["1"] for r in results]}]}


def plot_decoding(told):
    for side, file in (("PyTorch", "decoding"), ("CTranslate2", "decoding-ctranslate2")):
        found = [(f"{model['model']}, {'a sentence' if r['batch'] == 1 else r['batch']}", r["ratios"][side])
                 for model in told["results"] for r in model["results"] if side in r["ratios"]]
        if found:
            yield {"file": file, "title": f"Greedy decoding: attend's tokens a second over {side}'s",
                   "value_axis": "times as many", "names": [name for name, _ in found],
                   "bars": [{"name": which, "values": [ratio[which]["ratio"] for _, ratio in found]}
                            for which in ("one thread", "best")]}


X_AXES = {"length": ("length", "length of every sentence (tokens)"), "batch": ("sentences", "sentences a batch"),
          "hidden": ("hidden", "width of the hidden states"), "vocabulary": ("vocabulary", "words of each vocabulary")}


def plot_growth(told):
    for curve, (key, axis) in X_AXES.items():
        points = told["curves"].get(curve, [])
        series = []
        for kind, name in NAMES.items():
            mine = [p for p in points if p["kind"] == kind]
            if not mine:
                continue
            series.append({"name": f"{name}, attend", "x": [p[key] for p in mine], "y": [p["attend"] for p in mine]})
            theirs = [p for p in mine if "peer" in p]
            series.append({"name": f"{name}, PyTorch", "x": [p[key] for p in theirs], "y": [p["peer"] for p in theirs]})
        if series:
            yield {"file": f"growth-{curve}", "title": f"Training's speed against {axis}, one thread", "x_axis": axis,
                   "y_axis": "target tokens a second", "log_x": True, "log_y": True, "series": series}
    points = told["curves"].get("hidden", [])
    rate = lambda p, side: p[side] * p["mflop_a_token"] * 1e-3  # noqa: E731
    series = [{"name": f"{NAMES[kind]}, {shown}", "x": [p["hidden"] for p in points if p["kind"] == kind and side in p],
               "y": [rate(p, side) for p in points if p["kind"] == kind and side in p]}
              for kind in NAMES for side, shown in (("attend", "attend"), ("peer", "PyTorch"))]
    if points:
        yield {"file": "roof", "title": "Multiply-adds of training against the machine's roof, one thread",
               "x_axis": "width of the hidden states", "y_axis": "GFLOP/s", "log_x": True, "log_y": True,
               "series": [*series, {"name": "roof (Transformer)", "x": [p["hidden"] for p in points if p["kind"] == "transformer"],
                                    "y": [rate(p, "roof") for p in points if p["kind"] == "transformer"]}],
               "references": [{"name": "peak", "y": told["roof"]["gflops"]}]}


def plot_neighbour(told):
    results = told["results"]
    names = list(dict.fromkeys((r["name"], r["threads"]) for r in results))
    found = {(r["form"], r["name"], r["threads"]): r["left"] for r in results}
    yield {"file": "neighbour", "title": "Training beside a busy process on two processors: speed that is left",
           "value_axis": "of the speed alone", "names": [f"{n}, {t} thread{'s' if t > 1 else ''}" for n, t in names],
           "bars": [{"name": form, "values": [found.get((form, *name)) for name in names]} for form in ("attend", "PyTorch")]}


def plot_memory(told):
    results = told["results"]
    yield {"file": "memory", "title": "Training: the most memory that is resident", "value_axis": "MiB",
           "names": [f"{r['name']}, {r['threads']} thread{'s' if r['threads'] > 1 else ''}" for r in results],
           "bars": [{"name": "attend", "values": [r["attend"]["epochs"][-1]["peak"] / 2**20 for r in results]},
                    {"name": "PyTorch", "values": [r["PyTorch"]["resident"] / 2**20 for r in results]}]}


def table_roof(told):
    sizes = sorted(map(int, told[0]["triad_gbs"]))
    heads = [f"{n >> 20} MiB" if n >= 1 << 20 else f"{n >> 10} KiB" for n in sizes]
    yield ("| threads | instructions | multiply-adds, GFLOP/s | read from cache, GB/s | from memory "
           f"| x + 2 y over {' | '.join(heads)} |")
    yield "| ---: | --- | ---: | ---: | ---: |" + " ---: |" * len(sizes)
    for r in told:
        triad = " | ".join(f"{r['triad_gbs'][str(n)]:.1f}" for n in sizes)
        yield (f"| {r['threads']} | {r['isa']} | {r['gflops']:.0f} | {r['cache_read_gbs']:.0f} "
               f"| {r['memory_read_gbs']:.1f} | {triad} |")


def table_attention(told):
    yield from attention.table(told["results"], sorted({r["length"] for r in told["results"]}))


def table_ops(told):
    import ops

    yield from ops.table(told["results"])


PLOTS = {"training": plot_training, "decoding": plot_decoding, "growth": plot_growth, "neighbour": plot_neighbour,
         "memory": plot_memory}
TABLES = {"roof": table_roof, "attention": table_attention, "ops": table_ops,
          "training": lambda told: compare.table(told["results"]),
          "decoding": lambda told: compare_decoding.table(told["results"], told["start"]),
          "growth": lambda told: growth.table(told["curves"]),
          "neighbour": lambda told: neighbour.table(told["results"]),
          "memory": lambda told: memory.table(told["results"])}


def read(folder, section):
    for name, parse in ((f"{section}.json", json.loads), (f"{section}.jsonl", lambda t: list(map(json.loads, t.splitlines())))):
        if (path := folder / name).exists():
            return parse(path.read_text(encoding="utf-8"))
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("program", help="attend_bench_plot")
    parser.add_argument("page", type=pathlib.Path)
    arguments = parser.parse_args()
    folder = arguments.page.with_suffix("")
    plots, page = [], arguments.page.read_text(encoding="utf-8") if arguments.page.exists() else ""
    for section, table in TABLES.items():
        told = read(arguments.results, section)
        if told is None:
            continue
        drawn = list(PLOTS.get(section, lambda told: [])(told))
        plots += drawn
        parts = ["\n".join(table(told)).strip(),
                 *(f"![{plot['title']}]({folder.name}/{plot['file']}.svg)" for plot in drawn)]
        page = re.sub(rf"(<!-- table: {section} -->\n).*?(<!-- end -->)",
                      lambda m: m[1] + "\n" + "\n\n".join(parts) + "\n\n" + m[2], page, flags=re.DOTALL)
    subprocess.run([arguments.program, folder], input=json.dumps(plots), text=True, check=True)
    if arguments.page.exists():
        arguments.page.write_text(page, encoding="utf-8")
    print("\n".join(str(folder / f"{plot['file']}.svg") for plot in plots))


if __name__ == "__main__":
    main()

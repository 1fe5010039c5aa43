#!/usr/bin/env python3
"""Makes a map file of lesson 9: where a translator looks while it writes the sentences of
data/alignments/eng-fra-aligned.tsv, and how far that is from the words that are meant.

    python3 tools/make_aligned_maps.py build/release/attend MODEL "how it was trained" OUT.json

data/alignments/README.md has the commands that trained the two models.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAIRS = ROOT / "data" / "alignments" / "eng-fra-aligned.tsv"


def panel_of(attend, model, source, target):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "map.json"
        subprocess.run([attend, "map", "--model", model, source, "--force", target, "--out", out],
                       check=True, stderr=subprocess.DEVNULL)
        panel = json.loads(out.read_text())["panels"][0]
    panel["title"] = f"{source} → {target}"
    panel["weights"] = [[round(weight, 4) for weight in row] for row in panel["weights"]]
    return panel


def main():
    attend, model, title, out = sys.argv[1:]
    panels, words, right, shift = [], 0, 0, 0
    for line in PAIRS.read_text().splitlines():
        source, target, links = line.split("\t")
        panel = panel_of(attend, model, source, target)
        panels.append(panel)
        for link in links.split():
            meant, row = map(int, link.split("-"))
            weights = panel["weights"][row]
            strongest = weights.index(max(weights))
            words, right, shift = words + 1, right + (strongest == meant), shift + strongest - meant
    lines = ",\n  ".join(json.dumps(panel, ensure_ascii=False) for panel in panels)
    pathlib.Path(out).write_text(
        '{"format": "attend-map", "version": 1, "title": ' + json.dumps(title, ensure_ascii=False) +
        ',\n "row_axis": "target", "column_axis": "source",\n "panels": [\n  ' + lines + "]}\n")
    print(f"{out}: {words} words, {right} right, shift {shift / words:+.2f} words")


if __name__ == "__main__":
    main()

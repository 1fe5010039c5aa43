#!/usr/bin/env python3
"""Checks eng-fra.txt: encoding, columns, order, duplicates, typography. Exit status 1 on a fault.

    python3 data/phrasebook/check.py [FILE]
"""

import pathlib
import re
import sys
import unicodedata

ATTRIBUTION = "CC-BY 4.0 (attend phrasebook)"
MINIMUM_PAIRS = 1000
# French words that must be elided before a vowel, and a mark without its narrow no-break space.
UNELIDED = re.compile(r"(?<![-\w])(le|la|de|je|ne|me|te|se|que|du|au) (?=[aeiouéèêàâîôœ])", re.I)
BARE_MARK = re.compile(r"(?<!\u202f)[?!:;]|\u202f(?![?!:;])| [?!:;.,]|  ")


def line_faults(line):
    columns = line.split("\t")
    if len(columns) != 3:
        return [f"expected 3 columns, found {len(columns)}"]
    english, french, attribution = columns
    faults = []
    if not english.isascii():
        faults.append("the English has a character outside ASCII")
    if any(text != text.strip() or not text for text in columns):
        faults.append("a column is empty or has blanks at its ends")
    if attribution != ATTRIBUTION:
        faults.append(f"expected the attribution '{ATTRIBUTION}'")
    if BARE_MARK.search(french):
        faults.append("? ! : ; need U+202F before them and no other blank")
    if UNELIDED.search(french):
        faults.append(f"not elided: {UNELIDED.search(french).group()}")
    if "’" in french:
        faults.append("the apostrophe is ' here")
    if english[-1:] != french[-1:]:
        faults.append("the two sides end with different marks")
    return faults


def file_faults(data):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return [f"not UTF-8: {error}"]
    faults = []
    if text != unicodedata.normalize("NFC", text):
        faults.append("not in Unicode's normal form NFC")
    if "\r" in text or text.startswith("\ufeff") or not text.endswith("\n"):
        faults.append("lines end with LF, the last one too, and there is no byte order mark")
    lines = text.splitlines()
    faults += [f"line {n}: {fault}" for n, line in enumerate(lines, 1) for fault in line_faults(line)]
    pairs = [tuple(line.split("\t")[:2]) for line in lines]
    if len(pairs) < MINIMUM_PAIRS:
        faults.append(f"expected at least {MINIMUM_PAIRS} pairs, found {len(pairs)}")
    if len(set(pairs)) != len(pairs):
        faults.append(f"{len(pairs) - len(set(pairs))} pairs occur more than once")
    if pairs != sorted(pairs, key=lambda pair: (len(pair[0]), *pair)):
        faults.append("not sorted by length of the English, English, French")
    if ("Hello world.", "Bonjour le monde.") not in pairs:
        faults.append("'Hello world.' is missing")
    return faults


def main():
    path = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "eng-fra.txt")
    faults = file_faults(path.read_bytes())
    for fault in faults:
        print(f"{path}: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

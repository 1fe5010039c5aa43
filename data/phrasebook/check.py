#!/usr/bin/env python3
"""Checks the phrasebook: encoding, columns, order, duplicates, typography; and that no English
sentence of unseen.txt stands in eng-fra.txt, and all its words do. Exit status 1 on a fault.

    python3 data/phrasebook/check.py [FOLDER]
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


def text_faults(text):
    faults = []
    if text != unicodedata.normalize("NFC", text):
        faults.append("not in Unicode's normal form NFC")
    if "\r" in text or text.startswith("\ufeff") or not text.endswith("\n"):
        faults.append("lines end with LF, the last one too, and there is no byte order mark")
    for number, line in enumerate(text.splitlines(), 1):
        faults += [f"line {number}: {fault}" for fault in line_faults(line)]
    return faults


def pairs_of(text):
    return [tuple(line.split("\t")[:2]) for line in text.splitlines()]


def pair_faults(pairs):
    faults = []
    if len(set(pairs)) != len(pairs):
        faults.append(f"{len(pairs) - len(set(pairs))} pairs occur more than once")
    if pairs != sorted(pairs, key=lambda pair: (len(pair[0]), *pair)):
        faults.append("not sorted by length of the English, English, French")
    return faults


def book_faults(pairs):
    faults = []
    if len(pairs) < MINIMUM_PAIRS:
        faults.append(f"expected at least {MINIMUM_PAIRS} pairs, found {len(pairs)}")
    if ("Hello world.", "Bonjour le monde.") not in pairs:
        faults.append("'Hello world.' is missing")
    return faults


def words_of(pairs, side):
    return {word for pair in pairs for word in re.split(r"[\s,.?!]+", pair[side].lower()) if word}


def unseen_faults(unseen, book):
    seen = {pair[0] for pair in book}
    faults = [f"'{pair[0]}' is in eng-fra.txt" for pair in unseen if pair[0] in seen]
    for side, language in enumerate(("English", "French")):
        new = words_of(unseen, side) - words_of(book, side)
        if new:
            faults.append(f"{language} words that eng-fra.txt lacks: {', '.join(sorted(new))}")
    return faults


def read(path):
    """The file's text and what is wrong with it; undecodable bytes become a fault."""
    data = path.read_bytes()
    try:
        text, faults = data.decode("utf-8"), []
    except UnicodeDecodeError as error:
        text, faults = data.decode("utf-8", "replace"), [f"not UTF-8: {error}"]
    return text, faults + text_faults(text) + pair_faults(pairs_of(text))


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    book, book_found = read(folder / "eng-fra.txt")
    unseen, unseen_found = read(folder / "unseen.txt")
    book_found += book_faults(pairs_of(book))
    unseen_found += unseen_faults(pairs_of(unseen), pairs_of(book))
    for name, faults in (("eng-fra.txt", book_found), ("unseen.txt", unseen_found)):
        for fault in faults:
            print(f"{folder / name}: {fault}", file=sys.stderr)
    return 1 if book_found or unseen_found else 0


if __name__ == "__main__":
    sys.exit(main())

"""A model folder's *.vocab files: a token a line, its number from 0 is its id."""

import pathlib
import re

ESCAPED = re.compile(rb"\\(t|n|\\|x[0-9a-fA-F]{2})")
PLAIN = {b"t": b"\t", b"n": b"\n", b"\\": b"\\"}


def unescape(line):
    return ESCAPED.sub(lambda m: PLAIN.get(m[1]) or bytes.fromhex(m[1][1:].decode()), line)


def read_vocabulary(folder, side):
    """side: source or target"""
    lines = (pathlib.Path(folder) / f"{side}.vocab").read_bytes().split(b"\n")
    return [unescape(line).decode("utf-8") for line in lines[:-1] if lines[-1] == b""]

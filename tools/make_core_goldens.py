"""Makes tests/data/core: files written by the safetensors package and by NumPy, and what is in them.

Needs numpy, torch and safetensors. Run it from the project's folder; equal input gives equal values,
though NumPy and zlib may choose other bytes from version to version.
"""
import gzip
import io
import json
import pathlib
import zipfile

import numpy as np
import torch
from safetensors.torch import save as save_safetensors

FOLDER = pathlib.Path("tests/data/core")


def safetensors_golden():
    tensors = {
        "weight": torch.cos(torch.arange(12, dtype=torch.float32)).reshape(3, 4),
        "double": torch.tensor([1.5, -2.25], dtype=torch.float64),
        "ids": torch.tensor([[1, -2], [3, 2**40]], dtype=torch.int64),
        "scalar": torch.tensor(7, dtype=torch.int32),
        "empty": torch.zeros(0, 5),
        "half": torch.tensor([0.5, -1.0], dtype=torch.float16),
        "brain": torch.tensor([3.0], dtype=torch.bfloat16),
        "bytes": torch.tensor([0, 255, 7], dtype=torch.uint8),
        "flags": torch.tensor([True, False, True]),
        "é/ü \"quoted\"": torch.ones(1),
    }
    metadata = {"format": "pt", "vocabulary": "à\n\"x\""}
    (FOLDER / "golden.safetensors").write_bytes(save_safetensors(tensors, metadata))
    described = {
        name: {
            "dtype": str(t.dtype).removeprefix("torch."),
            "shape": list(t.shape),
            "hex": t.contiguous().flatten().view(torch.uint8).numpy().tobytes().hex()
            if t.numel() else "",
        }
        for name, t in tensors.items()
    }
    return {"metadata": metadata, "tensors": described}


def arrays():
    base = np.arange(24).reshape(2, 3, 4)
    yield "f4", np.cos(base).astype("<f4")
    yield "f8", np.sin(base).astype("<f8")
    yield "f2", np.array([0, -0.0, 1, -2, 65504, 6e-8, 6.1e-5, 0.333, np.inf, -np.inf], "<f2")
    for code in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
        info = np.iinfo(code)
        yield code, np.array([info.min, 0, 1, 100, info.max], dtype=code)
    yield "b1", np.array([[True, False], [False, True]])
    yield "fortran", np.asfortranarray(np.cos(base).astype("<f4"))
    yield "fortran_2d", np.asfortranarray(np.arange(6, dtype="<i4").reshape(2, 3))
    yield "scalar", np.float32(2.5)
    yield "empty", np.zeros((0, 3), "<f4")
    yield "one", np.array([9.0], "<f4")


def npz_goldens():
    named = dict(arrays())
    for name, save in (("stored", np.savez), ("deflated", np.savez_compressed)):
        stream = io.BytesIO()
        save(stream, **named)
        (FOLDER / f"{name}.npz").write_bytes(stream.getvalue())
    for version in ((1, 0), (2, 0), (3, 0)):
        stream = io.BytesIO()
        np.lib.format.write_array(stream, named["f4"], version=version)
        (FOLDER / f"version{version[0]}.npy").write_bytes(stream.getvalue())
    refused = {
        "object": np.array([{}, 1], dtype=object),
        "big_endian": np.arange(3, dtype=">f4"),
        "complex": np.zeros(2, "<c8"),
        "text": np.array(["a", "bc"]),
        "record": np.zeros(2, dtype=[("a", "<f4"), ("b", "<i4")]),
    }
    for name, array in refused.items():
        np.save(FOLDER / f"refused_{name}.npy", array, allow_pickle=True)
    return {
        name: {
            "shape": list(np.shape(a)),
            "values": [str(v) for v in np.asarray(a).astype("<f4").flatten(order="C").tolist()],
        }
        for name, a in named.items()
    }


def zip_goldens():
    text = ("Go.\tVa !\n" * 500).encode()
    with zipfile.ZipFile(FOLDER / "pairs.zip", "w") as archive:
        archive.comment = b"a comment"
        for name, data, method in (
            ("_about.txt", "à propos\n".encode(), zipfile.ZIP_STORED),
            ("fra.txt", text, zipfile.ZIP_DEFLATED),
            ("empty.txt", b"", zipfile.ZIP_DEFLATED),
        ):
            entry = zipfile.ZipInfo(name, (2024, 2, 3, 4, 5, 6))
            entry.compress_type = method
            archive.writestr(entry, data)
    # Written to a stream that can't seek: sizes follow the data, local headers hold none.
    class Stream(io.RawIOBase):
        def __init__(self):
            self.data = b""

        def writable(self):
            return True

        def write(self, piece):
            self.data += bytes(piece)
            return len(piece)

    stream = Stream()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("fra.txt", (2024, 2, 3, 4, 5, 6)), text,
                         zipfile.ZIP_DEFLATED)
    (FOLDER / "streamed.zip").write_bytes(b"#!/bin/sh\n" + stream.data)  # with something before it
    members = b"".join(gzip.compress(part, mtime=0) for part in (b"one\n", b"", b"two\n"))
    (FOLDER / "members.gz").write_bytes(members)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    golden = {"safetensors": safetensors_golden(), "arrays": npz_goldens()}
    zip_goldens()
    text = json.dumps(golden, ensure_ascii=False, indent=1)
    (FOLDER / "golden.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes tests/data/render: matrices as NumPy saves them, and colours of the heat scale computed apart.

Needs numpy. Run from the project's root; the results are stored, so the tests need no Python.
"""
import json
import pathlib

import numpy as np

OUT = pathlib.Path("tests/data/render")


def weights(*shape):
    """Without a random generator: a softmax over cos(arange)."""
    e = np.exp(3 * np.cos(np.arange(np.prod(shape), dtype=np.float64)).reshape(shape))
    return e / e.sum(-1, keepdims=True)


def palette(count):
    """Even steps along the line through the scale's stations in OKLab, as sRGB."""
    stations = [(0.975, 0.015, 105), (0.87, 0.095, 150), (0.74, 0.105, 190),
                (0.60, 0.105, 235), (0.45, 0.125, 262), (0.27, 0.10, 285)]
    lab = np.array([(l, c * np.cos(np.radians(h)), c * np.sin(np.radians(h)))
                    for l, c, h in stations])
    lengths = np.linalg.norm(np.diff(lab, axis=0), axis=1)
    at = np.concatenate([[0], np.cumsum(lengths)])
    t = np.linspace(0, at[-1], count)
    l, a, b = (np.interp(t, at, lab[:, i]) for i in range(3))
    lms = np.stack([l + 0.3963377774 * a + 0.2158037573 * b,
                    l - 0.1055613458 * a - 0.0638541728 * b,
                    l - 0.0894841775 * a - 1.2914855480 * b]) ** 3
    linear = np.array([[4.0767416621, -3.3077115913, 0.2309699292],
                       [-1.2684380046, 2.6097574011, -0.3413193965],
                       [-0.0041960863, -0.7034186147, 1.7076147010]]) @ lms
    assert linear.min() >= 0 and linear.max() <= 1, "outside sRGB"
    srgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return ["#%02x%02x%02x" % tuple(c) for c in np.rint(255 * srgb).astype(int).T]


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    np.savez(OUT / "panel.npz", cross_layer1_head2=weights(3, 4).astype(np.float32))
    np.savez_compressed(OUT / "grid.npz", cross=weights(2, 3, 4, 5))
    np.save(OUT / "heads.npy", np.asfortranarray(weights(2, 3, 4)))
    np.save(OUT / "vector.npy", weights(4))
    np.savetxt(OUT / "plain.csv", weights(3, 4), delimiter=",")
    rows = [["", "le", "chat, noir", 'dit "oui"'], ["猫", "0.25", "nan", "1e-3"], ["b", "0", "1", "0.5"]]
    with open(OUT / "labels.csv", "w", newline="", encoding="utf-8-sig") as f:
        import csv
        csv.writer(f).writerows(rows)
    expected = {"panel": weights(3, 4).ravel().tolist(), "grid": weights(2, 3, 4, 5).ravel().tolist(),
                "heads": weights(2, 3, 4).ravel().tolist(), "palette": palette(256)}
    (OUT / "expected.json").write_text(json.dumps(expected) + "\n")


if __name__ == "__main__":
    main()

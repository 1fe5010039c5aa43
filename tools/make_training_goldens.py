#!/usr/bin/env python3
"""Writes tests/data/training/adam.json: PyTorch's Adam after clip_grad_norm_, in float64.

Parameters are cos(i), the gradient of step t is t * sin(i * t): no random numbers.
"""
import json
import pathlib

import torch

SIZE, STEPS = 37, 6
CASES = [
    {"learning_rate": 0.005, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "clip": 0.0},
    {"learning_rate": 0.005, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "clip": 7.5},
    {"learning_rate": 0.3, "beta1": 0.5, "beta2": 0.98, "epsilon": 1e-4, "clip": 0.037},
]


def run(case):
    index = torch.arange(SIZE, dtype=torch.float64)
    parameter = torch.nn.Parameter(torch.cos(index))
    optimiser = torch.optim.Adam(
        [parameter], lr=case["learning_rate"], betas=(case["beta1"], case["beta2"]), eps=case["epsilon"])
    norms, values = [], []
    for step in range(1, STEPS + 1):
        parameter.grad = step * torch.sin(index * step)
        limit = case["clip"] if case["clip"] > 0 else float("inf")
        norms.append(torch.nn.utils.clip_grad_norm_([parameter], limit).item())
        optimiser.step()
        values.append(parameter.detach().tolist())
    return {**case, "norms": norms, "parameters": values}


def main():
    path = pathlib.Path(__file__).resolve().parent.parent / "tests/data/training/adam.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {"torch": torch.__version__, "size": SIZE, "cases": [run(case) for case in CASES]}
    path.write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    main()

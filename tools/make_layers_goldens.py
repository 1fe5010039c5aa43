"""Writes tests/data/ops/sequences.safetensors and tests/data/layers/{goldens,recurrent,
attention_decoder}.safetensors, from PyTorch.

Run: python tools/make_layers_goldens.py   (torch, safetensors)

Inputs need no random generator: cos(start + arange). Every case is stored with its inputs, in double
precision. Recurrent cases run each sequence by itself, without padding, so that they hold whatever a
batch does to its neighbours. The five sinusoid tables are written out here from each toolkit's formula.
"""

import math
import pathlib

import torch
from safetensors.torch import save_file

DATA = pathlib.Path(__file__).parent.parent / "tests" / "data"
torch.set_default_dtype(torch.float64)
files = {"ops/sequences": {}, "layers/goldens": {}, "layers/recurrent": {},
         "layers/attention_decoder": {}}


def cosines(shape, start=0, factor=1.0):
    return factor * torch.cos(start + torch.arange(math.prod(shape), dtype=torch.float64)).reshape(shape)


def store(file, case, **values):
    for name, value in values.items():
        files[file][f"{case}.{name}"] = torch.as_tensor(value).detach().contiguous().clone()


def fill(module, factor=0.5):
    with torch.no_grad():
        for start, (_, parameter) in enumerate(module.named_parameters()):
            parameter.copy_(cosines(parameter.shape, start, factor))


def gru(file, case, lengths, inputs, hidden, layers):
    """Rows, final states and gradients of sequences run one by one; an empty one keeps its state."""
    cell = torch.nn.GRU(inputs, hidden, layers, batch_first=True)
    fill(cell)
    x = cosines((sum(lengths), inputs), 6).requires_grad_(True)
    initial = cosines((layers, len(lengths), hidden), 7, 0.5).requires_grad_(True)
    rows, finals, first = [], [], 0
    for b, n in enumerate(lengths):
        start = initial[:, b : b + 1]
        if n == 0:
            finals.append(start)
            continue
        out, final = cell(x[None, first : first + n], start.contiguous())
        rows.append(out[0])
        finals.append(final)
        first += n
    rows, final = torch.cat(rows), torch.cat(finals, 1)  # (N, H), (layers, B, H)
    loss = (rows * cosines(rows.shape, 8)).sum() + (final * cosines(final.shape, 9)).sum()
    loss.backward()
    store(file, case, lengths=torch.tensor(lengths), x=x, initial=initial, rows=rows, final=final,
          dx=x.grad, d_initial=initial.grad)
    for name, parameter in cell.named_parameters():
        store(file, case, **{name: parameter, f"d_{name}": parameter.grad})


def recurrent(case, kind, lengths, inputs, hidden, layers, bidirectional):
    """The same for any cell and both directions; an LSTM's final states are h, then c."""
    module = getattr(torch.nn, kind)(inputs, hidden, layers, batch_first=True, bidirectional=bidirectional)
    fill(module)
    x = cosines((sum(lengths), inputs), 6).requires_grad_(True)
    states = layers * (2 if bidirectional else 1)
    initial = [cosines((states, len(lengths), hidden), start, 0.5).requires_grad_(True)
               for start in ((7, 11) if kind == "LSTM" else (7,))]
    rows, finals, first = [], [], 0
    for b, n in enumerate(lengths):
        start = tuple(s[:, b : b + 1].contiguous() for s in initial)
        if n:
            out, final = module(x[None, first : first + n], start if kind == "LSTM" else start[0])
            rows.append(out[0])
            start = final if kind == "LSTM" else (final,)
        finals.append(start)
        first += n
    rows = torch.cat(rows)  # (N, directions H)
    final = [torch.cat(parts, 1) for parts in zip(*finals)]  # (states, B, H)
    check_packed(module, x, lengths, initial, rows)
    loss = (rows * cosines(rows.shape, 8)).sum()
    for f in final:
        loss = loss + (f * cosines(f.shape, 9)).sum()
    loss.backward()
    store("layers/recurrent", case, x=x, rows=rows, dx=x.grad)
    for name, start, last in zip("hc", initial, final):
        store("layers/recurrent", case, **{f"initial_{name}": start, f"final_{name}": last,
                                           f"d_initial_{name}": start.grad})
    for name, parameter in module.named_parameters():
        store("layers/recurrent", case, **{name: parameter, f"d_{name}": parameter.grad})


def check_packed(module, x, lengths, initial, rows):
    """A packed sequence of those that are not empty gives the same."""
    kept = [b for b, n in enumerate(lengths) if n]
    parts = [part for part in torch.split(x, lengths) if len(part)]
    start = tuple(s[:, kept].contiguous() for s in initial)
    packed = torch.nn.utils.rnn.pack_sequence(parts, enforce_sorted=False)
    out, _ = module(packed, start if len(start) == 2 else start[0])
    together = torch.cat(torch.nn.utils.rnn.unpack_sequence(out))
    assert torch.allclose(together, rows, 1e-12, 1e-12)


def sparsemax(z):
    """Martins & Astudillo 2016, algorithm 1, of a vector."""
    ordered = torch.sort(z, descending=True).values
    count = torch.arange(1, len(z) + 1, dtype=z.dtype)
    inside = int((1 + count * ordered > ordered.cumsum(0)).sum())
    return torch.relu(z - (ordered[:inside].sum() - 1) / inside)


def attention_decoder(case, kind, score, normalise, sources, targets, inputs, hidden, memory):
    """A decoder of two layers, sentence by sentence; `score`(parameters, query, keys) of all keys."""
    cells = [getattr(torch.nn, kind + "Cell")(size, hidden) for size in (memory + inputs, hidden)]
    for cell in cells:
        fill(cell)
    shapes = {"attention.key.weight": (hidden, memory)} if memory != hidden else {}
    shapes |= {"cosine": {"attention.scale": (1,)}, "gaussian": {"attention.width": (1,)}}.get(score, {})
    own = {name: (0.6 + cosines(shape, 2, 0.5)).requires_grad_(True) for name, shape in shapes.items()}
    rows = cosines((sum(sources), memory), 3).requires_grad_(True)
    x = cosines((sum(targets), inputs), 4).requires_grad_(True)
    initial = [cosines((2, len(sources), hidden), start, 0.5).requires_grad_(True)
               for start in ((5, 6) if kind == "LSTM" else (5,))]
    outputs, weights, first = [], [], 0
    for b, values in enumerate(torch.split(rows, sources)):
        keys = values @ own["attention.key.weight"].T if memory != hidden else values
        states = [[part[layer, b : b + 1] for part in initial] for layer in range(2)]
        for t in range(targets[b]):
            a = normalise(SCORES[score](own, states[-1][0][0], keys)) if sources[b] else torch.zeros(0)
            below = torch.cat((a @ values, x[first + t]))[None]
            for layer, cell in enumerate(cells):
                states[layer] = list(cell(below, tuple(states[layer])) if kind == "LSTM"
                                     else (cell(below, states[layer][0]),))
                below = states[layer][0]
            outputs.append(below[0])
            weights.append(torch.nn.functional.pad(a, (0, max(sources) - len(a))))
        first += targets[b]
    outputs, weights = torch.stack(outputs), torch.stack(weights)
    (outputs * cosines(outputs.shape, 8)).sum().backward()
    named = dict(own, rows=rows, x=x)
    for part, tensor in zip("hc", initial):
        named[f"initial_{part}"] = tensor
    for layer, cell in enumerate(cells):
        named |= {f"{kind.lower()}.layers.{layer}.{name}": p for name, p in cell.named_parameters()}
    store("layers/attention_decoder", case, outputs=outputs, weights=weights, **named,
          **{"d_" + name: tensor.grad for name, tensor in named.items()})


SCORES = {
    "dot": lambda own, q, k: k @ q,
    "cosine": lambda own, q, k: own["attention.scale"] * torch.cosine_similarity(k, q[None], dim=1),
    "gaussian": lambda own, q, k: -0.5 * ((own["attention.width"] * (q[None] - k)) ** 2).sum(1),
}


def cross_entropy(case, n, width, vocabulary):
    hidden, weight = cosines((n, width), 1), cosines((vocabulary, width), 2)
    bias, targets = cosines((vocabulary,), 3), (torch.arange(n) * 5 + 2) % vocabulary
    for x in (hidden, weight, bias):
        x.requires_grad_(True)
    loss = torch.nn.functional.cross_entropy(hidden @ weight.T + bias, targets, reduction="sum")
    loss.backward()
    store("ops/sequences", case, hidden=hidden, weight=weight, bias=bias, targets=targets,
          loss=loss.reshape(1), d_hidden=hidden.grad, d_weight=weight.grad, d_bias=bias.grad)


def positions(name, width, rate, interleaved, offset):
    """rate(i): the angle that pair i turns by from one position to the next."""
    table = torch.zeros(6, width)
    for p in range(6):
        for i in range(width // 2):
            angle = (p + offset) * rate(i)
            sine, cosine = (2 * i, 2 * i + 1) if interleaved else (i, width // 2 + i)
            table[p, sine], table[p, cosine] = math.sin(angle), math.cos(angle)
    store("layers/goldens", "positions", **{name: table})


def by_width(width):
    return lambda i: 1 / 10000 ** (2 * i / width)


def by_half(width):
    step = math.log(10000) / (width // 2 - 1)
    return lambda i: math.exp(-i * step)


def modules():
    norm = torch.nn.LayerNorm(6, eps=1e-5)
    fill(norm)
    x = cosines((4, 6), 3, 2.0)
    store("layers/goldens", "norm", x=x, weight=norm.weight, bias=norm.bias, output=norm(x))
    inner, outer = torch.nn.Linear(6, 9), torch.nn.Linear(9, 6)
    fill(inner), fill(outer)
    store("layers/goldens", "feed_forward", x=x, inner_weight=inner.weight, inner_bias=inner.bias,
          outer_weight=outer.weight, outer_bias=outer.bias, output=outer(torch.relu(inner(x))))


gru("ops/sequences", "gru.ragged", [3, 0, 5], 4, 3, 1)
gru("ops/sequences", "gru.even", [2, 2], 1, 2, 1)
cross_entropy("cross_entropy", 5, 4, 7)
gru("layers/goldens", "gru", [3, 0, 5, 1], 4, 3, 2)
for kind in ("RNN", "LSTM", "GRU"):
    recurrent(f"{kind.lower()}.one_way", kind, [3, 0, 5, 1], 4, 3, 2, False)
    recurrent(f"{kind.lower()}.both_ways", kind, [3, 0, 5, 1], 4, 3, 2, True)
attention_decoder("lstm_dot", "LSTM", "dot", lambda e: e.softmax(0), [3, 0, 2], [2, 1, 4], 2, 3, 6)
attention_decoder("rnn_gaussian", "RNN", "gaussian", sparsemax, [3, 0, 2], [2, 1, 4], 2, 3, 3)
attention_decoder("gru_cosine", "GRU", "cosine", lambda e: e, [3, 0, 2], [2, 1, 4], 2, 3, 6)
positions("book", 8, by_width(8), True, 0)
positions("sockeye", 8, by_width(8), False, 0)
positions("marian", 8, by_half(8), False, 0)
positions("fairseq", 8, by_half(8), False, 2)  # the padding id is 1
positions("ctranslate2", 8, by_half(8), False, 1)
modules()

for name, tensors in files.items():
    path = DATA / f"{name}.safetensors"
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(dict(sorted(tensors.items())), str(path))
    print(f"{path.name}: {len(tensors)} tensors, {path.stat().st_size} bytes")

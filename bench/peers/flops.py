"""Floating-point operations that a step of training needs, by formula.

Two for a multiply-add of a matrix product, real tokens alone; the gradient costs twice the forward
pass. Passes over memory (softmax, tanh, norms, dropout, Adam) and look-ups count nothing. What need not
be repeated counts once: keys once a batch, a word's part of a recurrent model's first layer once for each
distinct word of a batch, the code's once a sentence. S, T are the lengths of a pair of sentences, letters
otherwise as in docs/model-format.md.
"""


def distinct(sentences):
    return len({token for sentence in sentences for token in sentence})


def recurrent(meta, batch, source, target, both):
    hidden, embedding = meta["hidden"], meta["embedding"]
    square = hidden**2
    words = distinct(batch["source"]) + distinct(batch["target"])
    first = words * 3 * hidden * embedding
    states = (source + target) * 3 * square * meta["layers"]
    upper = (source + target) * 3 * square * (meta["layers"] - 1)
    if meta["kind"] == "gru":
        return first + states + upper + len(batch["source"]) * 3 * square
    look = (source + target) * square + both * 2 * hidden  # keys, queries; scores, pooling
    return first + states + upper + target * 3 * square + look


def transformer(meta, pairs, source, target, both):
    hidden = meta["hidden"]
    square, inner = hidden**2, 2 * hidden * meta["feed_forward"]
    of_source = source * (4 * square + inner) + sum(s * s for s, _ in pairs) * 2 * hidden
    causal = sum(t * (t + 1) // 2 for _, t in pairs)
    of_target = target * (6 * square + inner) + source * 2 * square + (causal + both) * 2 * hidden
    return meta["layers"] * (of_source + of_target)


def forward(meta, batch):
    """Multiply-adds of a batch as in batches.json."""
    pairs = [(len(s), len(t)) for s, t in zip(batch["source"], batch["target"])]
    source, target, both = sum(s for s, _ in pairs), sum(t for _, t in pairs), sum(s * t for s, t in pairs)
    output = target * meta["hidden"] * meta["target_vocabulary"]
    if meta["kind"] == "transformer":
        return output + transformer(meta, pairs, source, target, both)
    return output + recurrent(meta, batch, source, target, both)


def flops_a_token(meta, batches):
    """Of a real target token in training, forward and backward."""
    tokens = sum(len(sentence) for batch in batches for sentence in batch["target"])
    return 3 * 2 * sum(forward(meta, batch) for batch in batches) / tokens

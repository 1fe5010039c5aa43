"""Trains a peer at the chapter's settings and translates the chapter's four sentences.

    python bench/peers/chapter.py fra.txt --kind bahdanau

First 600 pairs, 10 steps, words with at least 2 occurrences, batch 64, Adam 0.005; the loss is the
chapter's: the mean over 10 steps, summed over the batch, gradients clipped to norm 1.
"""

import argparse
import collections
import math
import random
import re
import time

import torch

from models import KINDS, Options, Translator
from steps import adam, make_batch, train_step

UNKNOWN, PADDING, BEGIN, END = range(4)
STEPS, PAIRS, BATCH = 10, 600, 64
EPOCHS = {"gru": 300, "bahdanau": 250, "transformer": 200}
SENTENCES = [("go .", "va !"), ("i lost .", "j'ai perdu ."), ("he's calm .", "il est calme ."),
             ("i'm home .", "je suis chez moi .")]


def tokens_of(text):
    text = re.sub("[\u202f\xa0]", " ", text).lower()
    return re.sub(r"(?<! )([,.!?])", r" \1", text).strip().split()


def read_pairs(path, count):
    with open(path, encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for _, line in zip(range(count), lines)]
    return [(tokens_of(row[0]), tokens_of(row[1])) for row in rows]


def vocabulary(sentences):
    counts = collections.Counter(token for sentence in sentences for token in sentence)
    kept = [token for token, n in counts.most_common() if n >= 2]
    return {token: i for i, token in enumerate(["<unk>", "<pad>", "<bos>", "<eos>", *kept])}


def encode(sentence, ids):
    return ([ids.get(token, UNKNOWN) for token in sentence] + [END])[:STEPS]


@torch.no_grad()
def translate(model, sentence, source_ids, words):
    source = encode(sentence.split(), source_ids)
    batch = make_batch([source], [[END]], STEPS, BEGIN, PADDING)
    prefix = [BEGIN]
    while len(prefix) <= STEPS:
        logits = model(batch.source, batch.lengths, torch.tensor([prefix]))
        prefix.append(int(logits[0, -1].argmax()))
        if prefix[-1] == END:
            return " ".join(words[i] for i in prefix[1:-1])
    return " ".join(words[i] for i in prefix[1:])


def book_bleu(translation, reference, k=2):
    """exp(min(0, 1 - |reference| / |translation|)) * prod over n of p_n^(1 / 2^n)"""
    found, wanted = translation.split(), reference.split()
    if not found:
        return 0.0
    score = math.exp(min(0, 1 - len(wanted) / len(found)))
    for n in range(1, min(k, len(found)) + 1):
        grams = collections.Counter(tuple(wanted[i : i + n]) for i in range(len(wanted) - n + 1))
        mine = collections.Counter(tuple(found[i : i + n]) for i in range(len(found) - n + 1))
        score *= (sum((grams & mine).values()) / (len(found) - n + 1)) ** (0.5**n)
    return score


def train(model, examples, epochs):
    """Returns the mean loss per real target token of the last epoch."""
    optimiser, mean = adam(model.train(), 0.005), 0.0
    for epoch in range(1, epochs + 1):
        random.shuffle(examples)
        total = tokens = 0
        for first in range(0, len(examples), BATCH):
            batch = make_batch(*zip(*examples[first : first + BATCH]), STEPS, BEGIN, PADDING)
            total += train_step(model, optimiser, batch, clip=1.0, divisor=STEPS) * batch.tokens
            tokens += batch.tokens
        mean = total / tokens
        if epoch % 25 == 0 or epoch == epochs:
            print(f"epoch {epoch}/{epochs}: loss {mean:.4f} nats a token", flush=True)
    return mean


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data")
    parser.add_argument("--kind", choices=KINDS, default="bahdanau")
    parser.add_argument("--epochs", type=int, help="default: the chapter's")
    parser.add_argument("--packed", action="store_true", help="the encoder sees real tokens only")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)
    random.seed(arguments.seed)
    pairs = read_pairs(arguments.data, PAIRS)
    source_ids, target_ids = vocabulary([p[0] for p in pairs]), vocabulary([p[1] for p in pairs])
    print(f"vocabularies: {len(source_ids)} and {len(target_ids)}")
    examples = [(encode(s, source_ids), encode(t, target_ids)) for s, t in pairs]
    model = Translator(Options(arguments.kind, len(source_ids), len(target_ids), packed=arguments.packed))
    start = time.perf_counter()
    loss = train(model, examples, arguments.epochs or EPOCHS[arguments.kind])
    seconds = time.perf_counter() - start

    words, scores = list(target_ids), []
    model.eval()
    for sentence, reference in SENTENCES:
        translation = translate(model, sentence, source_ids, words)
        scores.append(book_bleu(translation, reference))
        print(f"{sentence} => {translation}, bleu {scores[-1]:.3f}")
    print(f"{arguments.kind}, {'packed' if arguments.packed else 'padded'}, seed {arguments.seed}: "
          f"loss {loss:.4f}, mean bleu {sum(scores) / len(scores):.3f}, {seconds:.0f} s")


if __name__ == "__main__":
    main()

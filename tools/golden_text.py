#!/usr/bin/env python3
"""Writes tests/data/text: small SentencePiece models and what Python's sentencepiece makes of lines.

Needs sentencepiece. Run from the project's root: python3 tools/golden_text.py
Each .tsv line is: text, ids, pieces (blank between), the decoded text.
"""
import io
import pathlib

import sentencepiece as spm

OUT = pathlib.Path("tests/data/text")
SUBJECTS = ["i", "you", "we", "they", "the old man", "my sister"]
VERBS = ["see", "like", "lost", "found", "want", "are looking for"]
OBJECTS = ["the house", "a dog", "the red car", "it", "some water", "an answer"]
TRAINING = [f"{s} {v} {o} ." for s in SUBJECTS for v in VERBS for o in OBJECTS]
LINES = [
    "i see the house .",
    "they are looking for an answer .",
    "the dog found my sister .",
    "unseen words too",
    "caf\u00e9 \u2460 \ufe30 \ufb01",
    "x",
    "",
]
MODELS = {
    "pad1": dict(unk_id=0, pad_id=1, bos_id=2, eos_id=3),
    "no_pad": dict(unk_id=0, bos_id=1, eos_id=2, pad_id=-1),
    "pad0": dict(pad_id=0, unk_id=1, bos_id=2, eos_id=3),
    "no_begin": dict(unk_id=0, eos_id=1, bos_id=-1, pad_id=-1),
}


def train(ids):
    model = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(TRAINING), model_writer=model, vocab_size=60,
        model_type="unigram", hard_vocab_limit=False, normalization_rule_name="identity",
        num_threads=1, minloglevel=3, **ids)
    return model.getvalue()


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    for name, ids in MODELS.items():
        model = train(ids)
        (OUT / f"{name}.spm").write_bytes(model)
        if name == "no_begin":
            continue
        sp = spm.SentencePieceProcessor(model_proto=model)
        with open(OUT / f"{name}.tsv", "w", encoding="utf-8", newline="\n") as file:
            for line in LINES:
                encoded = sp.encode(line)
                pieces = " ".join(sp.id_to_piece(i) for i in encoded)
                numbers = " ".join(map(str, encoded))
                file.write(f"{line}\t{numbers}\t{pieces}\t{sp.decode(encoded)}\n")


if __name__ == "__main__":
    main()

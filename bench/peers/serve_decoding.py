"""A peer that decodes, in a process of its own: PyTorch with cached state, or CTranslate2.

    python bench/peers/serve_decoding.py --engine torch --model FOLDER --sentences FILE --threads 1

FILE is what `attend_bench_decode translations` wrote. Reads lines of JSON as attend_bench_decode
speed does; {"translate": 32} translates all, 32 at a time, and answers with the tokens. With --first:
the first sentence's translation on standard output, and the end.
"""

import argparse
import json
import sys
import time

from measure import status_bytes
from vocabulary import read_vocabulary


class Torch:
    def __init__(self, arguments, sentences):
        import torch

        from decode import cached, greedy
        from load_model import load_model

        torch.set_num_threads(arguments.threads)
        self.decoder, self.most, self.run = cached(load_model(arguments.model)), arguments.max_steps, greedy
        ids = {token: i for i, token in enumerate(read_vocabulary(arguments.model, "source"))}
        self.sources = [[ids.get(token, 0) for token in sentence] for sentence in sentences]
        self.words = read_vocabulary(arguments.model, "target")

    def translate(self, first, end, split):
        return self.run(self.decoder, self.sources[first:end], self.most)

    def tokens(self, written):
        return [self.words[i] for i in written]


class CTranslate2:
    def __init__(self, arguments, sentences):
        import ctranslate2

        # Threads within an operation, or workers that share the sentences out.
        threads = {"intra_threads": arguments.threads}
        if arguments.workers:
            threads = {"inter_threads": arguments.threads, "intra_threads": 1}
        self.translator = ctranslate2.Translator(arguments.model, device="cpu", compute_type="float32", **threads)
        self.sources, self.most = sentences, arguments.max_steps

    def translate(self, first, end, split):
        results = self.translator.translate_batch(self.sources[first:end], beam_size=1, max_batch_size=split,
                                                  max_decoding_length=self.most)
        return [result.hypotheses[0] for result in results]

    def tokens(self, written):
        return written


def window(engine, asked, next_line):
    count, milliseconds, tokens, elapsed = len(engine.sources), [], 0, 0.0
    whole = asked.get("all", False)  # every line once, from the first on
    next_line = 0 if whole else next_line
    while (not milliseconds or next_line < count) if whole else elapsed < asked["seconds"]:
        next_line = 0 if next_line >= count else next_line
        end = min(next_line + asked["batch"], count)
        start = time.perf_counter()
        written = engine.translate(next_line, end, asked["split"])
        taken = time.perf_counter() - start
        elapsed, next_line = elapsed + taken, end
        milliseconds.append(taken * 1e3)
        # The end mark was a step too, where it was reached.
        tokens += sum(len(w) + (len(w) < engine.most) for w in written)
    return {"tokens": tokens, "seconds": elapsed, "milliseconds": milliseconds,
            "resident": status_bytes("VmHWM")}, next_line


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--engine", choices=("torch", "ctranslate2"), required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--sentences", required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--workers", action="store_true", help="CTranslate2: threads share out sentences")
    parser.add_argument("--max-steps", type=int, required=True)
    parser.add_argument("--first", action="store_true")
    arguments = parser.parse_args()

    with open(arguments.sentences, encoding="utf-8") as file:
        sentences = [sentence["source"] for sentence in json.load(file)]
    engine = (Torch if arguments.engine == "torch" else CTranslate2)(arguments, sentences)
    if arguments.first:
        print(" ".join(engine.tokens(engine.translate(0, 1, 1)[0])), flush=True)
        return
    next_line = 0
    for line in sys.stdin:
        asked = json.loads(line)
        if "translate" in asked:
            size = asked["translate"]
            told = [engine.tokens(w) for i in range(0, len(sentences), size)
                    for w in engine.translate(i, i + size, size)]
        else:
            told, next_line = window(engine, asked, next_line)
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()

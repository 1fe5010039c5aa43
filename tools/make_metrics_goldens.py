#!/usr/bin/env python3
"""Writes tests/data/metrics/: what sacreBLEU and the book's formula give, for tests/metrics (*.json), and
for the test of `attend evaluate` (program/*.txt).

Usage: python3 tools/make_metrics_goldens.py [OUTPUT_FOLDER]     (needs sacrebleu 2.6.0 and numpy)
"""

import json
import math
import pathlib
import random
import sys

import numpy as np
import sacrebleu
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.metrics.bleu import _get_tokenizer
from sacrebleu.significance import _compute_p_value, estimate_ci

ORACLE = f"sacrebleu {sacrebleu.__version__}"
TOKENIZERS = ["none", "13a", "intl", "zh", "char"]

TRICKY_LINES = [
    "",
    " ",
    "Hello, world!",
    "It costs $1,234.56 (or 1.234,56 \u20ac), i.e. 3-4% more.",
    "She said: \"Don't!\" -- and left...",
    "The year was 1999.",
    "A range of 10-20, a low-cost co-op and a well-known e-mail: me@example.com",
    "&quot;quoted&quot; &amp; &lt;b&gt; &amp;lt;not twice&amp;gt; &apos;kept&apos;",
    "before<skipped>after and <skipped> alone",
    "soft hyphen-\nation and a\nnew line",
    "C'est l'\u00e9t\u00e9\u00a0: \u00ab\u00a0Quoi\u202f?\u00a0\u00bb dit-il\u202f!",
    "\u00bfQu\u00e9 tal? \u00a1Muy bien! \u2014 dijo \u201c\u00e9l\u201d\u2026",
    "Stra\u00dfe \u201eGr\u00fc\u00dfe\u201c, \u00bbja\u00ab; 5\u202f000\u00a0km/h",
    "\u6211\u7231\u5317\u4eac\u5929\u5b89\u95e8\u3002\u4f60\u597d\uff0c\u4e16\u754c\uff01",
    "\u4e2d\u6587and English\u6df7\u5408123\uff0e4\uff0c5\u5e74\u201c\u5f15\u53f7\u201d\u2014\u2014\u2026\u2026",
    "\u3000\u5168\u89d2\u3000\u7a7a\u683c\u3000",
    "\u65e5\u672c\u8a9e\u306e\u30c6\u30b9\u30c8\u3002\u30ab\u30bf\u30ab\u30ca\uff76\uff85",
    "\ud55c\uad6d\uc5b4 \ubb38\uc7a5\uc785\ub2c8\ub2e4.",
    "\U00020000\U0002a6d6 beyond the plane \U0001f600\U0001f1eb\U0001f1f7 caf\u00e9 cafe\u0301",
    "\u2192 arrows \u2260 maths \u00b1 \u2211 \u221a2 \u00d7 3 = ? \u2603 \u2714 \u33a1 \u3231",
    "tabs\tand\u2003wide\u2009thin\u200bzero\ufeffbom\u0085next",
    "control \x1c file \x1f unit \x0b tab \x0c feed",
    "a.b.c ... ,,, .5 5. 5.5 5,5 a,5 5,a .,.,",
    "1-2 a-1 1-a --1 2--3 -",
    "{[(<>)]} ~`!@#$%^&*_+-=|\\:;\"'<>?,./",
    "no space,here.Or there;not:this?Yes!",
    "\u0661\u0662\u066b\u0663\u060c \u0627\u0644\u0639\u0631\u0628\u064a\u0629\u061f \u0967\u0968.\u0969 \u0939\u093f\u0928\u094d\u0926\u0940\u0964",
    "\u2160\u2161. \u00bd, \u00b2. \u2460! x\u00b2,y",
    "\u00ab1,5\u00bb \u2018a\u2019 \u201b1\u201f 3\u20134 3\u20144 3\u22124",
    "trailing blanks   ",
    "   leading blanks",
    "a year and a blank: 1999. ",
    "URL https://www.example.org/a_b?c=d&e=f#g, and 50% of $5.",
    "\u0395\u039b\u039b\u0397\u039d\u0399\u039a\u039f\u03a3 \u039f\u0394\u039f\u03a3. \u03a3 \u03a3\u03a3\u03a3 \u0391\u03a3\u0391 '\u0391\u03a3' \u0391\u03a3.\u0391",
    "\u0130STANBUL I\u0131 \u1e9eE\u00df \u01c5 \u0414\u0410 \u00c9T\u00c9 \u2126\u212a\u212b",
    "Mr. O'Neill-Smith's (the U.S.A.'s) 3,000,000-dollar \"deal\".",
    "\u05e9\u05dc\u05d5\u05dd, \u05e2\u05d5\u05dc\u05dd\u05be\u05d0! \u05f3\u05f4",
]

WORDS = ("the a of to and in is it we you he she not very old new house man woman child dog cat tree "
         "river city year day night good bad small great sees finds takes makes loves leaves read goes "
         "home away again never always Paris London \u00e9t\u00e9 gar\u00e7on na\u00efve 3 1,000 12.5 "
         "U.S. don't it's well-known").split()
ENDS = [".", ".", ".", "!", "?", " .", "...", ""]
CHINESE = ("\u6211\u4eec\u7684\u4e86\u5728\u662f\u5317\u4eac\u5929\u4eba\u5927\u5c0f\u5e74\u65e5"
           "\u3002\uff0cA1")


def sentence(rng, low=1, high=25):
    words = [rng.choice(WORDS) for _ in range(rng.randint(low, high))]
    if len(words) > 6:
        words[rng.randrange(3, 6)] += ","
    words[0] = words[0].capitalize()
    return " ".join(words) + rng.choice(ENDS)


def distort(rng, text, rate):
    out = []
    for word in text.split(" "):
        roll = rng.random()
        if roll < rate / 3:
            continue
        if roll < 2 * rate / 3:
            word = rng.choice(WORDS)
        elif roll < rate:
            out.append(rng.choice(WORDS))
        out.append(word)
    return " ".join(out)


def make_corpora():
    rng = random.Random(20240607)
    corpora = {}

    def add(name, hypotheses, *references):
        corpora[name] = {"hypotheses": hypotheses, "references": list(references)}

    for size, rate in ((1, 0.2), (10, 0.1), (40, 0.4), (60, 0.8)):
        reference = [sentence(rng) for _ in range(size)]
        add(f"random-{size}-{rate}", [distort(rng, r, rate) for r in reference], reference)
    reference = [sentence(rng) for _ in range(30)]
    add("three-references", [distort(rng, r, 0.3) for r in reference], reference,
        [distort(rng, r, 0.5) for r in reference], [sentence(rng) for _ in reference])
    short = [sentence(rng, 1, 4) for _ in range(30)]
    add("short", [distort(rng, r, 0.3) for r in short], short)
    chinese = ["".join(rng.choice(CHINESE) for _ in range(rng.randint(1, 20))) for _ in range(20)]
    add("chinese", [c[: rng.randint(0, len(c))] + rng.choice(CHINESE) for c in chinese], chinese)
    add("tricky", [distort(rng, line, 0.2) for line in TRICKY_LINES], TRICKY_LINES)
    holes = [sentence(rng) for _ in range(8)]
    add("empty-lines", ["" if i % 3 == 0 else holes[i] for i in range(8)],
        ["" if i % 4 == 0 else holes[i] for i in range(8)])
    add("all-empty", ["", " "], ["", ""])
    add("empty-hypotheses", ["", ""], ["a b c d", "e"])
    add("empty-references", ["a b c d e", "f"], ["", ""])
    add("nothing-in-common", ["a b c d e"], ["v w x y z"])
    add("yes-no", ["yes"], ["no"])
    add("two-words", ["Zhongjian Plaza"], ["Zhongjian Plaza"])
    add("four-words", ["one two three four"], ["one two three four"])
    add("no-fourgram", ["a b c x d e f"], ["a b c y d e f"])
    add("shorter-than-an-order", ["ab"], ["abcdef gh"])
    add("tied-references", ["ab", "le chat"], ["xyz", "le chat noir"], ["vwxyz", "le chien"])
    add("romanian", ["Produc\u021bia de zah\u0103r prim\u0103 va fi exprimat\u0103 \u00een ceea ce "
                     "prive\u0219te zah\u0103rul alb;"],
        ["produc\u0163ia de zah\u0103r brut se exprim\u0103 \u00een zah\u0103r alb;"])
    add("french-spaces", ["Il dit\u00a0: oui\u202f!", "Quoi ?"], ["Il dit : oui !", "Quoi\u00a0?"])
    long_line = " ".join(rng.choice(WORDS) for _ in range(3000))
    add("long-line", [distort(rng, long_line, 0.2), "a short line"], [long_line, "a short line"])
    return corpora


def our_signature(metric):
    """sacreBLEU's, with the project's version and, where it is not 4, the order, which it leaves out."""
    order = getattr(metric, "max_ngram_order", 4)
    ours = ("" if order == 4 else f"order:{order}|") + "version:attend-0.1.0"
    return metric.get_signature().format().replace(f"version:{sacrebleu.__version__}", ours)


def bleu_cases(corpora):
    options = [dict(tokenize=t) for t in TOKENIZERS]
    options += [dict(tokenize=t, lowercase=True) for t in ("none", "13a", "intl")]
    options += [dict(smooth_method=s) for s in ("none", "floor", "add-k")]
    options += [dict(smooth_method="floor", smooth_value=0.0),
                dict(smooth_method="floor", smooth_value=0.5),
                dict(smooth_method="add-k", smooth_value=2.5),
                dict(smooth_method="add-k", smooth_value=0.0)]
    options += [dict(effective_order=True, smooth_method=s) for s in BLEU.SMOOTH_DEFAULTS]
    options += [dict(max_ngram_order=n) for n in (1, 2, 6)]
    cases = []
    for name, corpus in corpora.items():
        for option in options:
            metric = BLEU(force=True, **option)
            result = metric.corpus_score(corpus["hypotheses"], corpus["references"])
            # sacreBLEU's add-k changes the counts in place.
            plain = metric.smooth_method != "add-k"
            cases.append({
                "corpus": name, "options": option, "score": result.score,
                "matches": result.counts if plain else None,
                "totals": result.totals if plain else None,
                "precisions": result.precisions, "bp": result.bp,
                "hyp_len": result.sys_len, "ref_len": result.ref_len, "text": str(result),
                "signature": our_signature(metric),
                "full": result.format(width=4, signature=our_signature(metric)),
            })
    return cases


def chrf_cases(corpora):
    options = [dict(), dict(word_order=2), dict(word_order=1, beta=1), dict(lowercase=True),
               dict(whitespace=True), dict(word_order=2, eps_smoothing=True),
               dict(eps_smoothing=True), dict(char_order=3, word_order=3, beta=3)]
    cases = []
    for name, corpus in corpora.items():
        for option in options:
            metric = CHRF(**option)
            result = metric.corpus_score(corpus["hypotheses"], corpus["references"])
            cases.append({"corpus": name, "options": option, "score": result.score,
                          "text": str(result), "signature": our_signature(metric)})
    return cases


def sentence_cases(corpora):
    cases = []
    for name in ("random-10-0.1", "three-references", "short", "empty-lines"):
        corpus = corpora[name]
        for effective in (True, False):
            bleu = BLEU(effective_order=effective)
            chrf = CHRF(word_order=2)
            scores = [(bleu.sentence_score(h, refs).score, chrf.sentence_score(h, refs).score)
                      for h, *refs in zip(corpus["hypotheses"], *corpus["references"])]
            cases.append({"corpus": name, "effective_order": effective,
                          "bleu": [b for b, _ in scores], "chrf": [c for _, c in scores]})
    return cases


def write_program_files(folder, corpora):
    """Text for `attend evaluate`, and sacreBLEU's lines about it: of all of it, and of each sentence."""
    corpus = corpora["three-references"]
    hypotheses = [h.upper() if i % 3 == 0 else h for i, h in enumerate(corpus["hypotheses"])]
    references = corpus["references"][:2]
    for i, case in enumerate((dict(), dict(lowercase=True))):
        lines = []
        for several in (references[:1], references):
            bleu, chrf = BLEU(**case), CHRF(**case)
            for metric in (bleu, chrf):
                result = metric.corpus_score(hypotheses, several)
                lines.append(result.format(width=2, signature=our_signature(metric)))
        (folder / f"corpus{'-lowercase' * i}.txt").write_text("\n".join(lines) + "\n")
        sentences = [
            "\t".join(f"{sacrebleu.sentence_bleu(h, list(refs), **case).score:.2f}"
                      for refs in ((one,), (one, two)))
            for h, one, two in zip(hypotheses, *references)]
        (folder / f"sentences{'-lowercase' * i}.txt").write_text("\n".join(sentences) + "\n")
    for name, lines in (("hypotheses", hypotheses), ("references-1", references[0]),
                        ("references-2", references[1])):
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")


MASK = (1 << 64) - 1


def mix64(x):
    """SplitMix64's finaliser, as in attend/core/random.h."""
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def combine(key, word):
    return mix64(key ^ mix64(word))


def bootstrap_cases(corpora):
    """sacreBLEU's statistics on the project's draws, and its own intervals on its own."""
    cases = []
    for name, samples, seed in (("random-40-0.4", 200, 12345), ("short", 39, 7)):
        corpus = corpora[name]
        rng = random.Random(5)
        system = [distort(rng, h, 0.05) for h in corpus["hypotheses"]]
        size = len(system)
        draws = np.array([[combine(combine(seed, s), i) % size for i in range(size)]
                          for s in range(samples)])
        for metric in (BLEU(), CHRF()):
            stats = [np.array(metric._extract_corpus_statistics(h, corpus["references"]))
                     for h in (corpus["hypotheses"], system)]
            scores = [np.array([metric._compute_score_from_stats(list(s[d].sum(0))).score
                                for d in draws]) for s in stats]
            seen = [metric._compute_score_from_stats(list(s.sum(0))).score for s in stats]
            differences = np.abs(scores[1] - scores[0])
            case = {"corpus": name, "metric": type(metric).__name__, "samples": samples,
                    "seed": seed, "system": system, "first_draw": draws[0].tolist(),
                    "scores": seen, "intervals": [estimate_ci(s) for s in scores],
                    "p_value": _compute_p_value(differences - differences.mean(),
                                                abs(seen[1] - seen[0])),
                    "system_wins": float((scores[1] > scores[0]).mean())}
            own = metric.corpus_score(corpus["hypotheses"], corpus["references"], n_bootstrap=1000)
            case["own"] = [own._mean, own._ci]
            case["own_signature"] = our_signature(metric)
            cases.append(case)
    return cases


def book_bleu(prediction, label, k):
    """The formula of the book, on tokens between single blanks."""
    pred, gold = prediction.split(" "), label.split(" ")
    score = math.exp(min(0, 1 - len(gold) / len(pred)))
    for n in range(1, min(k, len(pred)) + 1):
        left = [tuple(gold[i:i + n]) for i in range(len(gold) - n + 1)]
        matches = 0
        for i in range(len(pred) - n + 1):
            gram = tuple(pred[i:i + n])
            if gram in left:
                left.remove(gram)
                matches += 1
        score *= (matches / (len(pred) - n + 1)) ** (0.5 ** n)
    return score


def book_cases():
    labels = ["va !", "j'ai perdu .", "il est calme .", "je suis chez moi ."]
    predictions = labels + ["va", "!", "va va va !", "j'ai perdu", "j'ai gagn\u00e9 .", "il est mouill\u00e9 .",
                            "calme est il .", "je suis chez moi moi .", "je suis \u00e0 la maison .",
                            "je je je je je", "<unk> ."]
    return [{"prediction": p, "label": l, "k": k, "score": book_bleu(p, l, k)}
            for l in labels for p in predictions for k in (1, 2, 3, 4)]


def lower_cases():
    extra = ["\u03a3", "A\u03a3", "A\u03a3B", "A\u0301\u03a3\u0301", "A\u03a3\u0301B", "\u2160\u03a3",
             "\u24b6\u03a3", "\u00aa\u03a3", "1\u03a3", "A:\u03a3", "A\u03a3\u2019", "A\u03a3\u2019B",
             "A\u00ad\u03a3", "\U0001f130\u03a3", "\u02b0\u03a3", "A\u02b0\u03a3\u02b0"]
    return [[line, line.lower()] for line in TRICKY_LINES + extra]


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                          pathlib.Path(__file__).parent.parent / "tests/data/metrics")
    corpora = make_corpora()
    tokenised = {t: [_get_tokenizer(t)()(line) for line in TRICKY_LINES] for t in TOKENIZERS}
    files = {
        "tokenise": {"lines": TRICKY_LINES, "tokenised": tokenised, "lower": lower_cases()},
        "corpora": corpora,
        "bleu": {"cases": bleu_cases(corpora)},
        "chrf": {"cases": chrf_cases(corpora)},
        "sentences": {"cases": sentence_cases(corpora)},
        "bootstrap": {"cases": bootstrap_cases(corpora)},
        "book_bleu": {"cases": book_cases()},
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        oracle = "the book's formula" if name == "book_bleu" else ORACLE
        text = json.dumps({"oracle": oracle, **content}, indent=1, default=float)
        (folder / f"{name}.json").write_text(text + "\n")
    program = folder / "program"
    program.mkdir(exist_ok=True)
    write_program_files(program, corpora)


if __name__ == "__main__":
    main()

"""Golden BLEU scores by pycocoevalcap, sacrebleu and NLTK (extra `peers`, and nltk): `python tests/metrics/make_gold_bleu.py`.

The captions were written for this: short ones, repeated words, empty texts, ties of the closest reference length, one to
three references.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import logging
import warnings
from pathlib import Path

from gold_layout import laid_out

GOLD = Path(__file__).parents[1] / "gold" / "bleu.json"

#: (image, candidate, references), all in lower case and without punctuation, so that no tokenizer changes them.
SEGMENTS = [
    ("a", "a brown dog runs over wet grass", ["the brown dog runs over the grass", "a dog is running outside"]),
    ("b", "the the the the", ["the cat sat on the mat", "there is a cat on the mat", "the cat"]),
    ("c", "two boys", ["two boys", "a pair of boys play"]),
    ("d", "dog", ["dog"]),
    ("e", "cat", ["dog", "a small dog"]),
    ("f", "", ["someone stands by a red door"]),
    ("g", "a woman reads", ["a woman reads a letter on a bench", "a woman with a letter reads"]),
    ("h", "a man rides a horse along the beach", ["a man rides a horse along the beach", "horse and rider at sea"]),
    ("i", "people wait for a green bus", ["people wait at a stop", "some people wait for the bus to come"]),
    ("j", "café tables under blue umbrellas", ["blue umbrellas over café tables", "tables of a café"]),
    ("k", "runs a dog", ["a dog runs", ""]),
    ("l", "nothing alike here at all", ["three birds over water"]),
]

SACREBLEU = {"exp": "exp", "floor": "floor", "add-k": "add-1", "none": "none"}


def coco() -> dict[str, list[float]]:
    """Score by pycocoevalcap. Values: each segment in order, then the corpus."""
    from pycocoevalcap.bleu.bleu import Bleu

    references = {image: texts for image, _, texts in SEGMENTS}
    with contextlib.redirect_stdout(io.StringIO()):
        corpus, each = Bleu(4).compute_score(references, {image: [text] for image, text, _ in SEGMENTS})
    return {f"bleu-{n}:smooth=coco": [*each[n - 1], corpus[n - 1]] for n in range(1, 5)}


def sacrebleu() -> dict[str, list[float]]:
    """Score by sacrebleu, with its four methods, with and without effective order."""
    from sacrebleu.metrics import BLEU

    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    texts = [text for _, text, _ in SEGMENTS]
    most = max(len(references) for _, _, references in SEGMENTS)
    streams = [[refs[i] if i < len(refs) else None for _, _, refs in SEGMENTS] for i in range(most)]
    scores = {}
    for n in range(1, 5):
        for method, ours in SACREBLEU.items():
            for effective in (False, True):
                bleu = BLEU(tokenize="none", smooth_method=method, effective_order=effective, max_ngram_order=n)
                each = [bleu.sentence_score(text, references).score / 100 for _, text, references in SEGMENTS]
                corpus = bleu.corpus_score(texts, streams).score / 100
                name = f"bleu-{n}:smooth={ours},effective={str(effective).lower()}"
                scores[name] = [*each, corpus]
    return scores


def nltk() -> dict[str, list[float]]:
    """Score by NLTK's method 3. Values: each segment in order; it has no corpus of ours."""
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    warnings.simplefilter("ignore")
    method = SmoothingFunction().method3
    return {
        f"bleu-{n}:smooth=nltk3": [
            float(sentence_bleu([r.split() for r in refs], text.split(), [1 / n] * n, smoothing_function=method))
            for _, text, refs in SEGMENTS
        ]
        for n in range(1, 5)
    }


def main() -> None:
    """Score the segments and write the numbers down."""
    programs = ", ".join(
        f"{name} {importlib.metadata.version(name)}" for name in ("pycocoevalcap", "sacrebleu", "nltk")
    )
    gold = {
        "made by": f"{programs}: python tests/metrics/make_gold_bleu.py",
        "scores": "each segment of make_gold_bleu.SEGMENTS in order, then (not for nltk3) the corpus",
        "coco": coco(),
        "sacrebleu": sacrebleu(),
        "nltk": nltk(),
    }
    GOLD.write_text(laid_out(gold) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

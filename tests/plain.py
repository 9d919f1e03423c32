"""The metrics written straight from their formulas, slowly: what the SQL is compared with.

Every function takes token lists: one candidate, its references. Nothing here is shared with the package.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

Tokens = Sequence[str]


def tokenize(caption: str) -> list[str]:
    """Text profile bare."""
    text = unicodedata.normalize("NFC", caption).lower()
    text = "".join(character for character in text if character not in "'’‘´`")
    kept = ("" if unicodedata.category(character)[0] in "PS" else character for character in text)
    return "".join(character or " " for character in kept).split()


def ngrams(tokens: Tokens, n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1))


Segment = tuple[Tokens, Sequence[Tokens]]


def bleu(candidate: Tokens, references: Sequence[Tokens], order: int, **how: Any) -> float:
    return bleu_of([(candidate, references)], order, **how)


def bleu_of(
    segments: Sequence[Segment],
    order: int,
    smooth: str = "paper",
    bp: str = "closest",
    floor: float = 0.1,
    effective: bool = False,
    exponent: float | None = None,
) -> float:
    """BLEU of segments together: matches, n-grams and lengths are summed before anything is divided."""
    length = sum(len(candidate) for candidate, _ in segments)
    if length == 0:
        return 0.0
    reference_length = sum(_reference_length(len(candidate), references, bp) for candidate, references in segments)
    product, k, orders = 1.0, 1, 0
    for n in range(1, order + 1):
        matches = float(sum(_clipped(candidate, references, n) for candidate, references in segments))
        total = float(sum(max(0, len(candidate) - n + 1) for candidate, _ in segments))
        if n == 1 and matches == 0 and smooth in ("nltk3", "exp", "floor", "none", "add-1"):
            return 0.0
        if smooth == "add-1" and n > 1:
            matches, total = matches + 1, total + 1
        if effective and total == 0:
            break
        orders += 1
        if smooth == "coco":
            product *= (matches + 1e-15) / (total + 1e-9)
        elif matches:
            product *= matches / total
        elif smooth == "none" or (total == 0 and smooth in ("exp", "floor")):
            return 0.0
        elif smooth == "floor":
            product *= floor / total
        elif total or smooth != "mteval":
            k *= 2
            product *= 1 / (k * max(total, 1))
    mean = product ** (exponent or 1 / orders)
    if bp == "none":
        return mean
    ratio = (length + 1e-15) / (reference_length + 1e-9) if smooth == "coco" else length / max(reference_length, 1e-300)
    return mean * (math.exp(1 - 1 / ratio) if ratio < 1 else 1)


def _clipped(candidate: Tokens, references: Sequence[Tokens], n: int) -> int:
    counts = ngrams(candidate, n)
    return sum(min(count, max(ngrams(ref, n)[gram] for ref in references)) for gram, count in counts.items())


def _reference_length(length: int, references: Sequence[Tokens], bp: str) -> int:
    lengths = [len(ref) for ref in references]
    return min(lengths) if bp == "shortest" else min((abs(one - length), one) for one in lengths)[1]


def rouge_1(candidate: Tokens, references: Sequence[Tokens], measure: str = "f", *, ascii_only: bool = True) -> float:
    def words(tokens: Tokens) -> Counter[str]:
        return Counter(re.findall("[a-z0-9]+", " ".join(tokens))) if ascii_only else Counter(tokens)

    ours = words(candidate)
    theirs = [words(ref) for ref in references]
    hits = sum((ours & one).total() for one in theirs)
    reference_total = sum(one.total() for one in theirs)
    candidate_total = len(references) * ours.total()
    recall = hits / reference_total if reference_total else 0.0
    precision = hits / candidate_total if candidate_total else 0.0
    both = recall + precision
    return {"recall": recall, "precision": precision, "f": 2 * recall * precision / both if both else 0.0}[measure]


class DocumentFrequency:
    """How many images have an n-gram in any of their captions."""

    def __init__(self, images: Sequence[Sequence[Tokens]]) -> None:
        self.log_images = math.log(len(images))
        self.df: Counter[tuple[str, ...]] = Counter()
        for captions in images:
            self.df.update({gram for caption in captions for n in range(1, 5) for gram in ngrams(caption, n)})

    def vector(self, tokens: Tokens, n: int) -> dict[tuple[str, ...], float]:
        return {
            gram: count * (self.log_images - math.log(max(1, self.df[gram])))
            for gram, count in ngrams(tokens, n).items()
        }


def cider(candidate: Tokens, references: Sequence[Tokens], df: DocumentFrequency) -> float:
    total = 0.0
    for ours, theirs, norms, _ in _vectors(candidate, references, df):
        total += sum(weight * theirs.get(gram, 0.0) for gram, weight in ours.items()) / norms
    return total / 4 / len(references)


def cider_d(candidate: Tokens, references: Sequence[Tokens], df: DocumentFrequency, sigma: float = 6.0) -> float:
    total = 0.0
    for ours, theirs, norms, reference in _vectors(candidate, references, df):
        clipped = sum(min(weight, theirs.get(gram, 0.0)) * theirs.get(gram, 0.0) for gram, weight in ours.items())
        distance = max(len(candidate) - 1, 0) - max(len(reference) - 1, 0)
        total += clipped / norms * math.exp(-(distance**2) / (2 * sigma**2))
    return total / 4 / len(references)


Vector = dict[tuple[str, ...], float]


def _vectors(
    candidate: Tokens, references: Sequence[Tokens], df: DocumentFrequency
) -> Iterator[tuple[Vector, Vector, float, Tokens]]:
    """For n = 1 to 4 and each reference, where neither is 0: both tf-idf vectors and the product of their lengths."""
    for n in range(1, 5):
        ours = df.vector(candidate, n)
        for reference in references:
            theirs = df.vector(reference, n)
            if norms := _norm(ours) * _norm(theirs):
                yield ours, theirs, norms, reference


def _norm(vector: dict[tuple[str, ...], float]) -> float:
    return math.sqrt(sum(weight**2 for weight in vector.values()))


def all_scores(candidate: Tokens, references: Sequence[Tokens], df: DocumentFrequency) -> dict[str, float]:
    """Every metric with its defaults, by name."""
    scores = {f"bleu-{order}": bleu(candidate, references, order) for order in range(1, 5)}
    scores["rouge-1"] = rouge_1(candidate, references)
    scores["cider"] = cider(candidate, references, df)
    scores["cider-d"] = cider_d(candidate, references, df)
    return scores

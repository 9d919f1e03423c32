"""The metrics written straight from their formulas, slowly: what the SQL is compared with.

Every function takes token lists: one candidate, its references. Nothing here is shared with the package.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

Tokens = Sequence[str]


def tokenize(caption: str) -> list[str]:
    """Text profile bare."""
    text = unicodedata.normalize("NFC", caption).lower()
    text = "".join(character for character in text if character not in "'’‘´`")
    kept = ("" if unicodedata.category(character)[0] in "PS" else character for character in text)
    return "".join(character or " " for character in kept).split()


def ngrams(tokens: Tokens, n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1))


def bleu(
    candidate: Tokens, references: Sequence[Tokens], order: int, smooth: str = "paper", bp: str = "closest"
) -> float:
    length = len(candidate)
    if length == 0:
        return 0.0
    total_log, k = 0.0, 1.0
    for n in range(1, order + 1):
        counts = ngrams(candidate, n)
        matches = sum(min(count, max(ngrams(ref, n)[gram] for ref in references)) for gram, count in counts.items())
        total = max(0, length - n + 1)
        if matches:
            total_log += math.log(matches / total)
        elif smooth == "none":
            return 0.0
        elif total == 0 and smooth == "mteval":
            continue
        else:
            k *= 2
            total_log += math.log(1 / (k * max(total, 1)))
    closest = min((abs(len(ref) - length), len(ref)) for ref in references)[1]
    penalty = min(0.0, 1 - closest / length) if bp == "closest" else 0.0
    return math.exp(penalty + total_log / order)


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

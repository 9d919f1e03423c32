"""The metrics written straight from their formulas, slowly: what the SQL is compared with.

Every function takes token lists: one candidate, its references. Nothing here is shared with the package.
"""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

Tokens = Sequence[str]

ROUGE = ("rouge-1", "rouge-2", "rouge-l", "rouge-w-1.2", "rouge-su4")


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


def rouge(
    metric: str,
    candidate: Tokens,
    references: Sequence[Tokens],
    measure: str = "f",
    aggregate: str = "pooled",
    *,
    beta: float = 1.0,
    ascii_only: bool = True,
    weighting: str = "official",
    last: str = "official",
    skip: int = 4,
) -> float:
    """ROUGE at full precision. Alpha .5 is beta 1."""

    def words(tokens: Tokens) -> tuple[str, ...]:
        return tuple(re.findall("[a-z0-9]+", " ".join(tokens)) if ascii_only else tokens)

    def scores(hits: float, our_total: float, their_total: float) -> dict[str, float]:
        power = 1 / 1.2 if metric == "rouge-w-1.2" else 1
        recall = (hits / their_total) ** power if their_total else 0.0
        precision = (hits / our_total) ** power if our_total else 0.0
        return {"recall": recall, "precision": precision, "f": harmonic(precision, recall)}

    def harmonic(precision: float, recall: float) -> float:
        below = recall + beta**2 * precision
        return (1 + beta**2) * precision * recall / below if below else 0.0

    pairs = []
    for reference in references:
        ours, theirs = words(candidate), words(reference)
        if metric == "rouge-l":
            pairs.append((lcs(ours, theirs), len(ours), len(theirs), len(theirs)))
        elif metric == "rouge-w-1.2":
            value, runs = weighted_lcs(ours, theirs)
            once = len(theirs) ** 1.2
            twice = once**1.2 if weighting == "official" else once
            pairs.append((runs if weighting == "official" else value, len(ours) ** 1.2, twice, once))
        else:
            sides = [units(metric, side, last, skip) for side in (ours, theirs)]
            totals = [side.total() for side in sides]
            pairs.append(((sides[0] & sides[1]).total(), *totals, totals[1]))
    if aggregate == "pooled":
        return scores(*(sum(column) for column in list(zip(*pairs, strict=True))[:3]))[measure]
    each = [scores(hits, ours, theirs) for hits, ours, theirs, _ in pairs]
    if aggregate == "coco":
        precision, recall = (max(one[side] for one in each) for side in ("precision", "recall"))
        return {"recall": recall, "precision": precision, "f": harmonic(precision, recall)}[measure]
    if aggregate == "best":
        places = 15 if metric in ("rouge-l", "rouge-w-1.2") else 5
        recalls = [scores(hits, 1, once)["recall"] for hits, _, _, once in pairs]
        chosen = max(range(len(pairs)), key=lambda place: (round(recalls[place], places), -place))
        return each[chosen][measure]
    values = [one[measure] for one in each]
    return max(values) if aggregate == "max" else sum(values) / len(values)


@functools.cache
def units(metric: str, words: tuple[str, ...], last: str, skip: int) -> Counter[tuple[str, ...]]:
    if metric != "rouge-su4":
        return ngrams(words, int(metric[-1]))
    found = Counter((word,) for word in (words if last == "counted" else words[:-1]))
    for start in range(len(words)):
        found.update((words[start], other) for other in words[start + 1 : start + 2 + skip])
    return found


def lcs(ours: Tokens, theirs: Tokens) -> int:
    above = [0] * (len(ours) + 1)
    for word in theirs:
        row = [0]
        for place, mine in enumerate(ours):
            row.append(above[place] + 1 if mine == word else max(above[place + 1], row[place]))
        above = row
    return above[-1]


def weighted_lcs(ours: Tokens, theirs: Tokens) -> tuple[float, float]:
    """The table's value, and the weight of the runs in the reference of the path that ROUGE-1.5.5 walks back."""
    value = [[0.0] * (len(ours) + 1) for _ in range(len(theirs) + 1)]
    run = [[0] * (len(ours) + 1) for _ in range(len(theirs) + 1)]
    for i, word in enumerate(theirs):
        for j, mine in enumerate(ours):
            if word == mine:
                k = run[i][j]
                value[i + 1][j + 1] = value[i][j] + (k + 1) ** 1.2 - k**1.2
                run[i + 1][j + 1] = k + 1
            else:
                value[i + 1][j + 1] = max(value[i][j + 1], value[i + 1][j])
    i, j, path = len(theirs), len(ours), ""
    while i and j:
        if theirs[i - 1] == ours[j - 1]:
            path += "x"
            i, j = i - 1, j - 1
        elif value[i - 1][j] >= value[i][j - 1]:
            path += " "
            i -= 1
        else:
            j -= 1
    return value[-1][-1], sum(len(matches) ** 1.2 for matches in path.split())


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
    scores |= {name: rouge(name, candidate, references) for name in ROUGE}
    scores["cider"] = cider(candidate, references, df)
    scores["cider-d"] = cider_d(candidate, references, df)
    return scores

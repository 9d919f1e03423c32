"""The metrics written straight from their formulas, slowly: what the SQL is compared with.

Every function takes token lists: one candidate, its references. Nothing here is shared with the package.
"""

from __future__ import annotations

import functools
import math
import operator
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Any

import plain_ter

Tokens = Sequence[str]

ROUGE = ("rouge-1", "rouge-2", "rouge-l", "rouge-w-1.2", "rouge-su4")


def tokenize(caption: str) -> list[str]:
    """Tokenizer bare."""
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
    most = functools.reduce(operator.or_, (ngrams(ref, n) for ref in references))
    return (ngrams(candidate, n) & most).total()


def _reference_length(length: int, references: Sequence[Tokens], bp: str) -> int:
    lengths = [len(ref) for ref in references]
    return min(lengths) if bp == "shortest" else min((abs(one - length), one) for one in lengths)[1]


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
    if metric not in ("rouge-su4", "rouge-s4"):
        return ngrams(words, int(metric[-1]))
    alone = {"official": words[:-1], "counted": words}[last] if metric == "rouge-su4" else ()
    found = Counter((word,) for word in alone)
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
    """How many documents, each given by its captions, have an n-gram in any of them."""

    def __init__(self, documents: Sequence[Sequence[Tokens]]) -> None:
        self.log_documents = math.log(len(documents))
        self.df: Counter[tuple[str, ...]] = Counter()
        for captions in documents:
            self.df.update({gram for caption in captions for n in range(1, 5) for gram in ngrams(caption, n)})

    def idf(self, gram: tuple[str, ...]) -> float:
        return self.log_documents - math.log(max(1, self.df[gram]))


class Uniform:
    """Every idf is 1."""

    def idf(self, gram: tuple[str, ...]) -> float:
        return 1.0


class Given:
    """Document frequencies of a table, by words joined by blanks."""

    def __init__(self, table: dict[str, int], documents: int) -> None:
        self.table, self.documents = table, documents

    def idf(self, gram: tuple[str, ...]) -> float:
        return math.log(self.documents / self.table.get(" ".join(gram), 1))


Weights = DocumentFrequency | Uniform | Given
Vector = dict[tuple[str, ...], float]


def cider(candidate: Tokens, references: Sequence[Tokens], df: Weights, **how: Any) -> float:
    """Vedantam et al. 2015, eq. 1-3."""
    return _combined([[_cosine(candidate, one, df, n) for n in range(1, 5)] for one in references], **how)


def cider_d(
    candidate: Tokens,
    references: Sequence[Tokens],
    df: Weights,
    sigma: float = 6.0,
    tf: str = "official",
    **how: Any,
) -> float:
    """Section 8, eq. 4-5, without the factor 10; lengths in bigrams, as the authors' program has them."""
    rows = []
    for one in references:
        distance = max(len(candidate) - 1, 0) - max(len(one) - 1, 0)
        penalty = math.exp(-(distance**2) / (2 * sigma**2))
        rows.append([penalty * _cosine(candidate, one, df, n, clipped=True, tf=tf) for n in range(1, 5)])
    return _combined(rows, **how)


def _combined(cosines: list[list[float]], n: str = "all", combine: str = "mean", over: str = "mean") -> float:
    """Make one score of the cosines with each reference, for n = 1 to 4."""

    def joined(four: list[float]) -> float:
        if n != "all":
            return four[int(n) - 1]
        if combine == "mean":
            return sum(four) / 4
        return math.exp(sum(map(math.log, four)) / 4) if min(four) > 0 else 0.0

    if over == "max":
        return max(map(joined, cosines))
    return joined([sum(column) / len(cosines) for column in zip(*cosines, strict=True)])


def _cosine(
    candidate: Tokens, reference: Tokens, df: Weights, n: int, *, clipped: bool = False, tf: str = "official"
) -> float:
    ours, theirs = (_vector(tokens, n, df, tf) for tokens in (candidate, reference))
    norms = math.hypot(*ours.values()) * math.hypot(*theirs.values())
    if not norms:
        return 0.0
    both = ours.keys() & theirs.keys()
    return sum((min(ours[gram], theirs[gram]) if clipped else ours[gram]) * theirs[gram] for gram in both) / norms


def _vector(tokens: Tokens, n: int, df: Weights, tf: str) -> Vector:
    counts = ngrams(tokens, n)
    total = counts.total() if tf == "paper" else 1
    return {gram: count / total * df.idf(gram) for gram, count in counts.items()}


#: Every metric written plainly here.
METRICS = (*(f"bleu-{order}" for order in range(1, 5)), *ROUGE, "cider", "cider-d", "ter")


def score(metric: str, candidate: Tokens, references: Sequence[Tokens], df: DocumentFrequency) -> float:
    """A metric with its defaults, by name."""
    if metric.startswith("bleu-"):
        return bleu(candidate, references, int(metric[-1]))
    if metric in ROUGE:
        return rouge(metric, candidate, references)
    if metric == "ter":
        return plain_ter.ter(candidate, references)
    return {"cider": cider, "cider-d": cider_d}[metric](candidate, references, df)

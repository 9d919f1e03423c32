"""Global diversity as the papers write it, with lists, sets and loops. Captions are lists of words."""

from __future__ import annotations

import gzip
import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from scipy.stats import hypergeom

Captions = Sequence[Sequence[str]]


def stream(captions: Captions) -> list[str]:
    return [word for caption in captions for word in caption]


def grams(words: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return list(zip(*(words[start:] for start in range(n)), strict=False))


def msttr(items: Sequence[object], segment: int) -> float | None:
    ratios = [
        len(set(items[start : start + segment])) / segment for start in range(0, len(items) - segment + 1, segment)
    ]
    return sum(ratios) / len(ratios) if ratios else None


def mattr(words: Sequence[str], window: int) -> float | None:
    ratios = [len(set(words[start : start + window])) / window for start in range(len(words) - window + 1)]
    return sum(ratios) / len(ratios) if ratios else None


def mtld(words: Sequence[str], threshold: float = 0.72) -> float | None:
    def factors(walk: Sequence[str]) -> float:
        found, ratio, stretch = 0.0, 1.0, []
        for word in walk:
            stretch.append(word)
            ratio = len(set(stretch)) / len(stretch)
            if ratio < threshold:
                found, ratio, stretch = found + 1, 1.0, []
        return found + (1 - ratio) / (1 - threshold)

    both = [factors(words), factors(words[::-1])]
    return sum(len(words) / count for count in both) / 2 if all(both) else None


def curve(words: Sequence[str], position: int) -> int:
    return len(set(words[:position]))


def asl(captions: Captions) -> float:
    return sum(map(len, captions)) / len(captions)


def sdsl(captions: Captions) -> float:
    return math.sqrt(sum((len(caption) - asl(captions)) ** 2 for caption in captions) / len(captions))


def hd_d(words: Sequence[str]) -> float:
    return sum(1 - hypergeom.pmf(0, len(words), count, 42) for count in Counter(words).values()) / 42


def yule_k(words: Sequence[str]) -> float:
    spectrum = Counter(Counter(words).values())
    return 1e4 * (sum(count * times**2 for times, count in spectrum.items()) - len(words)) / len(words) ** 2


def entropy(words: Sequence[str]) -> float:
    return -sum(count / len(words) * math.log2(count / len(words)) for count in Counter(words).values())


def zipf_slope(words: Sequence[str]) -> float | None:
    counts = sorted(Counter(words).values(), reverse=True)
    xs = [math.log(rank) for rank in range(1, len(counts) + 1)]
    ys = [math.log(count) for count in counts]
    if len(counts) < 2:
        return None
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / sum((x - mean_x) ** 2 for x in xs)


def top_20(words: Sequence[str]) -> float:
    counts = sorted(Counter(words).values(), reverse=True)
    return sum(counts[: math.ceil(len(counts) / 5)]) / len(words)


def ngram_diversity(captions: Captions) -> float | None:
    ratios = []
    for n in range(1, 5):
        every = [gram for caption in captions for gram in grams(caption, n)]
        if not every:
            return None
        ratios.append(len(set(every)) / len(every))
    return sum(ratios)


def self_repetition(captions: Captions) -> float:
    said = [set(grams(caption, 4)) for caption in captions]
    holding = Counter(gram for some in said for gram in some)
    return sum(math.log(1 + sum(holding[gram] - 1 for gram in some)) for some in said) / len(captions)


def normalized(text: str) -> str:
    return text.lower().strip(".?!")


def novel(texts: Sequence[str], training: Sequence[str]) -> float:
    """As published: `lower().strip('.?!')`, blanks left as they are."""
    known = {normalized(text) for text in training}
    return sum(normalized(text) not in known for text in texts) / len(texts)


def coverage(generated: Sequence[str], training: set[str], evaluated: Sequence[str]) -> dict[str, float | None]:
    counts = Counter(evaluated)
    learnable = set(counts) & training
    recalled = learnable & set(generated)
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    size = math.ceil(len(ranked) / 10)
    deciles = [ranked[start : start + size] for start in range(0, len(ranked), size)]
    return {
        "learnable": len(learnable),
        "limit": len(learnable) / len(counts),
        "recalled": len(recalled),
        "coverage": len(recalled) / len(learnable) if learnable else None,
        **{f"coverage-decile-{n}": len(recalled & set(part)) / len(part) for n, part in enumerate(deciles, 1)},
    }


def words_by_order(captions: Captions) -> dict[str, float | None]:
    """The type-token ratios of a walk in this order, with segments of 1,000."""
    words = stream(captions)
    return {
        **{f"ttr-{n}": msttr(grams(words, n), 1000) for n in (1, 2, 3)},
        **{f"ttr-{n}": curve(words, n) / n if len(words) >= n else None for n in (10_000, 100_000)},
    }


def without_order(captions: Captions) -> dict[str, float | None]:
    words = stream(captions)
    bigrams = [gram for caption in captions for gram in pairwise(caption)]
    return {
        "tokens": len(words),
        "types": len(set(words)),
        "asl": asl(captions),
        "sdsl": sdsl(captions),
        "distinct-1": len(set(words)) / len(words) if words else None,
        "distinct-2": len(set(bigrams)) / len(words) if words else None,
        "ngram-diversity": ngram_diversity(captions),
        "self-repetition": self_repetition(captions),
        "hd-d": hd_d(words) if len(words) >= 42 else None,
        "yule-k": yule_k(words) if words else None,
        "entropy": entropy(words) if words else None,
        "zipf-slope": zipf_slope(words),
        "top-20": top_20(words) if words else None,
    }


def gzip_ratio(captions: Captions) -> float:
    """Shaib et al. 2024's program, which writes a gzip file: its header has no name here."""
    text = " ".join(stream(captions)).encode()
    return len(text) / len(gzip.compress(text, 9))

"""Pairwise perplexity as the papers write it, with dictionaries and loops: halves, draws, interpolated Kneser-Ney.

Chen & Goodman 1999: section 2.6 for the discount, section 2.7 for the model.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from dataclasses import dataclass

Caption = tuple[str, int, list[str]]  # image, slot, tokens
Gram = tuple[str, ...]


def number(*parts: object) -> int:
    return int.from_bytes(hashlib.md5(chr(31).join(map(str, parts)).encode()).digest(), "little")


def halves(captions: list[Caption], dataset: str, seed: int) -> tuple[list[Caption], list[Caption]]:
    """Captions of the training side, in the order in which they are drawn, and of the test side."""
    sides: tuple[list[Caption], list[Caption]] = ([], [])
    for caption in captions:
        sides[number("half", seed, dataset, caption[0]) % 2].append(caption)
    return sorted(sides[0], key=lambda c: (number("half", seed, dataset, c[0], c[1]), c[0], c[1])), sides[1]


def events(tokens: list[str], order: int) -> list[tuple[Gram, str]]:
    """Each predicted token of a sentence with the n - 1 tokens before it."""
    padded = ["<s>"] * (order - 1) + tokens + ["</s>"]
    return [(tuple(padded[i : i + order - 1]), padded[i + order - 1]) for i in range(len(tokens) + 1)]


class KneserNey:
    def __init__(self, sentences: list[list[str]], order: int) -> None:
        self.order = order
        #: By order: history -> token -> what stands for its count.
        self.counts: dict[int, dict[Gram, Counter[str]]] = {k: defaultdict(Counter) for k in range(1, order + 1)}
        for sentence in sentences:
            for history, token in events(sentence, order):
                self.counts[order][history][token] += 1
        for k in range(order - 1, 0, -1):
            before = {(h[1:], h[0], token) for h, tokens in self.counts[k + 1].items() for token in tokens}
            for history, _, token in before:
                self.counts[k][history][token] += 1
        self.discounts = {k: self._discount(k) for k in self.counts}
        self.vocabulary = {token for sentence in sentences for token in sentence} | {"</s>"}

    def _discount(self, k: int) -> float:
        of_counts = Counter(count for tokens in self.counts[k].values() for count in tokens.values())
        once, twice = of_counts[1], of_counts[2]
        return once / (once + 2 * twice) if once and twice else 0.5

    def probability(self, token: str, history: Gram) -> float:
        k = len(history) + 1
        lower = self.probability(token, history[1:]) if history else 1 / (len(self.vocabulary) + 1)
        followers = self.counts[k].get(history)
        if not followers:
            return lower
        total, discount = sum(followers.values()), self.discounts[k]
        return (max(followers[token] - discount, 0) + discount * len(followers) * lower) / total


@dataclass
class Tested:
    tokens: int
    perplexity: float
    known: float
    oov: float | None


def test(model: KneserNey, sentences: list[list[str]]) -> Tested:
    bits, known_bits, unknown = [], [], 0
    for sentence in sentences:
        for history, token in events(sentence, model.order):
            bits.append(-math.log2(model.probability(token, history)))
            if token in model.vocabulary:
                known_bits.append(bits[-1])
            else:
                unknown += 1
    words = sum(map(len, sentences))
    return Tested(
        len(bits),
        2 ** (math.fsum(bits) / len(bits)),
        2 ** (math.fsum(known_bits) / len(known_bits)),
        unknown / words if words else None,
    )

"""Pairwise perplexity as the papers write it, with dictionaries and loops: halves, draws, modified Kneser-Ney.

Chen & Goodman 1999, section 3 and equation 26; what begins with <s>, and the discounts of small data, as KenLM has them but where one is 0.
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


def halves(captions: list[Caption], *key: object) -> tuple[list[Caption], list[Caption]]:
    """Captions of the training side, in the order in which they are drawn, and of the test side. The key is the seed."""
    sides: tuple[list[Caption], list[Caption]] = ([], [])
    for caption in captions:
        sides[number("half", *key, caption[0]) % 2].append(caption)
    return sorted(sides[0], key=lambda c: (number("half", *key, c[0], c[1]), c[0], c[1])), sides[1]


def events(tokens: list[str], order: int) -> list[tuple[Gram, str]]:
    """Each predicted token of a sentence, with at most n - 1 tokens before it, of which the first may be <s>."""
    padded = ["<s>", *tokens, "</s>"]
    return [(tuple(padded[max(0, i - order + 1) : i]), padded[i]) for i in range(1, len(padded))]


class KneserNey:
    def __init__(self, sentences: list[list[str]], order: int) -> None:
        self.order = order
        #: By order: history -> token -> what stands for its count.
        self.counts: dict[int, dict[Gram, Counter[str]]] = {}
        for k in range(order, 0, -1):
            counts: dict[Gram, Counter[str]] = defaultdict(Counter)
            for history, token in [event for sentence in sentences for event in events(sentence, k)]:
                if len(history) == k - 1 and (k == order or history[:1] == ("<s>",)):
                    counts[history][token] += 1
            for longer, tokens in self.counts.get(k + 1, {}).items():
                for token in tokens:
                    counts[longer[1:]][token] += 1
            self.counts[k] = counts
        self.discounts = {k: self._discounts(k) for k in self.counts}
        self.taken = {
            k: {history: sum(self._taken(k, count) for count in tokens.values()) for history, tokens in counts.items()}
            for k, counts in self.counts.items()
        }
        self.vocabulary = {token for sentence in sentences for token in sentence} | {"</s>"}

    def _discounts(self, k: int) -> list[float]:
        """What is taken from a count of 1, of 2, and of 3 or more."""
        n = Counter(count for tokens in self.counts[k].values() for count in tokens.values())
        if n[1] and n[2] and n[3]:
            y = n[1] / (n[1] + 2 * n[2])
            discounts = [c - (c + 1) * y * n[c + 1] / n[c] for c in (1, 2, 3)]
            if min(discounts) > 0:
                return discounts
        return [0.5, 1.0, 1.5]

    def _taken(self, k: int, count: int) -> float:
        return self.discounts[k][min(count, 3) - 1] if count else 0

    def probability(self, token: str, history: Gram) -> float:
        k = len(history) + 1
        lower = self.probability(token, history[1:]) if history else 1 / (len(self.vocabulary) + 1)
        followers = self.counts[k].get(history)
        if not followers:
            return lower
        total, count = sum(followers.values()), followers[token]
        return (count - self._taken(k, count) + self.taken[k][history] * lower) / total


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

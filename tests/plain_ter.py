"""TER written plainly after its rules (Snover et al. 2006; tercom 0.8.0 as sacrebleu 2.6 follows it), slowly.

Every function takes token lists. Nothing here is shared with the package.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

Tokens = Sequence[str]
INFINITE = 10**9


def ter(candidate: Tokens, references: Sequence[Tokens]) -> float:
    """Fewest edits over the references by their mean length."""
    fewest = min(edits(candidate, reference) for reference in references)
    length = sum(map(len, references)) / len(references)
    return fewest / length if length else float(fewest > 0)


def edits(candidate: Tokens, reference: Tokens) -> int:
    if not reference:
        return len(candidate)
    words = list(candidate)
    shifts = tried = 0
    while True:
        distance, trace = edit_distance(words, reference)
        best = None
        for start, length, target in _shifts(words, reference, trace):
            shifted = moved(words, start, length, target)
            gain = distance - edit_distance(shifted, reference)[0]
            best = max(best or (0,), (gain, length, -start, -target, shifted))
            tried += 1
            if tried == 1000:
                return shifts + distance
        if best is None or best[0] <= 0:
            return shifts + distance
        words = best[-1]
        shifts += 1


def moved(words: list[str], start: int, length: int, target: int) -> list[str]:
    block, rest = words[start : start + length], words[:start] + words[start + length :]
    if target > start + length:
        target -= length
    return rest[:target] + block + rest[target:]


def _shifts(words: Tokens, reference: Tokens, trace: str) -> Iterator[tuple[int, int, int]]:
    aligned, word_wrong, reference_wrong = _alignment(trace)
    for start in range(len(words)):
        for at in range(len(reference)):
            for length in range(1, 11):
                block = words[start : start + length]
                if abs(at - start) > 50 or len(block) < length or block != reference[at : at + length]:
                    break
                if not any(word_wrong[start : start + length]) or not any(reference_wrong[at : at + length]):
                    continue
                if start <= aligned[at] < start + length:
                    continue
                targets = [aligned[place] + 1 if place >= 0 else 0 for place in range(at - 1, at + length)]
                yield from (
                    (start, length, target)
                    for before, target in zip([-1, *targets], targets, strict=False)
                    if target != before
                )


def _alignment(trace: str) -> tuple[list[int], list[bool], list[bool]]:
    """Which word each of the reference stands at (an inserted one: at the word before), which words are wrong."""
    aligned: list[int] = []
    word_wrong: list[bool] = []
    reference_wrong: list[bool] = []
    for step in trace:
        if step != "i":
            word_wrong.append(step != "=")
        if step != "d":
            reference_wrong.append(step != "=")
            aligned.append(len(word_wrong) - 1)
    return aligned, word_wrong, reference_wrong


def edit_distance(words: Tokens, reference: Tokens) -> tuple[int, str]:
    """Distance and steps (= s d i: equal, substituted, deleted, inserted) inside a beam of 25 columns."""
    ratio = len(reference) / len(words) if words else 1
    beam = math.ceil(ratio / 2 + 25) if ratio / 2 > 25 else 25
    table = [[(j, "i") for j in range(len(reference) + 1)]]
    for i, word in enumerate(words, 1):
        diagonal = math.floor(i * ratio)
        row = [(INFINITE, "")] * (len(reference) + 1)
        last = len(reference) + 1 if i == len(words) else min(len(reference) + 1, diagonal + beam)
        for j in range(max(0, diagonal - beam), last):
            ways = [(table[-1][j][0] + 1, "d")]
            if j:
                step = "=" if word == reference[j - 1] else "s"
                ways = [(table[-1][j - 1][0] + (step == "s"), step), *ways, (row[j - 1][0] + 1, "i")]
            row[j] = min(ways, key=lambda way: way[0])
        table.append(row)
    i, j, trace = len(words), len(reference), ""
    while i or j:
        step = table[i][j][1]
        trace = step + trace
        i -= step != "i"
        j -= step != "d"
    return table[-1][-1][0], trace

"""METEOR 1.5 written straight from its description, slowly: what the kernels are compared with.

Words in, statistics out; lists, sets and a stable sort. Nothing here is shared with the package.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

BEAM = 40
Words = Sequence[str]


@dataclass(frozen=True)
class World:
    """What METEOR knows: paraphrases in the order of the file, words by synset, stems of words that are not their own."""

    paraphrases: Sequence[tuple[str, str]]
    synsets: Mapping[str, set[int]]
    stems: Mapping[str, str]
    function_words: set[str]


class Match(NamedTuple):
    i: int
    j: int
    hyp_length: int
    ref_length: int
    module: int

    def hyp(self) -> range:
        return range(self.i, self.i + self.hyp_length)

    def ref(self) -> range:
        return range(self.j, self.j + self.ref_length)

    def value(self) -> int:
        return 2 if self.module == 0 else self.hyp_length // 2 + self.ref_length // 2


@dataclass
class Path:
    total: int = 0
    chunks: int = 0
    distance: int = 0
    upto: int = 0
    last: int = -1
    chosen: tuple[Match, ...] = ()
    used_hyp: frozenset[int] = field(default_factory=frozenset)
    used_ref: frozenset[int] = field(default_factory=frozenset)

    def key(self) -> tuple[int, int, int]:
        return -self.total, self.chunks, self.distance

    def credited(self, match: Match) -> Path:
        return Path(
            self.total + match.value(),
            self.chunks + (self.last not in (-1, match.i)),
            self.distance,
            match.j + match.ref_length,
            match.i + match.hyp_length,
            (*self.chosen, match),
            self.used_hyp | set(match.hyp()),
            self.used_ref | set(match.ref()),
        )


def places(words: Words, phrase: str) -> list[int]:
    parts = phrase.split(" ")
    return [at for at in range(len(words) - len(parts) + 1) if list(words[at : at + len(parts)]) == parts]


def matches(hyp: Words, ref: Words, world: World) -> list[list[Match]]:
    """By the word of the reference at which they begin, in the order in which they are found."""
    found: list[list[Match]] = [[] for _ in ref]
    pairs = [(i, j) for j in range(len(ref)) for i in range(len(hyp))]
    for i, j in pairs:
        if hyp[i] == ref[j]:
            found[j].append(Match(i, j, 1, 1, 0))
    if list(hyp) == list(ref):
        return found
    for i, j in pairs:
        if hyp[i] != ref[j] and world.stems.get(hyp[i], hyp[i]) == world.stems.get(ref[j], ref[j]):
            found[j].append(Match(i, j, 1, 1, 1))
    for i, j in pairs:
        if hyp[i] != ref[j] and world.synsets.get(hyp[i], set()) & world.synsets.get(ref[j], set()):
            found[j].append(Match(i, j, 1, 1, 2))
    for j, source, target in _sources(ref, world):
        for i in places(hyp, target):
            found[j].append(Match(i, j, len(target.split(" ")), len(source.split(" ")), 3))
    for i, source, target in _sources(hyp, world):
        for j in places(ref, target):
            found[j].append(Match(i, j, len(source.split(" ")), len(target.split(" ")), 3))
    return found


def _sources(words: Words, world: World) -> list[tuple[int, str, str]]:
    return [
        (at, source, target)
        for at in range(len(words))
        for length in range(1, 8)
        for source, target in world.paraphrases
        if at + length <= len(words) and source == " ".join(words[at : at + length])
    ]


def align(hyp: Words, ref: Words, world: World) -> tuple[list[Match], int]:
    found = matches(hyp, ref, world)
    every = [match for some in found for match in some]
    cover_hyp = Counter(word for match in every for word in match.hyp())
    cover_ref = Counter(word for match in every for word in match.ref())
    fixed = {
        some[0].j: some[0]
        for some in found
        if len(some) == 1
        and all(cover_hyp[word] == 1 for word in some[0].hyp())
        and all(cover_ref[word] == 1 for word in some[0].ref())
    }
    taken_ref = frozenset(word for match in fixed.values() for word in match.ref())
    paths = [Path(used_hyp=frozenset(word for match in fixed.values() for word in match.hyp()), used_ref=taken_ref)]
    for current in range(len(ref)):
        following: list[Path] = []
        for path in sorted(paths, key=Path.key)[:BEAM]:
            if current < path.upto:
                following.append(path)
            elif current in fixed:
                gone = path.credited(fixed[current])
                gone.distance += abs(fixed[current].j - fixed[current].i)
                following.append(gone)
            else:
                for match in found[current]:
                    if not path.used_hyp & set(match.hyp()) and not path.used_ref & set(match.ref()):
                        following.append(path.credited(match))
                        path.distance += abs(match.j - match.i)
                path.chunks += path.last != -1
                path.last = -1
                path.upto += 1
                following.append(path)
        paths = following
    paths = sorted(paths, key=Path.key)[:BEAM]
    for path in paths:
        path.chunks += path.last != -1
    best = min(paths, key=Path.key)
    return list(best.chosen), best.chunks


def statistics(hyp: Words, ref: Words, world: World) -> list[int]:
    """As METEOR prints them: see `auditor.metrics.meteor.STATISTICS`."""
    chosen, chunks = align(hyp, ref, world)
    is_function = world.function_words.__contains__
    row = [len(hyp), len(ref), sum(map(is_function, hyp)), sum(map(is_function, ref))]
    for module in range(4):
        ours = [hyp[word] for match in chosen if match.module == module for word in match.hyp()]
        theirs = [ref[word] for match in chosen if match.module == module for word in match.ref()]
        ours_function, theirs_function = sum(map(is_function, ours)), sum(map(is_function, theirs))
        row += [len(ours) - ours_function, len(theirs) - theirs_function, ours_function, theirs_function]
    return [*row, chunks]


def score(row: Sequence[int]) -> float:
    (n_hyp, n_ref, f_hyp, f_ref), chunks = row[:4], row[20]
    matched = [sum(row[4 + side : 20 : 2]) for side in (0, 1)]
    if not any(matched):
        return 0.0
    weighted = [
        sum(w * (0.75 * row[4 + 4 * m + side] + 0.25 * row[6 + 4 * m + side]) for m, w in enumerate((1, 0.6, 0.8, 0.6)))
        for side in (0, 1)
    ]
    precision = weighted[0] / (0.75 * (n_hyp - f_hyp) + 0.25 * f_hyp)
    recall = weighted[1] / (0.75 * (n_ref - f_ref) + 0.25 * f_ref)
    whole = matched == [n_hyp, n_ref] and chunks == 1
    penalty = 0.0 if whole else 0.6 * (chunks / (sum(matched) / 2)) ** 0.2
    return (1 - penalty) / (0.15 / precision + 0.85 / recall)


def best(hyp: Words, refs: Sequence[Words], world: World) -> tuple[float, list[int]]:
    """The first of the references that it scores highest with."""
    rows = [statistics(hyp, ref, world) for ref in refs]
    return max(((score(row), row) for row in rows), key=lambda scored: scored[0])

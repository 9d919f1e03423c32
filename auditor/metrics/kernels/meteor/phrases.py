"""The occurrences of phrases of METEOR's paraphrase table in the selected texts, and of their paraphrases."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditor.compiled import array_part, compiled, part
from auditor.metrics.kernels.columns import offsets

Numbers = NDArray[np.int32]

Flags = NDArray[np.bool_]

Starts = NDArray[np.int64]


class Occurrences(NamedTuple):
    """Phrases in texts: those of text t are `starts[t]` to `starts[t + 1] - 1`, by position, then shorter first."""

    starts: Starts
    place: Numbers
    length: Numbers
    phrase: Numbers


class Paraphrases(NamedTuple):
    """The paraphrases of phrase p that occur: `target[targets[p]:targets[p + 1]]`, in the order of METEOR's file."""

    targets: Starts
    target: Numbers


@array_part
def _twice(column: Numbers) -> Numbers:
    larger = np.empty(2 * len(column), dtype=column.dtype)
    for at in range(len(column)):  # assigning a slice would take a second longer to compile
        larger[at] = column[at]
    return larger


@compiled
def occurrences(
    words: Numbers, starts: Starts, first: int, last: int, word: Numbers, children: Numbers, is_phrase: Flags
) -> tuple[Starts, Numbers, Numbers, Numbers]:
    """Walk the tree of phrases along texts first to last - 1, whose words are numbered as in the tree (-1: not in it).

    Returns the number of phrases in each text, and their positions, lengths and nodes.
    """
    counts = np.zeros(last - first, dtype=np.int64)
    position = np.empty(1024, dtype=np.int32)
    length, node = np.empty_like(position), np.empty_like(position)
    first_of = np.zeros((1 << 16) + 1, dtype=np.int64)  # by number of a word, which the table keeps in 16 bits, and -1
    for at in range(children[0], children[1]):
        first_of[word[at]] = at
    count = 0
    for text in range(first, last):
        before = count
        for start in range(starts[text], starts[text + 1]):
            end, at = start, first_of[words[start]]
            while at > 0:
                end += 1
                if is_phrase[at]:
                    if count == len(position):
                        position, length, node = _twice(position), _twice(length), _twice(node)
                    position[count], length[count], node[count] = start - starts[text], end - start, at
                    count += 1
                low, high = children[at], children[at + 1]
                stop, at = high, 0
                while low < high and end < starts[text + 1]:
                    middle = (low + high) >> 1
                    if word[middle] < words[end]:
                        low = middle + 1
                    else:
                        high = middle
                if low < stop and end < starts[text + 1] and word[low] == words[end]:
                    at = low
        counts[text - first] = count - before
    return counts, position[:count], length[:count], node[:count]


def reachable(
    starts: Starts, position: Numbers, length: Numbers, node: Numbers, targets: Numbers, target: Numbers
) -> tuple[Occurrences, Paraphrases]:
    """Keep the pairs of the table whose phrases both occur, and the occurrences of these phrases, numbered again."""
    occurs = np.zeros(len(targets) - 1, dtype=np.bool_)
    occurs[node] = True
    found = np.flatnonzero(occurs)
    rows = targets[found + 1] - targets[found]
    first = np.repeat(targets[found] - np.cumsum(rows) + rows, rows)
    source, other = np.repeat(found, rows), target[first + np.arange(len(first))]
    source, other = source[occurs[other]], other[occurs[other]]
    number = np.full(len(occurs), -1, dtype=np.int32)
    number[source] = number[other] = 0
    phrases = np.flatnonzero(number == 0)
    number[phrases] = np.arange(len(phrases))
    kept = number[node] >= 0
    return (
        Occurrences(offsets(kept.astype(np.int64))[starts], position[kept], length[kept], number[node[kept]]),
        Paraphrases(offsets(np.bincount(number[source], minlength=len(phrases))), number[other]),
    )


@part
def gather(
    local: Numbers, target: Numbers, here: Flags, members: Starts, starts: Starts, item: Numbers, others: Starts,
    other: Numbers,
) -> None:  # fmt: skip
    """Keep the related words or phrases that occur in one of the texts.

    Items of text t are `item[starts[t]:starts[t + 1]]`; those related to item i are `other[others[i]:others[i + 1]]`.
    Those kept are `target[local[i, 0]:local[i, 1]]`. `here` is false for all items before and after the call.
    """
    for text in members:
        for at in range(starts[text], starts[text + 1]):
            here[item[at]], local[item[at], 0] = True, -1
    count = 0
    for text in members:
        for at in range(starts[text], starts[text + 1]):
            one = item[at]
            if local[one, 0] < 0:
                local[one, 0] = count
                for row in range(others[one], others[one + 1]):
                    target[count] = other[row]  # the next one overwrites it, unless it is here
                    count += here[other[row]]
                local[one, 1] = count
    for text in members:
        for at in range(starts[text], starts[text + 1]):
            here[item[at]] = False


@part
def chain(head: Numbers, following: Numbers, first: int, last: int, phrase: Numbers) -> None:
    """Chain the occurrences first to last - 1 by phrase, each chain from the first to the last."""
    for number in range(last - 1, first - 1, -1):
        following[number - first], head[phrase[number]] = head[phrase[number]], number


@part
def unchain(head: Numbers, first: int, last: int, phrase: Numbers) -> None:
    """Empty the chains of occurrences first to last - 1."""
    for number in range(first, last):
        head[phrase[number]] = -1

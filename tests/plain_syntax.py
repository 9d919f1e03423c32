"""Measures of syntax written plainly, over one tree: what SQL must give."""

from __future__ import annotations

from typing import NamedTuple


class Word(NamedTuple):
    tag: str
    head: int  # counted from 1, 0 for a root
    label: str = "dep"


Tree = list[Word]

Node = int | list["Node"]


def compounds(tree: Tree) -> list[int]:
    """The lengths of runs of two nouns or more."""
    runs, length = [], 0
    for word in [*tree, Word(".", 0)]:
        if word.tag.startswith("NN"):
            length += 1
        else:
            runs += [length] if length > 1 else []
            length = 0
    return runs


def below(tree: Tree, place: int) -> set[int]:
    return {place}.union(*(below(tree, one) for one, word in enumerate(tree, 1) if word.head == place))


def depths(tree: Tree) -> list[int]:
    """The depth of the phrase of each preposition."""
    return [
        sum(tree[one - 1].tag == "IN" for one in below(tree, place))
        for place, word in enumerate(tree, 1)
        if word.tag == "IN"
    ]


def distances(tree: Tree) -> int:
    return sum(abs(place - word.head) for place, word in enumerate(tree, 1) if word.head)


def constituents(tree: Tree, place: int) -> tuple[Node, int]:
    """A word with what hangs on it, as nested branches; and twice what its nodes count in Frazier's measure."""
    hanging = [one for one, word in enumerate(tree, 1) if word.head == place]
    if not hanging:
        return place, 0
    made = {one: constituents(tree, one) for one in hanging}
    halves = sum(count for _, count in made.values())
    branches = {**{one: node for one, (node, _) in made.items()}, place: place}
    subjects = [one for one in hanging if one < place and tree[one - 1].label.startswith(("nsubj", "csubj"))]
    if not subjects:
        return [branches[one] for one in sorted(branches)], halves + 2
    before = [branches[one] for one in sorted(branches) if one <= max(subjects)]
    rest = [branches[one] for one in sorted(branches) if one > max(subjects)]
    if len(rest) == 1:
        return [*before, rest[0]], halves + 3
    return [*before, rest], halves + 5


def yngve_of(node: Node, above: int = 0) -> int:
    if isinstance(node, int):
        return above
    return sum(yngve_of(branch, above + len(node) - 1 - nth) for nth, branch in enumerate(node))


def yngve(tree: Tree) -> int:
    return sum(yngve_of(constituents(tree, place)[0]) for place, word in enumerate(tree, 1) if word.head == 0)


def frazier_halves(tree: Tree) -> int:
    return sum(constituents(tree, place)[1] for place, word in enumerate(tree, 1) if word.head == 0)

"""One screen: which parts of a result fit, and how many are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from auditor.reports.terminal.screen import Screen
from auditor.result import counted


@dataclass(frozen=True)
class Part:
    """A part of a screen, such as a table or a note.

    `draw` returns its lines, or with a number at most so many, if it has such a form. Parts of a lower `rank` get their
    lines first. `words` name one and several of its kind where some are left out or shortened.
    """

    draw: Callable[[int | None], list[str]]
    rank: float = 0
    words: tuple[str, str] | None = None


def put(parts: Sequence[Part], screen: Screen) -> None:
    """Print the parts that fit on the screen, in their order, then how many are left out or shortened.

    Of equal rank, each part gets its shortest form, then each in turn its longest that fits.
    """
    taken = whole = [part.draw(None) for part in parts]
    if screen.most is not None and sum(map(len, whole)) > screen.most:
        taken = _fitting(parts, whole, screen.most - 1)
    screen.file.writelines(f"{line}\n" for lines in taken for line in lines)
    screen.file.flush()
    left = Counter(
        part.words for part, has, all_ in zip(parts, taken, whole, strict=True) if has != all_ and part.words
    )
    if left:
        more = ", ".join(counted(number, *words) for words, number in left.items())
        screen.say(f"More with --full: {more}", style="dim")


def _fitting(parts: Sequence[Part], whole: Sequence[list[str]], room: int) -> list[list[str]]:
    """Return the lines that each part gets, none for those that do not fit."""
    taken = [list[str]() for _ in parts]
    ranked = sorted(range(len(parts)), key=lambda number: parts[number].rank)
    for _, group in groupby(ranked, key=lambda number: parts[number].rank):
        numbers = [*group]
        for number, is_last in [*((number, False) for number in numbers), *((number, True) for number in numbers)]:
            most = room + len(taken[number])
            wanted = most if is_last else 0
            lines = whole[number] if len(whole[number]) <= wanted else parts[number].draw(wanted)
            if len(lines) <= most:
                taken[number], room = lines, most - len(lines)
    return taken

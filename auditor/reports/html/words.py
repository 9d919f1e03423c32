"""The words that distinguish two datasets, as a plot: how frequent each is, and how much more in one of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from auditor.reports.html import browsing
from auditor.reports.html.plots import LETTER, color, dots, plain, short
from auditor.result.document import Browsed, Section

Written = Callable[[str], str]

SECTION = Section("words", "Words")

_WIDE, _HIGH, _LEFT, _EDGE = 640.0, 400.0, 44.0, 30.0

_LINE = 12.0  # dots between two lines of labels

_HOW = (
    "Words whose frequency differs most between two datasets. Upward: more frequent in the dataset named first. "
    "1 is twice as often, 2 is four times. To the right: more frequent in both together. A word links to its captions."
)


def drawn(browsed: Sequence[Browsed], colors: Mapping[str, int], write: Written) -> str:
    """Draw a plot of each dataset against the first. Returns nothing if there is a single dataset."""
    plots = "".join(_plot(one, browsed[0].label, colors, write) for one in browsed if one.words.height)
    if not plots:
        return ""
    return (
        f'<section id="words" aria-labelledby="words-title">\n<h2 id="words-title">{SECTION.title}</h2>\n'
        f'<p class="caption">{_HOW}</p>\n<div class="words">\n{plots}</div>\n</section>\n'
    )


def _plot(one: Browsed, against: str, colors: Mapping[str, int], write: Written) -> str:
    rows = [*one.words.iter_rows(named=True)]
    sizes = [math.log10(row["occurrences"] + row["occurrences_b"]) for row in rows]
    far = max(abs(row["log_ratio"]) for row in rows) or 1.0
    least, most = min(sizes), max(*sizes, min(sizes) + 0.01)
    room = _WIDE - _LEFT - 90
    placed: list[tuple[float, float, float]] = []
    parts = []
    for row, size in zip(rows, sizes, strict=True):
        x = _LEFT + (size - least) / (most - least) * room
        y = _HIGH / 2 - row["log_ratio"] / far * (_HIGH / 2 - _EDGE)
        end = x + len(row["word"]) * LETTER + 10
        free = all(abs(y - line) >= _LINE or end < left or x > right for left, right, line in placed)
        if free:
            placed.append((x, end, y))
        whose = one.label if row["occurrences"] and (row["log_ratio"] > 0 or not row["occurrences_b"]) else against
        label = f'<text x="{dots(x + 6)}" y="{dots(y + 3.5)}">{write(short(row["word"]))}</text>' if free else ""
        says = f"{row['word']}: {row['occurrences']:,} in {one.label}, {row['occurrences_b']:,} in {against}"
        place = write(browsing.link(dataset=whose, kind="all", word=row["word"]))
        parts.append(
            f'<a href="{place}" aria-label="{write(says)}"><g class="mark"><title>{write(says)}</title>'
            f'<circle class="{color(colors.get(whose, 0))}" cx="{dots(x)}" cy="{dots(y)}" r="3.5"/>{label}</g></a>\n'
        )
    step = max(1, round(far / 3))
    levels = [step * number for number in range(-int(far // step), int(far // step) + 1)]
    ticks = "".join(
        f'<text class="tick" text-anchor="end" x="{dots(_LEFT - 10)}"'
        f' y="{dots(_HIGH / 2 - level / far * (_HIGH / 2 - _EDGE))}" dy=".32em">{plain(level)}</text>'
        for level in levels
    )
    axis = f'<path class="axis" d="M{dots(_LEFT)} {dots(_HIGH / 2)}H{dots(_WIDE)}"/>'
    title = f"{write(one.label)} against {write(against)}"
    return (
        f'<figure>\n<h3 dir="auto">{title}</h3>\n<div class="scroll" tabindex="0" role="group" aria-label="{title}">'
        f'<svg class="plot" viewBox="0 0 {_WIDE:g} {_HIGH:g}" width="{_WIDE:g}" height="{_HIGH:g}" role="group"'
        f' aria-label="{title}">\n{axis}{ticks}\n{"".join(parts)}</svg></div>\n</figure>\n'
    )

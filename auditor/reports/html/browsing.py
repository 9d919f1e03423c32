"""The captions that a page has as data for its script, with their images, and the plot of words that links to them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlencode

from auditor.findings import KINDS
from auditor.reports import cells
from auditor.reports.figures.marks import plain
from auditor.reports.html.pictures import Album
from auditor.reports.html.plots import LETTER, color, dots, short
from auditor.result.document import Browsed, Section

Written = Callable[[str], str]

#: Characters that could end the element of the data, or begin another.
_IN_SCRIPT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def link(**filters: str | None) -> str:
    """Return the address of the captions that have these values."""
    return "#browse?" + urlencode({name: value for name, value in filters.items() if value})


def captions(browsed: Sequence[Browsed], album: Album, clean: Callable[[str], str]) -> str:
    """Return the section. `clean` replaces characters that a page excludes."""
    images = "".join(
        f'<div data-of="{number}">{picture}</div>'
        for number, one in enumerate(browsed)
        for image, text in one.captions.filter("at_random").unique("image", maintain_order=True)["image", "text"].rows()
        if (picture := album.drawn(one.dataset, image, text, counts=False))
    )
    data = json.dumps(_data(browsed), ensure_ascii=False, separators=(",", ":"))
    for sign, written in _IN_SCRIPT.items():
        data = data.replace(sign, written)
    return (
        '<section id="browse" aria-labelledby="browse-title">\n<h2 id="browse-title">Browse</h2>\n'
        '<div id="browser"><p class="absent">This tab needs JavaScript.</p></div>\n'
        f'<div id="images" hidden>{images}</div>\n'
        f'<script type="application/json" id="captions">{clean(data)}</script>\n</section>\n'
    )


def _data(browsed: Sequence[Browsed]) -> dict[str, object]:
    """Return the captions by image, and the number and command of each kind."""
    found = {kind for one in browsed for kind in one.listed if kind}
    kinds = [kind for kind in dict.fromkeys([*KINDS, *sorted(found)]) if kind in found]
    metrics = list(dict.fromkeys(metric for one in browsed for metric in one.metrics))
    return {
        "datasets": [one.label for one in browsed],
        "kinds": [[kind, KINDS[kind].title] for kind in kinds],
        "metrics": metrics,
        "listed": [{kind: list(counted) for kind, counted in one.listed.items()} for one in browsed],
        "images": [image for number, one in enumerate(browsed) for image in _images(number, one, kinds, metrics)],
    }


def _images(number: int, one: Browsed, kinds: Sequence[str], metrics: Sequence[str]) -> list[list[object]]:
    """Return each image: dataset, name, split, captions. A caption: slot, text, is random, findings, scores.

    A finding has its kind, reason, and the place of its hit.
    """
    images: dict[str, list[object]] = {}
    captions: dict[tuple[str, int | None], list[object]] = {}
    for row in one.captions.iter_rows(named=True):
        image = images.setdefault(row["image"], [number, row["image"], row["split"], []])
        key = (row["image"], row["slot"])
        if key not in captions:
            scores = [None if row.get(metric) is None else round(row[metric], 3) for metric in metrics]
            captions[key] = [row["slot"], row["text"], int(row["at_random"]), [], scores if any(scores) else []]
            image[3].append(captions[key])  # type: ignore[attr-defined]
        if row["kind"] in kinds:
            before, *rest = cells.hit(row["text"], row["why"] or "")
            place = [len(before[0].encode("utf-16-le")) // 2, len(rest[0][0].encode("utf-16-le")) // 2] if rest else []
            captions[key][3].append([kinds.index(row["kind"]), row["why"], *place])  # type: ignore[attr-defined]
    return [*images.values()]


BROWSE, WORDS = Section("browse", "Browse"), Section("words", "Words")

_WIDE, _HIGH, _LEFT, _EDGE = 640.0, 400.0, 44.0, 30.0

_LINE = 12.0  # dots between two lines of labels

_HOW = (
    "Words whose frequency differs most between two datasets. Upward: more frequent in the dataset named first. "
    "1 is twice as often, 2 is four times. To the right: more frequent in both together. A word links to its captions."
)


def words(browsed: Sequence[Browsed], colors: Mapping[str, int], write: Written) -> str:
    """Draw a plot of each dataset against the first. Returns nothing if there is a single dataset."""
    plots = "".join(_plot(one, browsed[0].label, colors, write) for one in browsed if one.words.height)
    if not plots:
        return ""
    return (
        f'<section id="words" aria-labelledby="words-title">\n<h2 id="words-title">{WORDS.title}</h2>\n'
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
        place = write(link(dataset=whose, kind="all", word=row["word"]))
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

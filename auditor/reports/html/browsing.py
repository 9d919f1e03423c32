"""The tab to browse captions: its rows as data for the page's script, and the images beside them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from urllib.parse import urlencode

from auditor.findings import KINDS
from auditor.reports import cells
from auditor.reports.html.pictures import Album
from auditor.result.document import Browsed, Section

Written = Callable[[str], str]

SECTION = Section("browse", "Browse")

#: Characters that could end the element of the data, or begin another.
_IN_SCRIPT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def link(**filters: str | None) -> str:
    """Return the address of the captions that have these values."""
    return "#browse?" + urlencode({name: value for name, value in filters.items() if value})


def drawn(browsed: Sequence[Browsed], album: Album, clean: Callable[[str], str]) -> str:
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
    kinds = [kind for kind in KINDS if kind in found]
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

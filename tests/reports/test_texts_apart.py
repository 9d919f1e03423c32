"""Texts of a drawn figure: none lies on another, and none leaves the page."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from matplotlib.text import Text
from PIL import Image
from report_document import SAMPLE

from auditor.config import sources
from auditor.reports.figures import drawing
from auditor.result import Figure, Kind
from auditor.store.connection import MEMORY, Store
from auditor.studies import STUDIES
from auditor.studies.ingest.sources import ingest_sources

Corners = np.ndarray[tuple[int, int], np.dtype[np.float64]]

NAMES = {
    "short": "mine-{}",
    "long": "captions-of-photographs-from-the-web-{}-translated-by-machine-and-filtered",
    "wide": "日本語の字幕 {}",
    "right to left": "التسميات التوضيحية {}",
    "formula": "$x_{{{}}}$ & <b>",
}

LONG = "How often captions of one image repeat what those of another image already say " * 5


def figure(kind: Kind, names: str, categories: int, series: int, *, numbers: bool = False, **changes: str) -> Figure:
    """Return a figure of as many categories and series, named alike; with `numbers` its categories are numbers."""
    dashed = changes.get("dashed", "")
    rows = [
        {
            "x": 10**x if numbers else NAMES[names].format(x),
            "s": NAMES[names].format(s % (series // 2) if dashed else s) + dashed * (s >= series // 2),
            "y": -1234.5 * math.sin(x + s),
            "high": 2000.0,
        }
        for s in range(series)
        for x in range(categories)
    ]
    y, by = ("s", None) if kind == "heatmap" else ("y", "s")
    made = Figure(
        "f", "Title", kind, pl.DataFrame(rows), "x", y, by, value="y", low="y", high="high",
        x_label="category", y_label="mean over captions", caption="Intervals: 95%, bootstrap over images.",
    )  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]


STRESS = {
    f"{kind}, {names}, {categories} x {series}": figure(kind, names, categories, series)
    for kind in ("bars", "points", "heatmap")
    for names, categories, series in (
        ("short", 1, 1), ("long", 3, 8), ("wide", 8, 8), ("right to left", 5, 2), ("formula", 12, 3), ("short", 40, 2),
        ("long", 40, 1),
    )
} | {
    "title and labels": figure("bars", "short", 3, 2, title=LONG, x_label=LONG, y_label=LONG, caption=LONG),
    "small heatmap": figure("heatmap", "long", 1, 1, title=LONG, x_label=LONG, y_label=LONG, caption=LONG),
    "roles": figure("lines", "long", 5, 16, dashed=", another image"),
    "high heatmap": figure("heatmap", "short", 3, 150),
    "numbers": figure("lines", "short", 7, 2, numbers=True),
    "logarithmic": replace(figure("lines", "short", 7, 2, numbers=True), log_x=True),
    "nothing": replace(figure("bars", "short", 1, 1, title=LONG), frame=figure("bars", "short", 1, 1).frame.clear()),
}  # fmt: skip


def corners(text: Text) -> Corners:
    """Return the corners of a text in pixels: those of its box before it is turned about its anchor."""
    degrees, mode = text.get_rotation(), text.get_rotation_mode()
    if degrees % 90 == 0 or mode != "anchor":
        return np.array(text.get_window_extent().corners())
    text.set_rotation(0)
    box = np.array(text.get_window_extent().corners())
    text.set_rotation(degrees)
    anchor = text.get_transform().transform(text.get_position())
    turned = math.radians(degrees)
    return (box - anchor) @ np.array(
        [[math.cos(turned), math.sin(turned)], [-math.sin(turned), math.cos(turned)]]
    ) + anchor


def are_apart(one: Corners, other: Corners) -> bool:
    """Return whether a line along a side of one of two boxes separates them."""
    sides = [box[end] - box[0] for box in (one, other) for end in (1, 2)]
    across = np.array([(-y, x) for x, y in sides]).T
    (low, high), (least, most) = ((places.min(0), places.max(0)) for places in (one @ across, other @ across))
    return bool(((high <= least) | (most <= low)).any())


#: Questions about the bundled samples whose answers have figures.
ASKED: Mapping[str, Mapping[str, object]] = {
    "profile": {},
    "templates": {},
    "perplexity": {},
    "outliers": {"metric": "bleu-1"},
    "bounds": {"metrics": ["bleu-1", "bleu-4", "rouge-1"], "candidates": ["human", "intra"]},
    "compare": {"metrics": ["bleu-1", "bleu-4"], "resamples": 0},
    "correlate": {"metrics": ["bleu-1", "bleu-4", "rouge-1"]},
    "probe": {"metrics": ["bleu-1"], "components": ["order"]},
}


@pytest.mark.slow
def test_no_text_of_a_sample_lies_on_another(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = sources(SAMPLE, data=SAMPLE.parent)
    with Store.open(MEMORY) as store:
        ingest_sources(store, [*samples.values()])
        for command, settings in ASKED.items():
            result = STUDIES[command].load()(store, *samples, **settings)
            assert result.figures, command
            for drawn in result.figures:
                check(drawn, monkeypatch)


@pytest.mark.parametrize("name", STRESS)
def test_no_text_lies_on_another(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check(STRESS[name], monkeypatch)


def check(drawn: Figure, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, draw = list[Text](), Text.draw
    monkeypatch.setattr(Text, "draw", lambda text, renderer: (texts.append(text), draw(text, renderer)))
    with drawing._settled():
        picture, _ = drawing.laid_out(drawn)
        picture.draw_without_rendering()
        boxes = [(text.get_text(), corners(text)) for text in texts if text.get_visible() and text.get_text().strip()]
    monkeypatch.undo()
    assert len(boxes) > 1
    assert not [(one, other) for (one, box), (other, beside) in combinations(boxes, 2) if not are_apart(box, beside)]


@pytest.mark.parametrize("name", ["title and labels", "small heatmap", "roles", "bars, long, 40 x 1"])
def test_nothing_leaves_the_page(name: str) -> None:
    with Image.open(io.BytesIO(drawing.draw(STRESS[name], "png"))) as image:
        pixels = np.asarray(image.convert("L"))
        assert min(pixels[edge].min() for edge in (np.s_[:4], np.s_[-4:], np.s_[:, :4], np.s_[:, -4:])) == 255
        assert image.width <= 200 * 14

"""Figures as SVG, PDF and PNG, by matplotlib: the same bytes for the same rows, whatever the user's settings."""

from __future__ import annotations

import io
import logging
import re
import sys
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from typing import TYPE_CHECKING, Any

from auditor.errors import MissingExtraError

try:
    with chdir(sys.prefix):  # it reads `matplotlibrc` in the working folder: a pipe of that name would block
        import matplotlib
except ImportError as error:
    raise MissingExtraError("figures need matplotlib: pip install 'auditor[figures]'") from error
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Drawing

from auditor.reports.cells import distinct
from auditor.reports.figures import lettering, panels
from auditor.reports.figures.marks import Palette, marks, palette, printable

if TYPE_CHECKING:
    from auditor.result import Figure, Result

_SWATCH = 0.6  # inches of a legend entry without its name

_GAP, _MARGIN, _NARROWEST = 0.12, 0.08, 4.0  # inches between texts and axes, around all, of a title

_DPI = 200

#: What each format would write about the time and the program.
_UNWRITTEN = {
    "svg": ("Date", "Creator", "Format", "Type"),
    "pdf": ("CreationDate", "Creator", "Producer"),
    "png": ("Software",),
}

_SETTINGS: Any = {
    "font.family": ["DejaVu Sans"],
    "font.size": lettering.PLAIN,
    "axes.titlesize": lettering.LARGE,
    "axes.labelsize": lettering.PLAIN,
    "axes.labelcolor": panels.INK,
    "axes.edgecolor": panels.INK,
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "text.color": panels.INK,
    "text.parse_math": False,  # a name may contain dollars
    "xtick.labelcolor": panels.INK,
    "ytick.labelcolor": panels.INK,
    "hatch.linewidth": 0.7,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text: searchable, readable aloud, in any script of the viewer
    "svg.hashsalt": "auditor",
    "pdf.fonttype": 42,  # TrueType: text can be searched, and publishers accept it
}

_FONT = "DejaVu Sans, Verdana, Noto Sans, sans-serif"

_XMLNS, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"

_REFERENCE = re.compile(r"url\(#([^)]*)\)")


def drawn(result: Result, form: str, *names: str) -> Mapping[str, bytes]:
    """Draw the figures of a result as svg, pdf or png, or those with the given names, by a word for the file of each.

    A dataset has the same color in all. Raises `UsageError` without figures, and for an unknown name.
    """
    figures, colors = result.drawn(*names), palette(result.figures)
    words = distinct(figure.name for figure in figures)
    return dict(zip(words, (draw(figure, form, colors) for figure in figures), strict=True))


def draw(figure: Figure, form: str, colors: Palette | None = None) -> bytes:
    """Draw a figure as svg, as png of 200 dots per inch, or as a page of pdf with its fonts."""
    file = io.BytesIO()
    with _settled():
        picture, labels = laid_out(figure, colors)
        unwritten = dict.fromkeys(_UNWRITTEN[form])
        picture.savefig(file, format=form, metadata=unwritten, bbox_inches="tight", pad_inches=_MARGIN)
    if form != "svg":
        return file.getvalue()
    return cleaned(file.getvalue().decode(), labels, printable(figure.title), _described(figure)).encode()


@contextmanager
def _settled() -> Iterator[None]:
    """Draw with matplotlib's defaults and our settings, not the user's, and without warnings about missing glyphs."""
    logger = logging.getLogger("matplotlib")
    level = logger.level
    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        warnings.filterwarnings("ignore", r"Glyph \d+", UserWarning)
        logger.setLevel(logging.ERROR)
        try:
            yield
        finally:
            logger.setLevel(level)


def laid_out(figure: Figure, colors: Palette | None = None) -> tuple[Drawing, Mapping[str, str]]:
    """Lay out a figure: axes of a fixed size, around which the page grows; above them the legend, then the title.

    Returns it with the labels of marks, by their IDs. Without numbers it has the words “nothing to draw”.
    """
    read = marks(figure, colors)
    width, height = panels.size(figure, read)
    picture = Drawing(figsize=(width, height), dpi=_DPI, facecolor="#ffffff")
    FigureCanvasAgg(picture)
    axes = picture.add_axes((0, 0, 1, 1), facecolor="none")
    labels: dict[str, str] = {}
    if read.drawn:
        labels = panels.paint(axes, figure, read)
    else:
        axes.set_axis_off()
        axes.text(0.5, 0.5, "nothing to draw", ha="center", va="center")
    left, below, right, top = picture.get_tightbbox().extents  # in inches
    right = max(right, left + _NARROWEST)

    def put(text: str, y: float, **style: Any) -> None:
        lines = lettering.wrapped(printable(text), style["size"] * (1.12 if "weight" in style else 1), right - left)
        picture.text(left / width, y / height, lines, ha="left", **style)

    if figure.caption:
        put(figure.caption, below - _GAP, va="top", size=lettering.PLAIN)
    if keys := panels.keys(figure, read):
        entry = max(lettering.width(str(key.get_label()), lettering.PLAIN) for key in keys) + _SWATCH
        place: dict[str, Any] = {"bbox_to_anchor": (left / width, (top + _GAP) / height), "loc": "lower left"}
        even: dict[str, Any] = {"borderpad": 0, "borderaxespad": 0, "handlelength": 2.4, "columnspacing": 1.4}
        picture.legend(handles=keys, ncols=max(1, int((right - left) / entry)), **place, **even)
        top = picture.get_tightbbox().y1
    if figure.title:
        put(figure.title, top + _GAP, va="bottom", size=lettering.LARGE, weight="bold")
    return picture, labels


def _described(figure: Figure) -> str:
    read = marks(figure)
    what = {"bars": "bars", "heatmap": "cells"}.get(figure.kind, "points")
    names = ", ".join(name for name in read.series if name)
    sentence = f"{printable(figure.title)}: {len(read.drawn)} {what}" + (f" for {names}." if names else ".")
    return f"{sentence} {printable(figure.caption)}" if figure.caption else sentence


def cleaned(source: str, labels: Mapping[str, str], title: str, description: str) -> str:
    """Return a complete SVG file; `labels` are the labels of its marks, by ID."""
    root = ET.fromstring(source)  # noqa: S314  written by matplotlib, not by a user
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        _attributes(element)
    for parent in list(root.iter()):
        for style in parent.findall("style"):
            parent.remove(style)
    _name(root, labels)
    root.attrib.pop("version", None)
    roles = {"role": "img", "aria-labelledby": "title description"}
    plain = {"font-family": _FONT, "stroke-linejoin": "round", "stroke-linecap": "butt"}
    root.attrib |= {"xmlns": _XMLNS, "xmlns:xlink": _XLINK} | roles | plain
    for tag, name, text in (("desc", "description", description), ("title", "title", title)):
        named = ET.Element(tag, {"id": name})
        named.text = text
        root.insert(0, named)
    for element in root.iter():
        if element.text is not None and not element.text.strip():
            element.text = None
        element.tail = None
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _attributes(element: ET.Element) -> None:
    """Write styles as attributes, coordinates on one line."""
    for declaration in filter(None, element.attrib.pop("style", "").split(";")):
        key, _, value = declaration.partition(":")
        if key.strip() != "font-family":
            element.set(key.strip(), value.strip())
    for key, value in list(element.attrib.items()):
        if key == f"{{{_XLINK}}}href":
            del element.attrib[key]
            key = "xlink:href"  # noqa: PLW2901
        element.set(key, " ".join(value.split()))


def _name(root: ET.Element, labels: Mapping[str, str]) -> None:
    """Keep the IDs that are referred to, and make each mark a group with its label."""
    links = {element.get("xlink:href", "#")[1:] for element in root.iter()}
    texts = (text for element in root.iter() for text in element.attrib.values())
    references = links.union(*map(_REFERENCE.findall, texts))
    for element in root.iter():
        own = element.attrib.pop("id", "")
        if own in labels:
            element.set("class", "mark")
            label = ET.Element("title")
            label.text = labels[own]
            element.insert(0, label)
        elif own and own in references:
            element.set("id", own)

"""Figures as SVG, PDF and PNG, by matplotlib: the same bytes for the same rows, whatever the user's settings."""

from __future__ import annotations

import io
import logging
import re
import sys
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

with chdir(sys.prefix):  # it reads `matplotlibrc` in the working folder: a pipe of that name would block
    import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Drawing

from auditor.errors import UsageError
from auditor.reports.figures import lettering, panels
from auditor.reports.figures.marks import Marks, Palette, marks, palette, printable
from auditor.result import Figure, Result

if TYPE_CHECKING:
    from matplotlib.figure import SubFigure

_ROW = 5.6  # inches of a legend that still fits in one line above the axes

_SWATCH = 0.5  # inches of a legend entry without its name

_DPI = 200

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
    "figure.constrained_layout.h_pad": 0.06,
    "figure.constrained_layout.w_pad": 0.06,
    "svg.fonttype": "none",  # text stays text: searchable, readable aloud, in any script of the viewer
    "svg.hashsalt": "auditor",
    "pdf.fonttype": 42,  # TrueType: text can be searched, and publishers accept it
}

_FONT = "DejaVu Sans, Verdana, Noto Sans, sans-serif"

_XMLNS, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"

_REFERENCE = re.compile(r"url\(#([^)]*)\)")


class _Panel(NamedTuple):
    figure: Figure
    read: Marks
    legend: float
    beside: bool
    shape: panels.Shape


def svg(result: Result) -> str:
    """Return all figures of a result as one SVG, one below the other. Raises `UsageError` without figures."""
    title = ", ".join(printable(figure.title) for figure in _figures(result))
    with _settled():
        drawing, labels = _draw(result.figures)
        file = io.BytesIO()
        drawing.savefig(file, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    return cleaned(file.getvalue().decode(), labels, title, " ".join(map(_described, result.figures)))


def png(result: Result) -> bytes:
    """Return all figures of a result as one PNG of 200 dots per inch. Raises `UsageError` without figures."""
    return _saved(result, "png", "Software")


def pdf(result: Result) -> bytes:
    """Return all figures of a result as one page of PDF with its fonts. Raises `UsageError` without figures."""
    return _saved(result, "pdf", "CreationDate", "Creator", "Producer")


def _saved(result: Result, chosen: str, *unwritten: str) -> bytes:
    with _settled():
        drawing, _ = _draw(_figures(result))
        file = io.BytesIO()
        drawing.savefig(file, format=chosen, metadata=dict.fromkeys(unwritten))
    return file.getvalue()


def _figures(result: Result) -> Sequence[Figure]:
    if not result.figures:
        raise UsageError(f"{result.command}: no figure to draw")
    return result.figures


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


def _draw(figures: Sequence[Figure]) -> tuple[Drawing, dict[str, str]]:
    """Stack figures as panels of one drawing. Returns it with the labels of marks, by their IDs."""
    colors = palette(figures)
    planned = [_plan(figure, colors) for figure in figures]
    width = max(panel.shape.width for panel in planned)
    headings = [_headings(panel.figure, width) for panel in planned]
    line = lettering.PLAIN * 1.45 / 72
    extra = [line * (sum(text.count("\n") + 1 for text in lines if text) + 0.5) for lines in headings]
    heights = [panel.shape.height + more for panel, more in zip(planned, extra, strict=True)]
    drawing = Drawing(figsize=(width, sum(heights)), dpi=_DPI, layout="constrained", facecolor="#ffffff")
    FigureCanvasAgg(drawing)
    parts = drawing.subfigures(len(planned), 1, squeeze=False, height_ratios=heights)[:, 0]
    labels: dict[str, str] = {}
    for number, (part, panel, (title, caption)) in enumerate(zip(parts, planned, headings, strict=True)):
        part.set_facecolor("none")
        if title:
            part.suptitle(title, x=0.01, ha="left", weight="bold", size=lettering.LARGE)
        if caption:
            part.supxlabel(caption, x=0.01, ha="left", size=lettering.PLAIN)
        labels |= _fill(part, panel, number, width)
    return drawing, labels


def _plan(figure: Figure, colors: Palette) -> _Panel:
    read = marks(figure, colors)
    names = [key.name for key in panels.keys(figure, read)]
    widths = [lettering.width(name, lettering.PLAIN) + _SWATCH for name in names]
    beside = sum(widths) > _ROW
    legend = max(widths) + 0.1 if beside else 0.0
    return _Panel(figure, read, legend, beside, panels.shape(figure, read, legend))


def _headings(figure: Figure, width: float) -> tuple[str, str]:
    title = lettering.wrapped(printable(figure.title), lettering.LARGE * 1.12, width - 0.2) if figure.title else ""
    caption = lettering.wrapped(printable(figure.caption), lettering.PLAIN, width - 0.2) if figure.caption else ""
    return title, caption


def _fill(part: SubFigure, panel: _Panel, number: int, width: float) -> dict[str, str]:
    """Draw one panel, or the words “nothing to draw” if no row has a number."""
    axes = part.subplots()
    axes.set_facecolor("none")
    if not panel.read.drawn:
        axes.set_axis_off()
        axes.text(0.5, 0.5, "nothing to draw", ha="center", va="center", transform=axes.transAxes)
        return {}
    if panel.figure.kind == "heatmap":
        axes.set_anchor("W")
    inches = panel.shape.axes if panel.figure.kind == "heatmap" else width - 0.9 - panel.legend
    drawn = panels.paint(axes, panel.figure, panel.read, inches)
    for artist in (*axes.patches, *axes.lines):
        gid = artist.get_gid()
        if gid:
            artist.set_gid(f"panel-{number}-{gid}")
    entries = panels.keys(panel.figure, panel.read)
    if entries:
        handles, names = zip(*entries, strict=True)
        if panel.beside:
            part.legend(handles, names, loc="outside right upper", handlelength=1.6)
        else:
            above: dict[str, Any] = {
                "loc": "lower left",
                "bbox_to_anchor": (0, 1),
                "borderaxespad": 0.3,
                "borderpad": 0,
            }
            axes.legend(handles, names, ncols=len(names), handlelength=1.6, columnspacing=1.4, **above)
    return {f"panel-{number}-{gid}": text for gid, text in drawn.items()}


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
    references = {value for element in root.iter() for value in _references(element)}
    for element in root.iter():
        own = element.attrib.pop("id", "")
        if own in labels:
            element.set("class", "mark")
            label = ET.Element("title")
            label.text = labels[own]
            element.insert(0, label)
        elif own and own in references:
            element.set("id", own)


def _references(element: ET.Element) -> list[str]:
    references = [reference for value in element.attrib.values() for reference in _REFERENCE.findall(value)]
    return [*references, element.get("xlink:href", "#")[1:]]

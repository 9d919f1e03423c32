"""The first screen of a report: the most important findings, and the datasets at a glance."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import Any

from auditor.reports.html import browsing
from auditor.reports.html.plots import LETTER, color, dots, short
from auditor.result import Table, counted
from auditor.result.document import Browsed
from auditor.result.portraits import Portrait
from auditor.result.sentences import LABELS, with_role

Written = Callable[[str], str]

_Row = Mapping[str, Any]
_Shades = Mapping[str, int]

#: Dots of the drawing of lengths. The longest captions, up to this share of all, are left out.
_WIDE, _HIGH, _TAIL = 220.0, 44.0, 0.005

#: What the switch between samples calls them.
_SAMPLES = {"equalized": "equal numbers of images and captions (equalized)", "raw": "all captions (raw)"}

_REPEAT = "repeat another caption of their image"


def answer(sentences: Sequence[str], said: Written) -> str:
    """Write the first sentence large, and the others as a list of what they answer."""
    parts = []
    for number, sentence in enumerate(sentences):
        told = with_role(sentence, "answer")
        kind = "answer" if number == 0 else "caveat" if told.role == "caveat" else "follows"
        named = f"<b>{LABELS[told.role]}</b> " if told.role in LABELS else ""
        parts.append(f'<p class="{kind}">{named}{said(told.text)}</p>\n')
    return "".join(parts)


def placed(
    tables: Sequence[Table], colors: _Shades, labels: Sequence[str], rows: Callable[[Table], str], write: Written
) -> str:
    """Draw the datasets by each metric, with the numbers below. Of two samples, a switch shows one."""
    drawn = [
        f'<div class="sample"><h3>{write(table.title.capitalize())}</h3>\n{plot(table, colors, labels, write)}'
        f"<details>\n<summary>Numbers of this figure, and what they mean</summary>\n{rows(table)}</details>\n</div>\n"
        for table in tables
    ]
    if len(drawn) < 2:
        return "".join(drawn)
    switches = "".join(
        f'<input type="radio" name="sample" id="sample-{number}"{"" if number else " checked"}>'
        f'<label for="sample-{number}">{write(_SAMPLES.get(table.sample, table.sample))}</label>\n'
        for number, table in enumerate(tables)
    )
    return f'<div class="samples" role="group" aria-label="Sample">\n{switches}{"".join(drawn)}</div>\n'


def strips(portraits: Sequence[Portrait], colors: _Shades, browsed: Sequence[Browsed], write: Written) -> str:
    """Draw a strip for each dataset, with links from counts to captions."""
    listed = {one.label: one.listed for one in browsed}
    most = max((_reach(portrait) for portrait in portraits), default=1)
    drawn = "".join(
        _strip(portrait, colors.get(portrait.label, number), most, listed.get(portrait.label, {}), write)
        for number, portrait in enumerate(portraits)
    )
    several = " several" if len(portraits) > 1 else ""
    return f'<div class="strips{several}" data-of="facts">\n{drawn}</div>\n'


def _strip(portrait: Portrait, number: int, most: int, listed: Collection[str], write: Written) -> str:
    mean, (fewest, most_captions) = portrait.captions / max(portrait.images, 1), portrait.of_an_image
    of_each = (
        (f"{fewest:,}", "captions per image")
        if fewest == most_captions
        else (f"{mean:.2f}", f"captions per image ({fewest:,} to {most_captions:,})")
    )
    repeats = portrait.captions - portrait.distinct
    facts = [
        (f"{portrait.images:,}", "images"),
        (f"{portrait.captions:,}", "captions"),
        of_each,
        (f"{repeats:,}", _REPEAT),
        (f"{portrait.length:.1f}", "words per caption"),
    ]
    kinds = {"captions": "", _REPEAT: "padded-images"}
    links = {name: browsing.link(dataset=portrait.label, kind=kind) for name, kind in kinds.items() if kind in listed}
    leads = {name: f'<a href="{write(link)}">{{}}</a>' for name, link in links.items()}
    counted_facts = "".join(
        f"<div><dd>{leads.get(name, '{}').format(write(value))}</dd><dt>{write(name)}</dt></div>"
        for value, name in facts
    )
    splits = ", ".join(f"{name} {images:,}" for name, images in portrait.splits)
    parted = f"Images by split: {splits}" if splits else "No splits"
    return (
        f'<article class="strip"><h3 dir="auto"><span class="dot {color(number)}-box" aria-hidden="true"></span>'
        f"{write(portrait.label)}</h3>\n<dl>{counted_facts}</dl>\n"
        f'<p class="splits">{write(parted)}</p>\n{_lengths(portrait, number, most, write)}</article>\n'
    )


def _reach(portrait: Portrait) -> int:
    """Return the length that only a few captions exceed."""
    left = _TAIL * portrait.captions
    for length, captions in sorted(portrait.lengths, reverse=True):
        left -= captions
        if left < 0:
            return length
    return 1


def _lengths(portrait: Portrait, number: int, most: int, write: Written) -> str:
    """Draw the distribution of caption lengths, on the scale of all datasets."""
    shown = [(length, captions) for length, captions in portrait.lengths if length <= most]
    top = max((captions for _, captions in shown), default=1)
    step = _WIDE / (most + 1)
    bars = "".join(
        f'<rect class="{color(number)}" x="{dots(length * step)}" y="{dots(_HIGH * (1 - captions / top))}"'
        f' width="{dots(max(step - 1, 1))}" height="{dots(_HIGH * captions / top)}"/>'
        for length, captions in shown
    )
    usual = max(portrait.lengths, key=lambda pair: pair[1], default=(0, 0))[0]
    says = f"Caption lengths: the most frequent is {counted(usual, 'word', 'words')}; up to {most} are shown"
    return (
        f'<figure class="lengths"><svg viewBox="0 0 {_WIDE:g} {_HIGH + 16:g}" role="img" aria-label="{write(says)}">'
        f'{bars}<text x="0" y="{_HIGH + 11:g}">0 words</text>'
        f'<text x="{_WIDE:g}" y="{_HIGH + 11:g}" text-anchor="end">{most} words (few captions are longer)</text>'
        "</svg></figure>\n"
    )


_TALL, _BEGIN, _RIGHT, _RANKS = 40.0, 92.0, 420.0, 434.0  # ranks begin there, and stay in view beside the scales

_STEP = 17.0  # dots between two datasets in their order

_MOST, _FEW = 10, 7  # datasets whose order has room, also in narrow ranks

_GREY = 6  # the color of reference marks

#: What a reader needs at once, by the column that is drawn, in twelve words. The caption of the numbers has the rest.
_HOW = {
    "homogeneity": "Higher: captions fit other images too. Line: 95% interval. Scales differ.",
    "sameness": "Higher: captions of different images are more similar. Line: 95% interval.",
    "value": "Grey: known datasets. Line: 95% interval. Each row has its own scale.",
}


def plot(table: Table, colors: _Shades, own: Sequence[str], write: Written) -> str:
    """Draw a row per metric or number. Datasets that are not among the page's `own` are reference marks, in grey."""
    index = table.bars[0]
    by_metric: dict[str, list[dict[str, Any]]] = {}
    for row in table.frame.iter_rows(named=True):
        by_metric.setdefault(str(row.get(table.sections or "", index)), []).append(row)
    shades = {name: colors.get(name, place) for place, name in enumerate(own)}
    others = sorted({*table.frame["dataset"]} - {*shades})  # by name: values differ from page to page
    letters = dict(zip(others, ascii_lowercase, strict=False))
    drawn = "".join(
        _metric_row(metric, rows, index, number * _TALL, shades, letters, write)
        for number, (metric, rows) in enumerate(by_metric.items())
    )
    names = "".join(_named_dot(name, shades[name], write) for name in own)
    marks = ", ".join(f"{letter} {name}" for name, letter in letters.items())
    names += _named_dot(f"reference marks: {marks}", _GREY, write) if marks else ""
    ranks = "".join(
        mark for number, rows in enumerate(by_metric.values()) for mark in _order(rows, number * _TALL + 14, shades)
    )
    title, tall, few = write(table.title), _TALL * len(by_metric), len(own) <= _FEW
    return (
        f'<p class="caption">{names}{write(_HOW.get(index, ""))}</p>\n'
        f'<div class="scroll" tabindex="0" role="group" aria-label="{title}"><div class="placed">'
        f'<svg class="plot" viewBox="0 0 {_RANKS:g} {tall:g}" role="group" aria-label="{title}">\n{drawn}</svg>'
        f'<svg class="plot ranks{" few" * few}" viewBox="{_RANKS:g} 0 {140 if few else 206} {tall:g}" role="group"'
        f' aria-label="order: {title}">\n{ranks}</svg></div></div>\n'
    )


def _named_dot(name: str, shade: int, write: Written) -> str:
    dot = f'<span class="dot {color(shade)}-box" aria-hidden="true"></span>'
    return f'<span class="named" dir="auto">{dot}{write(name)}</span> '


def _metric_row(
    metric: str,
    rows: Sequence[_Row],
    index: str,
    top: float,
    shades: _Shades,
    letters: Mapping[str, str],
    write: Written,
) -> str:
    most = max(max(row["high"] or 0.0, row[index] or 0.0) for row in rows) or 1.0
    middle = top + 14

    def at(value: float) -> float:
        return _BEGIN + max(value, 0.0) / most * (_RIGHT - _BEGIN)

    scale = "".join(
        f'<path class="grid" d="M{dots(at(level))} {dots(middle - 4)}v8"/><text class="tick" text-anchor="middle"'
        f' x="{dots(at(level))}" y="{dots(middle + 19)}">{level:.2g}</text>'
        for level in (0.0, most / 2, most)
    )
    own = [row for row in rows if row["dataset"] in shades and row[index] is not None]
    below, kind = ("order differs", "differs") if any(row.get("order") for row in rows) else ("", "tick")
    if len(own) == 1:  # beside marks
        below = f"{own[0][index]:.3f} {(own[0].get('by') or '').removeprefix(metric)}"
        kind = f'tick value" data-of="{write(own[0].get("section") or "comparison")}'
    name = f'<text class="metric" x="0" y="{dots(middle + 4)}">{write(short(metric))}</text>'
    name += f'<text class="{kind}" x="0" y="{dots(middle + 17)}">{write(short(below))}</text>' if below else ""
    if rows[0][index] is None:
        why = write(short(rows[0]["because"], 60))
        return f'{name}<text class="tick" x="{dots(_BEGIN)}" y="{dots(middle + 4)}">{why}</text>\n'
    ordered = sorted(rows, key=lambda row: row["dataset"] in shades)  # the page's own are drawn over marks
    return (
        f'{name}<path class="axis" d="M{dots(_BEGIN)} {dots(middle)}H{dots(_RIGHT)}"/>{scale}\n'
        + "".join(_placed_mark(row, index, at, middle, shades, write) for row in ordered)
        + "".join(_lettered(rows, index, at, middle, letters))
    )


def _placed_mark(row: _Row, index: str, at: Callable[[float], float], y: float, shades: _Shades, write: Written) -> str:
    shade, low, high = color(shades.get(row["dataset"], _GREY)), row["low"], row["high"]
    between = f" ({low:.3f} to {high:.3f})" if low is not None and high is not None else ""
    says = write(f"{row['dataset']}: {row[index]:.3f}{between}")
    band = f'<path class="spread {shade}" d="M{dots(at(low))} {dots(y)}H{dots(at(high))}"/>' if between else ""
    size = 5 if row["dataset"] in shades else 4
    dot = f'<circle class="{shade}" cx="{dots(at(row[index]))}" cy="{dots(y)}" r="{size}"/>'
    source = f' data-of="{write(row["section"])}"' if row.get("section") else ""
    return f'<g class="mark"{source}><title>{says}</title>{band}{dot}</g>\n'


def _lettered(
    rows: Sequence[_Row], index: str, at: Callable[[float], float], y: float, letters: Mapping[str, str]
) -> Iterator[str]:
    """Yield the letter of each reference mark above its dot, or to the right of a letter that is too near."""
    free = 0.0
    for row in sorted(rows, key=lambda row: float(row[index])):
        if letter := letters.get(row["dataset"]):
            x = max(at(row[index]), free)
            free = x + LETTER + 1
            yield f'<text class="tick" text-anchor="middle" x="{dots(x)}" y="{dots(y - 6)}">{letter}</text>'


def _order(rows: Sequence[_Row], y: float, shades: _Shades) -> Iterator[str]:
    """Yield the datasets from the highest value as joined dots, or the place of a single dataset among marks."""
    x = _RIGHT + 24
    own = [place for place, row in enumerate(rows) if row["dataset"] in shades]
    if len(own) == 1 and len(rows) > 1:
        rank = {0: "highest", len(rows) - 1: "lowest"}.get(own[0], f"{own[0] + 1}. from the highest,")
        rank = f"{rank} of {len(rows)}"
        yield f'<text class="tick" x="{dots(x)}" y="{dots(y + 4)}">{rank}</text>\n'
    elif 1 < len(rows) <= _MOST:
        for place, row in enumerate(rows):
            here = x + place * _STEP
            after = rows[place + 1] if place + 1 < len(rows) else None
            if after and {*(row.get("group") or "")} & {*(after.get("group") or "")}:
                yield f'<path class="joined" d="M{dots(here)} {dots(y)}h{_STEP:g}"/>'
            yield f'<circle class="{color(shades.get(row["dataset"], _GREY))}" cx="{dots(here)}" cy="{dots(y)}" r="5"/>'

"""The first screen of a report: the most important findings, and the datasets at a glance."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from auditor.reports.html import browsing
from auditor.reports.html.placed import plot
from auditor.reports.html.plots import color, dots
from auditor.result import Table, counted
from auditor.result.document import Browsed, Portrait

Written = Callable[[str], str]

#: Dots of the drawing of lengths. The longest captions, up to this share of all, are left out.
_WIDE, _HIGH, _TAIL = 220.0, 44.0, 0.005

#: The beginning of a sentence of the answer that names its question.
_LABEL = re.compile(r"(By how much|Wrong|Homogeneity|Significance|Metrics|Next|Caveat): ")

#: What the switch between samples calls them.
_SAMPLES = {"equalized": "equal numbers of images and captions (equalized)", "raw": "all captions (raw)"}

_REPEAT = "repeat another caption of their image"


def answer(sentences: Sequence[str], said: Written) -> str:
    """Write the first sentence large, and the others as a list of what they answer."""
    parts = []
    for number, sentence in enumerate(sentences):
        label = _LABEL.match(sentence)
        kind = "answer" if number == 0 else "caveat" if label and label[1] == "Caveat" else "follows"
        named, rest = (f"<b>{label[1]}</b> ", sentence[label.end() :]) if label else ("", sentence)
        parts.append(f'<p class="{kind}">{named}{said(rest[:1].upper() + rest[1:] if label else rest)}</p>\n')
    return "".join(parts)


def placed(
    tables: Sequence[Table],
    colors: Mapping[str, int],
    labels: Sequence[str],
    rows: Callable[[Table], str],
    write: Written,
) -> str:
    """Draw the datasets by each metric, with the numbers below. Of two samples, a switch shows one."""
    drawn = [
        f'<div class="sample"><h3>{write(_titled(table))}</h3>\n{plot(table, colors, labels, write)}'
        f"<details>\n<summary>Numbers of this figure</summary>\n{rows(table)}</details>\n</div>\n"
        for table in tables
    ]
    if len(drawn) < 2:
        return "".join(drawn)
    names = [table.title.rpartition(", ")[2] for table in tables]
    switches = "".join(
        f'<input type="radio" name="sample" id="sample-{number}"{"" if number else " checked"}>'
        f'<label for="sample-{number}">{write(_SAMPLES.get(name, name))}</label>\n'
        for number, name in enumerate(names)
    )
    return f'<div class="samples" role="group" aria-label="Sample">\n{switches}{"".join(drawn)}</div>\n'


def _titled(table: Table) -> str:
    """Write the title of a table without its formula, which the caption of the figure explains."""
    return table.title.replace(" = intra / upper", "").capitalize()


def strips(portraits: Sequence[Portrait], colors: Mapping[str, int], browsed: Sequence[Browsed], write: Written) -> str:
    """Draw a strip for each dataset, with links from counts to captions."""
    listed = {one.label: one.listed for one in browsed}
    most = max((_reach(portrait) for portrait in portraits), default=1)
    drawn = "".join(
        _strip(portrait, colors.get(portrait.label, number), most, listed.get(portrait.label, {}), write)
        for number, portrait in enumerate(portraits)
    )
    several = " several" if len(portraits) > 1 else ""
    return f'<div class="strips{several}">\n{drawn}</div>\n'


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
    leads = {name: browsing.link(dataset=portrait.label, kind=kind) for name, kind in kinds.items() if kind in listed}
    counted_facts = "".join(
        f"<div><dd>{_led(write(value), leads.get(name), write)}</dd><dt>{write(name)}</dt></div>"
        for value, name in facts
    )
    splits = ", ".join(f"{name} {images:,}" for name, images in portrait.splits)
    parted = f"Images by split: {splits}" if splits else "No splits"
    return (
        f'<article class="strip"><h3 dir="auto"><span class="dot {color(number)}-box" aria-hidden="true"></span>'
        f"{write(portrait.label)}</h3>\n<dl>{counted_facts}</dl>\n"
        f'<p class="splits">{write(parted)}</p>\n{_lengths(portrait, number, most, write)}</article>\n'
    )


def _led(value: str, address: str | None, write: Written) -> str:
    """Link a count to its captions, if the page has some."""
    return value if address is None else f'<a href="{write(address)}">{value}</a>'


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
        f'{bars}<text x="0" y="{_HIGH + 11:g}">0</text>'
        f'<text x="{_WIDE:g}" y="{_HIGH + 11:g}" text-anchor="end">{most} words; few are longer</text></svg></figure>\n'
    )

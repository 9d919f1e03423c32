"""The first screen of a report: the findings that matter most as cards, each dataset at a glance, findings in full."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby

from auditor.findings import KINDS, title
from auditor.reports import cells
from auditor.reports.cells import Marked, apart
from auditor.reports.html.pictures import Album
from auditor.reports.html.plots import colour, dots
from auditor.result import Finding, counted
from auditor.result.document import Portrait

Written = Callable[[str], str]

#: Dots of the drawing of lengths; lengths beyond the last, of so small a share of the captions, are left out.
_WIDE, _HIGH, _TAIL = 220.0, 44.0, 0.005

#: What the name of a place in a page does without.
_NO_NAME = re.compile(r"[^\w.:-]")

#: How to read the one fact of a strip that does not say it itself.
_HOMOGENEITY = (
    "Homogeneity is by {}: 0 where each image has captions of its own, 1 where any caption would do for any image; "
    "between brackets its interval, 95 %."
)

_MARKS = {"error": "✕", "warning": "!", "notice": "•", "info": "•"}


def screen(
    cards: Sequence[Finding],
    portraits: Sequence[Portrait],
    colours: Mapping[str, int],
    album: Album,
    write: Written,
) -> str:
    """Draw the cards, the worst first, and a strip for each dataset."""
    drawn = "".join(_card(number, one, portraits, album, write) for number, one in enumerate(cards, 1))
    worst = f'<div class="cards">\n{drawn}</div>\n' if cards else ""
    most = max((_reach(one) for one in portraits), default=1)
    strips = "".join(_strip(one, colours.get(one.label, place), most, write) for place, one in enumerate(portraits))
    metric = next((one.metric for one in portraits if one.metric), None)
    told = f'<p class="caption">{write(_HOMOGENEITY.format(metric))}</p>\n' if metric else ""
    return f'{worst}<div class="strips">\n{strips}</div>\n{told}'


def _card(number: int, one: Finding, portraits: Sequence[Portrait], album: Album, write: Written) -> str:
    example = "".join(_quoted(one, example, album, write) for example in one.examples[:1])
    consequence = KINDS[one.kind].consequence
    return (
        f'<article class="card {one.severity}" aria-labelledby="card-{number}">\n'
        f'<p class="severity"><span aria-hidden="true">{_MARKS[one.severity]}</span> {one.severity}</p>\n'
        f'<h3 id="card-{number}">{write(title(one.kind))}{_whose(one, portraits, write)}</h3>\n'
        f'<p class="headline">{write(one.headline)}</p>\n'
        f'<p dir="auto">{write(_sentence(one))}</p>\n{example}'
        + (f'<p class="consequence">{write(consequence)}</p>\n' if consequence else "")
        + f'<p class="more"><a href="#finding-{_anchor(one)}">Evidence and what to do</a></p>\n</article>\n'
    )


def _whose(one: Finding, portraits: Sequence[Portrait], write: Written) -> str:
    name = one.about.get("dataset")
    return f" · <span>{write(str(name))}</span>" if name and len(portraits) > 1 else ""


def _sentence(one: Finding) -> str:
    """Leave out whose it is, which stands above."""
    name = one.about.get("dataset")
    whose, colon, said = one.sentence.partition(": ") if name else ("", ":", one.sentence)
    named = colon and whose.startswith(str(name or ""))
    return f"{said[:1].upper()}{said[1:]}." if named else f"{one.sentence}."


def _anchor(one: Finding) -> str:
    """Name a finding by all that it is about, so that no two are one; the content of a version says nothing more."""
    about = (part for name, part in one.about.items() if name != "version" and part is not None)
    return _NO_NAME.sub("-", "-".join(map(str, (one.kind, *about))))


def _quoted(one: Finding, example: Mapping[str, str | int | None], album: Album, write: Written) -> str:
    """Quote a caption, and the one it is beside, with the words marked in which they differ, each by its picture."""
    own, other = str(example.get("text") or ""), str(example.get("other_text") or "")
    picture = album.of_example(one, example)
    second = album.of_example(one, example, "other_") if bool(own) == bool(other) else ""
    if own and other:
        first, last = (marked(text, write) for text in apart(own, other))
        said, beside = _quotation(first, example, "", write), _quotation(last, example, "other_", write)
    elif own:
        said, beside = _quotation(write(own), example, "", write), ""
    else:
        said, beside = f'<p class="place">{write(str(example.get("image")))}</p>', ""
    beside += f'<p class="why">{write(str(why))}</p>' if (why := example.get("why")) else ""
    parts = [(picture, said), (second, beside)] if second else [(picture, said + beside)]
    return f'<div class="example">{"".join(_pictured(*part) for part in parts)}</div>\n'


def _pictured(picture: str, said: str) -> str:
    return f'<div class="pictured">{picture}<div>{said}</div></div>' if picture else said


def marked(text: Marked, write: Written) -> str:
    """Write a text with the words marked that the one beside it lacks."""
    return "".join(f"<mark>{write(words)}</mark>" if own else write(words) for words, own in text)


def _quotation(said: str, example: Mapping[str, str | int | None], which: str, write: Written) -> str:
    return f'<blockquote dir="auto">“{said}”<cite>{write(cells.place(example, which))}</cite></blockquote>'


def _strip(one: Portrait, number: int, most: int, write: Written) -> str:
    mean, (fewest, most_captions) = one.captions / max(one.images, 1), one.of_an_image
    of_each = (
        (f"{fewest:,}", "captions an image")
        if fewest == most_captions
        else (f"{mean:.2f}", f"captions an image ({fewest:,} to {most_captions:,})")
    )
    repeats = one.captions - one.distinct
    facts = [
        (f"{one.images:,}", "images"),
        (f"{one.captions:,}", "captions"),
        of_each,
        (f"{repeats:,}", "repeat another of their image"),
        (f"{one.length:.1f}", "words a caption"),
    ]
    if one.homogeneity is not None:
        between = f" ({one.low:.3f} to {one.high:.3f})" if one.low is not None and one.high is not None else ""
        facts.append((f"{one.homogeneity:.3f}", f"homogeneity{between}"))
    counted_facts = "".join(f"<div><dd>{write(value)}</dd><dt>{write(name)}</dt></div>" for value, name in facts)
    splits = ", ".join(f"{name} {images:,}" for name, images in one.splits)
    parted = f"Images by split: {splits}" if splits else "No splits"
    return (
        f'<article class="strip"><h3 dir="auto"><span class="dot {colour(number)}-box" aria-hidden="true"></span>'
        f"{write(one.label)}</h3>\n<dl>{counted_facts}</dl>\n"
        f'<p class="splits">{write(parted)}</p>\n{_lengths(one, number, most, write)}</article>\n'
    )


def _reach(one: Portrait) -> int:
    """Give the length that all but a few captions are within."""
    left = _TAIL * one.captions
    for length, captions in sorted(one.lengths, reverse=True):
        left -= captions
        if left < 0:
            return length
    return 1


def _lengths(one: Portrait, number: int, most: int, write: Written) -> str:
    """Draw how many captions have how many words, at the scale of all datasets."""
    shown = [(length, captions) for length, captions in one.lengths if length <= most]
    top = max((captions for _, captions in shown), default=1)
    step = _WIDE / (most + 1)
    bars = "".join(
        f'<rect class="{colour(number)}" x="{dots(length * step)}" y="{dots(_HIGH * (1 - captions / top))}"'
        f' width="{dots(max(step - 1, 1))}" height="{dots(_HIGH * captions / top)}"/>'
        for length, captions in shown
    )
    usual = max(one.lengths, key=lambda pair: pair[1], default=(0, 0))[0]
    says = f"Lengths of captions: most have {counted(usual, 'word', 'words')}; up to {most} are drawn"
    return (
        f'<figure class="lengths"><svg viewBox="0 0 {_WIDE:g} {_HIGH + 16:g}" role="img" aria-label="{write(says)}">'
        f'{bars}<text x="0" y="{_HIGH + 11:g}">0</text>'
        f'<text x="{_WIDE:g}" y="{_HIGH + 11:g}" text-anchor="end">{most} words; few are longer</text></svg></figure>\n'
    )


def listed(findings: Sequence[Finding], album: Album, write: Written, typed: Written) -> str:
    """Write every finding with its examples, open, and what to do; those that only answer a question last."""
    parts = [
        '<p class="search"><label for="search">Search the examples</label> '
        '<input type="search" id="search" autocomplete="off"></p>\n'
    ]
    for severity, some in groupby(findings, key=lambda one: one.severity):
        parts += [f'<h3 class="level">{write(severity.capitalize())}</h3>\n', *_full(some, album, write, typed)]
    return "".join(parts)


def _full(some: Iterable[Finding], album: Album, write: Written, typed: Written) -> Iterable[str]:
    for one in some:
        kind = KINDS[one.kind]
        examples = "".join(_quoted(one, example, album, write) for example in one.examples)
        advice = "" if one.severity == "info" else f'<p class="advice">{typed(kind.fix)}</p>\n'
        yield (
            f'<article class="finding {one.severity}" id="finding-{_anchor(one)}">\n'
            f'<h4>{write(title(one.kind))} <span class="number">{write(one.headline)}</span></h4>\n'
            f'<p dir="auto">{typed(one.sentence)}.</p>\n'
            + (f'<p class="consequence">{write(kind.consequence)}</p>\n' if kind.consequence else "")
            + (f'<div class="examples">{examples}</div>\n' if examples else "")
            + f"{advice}</article>\n"
        )

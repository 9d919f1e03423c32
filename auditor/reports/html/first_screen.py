"""The first screen of a report: the most important findings as cards, datasets at a glance, all findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby

from auditor.findings.wording import kind_for
from auditor.reports import cells
from auditor.reports.cells import Marked, apart
from auditor.reports.html.pictures import Album
from auditor.reports.html.plots import color, dots
from auditor.result import Finding, counted
from auditor.result.document import Portrait

Written = Callable[[str], str]

#: Dots of the drawing of lengths. The longest captions, up to this share of all, are left out.
_WIDE, _HIGH, _TAIL = 220.0, 44.0, 0.005

#: Characters that the name of an anchor excludes.
_NO_NAME = re.compile(r"[^\w.:-]")

#: How to read homogeneity, the only fact of a strip that needs an explanation.
_HOMOGENEITY = (
    "Homogeneity (metric {}): 0 if captions are unique to their image, 1 if any caption fits any image. "
    "The 95% confidence interval is in parentheses."
)

_MARKS = {"error": "✕", "warning": "!", "notice": "•", "info": "•"}


def screen(
    cards: Sequence[Finding],
    portraits: Sequence[Portrait],
    colors: Mapping[str, int],
    album: Album,
    write: Written,
) -> str:
    """Draw the cards, the worst first, and a strip for each dataset."""
    drawn = "".join(_card(number, finding, portraits, album, write) for number, finding in enumerate(cards, 1))
    worst = f'<div class="cards">\n{drawn}</div>\n' if cards else ""
    most = max((_reach(portrait) for portrait in portraits), default=1)
    strips = "".join(
        _strip(portrait, colors.get(portrait.label, number), most, write) for number, portrait in enumerate(portraits)
    )
    metric = next((portrait.metric for portrait in portraits if portrait.metric), None)
    legend = f'<p class="caption">{write(_HOMOGENEITY.format(metric))}</p>\n' if metric else ""
    return f'{worst}<div class="strips">\n{strips}</div>\n{legend}'


def _card(number: int, finding: Finding, portraits: Sequence[Portrait], album: Album, write: Written) -> str:
    example = "".join(_quoted(finding, example, album, write) for example in finding.examples[:1])
    kind = kind_for(finding)
    return (
        f'<article class="card {finding.severity}" aria-labelledby="card-{number}">\n'
        f'<p class="severity"><span aria-hidden="true">{_MARKS[finding.severity]}</span> {finding.severity}</p>\n'
        f'<h3 id="card-{number}">{write(kind.title)}{_whose(finding, portraits, write)}</h3>\n'
        f'<p class="headline">{write(finding.headline)}</p>\n'
        f'<p dir="auto">{write(_sentence(finding))}</p>\n{example}'
        + (f'<p class="consequence">{write(kind.consequence)}</p>\n' if kind.consequence else "")
        + f'<p class="more"><a href="#finding-{_anchor(finding)}">Evidence and what to do</a></p>\n</article>\n'
    )


def _whose(finding: Finding, portraits: Sequence[Portrait], write: Written) -> str:
    name = finding.about.get("dataset")
    return f" · <span>{write(str(name))}</span>" if name and len(portraits) > 1 else ""


def _sentence(finding: Finding) -> str:
    """Return the sentence without its dataset, which the heading names."""
    name = finding.about.get("dataset")
    whose, colon, rest = finding.sentence.partition(": ") if name else ("", ":", finding.sentence)
    named = colon and whose.startswith(str(name or ""))
    return f"{rest[:1].upper()}{rest[1:]}." if named else f"{finding.sentence}."


def _anchor(finding: Finding) -> str:
    """Return a unique anchor: the kind of a finding and its subject, without the hash of the version."""
    about = (part for name, part in finding.about.items() if name != "version" and part is not None)
    return _NO_NAME.sub("-", "-".join(map(str, (finding.kind, *about))))


def _quoted(finding: Finding, example: Mapping[str, str | int | None], album: Album, write: Written) -> str:
    """Quote a caption and the one compared with it, with their images and the words in which they differ marked."""
    own, other = str(example.get("text") or ""), str(example.get("other_text") or "")
    picture = album.of_example(finding, example)
    second = album.of_example(finding, example, "other_") if bool(own) == bool(other) else ""
    if own and other:
        first, last = (marked(text, write) for text in apart(own, other))
        quoted, beside = _quotation(first, example, "", write), _quotation(last, example, "other_", write)
    elif own:
        quoted, beside = _quotation(write(own), example, "", write), ""
    else:
        quoted, beside = f'<p class="place">{write(str(example.get("image")))}</p>', ""
    beside += f'<p class="why">{write(str(why))}</p>' if (why := example.get("why")) else ""
    parts = [(picture, quoted), (second, beside)] if second else [(picture, quoted + beside)]
    return f'<div class="example">{"".join(_pictured(*part) for part in parts)}</div>\n'


def _pictured(picture: str, quoted: str) -> str:
    return f'<div class="pictured">{picture}<div>{quoted}</div></div>' if picture else quoted


def marked(text: Marked, write: Written) -> str:
    """Write a text with the words marked that the other text lacks."""
    return "".join(f"<mark>{write(words)}</mark>" if own else write(words) for words, own in text)


def _quotation(quoted: str, example: Mapping[str, str | int | None], which: str, write: Written) -> str:
    return f'<blockquote dir="auto">“{quoted}”<cite>{write(cells.caption_place(example, which))}</cite></blockquote>'


def _strip(portrait: Portrait, number: int, most: int, write: Written) -> str:
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
        (f"{repeats:,}", "repeat another caption of their image"),
        (f"{portrait.length:.1f}", "words per caption"),
    ]
    if portrait.homogeneity is not None:
        between = (
            f" ({portrait.low:.3f} to {portrait.high:.3f})"
            if portrait.low is not None and portrait.high is not None
            else ""
        )
        facts.append((f"{portrait.homogeneity:.3f}", f"homogeneity{between}"))
    counted_facts = "".join(f"<div><dd>{write(value)}</dd><dt>{write(name)}</dt></div>" for value, name in facts)
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
        f'{bars}<text x="0" y="{_HIGH + 11:g}">0</text>'
        f'<text x="{_WIDE:g}" y="{_HIGH + 11:g}" text-anchor="end">{most} words; few are longer</text></svg></figure>\n'
    )


def listed(findings: Sequence[Finding], album: Album, write: Written, typed: Written) -> str:
    """Write every finding with its examples and advice, by severity; those of severity info last."""
    parts = [
        '<p class="search"><label for="search">Search the examples</label> '
        '<input type="search" id="search" autocomplete="off"></p>\n'
    ]
    for severity, group in groupby(findings, key=lambda finding: finding.severity):
        parts += [f'<h3 class="level">{write(severity.capitalize())}</h3>\n', *_full(group, album, write, typed)]
    return "".join(parts)


def _full(findings: Iterable[Finding], album: Album, write: Written, typed: Written) -> Iterable[str]:
    for finding in findings:
        kind = kind_for(finding)
        examples = "".join(_quoted(finding, example, album, write) for example in finding.examples)
        advice = "" if finding.severity == "info" else f'<p class="advice">{typed(kind.fix)}</p>\n'
        yield (
            f'<article class="finding {finding.severity}" id="finding-{_anchor(finding)}">\n'
            f'<h4>{write(kind.title)} <span class="number">{write(finding.headline)}</span></h4>\n'
            f'<p dir="auto">{typed(finding.sentence)}.</p>\n'
            + (f'<p class="consequence">{write(kind.consequence)}</p>\n' if kind.consequence else "")
            + (f'<div class="examples">{examples}</div>\n' if examples else "")
            + f"{advice}</article>\n"
        )

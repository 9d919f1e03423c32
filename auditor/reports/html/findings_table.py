"""All findings of a page as one table: a row per kind, a column per dataset. Evidence and advice unfold below a row."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from auditor.findings import CAPTION_KINDS, KINDS
from auditor.findings.wording import advice, kind_for, worded
from auditor.model import Selection
from auditor.reports import cells
from auditor.reports.cells import Marked, apart
from auditor.reports.html import browsing
from auditor.reports.html.pictures import Album
from auditor.result import SEVERITIES, Finding, percent

Written = Callable[[str], str]

Example = Mapping[str, str | int | None]

#: Characters that the name of an anchor excludes.
_NO_NAME = re.compile(r"[^\w.:-]")

_BREAK = re.compile(r"\s*\n\s*")

#: Characters around the hit of a quotation in the summary.
_NEAR = 40

_MARKS = {"error": "✕", "warning": "!", "notice": "•", "info": "•"}


def table(
    findings: Sequence[Finding],
    selections: Sequence[Selection],
    album: Album,
    write: Written,
    typed: Written | None = None,
    browsed: Collection[tuple[str, str]] = (),
) -> str:
    """Draw the findings, the worst first. `typed` writes advice; without it, rows link to the evidence elsewhere.

    A table of several datasets then has no examples.

    `browsed` are the datasets and kinds whose captions can be browsed.
    """
    kinds: dict[str, list[Finding]] = {}
    for finding in findings:
        kinds.setdefault(finding.kind, []).append(finding)
    heads = "".join(f'<th scope="col" class="number">{write(selection.label)}</th>' for selection in selections)
    brief = typed is None and len(selections) > 1
    heads += "" if brief else '<th scope="col" class="long">Example</th>'
    rows = "".join(
        _row(kinds[kind], cause, selections, write, browsed, brief=brief, cut=typed is None)
        + ("" if typed is None else _more(kinds[kind], len(selections) + 3, album, write, typed))
        for kind, cause in _by_cause(kinds)
    )
    return (
        '<div class="scroll" tabindex="0" role="group" aria-label="Findings">\n<table class="findings">\n<thead><tr>'
        f'<th scope="col">Severity</th><th scope="col">Finding</th>{heads}</tr></thead>\n'
        f"<tbody>\n{rows}</tbody>\n</table>\n</div>\n"
    )


def _by_cause(kinds: Mapping[str, Sequence[Finding]]) -> list[tuple[str, str | None]]:
    """Return each kind with the kind that explains it in all of its datasets, directly below that one.

    A kind does not explain a more severe one.
    """
    about = {kind: {finding.about.get("dataset") for finding in found} for kind, found in kinds.items()}
    causes = {
        result: cause
        for cause in kinds
        for result in KINDS[cause].explains
        if result in kinds and about[result] <= about[cause] and _severity(kinds[cause]) <= _severity(kinds[result])
    }
    ordered: list[tuple[str, str | None]] = []
    for kind in kinds:
        if kind not in causes:
            ordered += [(kind, None), *((result, kind) for result in kinds if causes.get(result) == kind)]
    return ordered


def _severity(found: Sequence[Finding]) -> int:
    return min(SEVERITIES.index(finding.severity) for finding in found)


def _row(
    found: Sequence[Finding],
    cause: str | None,
    selections: Sequence[Selection],
    write: Written,
    browsed: Collection[tuple[str, str]],
    *,
    brief: bool,
    cut: bool,
) -> str:
    severity, kind = SEVERITIES[_severity(found)], kind_for(found[0])
    beside = [f"about {kind.right:.0%} of finds are correct"] if kind.right < 1 else []
    beside += [f"may follow from: {worded(KINDS[cause].title, found[0].item)}"] if cause else []
    note = f"<small>{write('; '.join(beside))}</small>" if beside else ""
    whole = [finding for finding in found if finding.about.get("dataset") is None]
    if whole:
        numbers = f'<td colspan="{len(selections)}">{"<br>".join(_number(finding, write) for finding in whole)}</td>'
    else:
        columns = (
            [
                _number(one, write, selection.label if (selection.label, one.kind) in browsed else None)
                for one in _of(selection, found, selections)
            ]
            for selection in selections
        )
        numbers = "".join(f'<td class="number">{"<br>".join(column)}</td>' for column in columns)
    quote = partial(_quote, write=write) if cut else partial(_quoted, album=None, write=write)
    example = next((quote(finding, finding.examples[0]) for finding in found if finding.examples), "")
    if not example and not cause and kind.consequence:
        example = f"<p>{write(kind.consequence)}</p>"
    result = ' class="result"' if cause else ""
    link = f'href="#finding-{found[0].kind}" title="{write(kind.consequence)}"'
    named = f"<a {link}>{write(kind.title)}</a>"
    last = "" if brief else f'<td class="long">{example}</td>'
    return (
        f'<tr{result}><td class="severity {severity}"><span aria-hidden="true">{_MARKS[severity]}</span> '
        f'<span class="word">{severity}</span></td><th scope="row">{named}{note}</th>'
        f"{numbers}{last}</tr>\n"
    )


def _of(selection: Selection, found: Sequence[Finding], selections: Sequence[Selection]) -> list[Finding]:
    """Return the findings on a dataset, or on its split if several splits have columns."""
    name = selection.version.dataset
    own = [finding for finding in found if finding.about.get("dataset") == name]
    parts = [one for one in selections if one.version.dataset == name]
    return own if len(parts) == 1 else [one for one in own if one.about.get("split") in (selection.split, None)]


def _number(finding: Finding, write: Written, label: str | None = None) -> str:
    """Write the count and the share of a finding, linked to its captions or else to its evidence."""
    where = browsing.link(dataset=label, kind=finding.kind) if label else f"#finding-{anchor(finding)}"
    of = CAPTION_KINDS[finding.kind].of if finding.kind in CAPTION_KINDS else "captions"
    count, part = finding.values.get(of), finding.values.get("share")
    if count is not None and part is not None and not isinstance(count, str):
        number, beside = (
            f"{int(count):,}",
            f"{worded(of, finding.item) if of != 'captions' else ''} {percent(float(part))}",
        )
    else:
        number, beside = finding.headline, ""
    small = f" <small>{write(beside.strip())}</small>" if beside else ""
    return f'<a href="{write(where)}">{write(number or "found")}</a>{small}'


def _more(found: Sequence[Finding], wide: int, album: Album, write: Written, typed: Written) -> str:
    """Write the evidence of a kind: its sentence and examples by dataset, its consequence, and what to do."""
    kind = kind_for(found[0])
    parts = [f'<p class="consequence">{write(kind.consequence)}</p>\n'] if kind.consequence else []
    for finding in found:
        examples = "".join(_quoted(finding, example, album, write) for example in finding.examples)
        parts.append(
            f'<div class="finding" id="finding-{anchor(finding)}">\n<p dir="auto">{typed(finding.sentence)}.</p>\n'
            + (f'<div class="examples">{examples}</div>\n' if examples else "")
            + "</div>\n"
        )
    parts += (
        [f'<p class="advice">{typed(advice(found[0]))}</p>\n'] if any(one.severity != "info" for one in found) else []
    )
    return (
        f'<tr class="more"><td colspan="{wide}"><details id="finding-{found[0].kind}">\n'
        f"<summary>Evidence and what to do: {write(kind.title)}</summary>\n{''.join(parts)}</details></td></tr>\n"
    )


def anchor(finding: Finding) -> str:
    """Return a unique anchor: the kind of a finding and its subject, without the hash of the version."""
    about = (part for name, part in finding.about.items() if name != "version" and part is not None)
    return _NO_NAME.sub("-", "-".join(map(str, (finding.kind, "of", *about))))


def _quote(_: Finding, example: Example, write: Written) -> str:
    """Quote the words around the hit of a caption; the image if there is none."""
    text = str(example.get("text") or "")
    hit = cells.cut(cells.hit(text, str(example.get("why") or "")), _NEAR)
    other = f"also: {cells.caption_place(example, 'other_')}" if example.get("other_image") else ""
    small = f" <small>{write(other or str(example.get('why') or ''))}</small>" if other or len(hit) == 1 else ""
    return f'<p dir="auto">“{marked(hit, write)}”{small}</p>' if text else f"<p>{write(str(example.get('image')))}</p>"


def _quoted(finding: Finding, example: Example, album: Album | None, write: Written) -> str:
    """Quote a caption, cut around its hit, or two with the words in which they differ marked; with their images."""
    own, other = str(example.get("text") or ""), str(example.get("other_text") or "")
    picture = album.of_example(finding, example) if album else ""
    second = album.of_example(finding, example, "other_") if album and bool(own) == bool(other) else ""
    if own and other:
        first, last = (marked(cells.cut(text), write) for text in apart(own, other))
        quoted, beside = _quotation(first, example, "", write), _quotation(last, example, "other_", write)
    elif own:
        shown = marked(cells.cut(cells.hit(own, str(example.get("why") or ""))), write)
        quoted, beside = _quotation(shown, example, "", write), ""
    else:
        quoted, beside = f'<p class="place">{write(str(example.get("image")))}</p>', ""
    beside += f'<p class="why">{write(str(why))}</p>' if (why := example.get("why")) else ""
    parts = [(picture, quoted), (second, beside)] if second else [(picture, quoted + beside)]
    return f'<div class="example">{"".join(_pictured(*part) for part in parts)}</div>\n'


def _pictured(picture: str, quoted: str) -> str:
    return f'<div class="pictured">{picture}<div>{quoted}</div></div>' if picture else quoted


def marked(text: Marked, write: Written) -> str:
    """Write a text with its marked words; a marked end of a paragraph gets a sign."""
    return "".join(f"<mark>{write(_BREAK.sub(' ¶ ', words))}</mark>" if own else write(words) for words, own in text)


def _quotation(quoted: str, example: Example, which: str, write: Written) -> str:
    return f'<blockquote dir="auto">“{quoted}”<cite>{write(cells.caption_place(example, which))}</cite></blockquote>'

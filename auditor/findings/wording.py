"""The word of a dataset for what its captions describe, in sentences that are written for images."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace

import polars as pl

from auditor import findings
from auditor.findings import tallies
from auditor.model import Source
from auditor.result import IMAGE, SEVERITIES, Finding, Said, Sentence, joined

#: Quoted captions and commands, which stay as they are.
_QUOTED = re.compile(r"(“[^”]*”|`[^`]*`)")

#: The endings of files, by what they hold.
_ENDINGS = {"sound": r"(?i)\.(wav|mp3|flac|ogg|m4a|aac|opus)$", "video": r"(?i)\.(mp4|avi|mkv|webm|mov|mpe?g)$"}

_LOOKED_AT = 1_000

#: Most findings that a sentence names.
_AT_MOST = 3

#: The kind whose findings are info if they are as many as chance explains.
LEAK = "near-duplicate-across-splits"

_WORD = re.compile(r"(?<![\w./#-])(?P<article>[Aa]n )?(?P<word>[Ii]mage)(?P<more>s?)(?![-./#]?\w)")


def item_of(source: Source | None, names: pl.Series) -> str:
    """Return the word for what captions describe: the declared one, else that of most file names, else `image`."""
    if source is not None and source.item:
        return source.item
    shares = {item: names.head(_LOOKED_AT).str.contains(ending).mean() for item, ending in _ENDINGS.items()}
    return next((item for item, share in shares.items() if isinstance(share, float) and share > 0.5), IMAGE)


def worded(text: str, item: str) -> str:
    """Return a text with `item` for image, outside of quotes: `an image`, `images` become `a sound`, `sounds`."""
    if item == IMAGE:
        return text
    if isinstance(text, Sentence):
        finding = of_item(text.finding, item) if isinstance(text.finding, Finding) else None
        return Sentence(worded(text.text, item), text.role, finding, text.label)

    def named(match: re.Match[str]) -> str:
        article = match["article"] or ""
        if article and item[0] not in "aeiou":
            article = f"{article[0]} "
        word = _several(item) if match["more"] else item
        return article + (word.capitalize() if match["word"] == "Image" else word)

    pieces = _QUOTED.split(text)
    return "".join(piece if number % 2 else _WORD.sub(named, piece) for number, piece in enumerate(pieces))


def _several(item: str) -> str:
    """Return the plural of a regular noun: sounds, sketches, galaxies."""
    if re.search("[^aeiou]y$", item):
        return f"{item[:-1]}ies"
    return f"{item}es" if re.search("(s|x|z|ch|sh)$", item) else f"{item}s"


def of_item(finding: Finding, item: str) -> Finding:
    """Return a finding in the words of its dataset."""
    if item == IMAGE:
        return finding
    sentence, headline = worded(finding.sentence, item), worded(finding.headline, item)
    examples = tuple({**one, "why": _reason(one["why"], item)} if "why" in one else one for one in finding.examples)
    return replace(finding, sentence=sentence, headline=headline, item=item, examples=examples)


def _reason(why: str | int | None, item: str) -> str | int | None:
    """Return the reason of an example in the words of its dataset; what it quotes of the caption stays as it is."""
    name, colon, quoted = str(why).partition(": ")
    return f"{worded(name, item)}{colon}{quoted}" if colon else why


def said_of(remarks: Iterable[Said], item: str) -> list[Said]:
    """Return remarks in the words of their dataset."""
    return [of_item(said, item) if isinstance(said, Finding) else worded(said, item) for said in remarks]


def advice(finding: Finding, ref: str = "") -> str:
    """Return what to do about a finding, with commands for its dataset or for another reference to it."""
    name = ref or str(finding.about.get("dataset") or "DATASET")
    return finding.advice or kind_for(finding).fix.replace("DATASET", shlex.quote(name))


def kind_for(finding: Finding) -> findings.Kind:
    """Return the kind of a finding, with its texts in the words of the dataset; chance has no consequence."""
    kind = findings.KINDS[finding.kind]
    if finding.kind == LEAK and finding.severity == "info":
        kind = replace(kind, consequence="")
    if finding.item == IMAGE:
        return kind
    title, consequence, fix = (worded(text, finding.item) for text in (kind.title, kind.consequence, kind.fix))
    return replace(kind, title=title, consequence=consequence, fix=fix)


def wrong(label: str, findings: Sequence[Finding]) -> str:
    """Return a sentence on what is wrong with a dataset: its errors and warnings, with the worst in words."""
    bad = [finding for finding in findings if finding.severity in SEVERITIES[:2]]
    if not bad:
        return f"No errors or warnings were found in {label}."
    worst = [finding for finding in bad if finding.severity == bad[0].severity][:_AT_MOST]
    named = ", ".join(f"{kind_for(finding).title}: {_affected(finding)}" for finding in worst)
    first, *rest = tallies(bad)
    return f"{label} has {joined([f'{first} ({named})', *rest])}."


def _affected(finding: Finding) -> str:
    """Write the share of captions that a finding affects, or else its main number with what it counts."""
    part = finding.values.get("share") if findings.KINDS[finding.kind].dimension else None
    return finding.headline if not isinstance(part, float) or part < 0.01 else f"{part:.0%}"

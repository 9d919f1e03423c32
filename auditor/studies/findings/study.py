"""What is wrong with the captions, how bad is it, and which are they? One list of all studies' findings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.config import sources
from auditor.errors import SourceError, UsageError
from auditor.findings import KINDS, ranked, tally, worst
from auditor.model import Progress, Selection, silent
from auditor.result import SEVERITIES, Finding, Result, Severity, Table, about, listed
from auditor.scoring.registry import requests
from auditor.scoring.scores import unreadable
from auditor.store.captions import Captions, select_all, selections_of
from auditor.store.connection import Store
from auditor.store.versions import log
from auditor.studies.compare import UNEQUAL, unequal_captions
from auditor.studies.findings.captions import keep, of_captions
from auditor.studies.findings.others import told, unasked
from auditor.studies.findings.questions import Questions
from auditor.text import AUTO

#: What is told of images that several people described.
_OF_DESCRIPTIONS = ("padded-images", "uneven-captions", "copied-images")

_CHOICES = "choices"

_UNREADABLE, _COLLAPSE = "metrics-not-for-language", "vocabulary-collapse"

#: A version has lost its words that has so many of the captions of the one before, and so few of its different words.
_CAPTIONS, _WORDS, _HALF = 0.9, 0.8, 0.5

_SHOWN = 5

Kinds = Annotated[
    Sequence[str] | None,
    p.Parameter("Kind of finding, such as placeholders; repeat for more; default: all.", "kind", "k"),
]

Words = Annotated[Path | None, p.Parameter("File of words that no caption should hold, one a line: a profanity list.")]

CaptionsOnly = Annotated[
    bool, p.Parameter("Look at captions one by one only: no search for duplicates, outliers, templates, bounds.")
]

FailOn = Annotated[str | None, p.Parameter("Exit with 1 where a finding is as bad: error, warning or notice.")]


def findings(
    store: Store,
    *refs: p.Refs,
    kinds: Kinds = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    words: Words = None,
    captions_only: CaptionsOnly = False,
    fail_on: FailOn = None,
    seed: p.Seed = 1,
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """Find what is wrong with the captions, the worst first.

    Looks at every caption for what a curator would mend: placeholders, personal data, mark-up, broken characters,
    another language or script, captions that break off or repeat themselves, misspellings, images copied or padded.
    Then asks `duplicates`, `outliers`, `templates` and `bounds`, and ranks what all of them found, the worst first.

    How to read it: an error is wrong for certain, or spoils numbers made from the captions; a warning wants a look
    before the data are used; a notice is worth knowing; info answers the question and is no fault. Each kind has its
    page in docs/findings.md: how it is measured, how often it is wrong, what to do. Rows list the captions, so that a
    file can be mended and ingested again.

    Limits: words only, no picture is looked at. What was not looked for is said in the notes.

    Raises `UsageError` for a kind or severity that does not exist.

    Examples: auditor findings flickr8k · auditor findings mine --fail-on error -o list.csv
    """
    if fail_on is not None and fail_on not in SEVERITIES:
        raise UsageError(f"--fail-on {fail_on}: expected {', '.join(SEVERITIES[:-1])} or {SEVERITIES[-1]}")
    wanted = _wanted(kinds)
    selected = select_all(store, refs, split, tokenizer, progress=progress)
    list_of_words = _words(words)
    declared = {} if captions_only else sources(config) or {}
    questions = Questions(store, selections_of(selected), selected[0].tokenizer, seed, declared, progress)
    found = all_findings(questions, wanted, list_of_words, captions_only=captions_only)
    bad = worst(found.findings)
    fails = fail_on is not None and bad is not None and SEVERITIES.index(bad) <= SEVERITIES.index(fail_on)
    return replace(found, holds=False if fails else None, notes=(*selected[0].notes, *found.notes))


def all_findings(
    questions: Questions,
    wanted: Sequence[str] = tuple(KINDS),
    words: Sequence[str] = (),
    *,
    captions_only: bool = False,
) -> Result:
    """Return what is found in all selections, the worst first: in their captions, then by the other studies."""
    found, lists, notes = list[Finding](), list[pl.DataFrame](), list[str]()
    for selection in questions.selections:
        of_items = selection.version.kind == _CHOICES
        looked_for = _of_single(wanted) if of_items else wanted
        make = partial(_of_captions, questions, selection, looked_for, words)
        own = questions.keep(f"findings {selection.label}", make, [selection])
        lists.append(own.frame)
        notes += own.notes
        found += own.findings
        if captions_only:
            continue
        notes += unasked(questions.store, selection)
        others = _of_items(questions, selection, wanted, notes) if of_items else told(questions, selection, wanted)
        found += others
        keep(questions.store, selection, wanted, own.frame, ranked([*own.findings, *others]))
    if len(questions.in_pairs) > 1 and UNEQUAL in wanted and not captions_only:
        found += unequal_captions(questions.store, questions.in_pairs, questions.references)
    ordered = ranked(dict.fromkeys(found))  # parts of one dataset share what is found in all of it
    told_of = pl.DataFrame(
        [(str(one.about.get("dataset")), one.kind) for one in ordered],
        schema={"dataset": pl.String, "kind": pl.String},
        orient="row",
    )
    return Result(
        "findings",
        pl.concat(lists).join(told_of, on=["dataset", "kind"], how="semi", maintain_order="left"),
        selections=questions.selections,
        tables=_tables(ordered),
        lead=(f"{tally(ordered) or 'Nothing was found'}. `auditor findings -o FILE.csv` lists the captions.",),
        notes=tuple(dict.fromkeys([*notes, *questions.absent.values()])),
        findings=ordered,
    )


def _of_captions(questions: Questions, selection: Selection, wanted: Sequence[str], words: Sequence[str]) -> Result:
    """Return what is found in the captions of a selection, one by one and as a whole, with their list."""
    captions, progress = Captions(questions.store, selection, questions.tokenizer), questions.progress
    own, rows, unasked = of_captions(captions, words, wanted, progress)
    found = (*own, *_of_whole(captions, wanted, progress))
    return Result("findings", rows, selections=(selection,), notes=tuple(unasked), findings=found)


def _words(file: Path | None) -> list[str]:
    """Read a list of words. Raises `SourceError` for a file that cannot be read."""
    try:
        return [] if file is None else file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise SourceError(f"--words {file}: expected a file of UTF-8 text, a word a line: {error}") from error


def _wanted(kinds: Sequence[str] | None) -> Sequence[str]:
    for kind in kinds or ():
        if kind not in KINDS:
            raise UsageError(f"--kind {kind}: no such kind of finding; docs/findings.md lists them")
    return tuple(kinds) if kinds else tuple(KINDS)


def _tables(found: Sequence[Finding]) -> tuple[Table, ...]:
    """Show every finding in a row, the worst first, then examples of each that has any."""
    rows = [(finding.severity, finding.kind, finding.sentence, KINDS[finding.kind].consequence) for finding in found]
    summary = pl.DataFrame(rows, schema=["severity", "kind", "finding", "consequence"], orient="row")
    examples = [
        Table(f"{finding.kind}: examples", _columns(finding), name=f"{finding.kind}/{place}", tells_findings=True)
        for place, finding in enumerate(found)
        if finding.examples
    ]
    listed = Table("findings, the worst first", summary, sections="severity", name="findings", tells_findings=True)
    return (listed, *examples)


def _columns(finding: Finding) -> pl.DataFrame:
    frame = pl.DataFrame(finding.examples, infer_schema_length=None)
    return frame.select(column for column in frame.get_columns() if column.null_count() < frame.height)


def _of_single(wanted: Sequence[str]) -> list[str]:
    """Name the kinds that can be looked for in the captions of items."""
    return [kind for kind in wanted if kind not in _OF_DESCRIPTIONS]


def _of_items(questions: Questions, selection: Selection, wanted: Collection[str], notes: list[str]) -> list[Finding]:
    """Return what decides the items without their images; `notes` report what was not asked, and why."""
    notes.append(
        f"{selection.label}: forced-choice items: repeated, uneven, misplaced captions and templates are not looked for"
    )
    result = questions.choices(selection)
    if result is None:
        return []
    notes += result.notes
    return [finding for finding in result.findings if finding.kind in wanted]


def _of_whole(captions: Captions, wanted: Collection[str], progress: Progress) -> list[Finding]:
    """Return the findings on a dataset as a whole, of the kinds that are wanted."""
    found = _unreadable(captions) if _UNREADABLE in wanted else []
    return [*found, *(_collapsed(captions, progress) if _COLLAPSE in wanted else ())]


def _unreadable(captions: Captions) -> list[Finding]:
    selection, every = captions.selection, requests(None)
    reasons = unreadable(captions.store, selection, every)
    if not reasons:
        return []
    first, why = next(iter(reasons.items()))
    said = f"{selection.label}: metrics that cannot read these captions: {listed([*reasons], _SHOWN)} ({first}: {why})"
    values, headline = {"metrics": len(reasons)}, f"{len(reasons)} of {len(every)} metrics"
    return [Finding(_UNREADABLE, said, about(selection), values, len(every), "notice", headline=headline)]


def _collapsed(captions: Captions, progress: Progress) -> list[Finding]:
    """Compare the different words of a version with those of the one before, where it has hardly fewer captions."""
    selection, version = captions.selection, captions.selection.version
    before = [one for one in log(captions.store, version.dataset) if one.seq < version.seq]
    if not before or selection.split is not None or selection.draw is not None:
        return []
    earlier = captions.like(Selection(max(before, key=lambda one: one.seq)))
    had, has = (_counted(some) for some in (earlier.tokenize(progress), captions))
    if has["captions"] < _CAPTIONS * had["captions"] or has["types"] >= _WORDS * had["types"]:
        return []
    kept = has["types"] / had["types"]
    severity: Severity = "error" if kept < _HALF else "warning"
    said = (
        f"{selection.label}: {has['types']:,.0f} different words, where {earlier.label} had {had['types']:,.0f}, in "
        f"{has['captions']:,.0f} captions ({had['captions']:,.0f})"
    )
    values = {"words": int(has["types"]), "words_before": int(had["types"]), "share_kept": kept}
    headline = f"{kept:.0%} of the different words"
    return [Finding(_COLLAPSE, said, about(selection), values, int(has["captions"]), severity, headline=headline)]


def _counted(captions: Captions) -> dict[str, float]:
    return dict(captions.facts().rows("profile").select("statistic", "value").iter_rows())

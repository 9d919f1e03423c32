"""What is wrong with the captions, how bad is it, and which are they? One list of all studies' findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.config import sources
from auditor.errors import AuditorError, SourceError, UsageError
from auditor.findings import KINDS
from auditor.findings.severity import ranked, worst
from auditor.model import Progress, Selection, Source, silent
from auditor.result import SEVERITIES, Finding, Result, Table
from auditor.scoring.writing import chooses_tokenizer
from auditor.store import tokens
from auditor.store.connection import Store
from auditor.store.versions import resolve_all
from auditor.studies.bounds import bounds
from auditor.studies.duplicates import duplicates
from auditor.studies.findings import items
from auditor.studies.findings.listed import keep, of_captions
from auditor.studies.findings.others import METRICS, Answers, playing, told, unasked
from auditor.studies.findings.whole import of_whole
from auditor.studies.outliers import outliers
from auditor.studies.templates import templates
from auditor.text import AUTO, tokenizer_of

Kinds = Annotated[
    Sequence[str] | None,
    p.Parameter("Kind of finding, such as placeholders; repeat for more; default: all.", "kind", "k"),
]

Words = Annotated[Path | None, p.Parameter("File of words that no caption should hold, one a line: a profanity list.")]

CaptionsOnly = Annotated[
    bool, p.Parameter("Look at captions one by one only: no search for duplicates, outliers, templates, bounds.")
]

FailOn = Annotated[str | None, p.Parameter("Exit with 1 where a finding is as bad: error, warning or notice.")]


@chooses_tokenizer("refs")
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
    selections = resolve_all(store, refs, split)
    tokens.provide(store, selections, tokenizer, tokenizer_of(tokenizer), progress)
    list_of_words = _words(words)
    declared = {} if captions_only else sources(config)
    found: list[Finding] = []
    lists, notes = [], []
    for selection in selections:
        before = len(found)
        of_items = selection.version.kind == items.KIND
        looked_for = items.of_single(wanted) if of_items else wanted
        own, rows, unasked = of_captions(store, selection, tokenizer, list_of_words, looked_for, progress)
        found += [*own, *of_whole(store, selection, tokenizer, wanted, progress)]
        lists.append(rows)
        notes += unasked
        if of_items and not captions_only:
            found += items.of_items(store, selection, tokenizer, seed, wanted, progress, notes)
        elif not captions_only:
            answers = asking(store, selection, tokenizer, seed, declared, progress, notes)
            found += told(answers, wanted)
        if not captions_only:
            keep(store, selection, wanted, rows, ranked(found[before:]))
    ordered = ranked(found)
    told_of = pl.DataFrame(
        [(str(one.about.get("dataset")), one.kind) for one in ordered],
        schema={"dataset": pl.String, "kind": pl.String},
        orient="row",
    )
    bad = worst(ordered)
    fails = fail_on is not None and bad is not None and SEVERITIES.index(bad) <= SEVERITIES.index(fail_on)
    return Result(
        "findings",
        pl.concat(lists).join(told_of, on=["dataset", "kind"], how="semi", maintain_order="left"),
        selections=selections,
        tables=_tables(ordered),
        notes=tuple(dict.fromkeys(notes)),
        findings=ordered,
        holds=False if fails else None,
    )


def asking(
    store: Store,
    selection: Selection,
    tokenizer: str,
    seed: int,
    declared: Mapping[str, Source],
    progress: Progress,
    notes: list[str],
) -> Answers:
    """Ask the other studies of a selection; where one cannot answer, `notes` say why."""
    ref = selection.pinned_name
    alone = unasked(store, selection)
    notes += alone

    def answer(study: Callable[..., Result], ref: str = ref, **settings: object) -> Result | None:
        try:
            return study(store, ref, progress=progress, **settings)
        except AuditorError as error:
            notes.append(f"{study.__name__}: {error}")
            return None

    return Answers(
        selection,
        lambda: answer(duplicates, config=declared),
        lambda role: answer(
            duplicates,
            replace(selection, split=playing(role, store, selection, declared)).pinned_name,
            config=declared,
            examples=0,
        ),
        lambda: None if alone else answer(outliers, tokenizer=tokenizer),
        lambda: answer(templates, tokenizer=tokenizer),
        lambda: (
            None
            if alone
            else answer(bounds, tokenizer=tokenizer, metrics=METRICS, candidates=("human", "intra"), seed=seed)
        ),
    )


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
    rows = [(one.severity, one.kind, one.sentence, KINDS[one.kind].consequence) for one in found]
    summary = pl.DataFrame(rows, schema=["severity", "kind", "finding", "consequence"], orient="row")
    examples = [
        Table(f"{one.kind}: examples", _columns(one), name=f"{one.kind}/{place}", tells_findings=True)
        for place, one in enumerate(found)
        if one.examples
    ]
    listed = Table("findings, the worst first", summary, sections="severity", name="findings", tells_findings=True)
    return (listed, *examples)


def _columns(one: Finding) -> pl.DataFrame:
    frame = pl.DataFrame(one.examples, infer_schema_length=None)
    return frame.select(column for column in frame.get_columns() if column.null_count() < frame.height)

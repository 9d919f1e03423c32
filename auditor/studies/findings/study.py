"""What is wrong with the captions, how bad is it, and which are they? One list of all studies' findings."""

from __future__ import annotations

from collections.abc import Sequence
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
from auditor.result import SEVERITIES, Finding, Result, Table
from auditor.scoring.writing import chooses_tokenizer
from auditor.store import tokens
from auditor.store.connection import Store
from auditor.store.versions import resolve_all
from auditor.studies.compare import UNEQUAL, unequal_captions
from auditor.studies.findings import items
from auditor.studies.findings.listed import keep, of_captions
from auditor.studies.findings.others import told, unasked
from auditor.studies.findings.questions import Questions
from auditor.studies.findings.whole import of_whole
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
    declared = {} if captions_only else sources(config) or {}
    questions = Questions(store, selections, tokenizer, seed, declared, progress)
    found = all_findings(questions, wanted, list_of_words, captions_only=captions_only)
    bad = worst(found.findings)
    fails = fail_on is not None and bad is not None and SEVERITIES.index(bad) <= SEVERITIES.index(fail_on)
    return replace(found, holds=False if fails else None)


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
        of_items = selection.version.kind == items.KIND
        looked_for = items.of_single(wanted) if of_items else wanted
        make = partial(_of_captions, questions, selection, looked_for, words)
        own = questions.keep(f"findings {selection.label}", make, [selection])
        lists.append(own.frame)
        notes += own.notes
        found += own.findings
        if captions_only:
            continue
        notes += unasked(questions.store, selection)
        others = items.of_items(questions, selection, wanted, notes) if of_items else told(questions, selection, wanted)
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
    store, tokenizer, progress = questions.store, questions.tokenizer, questions.progress
    own, rows, unasked = of_captions(store, selection, tokenizer, words, wanted, progress)
    found = (*own, *of_whole(store, selection, tokenizer, wanted, progress))
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

"""Find problems in the captions, ranked by severity: one list of the findings of all studies."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import forms, question
from auditor.called import call
from auditor.config import checks, sources
from auditor.errors import SourceError, UsageError
from auditor.files import read_text
from auditor.findings import KINDS, declare, not_kept, ranked, refuse_unknown, searched_by_default, tally, told, worst
from auditor.findings.wording import item_of, of_item
from auditor.model import Progress, Selection, silent
from auditor.result import IMAGE, SEVERITIES, Finding, Result, Sentence, Table, counted
from auditor.scoring.scale_out.executors import executing, force_of
from auditor.scoring.scale_out.ranks import Rank
from auditor.steps import Steps
from auditor.store.captions import Captions, select_all, selections_of
from auditor.store.connection import Store
from auditor.store.versions import related, resolve
from auditor.studies.compare import UNEQUAL, unequal_captions
from auditor.studies.findings import dimensions
from auditor.studies.findings.baseline import Baseline, read, write
from auditor.studies.findings.captions import keep, of_captions
from auditor.studies.findings.listed import listed_of
from auditor.studies.findings.located import located
from auditor.studies.findings.others import STUDIES, findings_of, incomparable
from auditor.studies.findings.protected import CONTAMINATED, versions_of_one
from auditor.studies.findings.questions import Questions
from auditor.studies.findings.whole import of_whole
from auditor.text import AUTO

#: Kinds that apply only to images with several independent descriptions.
_OF_DESCRIPTIONS = ("padded-images", "uneven-captions", "copied-images")

_CHOICES = "choices"

Kinds = Annotated[
    Sequence[str] | None,
    p.Parameter(
        "Kind of finding, such as placeholders, or a check of datasets.toml; repeat for more; default: all.",
        "kind",
        "k",
    ),
]

Words = Annotated[Path | None, p.Input("File of unwanted words, one per line, such as a profanity list.")]

Against = Annotated[
    str | None, p.Parameter("Dataset whose captions must not occur here, such as a test set.", completes="dataset")
]

CaptionsOnly = Annotated[
    bool, p.Parameter("Run per-caption checks only. Skips duplicates, outliers, templates and bounds (faster).")
]

Verdicts = Annotated[
    Path,
    p.Folder("Check Parquet files in stages, and write a verdict per row to this new folder.", panel=p.BY_FILES),
]

Carried = Annotated[str | None, p.Parameter("Columns that verdicts have, too: uid,url.", "columns", panel=p.BY_FILES)]

RankNumber = Annotated[
    int | None,
    p.Parameter(
        "By files: the number of this command, from 0 on, if several share --work. They can start in any order.",
        "rank",
        least=0,
        panel=p.BY_FILES,
    ),
]

Ranks = Annotated[
    int | None,
    p.Parameter("By files: how many commands share --work.", "of", least=1, needs="rank", panel=p.BY_FILES),
]

FailOn = Annotated[
    str | None,
    p.Parameter(
        "Exit with code 1 if any finding has this severity or worse: error, warning or notice.", choices=SEVERITIES
    ),
]

BaselineFile = Annotated[Path | None, p.Input("File of known findings. Only new ones count.", "baseline")]

WriteBaseline = Annotated[
    bool, p.Parameter("Write all findings to the file of --baseline. They are then known.", needs="known")
]


#: The file of the command that lists captions.
_LISTING = "findings.csv"


@question
def in_store(
    store: Store,
    *refs: p.Refs,
    kinds: Kinds = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    words: Words = None,
    against: Against = None,
    captions_only: CaptionsOnly = False,
    fail_on: FailOn = None,
    known: BaselineFile = None,
    write_baseline: WriteBaseline = False,
    seed: p.Seed = 1,
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """Find problems in the captions of datasets in the store, for `auditor findings`."""
    if write_baseline and fail_on is not None:
        raise UsageError("--write-baseline: all findings are known from then on, so none can fail: leave out --fail-on")
    baseline = None if known is None or (write_baseline and not known.exists()) else read(known)
    wanted, other = _wanted(kinds, against, declare(checks(config))), resolve(store, against) if against else None
    selected = select_all(store, refs, split, tokenizer, progress=progress)
    list_of_words = _words(words)
    declared = {} if captions_only else sources(config)
    questions = Questions(tuple(selected), seed, declared, progress)
    asked = {"kinds": kinds, "tokenizer": tokenizer, "split": split, "words": words, "against": against, "seed": seed}
    asked |= {"captions_only": captions_only, "known": known if baseline else None, "output": _LISTING}
    result = all_findings(
        questions, wanted, list_of_words, other, captions_only=captions_only, by_name=kinds or (),
        listing=call("findings", *refs, **asked),
    )  # fmt: skip
    if other is not None:
        same = [said for one in selected for said in versions_of_one(store, one.selection, other)]
        result = replace(result, lead=(*result.lead[:1], *same, *result.lead[1:]))
    notes = selected[0].notes
    if known is not None and write_baseline:
        write(known, result.findings, result.frame)
        size = counted(result.frame.height, "row", "rows")
        written = f"written: {known}, {tally(result.findings)}, with {size}"
        return replace(result, notes=(*notes, *result.notes, written))
    result = _failing(result if baseline is None else _new(result, baseline), fail_on)
    return replace(result, notes=(*notes, *result.notes))


@question
def in_stages(
    store: Store,
    *refs: p.Refs,
    verdicts: Verdicts,
    kinds: Kinds = None,
    tokenizer: p.Tokenizer = AUTO,
    words: Words = None,
    against: Against = None,
    fail_on: FailOn = None,
    work: p.WorkFolder = None,
    executor: p.Executor = None,
    workers: p.Workers = None,
    address: p.Address = None,
    rank: RankNumber = None,
    ranks: Ranks = None,
    image_col: p.ImageColumn = None,
    caption_col: p.CaptionColumn = (),
    carried: Carried = None,
    without: p.Without = ("findings",),
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """Find problems in the captions of Parquet files, and write verdicts, for `auditor findings --verdicts`."""
    from auditor.studies.findings.in_stages import findings_in_stages  # noqa: PLC0415  # reads files
    from auditor.studies.findings.shards import Rows  # noqa: PLC0415

    own = declare(declared := checks(config))
    wanted, other = _wanted(kinds, against, own), None if against is None else resolve(store, against)
    columns = tuple(dict.fromkeys(name.strip() for name in carried.split(","))) if carried else ()
    rows = Rows(image_col, tuple(caption_col), columns, tuple(without), tuple(not_kept(without, own)), declared)
    one = None if rank is None else _rank(rank, ranks, work, executor)
    execute = partial(one.executing, force_of(workers)) if one else partial(executing, executor, workers, address)
    found = findings_in_stages(
        store, refs, verdicts, wanted, tokenizer, _words(words), other, work, execute, progress, one, rows
    )
    return _failing(found, fail_on)


def _rank(number: int, of: int | None, work: Path | None, executor: str | None) -> Rank:
    """Return which of several commands on the same work this is. Raises `UsageError` without what they share."""
    if of is None or work is None:
        lacking = "--of with the number of all ranks" if of is None else "--work with the folder that all ranks share"
        raise UsageError(f"--rank {number}: add {lacking}")
    if executor not in (None, "here"):
        raise UsageError(f"--executor {executor}: ranks use threads; leave it out")
    return Rank(number, of)


@face(located=located, alone=lambda given: given["verdicts"] is not None)
@forms(in_store, in_stages, names=("findings in the store", "--verdicts"))
def findings() -> None:
    """Find problems in the captions, ranked by severity.

    Checks every caption for placeholders, personal data, URLs, file names, markup and broken characters. Also finds
    other languages or scripts, truncated captions, repeated phrases, misspellings and traces of language models.
    Captions repeated within an image, or copied to another, are listed too. Then runs `duplicates`, `outliers`,
    `templates` and `bounds`, and ranks all findings.

    First come six lines, worst first: captions should be readable, complete, about the image, distinct, apart from the
    test set, and like human captions. Each has the share of captions with a warning or an error. Openings, sentence
    skeletons, boilerplate and sentences about the image overlap, so they are one finding, `formulaic`.

    How to read it: errors are certainly wrong, or make scores on this dataset invalid. Warnings need a look before you
    use the data. Notices are worth knowing. Info is not a problem. Each kind has a section in docs/findings.md: how it
    is measured, how often the check is wrong, and how to fix the captions. With -o, the file has a row per affected
    caption. Fix the source file and ingest it again, or repair an export: `auditor export --fix all`.

    `--baseline FILE --write-baseline` writes the findings to a file. Later, `--baseline FILE` lists only new ones. A
    caption is known by its text and image, not by its slot or, for one dataset, its name. The file has no caption.

    `--against DATASET` lists captions that contain a caption of DATASET, or 13 or 8 successive words of one.

    `[finding.NAME]` in datasets.toml adds a check of your own: docs/ci.md.

    Limits: these checks read only the text, not the images. The notes list the checks that were skipped.

    With `--verdicts`, Parquet files or URLs are checked in stages, without a store, and memory does not grow with them.
    The folder gets a file per shard with its rows in order: id, `--columns`, keep, severity, twin, and lists of kind,
    slot, certainty, detail, fix (docs/filtering.md). `keep` is false for a fault that `--without` names; default: a
    warning or an error. summary.json has the numbers of `profile`, `duplicates` and `diversity` that add up. It names
    what is not checked, and why. A receipt has the hashes. Run a stopped command again to continue.

    Raises `UsageError` for an unknown kind or severity, and `SourceError` for another kind of file.

    Examples: auditor findings flickr8k · auditor findings mine --fail-on error -o list.csv · auditor findings
    'shards/*.parquet' --verdicts verdicts --columns uid
    """


def _new(result: Result, baseline: Baseline) -> Result:
    """Return the result without known findings, and with a note on these."""
    found, rows, notes = baseline.new(result.findings, result.frame, result.selections)
    return replace(
        result,
        frame=rows,
        findings=tuple(found),
        tables=_tables(found),
        lead=(f"{tally(told(found)) or 'No new problems found'}.", *result.lead[1:]),
        notes=(*result.notes, *notes),
    )


def _failing(result: Result, fail_on: str | None) -> Result:
    """Return the result, which does not hold if a finding is as severe as `fail_on`."""
    bad = worst(result.findings)
    fails = fail_on is not None and bad is not None and SEVERITIES.index(bad) <= SEVERITIES.index(fail_on)
    return replace(result, holds=False if fails else None)


def all_findings(
    questions: Questions,
    wanted: Sequence[str] | None = None,
    words: Sequence[str] = (),
    against: Selection | None = None,
    *,
    captions_only: bool = False,
    by_name: Collection[str] = (),
    listing: str = "",
) -> Result:
    """Return the findings on all selections, the worst first: those on captions and those of the other studies.

    A fact about a dataset has no rows, unless its kind is in `by_name`. `listing` is the command that lists the
    captions, if others than the defaults are set.
    """
    wanted = (*searched_by_default(), *declare(checks(questions.declared))) if wanted is None else wanted
    collected, lists, lines, notes = list[Finding](), list[pl.DataFrame](), list[pl.DataFrame](), list[str]()
    kinds = [captions.selection.version.kind for captions in questions.every]
    further = [() if captions_only else ("Forced choice",) if kind == _CHOICES else STUDIES for kind in kinds]
    steps = Steps(questions.progress, (name for names in further for name in ("Captions", *names)))
    questions = replace(questions, progress=steps)
    for captions in questions.every:
        steps.begin()
        found, rows = _in_captions(captions, words, against, wanted, steps, by_name)
        listed, others = rows.clear(), list[Finding]()
        if not captions_only:
            notes += incomparable(captions)
            others = _by_studies(questions, captions, wanted, notes, steps)
            listed = listed_of(questions, captions, others)
        collected += [*found, *others]
        if not by_name:
            item = _item(questions, captions) if len(questions.every) == 1 else IMAGE
            lines += [dimensions.rows(captions, [*found, *others], [rows, listed], item)]
            questions.results[dimensions.TABLE, captions.label] = Result("findings", lines[-1])
        lists += [_without_facts(rows, by_name), listed]
        if not captions_only:
            keep(captions, wanted, pl.concat(lists[-2:]), ranked([*found, *others]))
    if len(questions.in_pairs) > 1 and UNEQUAL in wanted and not captions_only:
        collected += unequal_captions(questions.in_pairs, questions.references)
    said = [sentence for of_dataset in lines for sentence in dimensions.sentences(of_dataset)]
    listing = listing or call("findings", *(one.selection.pinned_name for one in questions.every), output=_LISTING)
    ordered = ranked(dict.fromkeys(_in_words(questions, collected)))  # parts share the findings on all of a dataset
    reported = pl.DataFrame(
        [(str(finding.about.get("dataset")), finding.kind) for finding in ordered],
        schema={"dataset": pl.String, "kind": pl.String},
        orient="row",
    )
    return Result(
        "findings",
        pl.concat(lists).join(reported, on=["dataset", "kind"], how="semi", maintain_order="left"),
        selections=selections_of(questions.every),
        tables=(*([dimensions.table(pl.concat(lines), ordered)] if lines else []), *_tables(ordered)),
        lead=(f"{tally(told(ordered)) or 'No problems found'}.", *said, f"`{listing}` lists the captions."),
        notes=tuple(dict.fromkeys([*_style(questions.store, ordered), *notes, *questions.absent.values()])),
        findings=ordered,
    )


def _without_facts(rows: pl.DataFrame, by_name: Collection[str]) -> pl.DataFrame:
    """Leave out the captions of facts about a whole dataset, unless their kind is named."""
    facts = [kind for kind, entry in KINDS.items() if entry.of_dataset and kind not in by_name]
    return rows.filter(~pl.col("kind").is_in(facts))


def _in_words(questions: Questions, findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the findings in the words of their datasets."""
    items = {captions.selection.version.dataset: _item(questions, captions) for captions in questions.every}
    yield from (of_item(finding, items.get(str(finding.about.get("dataset")), IMAGE)) for finding in findings)


def _item(questions: Questions, captions: Captions) -> str:
    return item_of(questions.declared.get(captions.selection.version.dataset), captions.images()["image"])


def _in_captions(
    captions: Captions,
    words: Sequence[str],
    against: Selection | None,
    wanted: Sequence[str],
    progress: Progress,
    by_name: Collection[str],
) -> tuple[list[Finding], pl.DataFrame]:
    """Return the findings on captions as they are, with their rows."""
    kind = captions.selection.version.kind
    searched = [name for name in wanted if kind != _CHOICES or name not in _OF_DESCRIPTIONS]
    found, rows = of_captions(captions, words, against, searched, progress)
    found += of_whole(captions, searched, progress)
    found += [] if by_name else dimensions.formulaic(captions.selection, found, dimensions.formed(rows))
    if kind not in ("captions", "candidates"):
        found = [_unrepaired(finding, captions.label) for finding in found]
    return found, rows


def _by_studies(
    questions: Questions, captions: Captions, wanted: Sequence[str], notes: list[str], steps: Steps
) -> list[Finding]:
    """Return the findings of the other studies, each a step."""
    if captions.selection.version.kind != _CHOICES:
        return findings_of(questions, captions, wanted, steps.begin)
    steps.begin()
    return _of_items(questions, captions.selection, wanted, notes)


def _style(store: Store, ordered: Sequence[Finding]) -> Iterator[str]:
    """Yield the command that compares the words of machine captions with human captions in the store."""
    named = dict.fromkeys(
        str(finding.about.get("dataset"))
        for finding in ordered
        if KINDS[finding.kind].usable and finding.severity in SEVERITIES[:2]
    )
    for dataset in named:
        human = [name for name in related(store, dataset) if resolve(store, name).version.kind == "captions"]
        if human and resolve(store, dataset).version.kind == "candidates":
            yield f"`{call('words', dataset, against=human[0])}` compares the words with human captions"


def _words(file: Path | None) -> list[str]:
    """Read a list of words. Raises `SourceError` for an unreadable file."""
    try:
        return [] if file is None else read_text(file).splitlines()
    except (OSError, UnicodeError) as error:
        raise SourceError(f"--words {file}: expected a file of UTF-8 text with one word per line: {error}") from error


def _wanted(kinds: Sequence[str] | None, against: str | None, own: Sequence[str]) -> Sequence[str]:
    refuse_unknown("--kind", [kind for kind in kinds or () if kind not in KINDS], {*KINDS, *own})
    if against is None and CONTAMINATED in (kinds or ()):
        raise UsageError(f"--kind {CONTAMINATED}: name the dataset to compare with: add --against DATASET")
    named = dict.fromkeys(part for kind in kinds or () for part in KINDS[kind].parts or (kind,))
    return tuple(named) or (*searched_by_default(), *own)


def _tables(ordered: Sequence[Finding]) -> tuple[Table, ...]:
    """Return a table with a row for each finding, the worst first, then the examples of each finding."""
    ordered = told(ordered)
    examples = [
        Table(f"{finding.kind}: examples", _columns(finding), name=f"{finding.kind}/{number}", tells_findings=True)
        for number, finding in enumerate(ordered)
        if finding.examples
    ]
    return (dimensions.by_severity(ordered), *examples)


def _columns(finding: Finding) -> pl.DataFrame:
    frame = pl.DataFrame(finding.examples, infer_schema_length=None, orient="row")
    return frame.select(column for column in frame.get_columns() if column.null_count() < frame.height)


def _unrepaired(finding: Finding, ref: str) -> Finding:
    """Return a finding on captions that no export can repair one by one."""
    listing = call("findings", ref, kinds=[finding.kind], output=f"{finding.kind}.csv")
    return replace(finding, advice=f"These captions belong together, so none can be left out. List them: `{listing}`.")


def _of_items(questions: Questions, selection: Selection, wanted: Collection[str], notes: list[str]) -> list[Finding]:
    """Return the findings on items that can be solved without their images. Adds skipped checks to `notes`."""
    skipped = "skipped the search for repeated, uneven and swapped captions and for templates, which does not apply to"
    notes.append(Sentence(f"{selection.label}: {skipped} forced-choice items", "skipped"))
    result = questions.choices(selection)
    if result is None:
        return []
    notes += result.notes
    return [finding for finding in result.findings if finding.kind in wanted]

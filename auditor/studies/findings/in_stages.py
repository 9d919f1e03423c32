"""Findings over Parquet shards that no store holds: a verdict for each row, and one summary of all shards."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from pathlib import Path, PurePosixPath

import polars as pl

from auditor.errors import StoreError, UsageError
from auditor.files.folders import replacing_folder
from auditor.findings import CAPTION_KINDS, DIMENSIONS, KINDS, ranked, severity, tally
from auditor.model import Progress, Selection
from auditor.result import Finding, Result, counted
from auditor.scoring.scale_out import merging
from auditor.scoring.scale_out.doing import do_stages
from auditor.scoring.scale_out.executors import Execute
from auditor.scoring.scale_out.ranks import Rank, alone, taken
from auditor.scoring.scale_out.stage import Run
from auditor.scoring.scale_out.work import Work
from auditor.store import expressions
from auditor.store.connection import MEMORY, Store
from auditor.studies import profile
from auditor.studies.duplicates import AT_SEVERAL, COPIED, LEAK, at_several_images
from auditor.studies.findings import dimensions
from auditor.studies.findings.alike import duplicates_of
from auditor.studies.findings.captions import examples_of, finding_of
from auditor.studies.findings.protected import CONTAMINATED, asked, protected_captions
from auditor.studies.findings.shards import RECORDS, Rows, ShardPlan, plan, refuse_changed
from auditor.studies.findings.stages import FOUND, MEASURES, ORDER, PROTECTED, READ, STAGES, VERDICTS, run
from auditor.studies.findings.summary import MEASURED, NAME, RECEIPT, SUMMARY, lead, read_summary, summary, version_of
from auditor.studies.findings.wanted import CHECKED, is_measured
from auditor.text import AUTO

#: Tokenizers that decide which captions are equal; others are for scores.
_TOKENIZERS = ("bare", "char")

_PAIRS = "it is searched for if no --kind is given, unless too many captions are similar"
_TRAINED = "it compares each caption with statistics of all others"

#: Why kinds that other studies find are not searched for in stages.
_WHY_NOT = {
    LEAK: _PAIRS,
    COPIED: _PAIRS,
    "swapped-captions": _TRAINED,
    "templated-captions": _TRAINED,
    "unlike-slot": _TRAINED,
    "sorted-captions": _TRAINED,
    "bound-upside-down": "`auditor bounds DATASET --work FOLDER` computes bounds in stages",
}

_REPORTED = {*CAPTION_KINDS, *_WHY_NOT} - {"listed-words", CONTAMINATED}


_EXISTS = "already exists; remove it, or name another folder with --verdicts"


def findings_in_stages(
    store: Store,
    places: Sequence[str],
    target: Path,
    kinds: Sequence[str],
    tokenizer: str,
    words: Sequence[str],
    against: Selection | None,
    named_work: Path | None,
    executing: Callable[[Run], AbstractContextManager[Execute]],
    progress: Progress,
    rank: Rank | None,
    rows: Rows,
) -> Result:
    """Search the captions of Parquet shards for problems, and write a verdict for each row.

    The store is read only if captions are compared `against` a selection of it. A `rank` is one of several commands on
    the same work: the first that finds it finished publishes the verdicts.
    Raises `UsageError` for options that stages do not have, and `SourceError` for a shard that cannot be read.
    """
    if tokenizer not in (AUTO, *_TOKENIZERS):
        raise UsageError(f"--tokenizer {tokenizer}: in stages, use one of {', '.join(_TOKENIZERS)}")
    if target.exists() and rank is None:
        raise UsageError(f"{target}: {_EXISTS}")
    if not target.absolute().parent.is_dir():
        raise UsageError(f"{target}: cannot be written: the folder {target.parent} does not exist")
    own = [check.name for check in rows.checks]
    wanted = [kind for kind in asked(kinds, words, against) if kind in (*CHECKED, *own)]
    tokens = _TOKENIZERS[0] if tokenizer == AUTO else tokenizer
    listed = sorted({word.strip().lower() for word in words} - {""})
    other = "" if against is None else f"{against.label} {against.version.version}"
    with Store.open(MEMORY) as empty:
        for check in rows.checks:
            expressions.refuse(empty, check)
    made = plan(_name(places), places, rows, wanted, tokens, listed, other)
    work = Work(named_work or target.with_name(f".{target.name}.stages"), ORDER)
    if (work.folder / "plan.json").is_file():
        refuse_changed(made, work.plan())
    with alone(work.folder.parent) if rank else nullcontext():
        work.begin(made.written(), is_named=named_work is not None, shared=rank is not None)
    with closing(work):
        if against is not None and not work.whole(PROTECTED, 0):
            work.put(PROTECTED, 0, protected_captions(store, against, tokens))
        with executing(run) as execute:
            did = do_stages(STAGES, made, work, execute, progress)
        with work.reading():
            result = _result(made, work, [kind for kind in kinds if kind not in wanted])
            with taken(work.folder, "verdicts") if rank else nullcontext():
                if not target.exists():
                    _publish(made, work, result, target)
                elif read_summary(target).selections != result.selections:
                    raise UsageError(f"{target}: {_EXISTS}")
        done = [f"{rank.finished(work.folder)} of {counted(rank.of, 'rank', 'ranks')} done"] if rank else []
        if named_work is None:
            work.remove()
    tasks = counted(sum(did.values()), "task", "tasks")
    return replace(result, notes=(*result.notes, f"{tasks} run now", *done))


def _result(plan: ShardPlan, work: Work, others: Sequence[str]) -> Result:
    kept = pl.concat(work.scan(RECORDS, number) for number in range(len(plan.buckets)))
    sizes = kept.select(
        captions=pl.col("reason").is_null().sum(),
        rejected=pl.col("reason").is_not_null().sum(),
        images=pl.col("image").filter(pl.col("reason").is_null()).n_unique(),
        worded=(pl.col("tokens").list.len() > 0).sum(),
    )
    captions, rejected, images, worded = sizes.collect(engine="streaming").row(0)
    version = version_of(plan.dataset, plan.digest, plan.tokenizer, images, captions)
    selection = Selection(version)
    numbers, of_form, listed = _listed(plan, work)
    totals = {kind: images if KINDS[kind].of == "images" else captions for kind in numbers} | {AT_SEVERAL: worded}
    parts, near = [pl.DataFrame(schema=MEASURED)], dict[str, Finding]()
    if is_measured(plan):
        again, shares = duplicates_of(plan, work, selection)
        near = {finding.kind: finding for finding in again.found(LEAK, AT_SEVERAL, COPIED)}
        parts += [work.scan(MEASURES, 0).collect(), shares]
    found = ranked(
        [
            *(
                _finding(selection, kind, numbers[kind], totals[kind], listed.filter(kind=kind), near)
                for kind in plan.kinds
                if kind in numbers
            ),
            *(finding for kind, finding in near.items() if kind not in numbers),
        ]
    )
    if is_measured(plan):
        found = ranked([*found, *dimensions.formulaic(selection, found, of_form)])
        parts.append(_affected(plan, work, found, captions))
    by_kind = {finding.kind: finding for finding in found}
    checked = [*plan.kinds, *((LEAK, COPIED) if near else ())]
    kinds: list[tuple[str, str | None, int | None, str | None]] = [
        (kind, by_kind[kind].severity if kind in by_kind else None, _number(by_kind.get(kind)), None)
        for kind in checked
    ]
    left_out = [kind for kind in others if kind in _REPORTED and kind not in checked]
    kinds += [
        (kind, None, None, _WHY_NOT.get(kind) or merging.why_not(CAPTION_KINDS[kind].select)) for kind in left_out
    ]
    parts.insert(1, pl.DataFrame(kinds, schema=list(MEASURED)[:4], orient="row"))
    leads = [f"{tally(found) or 'No problems found'} by the kinds that were checked."]
    rows = pl.concat(parts, how="diagonal_relaxed")
    if is_measured(plan):
        size = profile.lead(selection, parts[2].filter(command="profile"))
        leads = [*lead(selection.label, rows, found, size), *leads]
    note = (
        f"{counted(len(plan.shards), 'shard', 'shards')}, {captions:,} captions of "
        f"{counted(images, 'image', 'images')}, {counted(rejected, 'record', 'records')} rejected"
    )
    return summary(version, rows, found, leads, [note])


def _number(finding: Finding | None) -> int:
    if finding is None:
        return 0
    of = ("exact", "near") if finding.kind in (LEAK, COPIED) else (KINDS[finding.kind].of,)
    return sum(int(finding.values[name] or 0) for name in of)


def _affected(plan: ShardPlan, work: Work, found: Sequence[Finding], captions: int) -> pl.DataFrame:
    """Count the captions of each dimension with a warning or an error. Columns: some of `MEASURED`."""
    counts, bad = Counter[str](), dimensions.bad(found)
    for bucket in range(len(plan.buckets)):
        kept = work.scan(RECORDS, bucket).filter(pl.col("reason").is_null())
        images = kept.group_by("image").agg(captions=pl.len()).collect
        counts += dimensions.affected(work.scan(FOUND, bucket).collect(), bad, images)
    rows = {"statistic": list(DIMENSIONS), "number": [counts[name] for name in DIMENSIONS]}
    return pl.DataFrame(rows).with_columns(n=pl.lit(captions, pl.Int64), command=pl.lit("findings"))


def _listed(plan: ShardPlan, work: Work) -> tuple[dict[str, int], int, pl.DataFrame]:
    """Count the captions or images of each kind over buckets, and list the first, which one store would show.

    The second number is that of the captions with a common form.
    """
    numbers, of_form, first = Counter[str](), 0, list[pl.DataFrame]()
    for bucket in range(len(plan.buckets)):
        ordered = work.scan(FOUND, bucket).collect().sort("image", "slot", maintain_order=True)
        for (kind,), rows in ordered.group_by("kind", maintain_order=True):
            numbers[str(kind)] += rows.unique("image" if KINDS[str(kind)].of == "images" else ["image", "slot"]).height
        of_form += dimensions.formed(ordered)
        different = ordered.unique(["kind", "why"], keep="first", maintain_order=True)
        shown = pl.concat(rows.group_by("kind", maintain_order=True).head(3) for rows in (different, ordered))
        first.append(_with_texts(shown.unique(maintain_order=True), work.scan(RECORDS, bucket)))
    return numbers, of_form, pl.concat(first).sort("image", "slot", maintain_order=True)


def _finding(
    selection: Selection, kind: str, number: int, n: int, listed: pl.DataFrame, near: Mapping[str, Finding]
) -> Finding:
    examples = tuple(examples_of(listed))
    if kind in near:
        return replace(near[kind], examples=examples)
    if kind == AT_SEVERAL:
        return at_several_images(selection, number, n, examples)
    return finding_of(selection, kind, number, n, severity(kind, number, n), examples)


def _with_texts(rows: pl.DataFrame, records: pl.LazyFrame) -> pl.DataFrame:
    names = [*rows["image"], *rows["other_image"].drop_nulls()]
    texts = records.filter(pl.col("reason").is_null(), pl.col("image").is_in(names)).select("image", "slot", "text")
    known = texts.collect()
    others = known.rename({name: f"other_{name}" for name in known.columns})
    return rows.join(known, on=["image", "slot"], how="left", maintain_order="left").join(
        others, on=["other_image", "other_slot"], how="left", maintain_order="left"
    )


def _publish(plan: ShardPlan, work: Work, result: Result, target: Path) -> None:
    """Write the verdicts, the summary and the receipt as one folder, or nothing. Raises `StoreError`."""
    try:
        with replacing_folder(target) as draft:
            _fill(plan, work, result, draft)
    except OSError as error:
        raise StoreError(f"{target}: cannot be written: {error.strerror or error}; nothing was published") from error


def _fill(plan: ShardPlan, work: Work, result: Result, draft: Path) -> None:
    hashes = dict[str, str]()
    for number, shard in enumerate(plan.shards):
        shutil.copyfile(work.path(VERDICTS, number), draft / shard.name)
        if (part := work.part(VERDICTS, number)) is not None:
            hashes[shard.name] = part.sha256
    summary = result.to_json() + "\n"
    (draft / SUMMARY).write_text(summary, encoding="utf-8")
    hashes[SUMMARY] = hashlib.sha256(summary.encode()).hexdigest()
    sums = work.every(READ, len(plan.buckets)).collect().rows()
    read = {plan.shards[shard].path: sha256 for shard, sha256 in sums}
    receipt = {NAME: {"plan": json.loads(plan.written()), "read": read, "sha256": hashes}}
    (draft / RECEIPT).write_text(json.dumps(receipt, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _name(places: Sequence[str]) -> str:
    """Name the dataset after the folder of the shards."""
    parts = [part for part in PurePosixPath(places[0]).parent.parts if part not in ("/", ".", "..")]
    return parts[-1] if parts else "captions"

"""The sections of a report on what is wrong with captions: duplicates and leakage, outliers, templates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from auditor.errors import AuditorError
from auditor.model import Selection
from auditor.result import Figure, Result, Section, Table
from auditor.scoring import single_captions
from auditor.store import versions
from auditor.studies import duplicates as duplicates_study
from auditor.studies import identical as identical_study
from auditor.studies.report import answers, sentences
from auditor.studies.report.request import ReportContext

_DUPLICATES_SQL = (
    "repeat", "repeat_count", "identical", "duplicate_within", "duplicate_elsewhere", "duplicate_count",
    "duplicate_slot", "slot_pair", "shared_image", "duplicate_pair",
)  # fmt: skip

_OUTLIERS_SQL = ("image_log_likelihood",)

_TEMPLATES_SQL = (
    "opening_spread", "frequent_opening", "template_skeleton", "frequent_template", "templated_caption", "slot_caption",
    "slot_vocabulary",
)  # fmt: skip

#: How many leaks the summary names, slots a table shows, and rows of outliers a report carries.
_LEAKS = 4

_SLOTS = 15

_CARRIED = 100


def duplicates(context: ReportContext, name: str, title: str) -> Section:
    """Find the captions that occur again: what leaks from train into test, then what is repeated elsewhere."""
    alone = all(single_captions.lacking(context.store, one) for one in context.selections)
    twins = () if alone else (_twins(context),)
    tables = [table for one in twins for table in one.tables]
    counts = tuple(one for one in tables if one.name == identical_study.COUNTS)
    pairs = tuple(one for one in tables if one.name != identical_study.COUNTS)
    same = [f"{each.sentence}." for one in twins for each in one.findings]
    same += [f"{why[0].upper()}{why[1:]}." for one in twins for why in one.notes]
    same += [f"Identical captions of one image: {single_captions.NEEDS_TWO}."] if alone else []
    commands = tuple(context.command("duplicates", *more) for more in ((), ("--exact", "--within"))[: 2 - alone])
    try:
        duplicates_result = answers.duplicates(context)
    except AuditorError as error:
        return Section(
            name, title, tuple(same), twins, counts, pairs, notes=(f"{error}",), commands=commands,
            sql=_DUPLICATES_SQL[:3],
        )  # fmt: skip
    rows, labels = sentences.again(duplicates_result), [one.label for one in context.selections]
    leaks = sentences.leaks(duplicates_result)
    leaking = sentences.leaking(leaks)
    copied = [finding.sentence for finding in duplicates_result.found(duplicates_study.COPIED)]
    told = (duplicates_study.LEAK, duplicates_study.COPIED)
    return Section(
        name, title, (*leaking, *sentences.repeated(rows), *copied, *same),
        (duplicates_result, *twins), (*_leak_tables(rows, leaks, labels), *counts),
        (*_leaks_first(duplicates_result.tables, rows, leaks, labels), *pairs),
        notes=(*duplicates_result.notes, *(one.sentence for one in duplicates_result.findings if one.kind not in told)),
        commands=commands, sql=_DUPLICATES_SQL[3 * alone :],
    )  # fmt: skip


def _twins(context: ReportContext) -> Result:
    """List the identical captions of one image."""
    return context.result("identical", lambda: identical_study.identical(context.store, *context.refs, split=None))


def outliers(context: ReportContext, name: str, title: str) -> Section:
    """Show the captions that seem to be of another image, and the images that people describe differently."""
    results, lacking = _of_each(context, answers.outliers)
    if not results:
        return Section(
            name, title, absent=_none_said("There are no captions of which one could be an outlier.", lacking)
        )
    captions = {one.label: int(versions.images(context.store, one)["captions"].sum()) for one in context.selections}
    faulty = [words for label, one in results.items() for words in sentences.faulty(label, one.frame, captions[label])]
    misplaced = any(one.frame["finding"].is_in(["swapped", "elsewhere"]).any() for one in results.values())
    said = faulty or ["No caption is less like the others of its image than another."]
    said += [sentences.CAVEAT] if misplaced else []
    listed = (
        "Captions that share nothing with the others of their image, and images that people describe most differently, "
        "are listed; the consensus caption of an image is the one most like the others."
    )
    seen = [label for label, one in results.items() if "fit" in one.signatures]
    unseen = [one for one in context.selections if one.label in results and one.label not in seen]
    notes = [*lacking, *(note for one in results.values() for note in one.sentences)]
    blind = [_blind(context, unseen)] if unseen else []
    carried = f"the rows here are the {_CARRIED} surest of each dataset; the command gives all"
    return Section(
        name, title, (*said, listed),
        tuple(replace(one, frame=one.frame.head(_CARRIED)) for one in results.values()), (),
        tuple(table for one in results.values() for table in one.tables), merged(results.values()),
        tuple(dict.fromkeys((*notes, *blind, carried))),
        (context.command("outliers", *context.tokenizer(), refs=_refs(context, results)),), _OUTLIERS_SQL,
    )  # fmt: skip


def _blind(context: ReportContext, unseen: Sequence[Selection]) -> str:
    """Say what vectors of images would add, and which are declared."""
    labels = sentences.listed([one.label for one in unseen])
    add = context.to_add(unseen, "vectors") or "; `auditor ingest NAME --format vectors --from FILE` reads some"
    return f"{labels}: told by words alone: with vectors of the images in the store, these are looked at as well{add}"


def templates(context: ReportContext, name: str, title: str) -> Section:
    """Say how formulaic captions are, and which slots differ from the others of their image."""
    results, lacking = _of_each(context, answers.templates)
    if not results:
        return Section(name, title, absent=_none_said("There are no captions that could share a template.", lacking))
    shown = sentences.templates(results)
    said = [finding.sentence for one in results.values() for finding in one.found("templated-captions")]
    notes = [
        note
        for one in results.values()
        for note in (*one.notes, *(other.sentence for other in one.findings if other.kind != "templated-captions"))
    ]
    return Section(
        name, title, tuple(f"{note}." for note in said), tuple(map(_carried, results.values())), (shown,),
        tuple(_strongest(table) for one in results.values() for table in one.tables), merged(results.values()),
        (*lacking, *notes), (context.command("templates", *context.tokenizer(), refs=_refs(context, results)),),
        _TEMPLATES_SQL,
    )  # fmt: skip


def _carried(result: Result) -> Result:
    """Leave out all but the most frequent templates and openings: the command gives all."""
    nth = pl.int_range(pl.len()).over("statistic")
    return replace(result, frame=result.frame.filter(nth < _CARRIED))


def merged(results: Iterable[Result]) -> tuple[Figure, ...]:
    """Draw the datasets of several results in one picture of each kind."""
    alike: dict[str, list[Figure]] = {}
    for figure in (figure for one in results for figure in one.figures):
        alike.setdefault(figure.name, []).append(figure)
    return tuple(
        replace(figures[0], frame=pl.concat([one.frame for one in figures], how="vertical_relaxed"))
        for figures in alike.values()
    )


def _of_each(
    context: ReportContext, ask: Callable[[ReportContext, Selection], Result]
) -> tuple[dict[str, Result], tuple[str, ...]]:
    """Ask a study about each dataset of captions by itself; where it has no answer, say why."""
    results: dict[str, Result] = {}
    lacking: list[str] = []
    for one in context.selections:
        if one.version.kind != "captions":
            continue
        if ask is answers.outliers and (why := single_captions.lacking(context.store, one)):
            lacking.append(f"{one.label}: {why}.")
            continue
        try:
            results[one.label] = ask(context, one)
        except AuditorError as error:
            lacking.append(f"{error}")
    return results, tuple(lacking)


def _refs(context: ReportContext, results: Mapping[str, Result]) -> list[str]:
    return [one.pinned_name for one in context.selections if one.label in results]


def _none_said(otherwise: str, lacking: Sequence[str]) -> str:
    return " ".join(lacking) or otherwise


def _leak_tables(rows: pl.DataFrame, leaks: pl.DataFrame, labels: Sequence[str]) -> list[Table]:
    """Show what leaks, then what occurs again of the datasets that were named, in their order."""
    said = "a caption may occur at several places; exact: the same tokens; near: most words are in both"
    named = rows.filter(pl.col("dataset").is_in(labels), pl.col("exact") + pl.col("near") > 0)
    again = named.join(leaks, on=["dataset", "scope", "against"], how="anti", maintain_order="left").sort(
        pl.col("dataset").replace_strict({label: place for place, label in enumerate(labels)}, return_dtype=pl.Int64),
        maintain_order=True,
    )
    made = [
        Table("captions of test splits that also occur in train", leaks, bars=("share",), name="leaks"),
        Table(
            "captions that occur again",
            again,
            bars=("share",),
            sections="dataset",
            caption=said,
            name=duplicates_study.AGAIN,
        ),
    ]
    return [table for table in made if table.frame.height]


def _leaks_first(
    tables: Sequence[Table], rows: pl.DataFrame, leaks: pl.DataFrame, labels: Sequence[str]
) -> list[Table]:
    """Put examples of leaks before other tables, and leave out those of other splits that nobody named."""
    leaking = set(map(_example, leaks.iter_rows(named=True)))
    unnamed = {_example(row) for row in rows.iter_rows(named=True) if row["dataset"] not in labels}
    return sorted(
        (table for table in tables if table.name not in {duplicates_study.AGAIN, *(unnamed - leaking)}),
        key=lambda table: table.name not in leaking,
    )


def _example(row: Mapping[str, str]) -> str:
    return duplicates_study.examples_of(row["dataset"], row["against"] or row["scope"])


def _strongest(table: Table) -> Table:
    """Cut a table of more slots than anybody reads to those with the largest effects."""
    if table.name != "slots" or table.frame.height <= _SLOTS:
        return table
    largest = table.frame.sort(pl.col("effect").abs(), descending=True, nulls_last=True, maintain_order=True)
    caption = f"{table.caption}; the {_SLOTS} largest effects of {table.frame.height:,}"
    return replace(table, frame=largest.head(_SLOTS), sections=None, caption=caption)

"""Scorers from elsewhere: metrics, and systems whose scores or answers are in a file.

Metrics score all captions of an item against the other captions of its image. A file names the items, or has their
captions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from auditor import parameters as p
from auditor.errors import SourceError, UsageError
from auditor.files.rows import numbers_of, read_rows
from auditor.model import Progress, Selection
from auditor.result import Finding, Said, about, counted, listed
from auditor.scoring.candidates import CandidateSet, output_of
from auditor.scoring.references import references_of
from auditor.scoring.registry import References, requests
from auditor.scoring.scores import scorable, score_candidates, signatures
from auditor.statistics.common_items import Coverage
from auditor.store.captions import Captions
from auditor.store.matching import FORMS
from auditor.studies.choices.rows import METRIC, SCHEMA, SIDES, SYSTEM, Scored, by_item, of_all_items, of_sides

#: Columns of numbers: a score of each caption, under either name, or whether the right one was chosen.
_SIDES, _SCORES, _ANSWER = ("right", "wrong"), ("right_score", "wrong_score"), "correct"

#: The score of a second right caption, under either name.
_SECOND = ("right2", "right2_score")

_EXAMPLES = 3

_TWO = "items here have two right captions, and each needs a score"

_FORM = (
    "columns item, right, wrong (scores); or image, right, wrong (captions), right_score, wrong_score; right2 or"
    " right2_score for a second right caption; or correct (1, 0) instead of all scores; model names the system, if a"
    " file has several"
)


def scorers(
    file: Path, texts: pl.DataFrame, items: pl.DataFrame, selection: Selection, notes: list[Said]
) -> Iterator[Scored]:
    """Read the scores of systems; `notes` list items without a score, and rows that match no item.

    `texts` are the rows of `sql/choices/choice_text.sql`. Raises `SourceError` for a file that cannot be read.
    """
    rows = read_rows(file, "scores", _FORM)
    keys = _keys(file, rows)
    numbers = _numbers(file, rows, has_second=texts["right2_text"].null_count() < texts.height)
    model = rows["model"].cast(pl.String) if "model" in rows.columns else pl.lit(file.stem)
    scores = rows.select(model.alias("system"), *(pl.col(own).cast(pl.String).alias(key) for key, own in keys.items()))
    scores, texts = _known(scores, texts)
    scores = scores.with_columns(numbers).with_columns(row=pl.int_range(1, pl.len() + 1))
    for (system,), own in scores.group_by("system", maintain_order=True):
        once = own.unique(list(keys), keep="first", maintain_order=True)
        _note_repeated(str(system), file, own, once, list(keys), notes)
        named = texts.select("item_no", "item", "right2_text", *(key for key in keys if key != "item"))
        matched = named.join(once, on=list(keys), how="left", maintain_order="left", nulls_equal=False)
        _note_missing(str(system), file, matched, once.join(texts, on=list(keys), how="anti"), selection, notes)
        yield Scored(str(system), SYSTEM, "scores", of_sides(matched.select(*SCHEMA).cast(SCHEMA), items))


def _keys(file: Path, rows: pl.DataFrame) -> dict[str, str]:
    """Find the columns that identify the items: item, or both captions, and the image if the file has it."""
    from auditor.sources.choices import columns_of  # noqa: PLC0415  # and with it all readers

    if "item" in rows.columns:
        return {"item": "item"}
    images = {key: own for key, own in columns_of(rows.columns, {}).items() if key == "image"}
    texts = columns_of([name for name, kind in rows.schema.items() if kind == pl.String], {})
    keys = images | {f"{side}_text": texts[side] for side in _SIDES if side in texts}
    if not {"right_text", "wrong_text"} <= keys.keys():
        raise SourceError(f"{file}: no column identifies the items: it has {', '.join(rows.columns)}; expected {_FORM}")
    return keys


def _known(scores: pl.DataFrame, texts: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Reduce the names of images to one form, whether they are numbers or files: by names, or else by numbers."""
    if "image" not in scores.columns:
        return scores, texts
    named, by_number = ([one.with_columns(form("image")) for one in (scores, texts)] for form in FORMS)
    one, two = named if named[0].join(named[1], on="image", how="semi").height else by_number
    return one, two


def _numbers(file: Path, rows: pl.DataFrame, *, has_second: bool) -> list[pl.Series]:
    """Read the scores of each row: right, wrong and right2, null where a row has no second.

    Raises `SourceError` for a missing or invalid number, and if items with a second right caption lack a column for it.
    """
    # Without a column item, right and wrong are captions.
    pairs = [_SCORES, *([_SIDES] if "item" in rows.columns else [])]
    pair = next((pair for pair in pairs if {*pair} <= {*rows.columns}), None)
    none = pl.Series("right2", [None] * rows.height, pl.Float64)
    if pair is None:
        if _ANSWER not in rows.columns:
            raise SourceError(f"{file}: has no scores: it has {', '.join(rows.columns)}; expected {_FORM}")
        answers = numbers_of(file, rows[_ANSWER], "1 for right, 0 for wrong, .5 for a tie", most=1.0)
        # An answer counts for the whole item, so the second right caption always wins.
        return [answers.alias("right"), (1 - answers).alias("wrong"), none.fill_null(1.0)]
    second = _SECOND[pair is _SCORES]
    if has_second and second not in rows.columns:
        raise SourceError(f"{file}: lacks column {second}: {_TWO}; expected {_FORM}")
    seconds = numbers_of(file, rows[second], "a number", optional=True) if second in rows.columns else none
    both = [numbers_of(file, rows[own], "a number").alias(side) for own, side in zip(pair, _SIDES, strict=True)]
    return [*both, seconds.alias("right2")]


def _note_repeated(
    system: str, file: Path, own: pl.DataFrame, once: pl.DataFrame, keys: list[str], notes: list[Said]
) -> None:
    """Report which items are in a file twice. Raises `SourceError` if their scores differ."""
    again = own.join(once, on="row", how="anti").join(once, on=keys, suffix="_first", nulls_equal=True)
    differing = again.filter(pl.any_horizontal(pl.col(side).ne_missing(pl.col(f"{side}_first")) for side in SIDES))
    if differing.height:
        first, second = differing.select("row_first", "row").row(0)
        raise SourceError(
            f"{file}: rows {first:,} and {second:,} have different scores of {system} for the same item; keep one"
        )
    if again.height:
        notes.append(f"{system}: {counted(again.height, 'row repeats', 'rows repeat')} the scores of the same captions")


def _note_missing(
    system: str, file: Path, matched: pl.DataFrame, extra: pl.DataFrame, selection: Selection, notes: list[Said]
) -> None:
    """Report items without scores, and rows that match no item. Raises `SourceError` if no row matches an item."""
    lacks_second = pl.col("right2_text").is_not_null() & pl.col("right2").is_null()
    lacking = matched.filter(pl.col("right").is_null() | lacks_second)
    if lacking.height == matched.height:
        none = f"no row of {system} matches an item of {selection.label}"
        raise SourceError(f"{file}: {none}; its items look like {matched['item'][0]!r}; expected {_FORM}")
    if lacking.height:
        items = listed(lacking["item"], _EXAMPLES)
        sentence = f"{system}: {counted(lacking.height, 'item has', 'items have')} no score in {file.name}: {items}"
        where, values = about(selection, system=system), {"items": lacking.height}
        notes.append(Finding("items-without-scores", sentence, where, values, matched.height, "warning"))
    if extra.height:
        numbers = listed(extra["row"], _EXAMPLES)
        what = counted(extra.height, "row matches no item", "rows match no item")
        notes.append(f"{system}: {what} of {selection.label}, skipped: {numbers}")


def coverage_of(scored: Sequence[Scored], items: pl.DataFrame, missing: str) -> Coverage:
    """Return which items each system has answered; without a system, those of a set that has all."""
    key = pl.format("{} of {}", "item", "image") if missing == p.ERROR else pl.col("item_no").cast(pl.String)
    named = dict(items.select("item_no", key=key).iter_rows())  # only an error shows their names
    systems = {one.name: one.scores.drop_nulls("low")["item_no"] for one in scored if one.kind == SYSTEM}
    known = {name: {named[number] for number in numbers} for name, numbers in systems.items()}
    every = {*named.values()}
    return Coverage(every, known or {"": every}, missing, "items", "wrong answers")


def on_common(scored: Sequence[Scored], coverage: Coverage) -> list[Scored]:
    """Leave out the answers of systems to items that the first system has not answered; or fill in missing ones."""
    if coverage.missing != p.COMMON:
        return filled(scored, coverage)
    items = {name: coverage.pair(name) or [*coverage.every] for name in coverage.of}
    is_common = {name: pl.col("item_no").cast(pl.String).is_in(common) for name, common in items.items()}
    kept = {name: pl.when(common).then(pl.exclude("item_no")).name.keep() for name, common in is_common.items()}
    return [replace(one, scores=one.scores.with_columns(kept.get(one.name, []))) for one in scored]


def filled(scored: Sequence[Scored], coverage: Coverage) -> list[Scored]:
    """Count items that a system has not answered as wrong."""
    wrong = pl.col("low").fill_null(2), pl.col("tied").fill_null(0)
    return [replace(one, scores=one.scores.with_columns(wrong)) if one.name in coverage.of else one for one in scored]


def beside_others(
    coverage: Coverage,
    rows: pl.DataFrame,
    rows_of: Callable[[Sequence[Scored]], pl.DataFrame],
    scored: Sequence[Scored],
) -> pl.DataFrame:
    """Add own_accuracy (of all items that a scorer has), and the gap with wrong answers if many are missing."""
    own, empty = (rows_of(some) if coverage.has_gaps else rows for some in (scored, filled(scored, coverage)))
    is_partial = pl.col("scorer").is_in(coverage.partial)
    gaps = [pl.when(is_partial).then(name).alias(f"empty_{name}") for name in ("gap", "gap_p")]
    further = [own.select(own_accuracy="accuracy"), empty.select(gaps), rows.select("signature")]
    return pl.concat([rows.drop("signature"), *further], how="horizontal")


def warnings(rows: pl.DataFrame, coverage: Coverage, confidence: float) -> list[str]:
    """Return the warnings on the items that systems have answered, and if these decide."""
    named = {"difference": "gap", "p": "gap_p", "empty_difference": "empty_gap", "empty_p": "empty_gap_p"}
    told = of_all_items(rows).select(label="scorer", by=pl.lit("accuracy"), **named)
    return coverage.lead(told, confidence, "by")


def of_metrics(
    captions: Captions,
    items: pl.DataFrame,
    sides: pl.DataFrame,
    against: str | None,
    names: p.Metrics,
    notes: list[Said],
    progress: Progress,
) -> Iterator[Scored]:
    """Yield the scores of every item by the metrics (null: all), error rates with changed sign.

    `sides` are the rows of `sql/choices/choice_caption.sql`. `notes` report items without scores.

    Raises `UsageError` for unknown references or metrics.
    """
    if names is not None and not names:
        return
    selection = captions.selection
    try:
        references, reason = references_of(captions, against)
    except UsageError as error:
        if against is not None or names:
            raise
        notes.append(f"no metrics: {error}")
        return
    wanted, left = scorable(references, requests(names), names)
    notes += [*reason, *left]
    references.tokenize(progress)
    both = output_of(selection)
    candidates = CandidateSet(both.name, "candidate_choice", both.params, drawn_from=both.drawn_from)
    signed = signatures(wanted, captions.tokenizer, References("loo"))
    is_noted = False
    # Metrics that see images score fewer items; the others are scored separately, so they keep all items.
    for sees_images in (False, True):
        group = [metric for metric in wanted if metric.metric.sees_images is sees_images]
        scores = score_candidates(references, [candidates], group, progress) if group else pl.DataFrame()
        for metric in group:
            better = -1.0 if metric.metric.lower_is_better else 1.0
            by_slot = scores.select("image", "slot", score=pl.col(metric.label) * better)
            by_side = sides.select("item_no", "side", "image", "slot").join(by_slot, on=["image", "slot"])
            of_items = by_item(by_side, items)
            scored = of_items["wrong"].count()
            if scored < items.height and not sees_images and not is_noted:
                is_noted = True
                notes.append(
                    f"{metric.label} scores {scored:,} of {items.height:,} items: for the others, "
                    f"{references.label} has no other captions of the image, or contains both right captions"
                )
            yield Scored(metric.label, METRIC, "references", of_items, signature=signed[metric.label])

"""Tables and a figure of `auditor choices`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import polars as pl

from auditor.model import Selection, pictured
from auditor.result import Figure, Table
from auditor.statistics.forced_choice import CHANCE, LEADING, RESAMPLES, difference
from auditor.statistics.significance import holm
from auditor.studies.choices.blind import STOP_THEN_SHORTER
from auditor.studies.choices.rows import (
    ABOVE,
    ALL,
    BLIND,
    CEILING,
    FAIR,
    FairSubset,
    Scored,
    chance_in_words,
    in_part,
    items_in_words,
    of_all_items,
    parts_of,
    rivals_in_words,
)

#: Two tasks of Hodosh & Hockenmaier 2016: a scorer that only prefers long texts is right on one and wrong on the other.
_SCENE, _SCENE_PLUS = "just-scene", "just-scene-plus"

#: How far the sum of two accuracies may be from 1, and an accuracy from chance, to count as equal.
_COMPLEMENT, _SILENT = 0.1, 0.05

_SHARE = 3

_SHOWN = {"lower": "right", "wrong": "wrong"}


def tables(
    selection: Selection,
    rows: pl.DataFrame,
    marked: pl.DataFrame,
    scored: Sequence[Scored],
    texts: pl.DataFrame,
    fair: FairSubset,
    kept: pl.DataFrame,
    errors: int,
    *,
    has_gaps: bool,
) -> Iterator[Table]:
    """Yield the tables of a result; `texts` are the rows of `sql/choices/choice_text.sql`.

    If systems have not answered some items, `has_gaps`.
    """
    has_two = texts["right2_text"].null_count() < texts.height
    yield _accuracies(selection, rows, has_two=has_two)
    whole = parts_of(marked)[-1]
    seeing = rows.filter(~pl.col("kind").is_in([BLIND, CEILING]), pl.col("gap").is_not_null())
    if seeing.height:
        yield _against_blind(seeing.filter(part=whole), has_gaps=has_gaps)
        if whole == ALL:
            yield _by_part(seeing.filter(~pl.col("part").is_in([ALL, FAIR])))
    apart = _between(marked, [scorer for scorer in scored if scorer.kind not in (BLIND, CEILING)])
    if apart.height:
        yield Table(
            "differences between scorers, all items", apart, name="between-scorers", digits=(("difference", _SHARE),),
            caption="p: paired test over images, Holm correction for all pairs",
        )  # fmt: skip
    yield from _complement(rows)
    wrong = _errors(marked, scored, texts, rows, errors)
    if wrong.height:
        images = wrong.select(item="image")
        yield Table(
            "largest errors: the wrong caption scores higher", wrong.drop("image"), name="errors",
            sections="scorer", beside=("right", "wrong"), pictured=pictured(images, selection.version.dataset, "item"),
            caption="if all scores are 0 or 1, they may be answers; then all errors are equal",
        )  # fmt: skip
    yield _fair(marked, kept, fair)


def lead(selection: Selection, rows: pl.DataFrame) -> tuple[str, ...]:
    """Report the accuracy of the best blind scorer, and of the best metric."""
    whole = of_all_items(rows)
    blind = whole.filter(pl.col("scorer") == pl.col("best_blind"))
    if blind.is_empty():
        return (f"{selection.label} has no items that can be scored.",)
    best = blind.row(0, named=True)
    items, chance = f"{items_in_words(best)} of {selection.label}", rivals_in_words(best)
    sentences = [
        f"{best['accuracy']:.1%} of {items} are solved without the image by {best['scorer']} ({chance})."
        if best["chance"] == ABOVE
        else f"{best['accuracy']:.1%} of {items} are solved without the image by {best['scorer']} ({chance}): too few"
        " images for a test."
        if best["p"] is None
        else f"Blind scorers solve {items} no better than chance: the best, {best['scorer']}, solves"
        f" {best['accuracy']:.1%} ({best['low']:.1%} to {best['high']:.1%}, 95%; {chance})."
    ]
    seeing = whole.filter(pl.col("accuracy").is_not_null(), kind="metric").sort("accuracy", descending=True)
    if seeing.height:
        name, accuracy = seeing.select("scorer", "accuracy").row(0)
        sentences.append(
            f"The best metric, {name}, compares with other captions of the image and solves {accuracy:.1%}."
        )
    return tuple(sentences)


def _accuracies(selection: Selection, rows: pl.DataFrame, *, has_two: bool) -> Table:
    known = rows.select("part", "scorer", "kind", value="accuracy")
    for name, column in (("chance", "expected"), ("best constant answer", "majority")):
        values = rows.group_by("part", maintain_order=True).agg(value=pl.col(column).drop_nulls().first())
        known = pl.concat([known, values.select("part", scorer=pl.lit(name), kind=pl.lit("constant"), value="value")])
    shown = known.pivot("part", index=["scorer", "kind"], values="value", maintain_order=True)
    whole = ALL if ALL in shown.columns else shown.columns[2]
    what = "all right captions score higher" if has_two else "the right caption is chosen"
    return Table(
        f"{selection.label}: share of items in which {what}",
        shown,
        bars=(whole,),
        sections="kind",
        caption=f"{chance_in_words(rows, has_two=has_two)}; all items have the same weight; "
        "bag-of-words: the maximum for a scorer that ignores word order; metrics compare with the other captions of "
        "the image",
        digits=tuple((name, _SHARE) for name in shown.columns[2:]),
        name="choices",
    )


def _against_blind(seeing: pl.DataFrame, *, has_gaps: bool) -> Table:
    shown = seeing.select(
        "scorer", "n", "accuracy", "own_accuracy", pl.col("chance").alias("against chance"),
        pl.col("best_blind").alias("best blind scorer"), pl.col("gap").alias("lead over it"), "gap_p",
        "empty_gap", "empty_gap_p", pl.col("blind").alias("against it"),
        pl.col("people_gap").alias("lead over annotators"),
        pl.col("people").alias("against annotators"),
    )  # fmt: skip
    shown = shown if has_gaps else shown.drop("n", "own_accuracy", "empty_gap", "empty_gap_p")
    shown = shown[[name for name in shown.columns if shown[name].null_count() < shown.height]]
    shares = ("accuracy", "own_accuracy", "empty_gap", "lead over it", "lead over annotators")
    known = [name for name in shares if name in shown.columns]
    return Table(
        "against chance and the best blind scorer, on all items",
        shown.rename({"gap_p": "p"}, strict=False),
        caption=f"p: test against all blind scorers at once, {RESAMPLES:,} resamples of {LEADING} images or more",
        digits=tuple((name, _SHARE) for name in known),
        name="against-blind",
    )


def _by_part(seeing: pl.DataFrame) -> Table:
    """Return the lead of each scorer over the best blind scorer of each part."""
    ahead = seeing.pivot("part", index="scorer", values="gap", maintain_order=True)
    best = dict(seeing.select("part", "best_blind").iter_rows())
    return Table(
        "lead over the best blind scorer of each part",
        ahead,
        caption="; ".join(f"{part}: {name}" for part, name in best.items()),
        digits=tuple((name, _SHARE) for name in ahead.columns[1:]),
        name="against-blind-by-part",
    )


def _between(marked: pl.DataFrame, scored: Sequence[Scored]) -> pl.DataFrame:
    """Test all pairs of scorers that are not blind, on the items that both have scored."""
    rows = []
    for first, second in itertools.combinations(scored, 2):
        known = marked.select("image", first=first.name, second=second.name).drop_nulls()
        if known.height:
            a, b = (known[side].to_numpy() for side in ("first", "second"))
            test = difference(a, b, known["image"].to_numpy())
            only = ((known["first"] > known["second"]).sum(), (known["first"] < known["second"]).sum())
            rows.append((first.name, second.name, known.height, *only, test.value, test.p))
    names = ["scorer", "other", "n", "only the first", "only the other", "difference", "p"]
    apart = pl.DataFrame(rows, schema=names, schema_overrides={"p": pl.Float64}, orient="row")
    known = apart.filter(pl.col("p").is_not_null()) if rows else apart
    corrected = known.with_columns(pl.Series("p", holm(known["p"].to_list()), pl.Float64))
    return pl.concat([corrected, apart.filter(pl.col("p").is_null())]) if rows else apart


def _complement(rows: pl.DataFrame) -> Iterator[Table]:
    """Compare just-scene with just-scene-plus: a scorer that only prefers long or short texts solves only one."""
    wide = rows.filter(pl.col("part").is_in([_SCENE, _SCENE_PLUS]), pl.col("kind") != CEILING).pivot(
        "part", index="scorer", values="accuracy", maintain_order=True
    )
    if not {_SCENE, _SCENE_PLUS} <= set(wide.columns):
        return
    together, apart = pl.col(_SCENE) + pl.col(_SCENE_PLUS), (pl.col(_SCENE) - pl.col(_SCENE_PLUS)).abs()
    likes = (
        pl.when(pl.col(_SCENE) > pl.col(_SCENE_PLUS)).then(pl.lit("longer texts")).otherwise(pl.lit("shorter texts"))
    )
    is_one = ((together - 1).abs() <= _COMPLEMENT) & (apart > _SILENT)
    yield Table(
        "preference for long texts: right on just-scene, wrong on just-scene-plus",
        wide.select("scorer", _SCENE, _SCENE_PLUS, sum=together, likes=pl.when(is_one).then(likes)),
        caption="if the sum is between .9 and 1.1, the scorer may use only length (Hodosh & Hockenmaier 2016)",
        digits=tuple((name, _SHARE) for name in (_SCENE, _SCENE_PLUS, "sum")),
        name="complement",
    )


def _errors(
    marked: pl.DataFrame, scored: Sequence[Scored], texts: pl.DataFrame, rows: pl.DataFrame, most: int
) -> pl.DataFrame:
    """Return the items with the largest errors of the best blind scorer and of each scorer that is not blind."""
    best = rows.filter(part=parts_of(marked)[-1])["best_blind"][0]
    shown = []
    for scorer in scored:
        if scorer.kind in (BLIND, CEILING) and scorer.name != best:
            continue
        lower = pl.min_horizontal("right", "right2")
        wrong = scorer.scores.filter(pl.col("wrong") > lower).with_columns(by=pl.col("wrong") - lower, lower=lower)
        worst = wrong.sort(pl.col("by"), "item_no", descending=[True, False]).head(most)
        is_second = pl.col("right2") == pl.col("lower")
        is_number = scorer.name != STOP_THEN_SHORTER  # two rules in one number, which only orders captions
        shown.append(
            worst.join(texts, on="item_no", how="left", maintain_order="left").select(
                pl.lit(scorer.name).alias("scorer"), "item",
                pl.when(is_second).then("right2_text").otherwise("right_text").alias("right"),
                pl.col("wrong_text").alias("wrong"),
                *(pl.when(is_number).then(side).alias(f"score of {name}") for side, name in _SHOWN.items()), "image",
            )
        )  # fmt: skip
    wrong = pl.concat(shown) if shown else pl.DataFrame()
    return wrong[[name for name in wrong.columns if wrong[name].null_count() < wrong.height]]


def _fair(marked: pl.DataFrame, kept: pl.DataFrame, fair: FairSubset) -> Table:
    """Count the items of the blind-fair subset."""
    rows = []
    for part in parts_of(marked):
        by = fair.balanced_by.get(part, ())
        rows.append((part, in_part(marked, part).height, in_part(kept, part).height, " ".join(by) or None))
    frame = pl.DataFrame(rows, schema=["part", "items", "kept", "balanced by"], orient="row")
    as_many = "equally many items that the listed scorers get right and wrong"
    if marked["expected"].min() != CHANCE:
        as_many = "as many items that the listed scorers get right as chance does"
    return Table(
        f"blind-fair subset: of its {kept.height:,} items, no blind scorer solves significantly more than chance",
        frame if frame["balanced by"].null_count() < frame.height else frame.drop("balanced by"),
        caption=f"{as_many}. The shares "
        "of the parts differ from those of all items: compare scorers within the subset. --fair FILE writes it",
        name="fair",
    )


def figure(selection: Selection, rows: pl.DataFrame) -> Figure:
    """Draw the accuracies on all items."""
    whole = of_all_items(rows).filter(pl.col("accuracy").is_not_null())
    part = rows["part"][0] if ALL not in rows["part"] else ALL
    title = selection.label if part == ALL else f"{selection.label}, {part}"
    return Figure(
        "choices",
        f"Right choices: {title}",
        "bars",
        whole.select("scorer", "accuracy", "low", "high", "kind"),
        x="scorer",
        y="accuracy",
        series="kind",
        low="low",
        high="high",
        y_label="share of items",
    )

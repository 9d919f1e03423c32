"""Tables and a figure of `auditor choices`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from auditor.model import Selection, pictured
from auditor.result import Figure, Table
from auditor.result.views import with_values
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
    yield _accuracies(selection, rows, has_two=texts["right2_text"].null_count() < texts.height)
    whole = parts_of(marked)[-1]
    seeing = rows.filter(~pl.col("kind").is_in([BLIND, CEILING])).drop_nulls("gap")
    if seeing.height:
        yield _against_blind(seeing.filter(part=whole), has_gaps=has_gaps)
    if seeing.height and whole == ALL:
        by_part = seeing.filter(~pl.col("part").is_in([ALL, FAIR]))
        ahead, best = by_part.pivot("part", index="scorer", values="gap"), by_part.select("part", "best_blind")
        caption = "; ".join(f"{part}: {name}" for part, name in dict(best.rows()).items())
        title = "lead over the best blind scorer of each part"
        yield _table(title, ahead, "against-blind-by-part", caption, *ahead.columns[1:])
    apart = _between(marked, [scorer for scorer in scored if scorer.kind not in (BLIND, CEILING)])
    if apart.height:
        caption = "p: paired test over images, Holm correction for all pairs"
        yield _table("differences between scorers, all items", apart, "between-scorers", caption, "difference")
    yield from _complement(rows)
    wrong = _errors(marked, scored, texts, rows, errors)
    if wrong.height:
        images = pictured(wrong.select(item="image"), selection.version.dataset, "item")
        caption = "if all scores are 0 or 1, they may be answers; then all errors are equal"
        table = _table("largest errors: the wrong caption scores higher", wrong.drop("image"), "errors", caption)
        yield replace(table, sections="scorer", beside=("right", "wrong"), pictured=images)
    yield _fair(marked, kept, fair)


def _table(title: str, frame: pl.DataFrame, name: str, caption: str, *shares: str) -> Table:
    """Return a table whose columns `shares` have few digits."""
    digits = tuple((share, 3) for share in shares if share in frame.columns)
    return Table(title, frame, caption=caption, name=name, digits=digits)


def lead(selection: Selection, rows: pl.DataFrame) -> tuple[str, ...]:
    """Report the accuracy of the best blind scorer, and of the best metric."""
    whole = of_all_items(rows)
    blind = whole.filter(pl.col("scorer") == pl.col("best_blind"))
    if blind.is_empty():
        return (f"{selection.label} has no items that can be scored.",)
    best = blind.row(0, named=True)
    items, chance = f"{items_in_words(best)} of {selection.label}", rivals_in_words(best)
    solved = f"Without the image, `{best['scorer']}` solves {best['accuracy']:.1%} of {items} ({chance})"
    if best["chance"] == ABOVE:
        sentences = [f"{solved}."]
    elif best["p"] is None:
        sentences = [f"{solved}: too few images for a test."]
    else:
        sentences = [
            f"Blind scorers solve {items} no better than chance: the best, {best['scorer']}, solves"
            f" {best['accuracy']:.1%} ({best['low']:.1%} to {best['high']:.1%}, 95%; {chance})."
        ]
    metrics = whole.drop_nulls("accuracy").filter(kind="metric").sort("accuracy", descending=True)
    sentences += [
        f"The best metric, {name}, compares with other captions of the image and solves {accuracy:.1%}."
        for name, accuracy in metrics.head(1).select("scorer", "accuracy").iter_rows()
    ]
    return tuple(sentences)


def _accuracies(selection: Selection, rows: pl.DataFrame, *, has_two: bool) -> Table:
    shares = rows.select("part", "scorer", "kind", value="accuracy")
    for name, column in (("chance", "expected"), ("best constant answer", "majority")):
        values = rows.group_by("part", maintain_order=True).agg(value=pl.col(column).drop_nulls().first())
        shares = pl.concat([shares, values.select("part", scorer=pl.lit(name), kind=pl.lit("constant"), value="value")])
    shown = shares.pivot("part", index=["scorer", "kind"], values="value")
    parts = shown.columns[2:]
    what = "all right captions score higher" if has_two else "the right caption is chosen"
    caption = (
        f"{chance_in_words(rows, has_two=has_two)}; all items have the same weight; bag-of-words: the maximum for a "
        "scorer that ignores word order; metrics compare with the other captions of the image"
    )
    table = _table(f"{selection.label}: share of items in which {what}", shown, "choices", caption, *parts)
    return replace(table, bars=(ALL if ALL in parts else parts[0],), sections="kind")


def _against_blind(seeing: pl.DataFrame, *, has_gaps: bool) -> Table:
    of_gaps = () if has_gaps else ("n", "own_accuracy", "empty_gap", "empty_gap_p")
    names = {
        "scorer": "scorer", "n": "n", "accuracy": "accuracy", "own_accuracy": "own_accuracy",
        "chance": "against chance", "best_blind": "best blind scorer", "gap": "lead over it", "gap_p": "p",
        "empty_gap": "empty_gap", "empty_gap_p": "empty_gap_p", "blind": "against it",
        "people_gap": "lead over annotators", "people": "against annotators",
    }  # fmt: skip
    shown = seeing.select(pl.col(name).alias(title) for name, title in names.items() if name not in of_gaps)
    title = "against chance and the best blind scorer, on all items"
    caption = f"p: test against all blind scorers at once, {RESAMPLES:,} resamples of {LEADING} images or more"
    shares = ("accuracy", "own_accuracy", "empty_gap", "lead over it", "lead over annotators")
    return _table(title, with_values(shown, *shown.columns), "against-blind", caption, *shares)


def _between(marked: pl.DataFrame, scored: Sequence[Scored]) -> pl.DataFrame:
    """Test all pairs of scorers that are not blind, on the items that both have scored."""
    rows = []
    for first, second in itertools.combinations(scored, 2):
        known = marked.select("image", first=first.name, second=second.name).drop_nulls()
        if known.height:
            test = difference(*(known[side].to_numpy() for side in ("first", "second", "image")))
            only = ((known["first"] > known["second"]).sum(), (known["first"] < known["second"]).sum())
            rows.append((first.name, second.name, known.height, *only, test.value, test.p))
    names = ["scorer", "other", "n", "only the first", "only the other", "difference", "p"]
    apart = pl.DataFrame(rows, schema=names, schema_overrides={"p": pl.Float64}, orient="row")
    tested = apart.drop_nulls("p")
    corrected = tested.with_columns(pl.Series("p", holm(tested["p"].to_list()), pl.Float64))
    return pl.concat([corrected, apart.filter(pl.col("p").is_null())])


def _complement(rows: pl.DataFrame) -> Iterator[Table]:
    """Compare just-scene with just-scene-plus: a scorer that only prefers long or short texts solves only one."""
    tasks = [_SCENE, _SCENE_PLUS]
    chosen = rows.filter(pl.col("part").is_in(tasks), pl.col("kind") != CEILING)
    wide = chosen.pivot("part", index="scorer", values="accuracy")
    if not {*tasks} <= {*wide.columns}:
        return
    together, apart = pl.col(_SCENE) + pl.col(_SCENE_PLUS), pl.col(_SCENE) - pl.col(_SCENE_PLUS)
    likes = pl.when(apart > 0).then(pl.lit("longer texts")).otherwise(pl.lit("shorter texts"))
    is_one = ((together - 1).abs() <= _COMPLEMENT) & (apart.abs() > _SILENT)
    shown = wide.select("scorer", *tasks, sum=together, likes=pl.when(is_one).then(likes))
    title = "preference for long texts: right on just-scene, wrong on just-scene-plus"
    caption = "if the sum is between .9 and 1.1, the scorer may use only length (Hodosh & Hockenmaier 2016)"
    yield _table(title, shown, "complement", caption, *tasks, "sum")


def _errors(
    marked: pl.DataFrame, scored: Sequence[Scored], texts: pl.DataFrame, rows: pl.DataFrame, most: int
) -> pl.DataFrame:
    """Return the items with the largest errors of the best blind scorer and of each scorer that is not blind."""
    best = rows.filter(part=parts_of(marked)[-1])["best_blind"][0]
    right, shown = pl.min_horizontal("right", "right2"), []
    for scorer in scored:
        if scorer.kind in (BLIND, CEILING) and scorer.name != best:
            continue
        wrong = scorer.scores.filter(pl.col("wrong") > right)
        worst = wrong.sort(pl.col("wrong") - right, "item_no", descending=[True, False]).head(most)
        is_number = scorer.name != STOP_THEN_SHORTER  # two rules in one number, which only orders captions
        shown.append(
            worst.join(texts, on="item_no", how="left", maintain_order="left").select(
                pl.lit(scorer.name).alias("scorer"), "item",
                pl.when(pl.col("right2") == right).then("right2_text").otherwise("right_text").alias("right"),
                pl.col("wrong_text").alias("wrong"), pl.when(is_number).then(right).alias("score of right"),
                pl.when(is_number).then("wrong").alias("score of wrong"), "image",
            )
        )  # fmt: skip
    listed = pl.concat(shown) if shown else pl.DataFrame()
    return with_values(listed, *listed.columns)


def _fair(marked: pl.DataFrame, kept: pl.DataFrame, fair: FairSubset) -> Table:
    """Count the items of the blind-fair subset."""
    rows = []
    for part in parts_of(marked):
        by = " ".join(fair.balanced_by.get(part, ())) or None
        rows.append((part, in_part(marked, part).height, in_part(kept, part).height, by))
    counts = pl.DataFrame(rows, schema=["part", "items", "kept", "balanced by"], orient="row")
    as_many = "equally many items that the listed scorers get right and wrong"
    if marked["expected"].min() != CHANCE:
        as_many = "as many items that the listed scorers get right as chance does"
    title = f"blind-fair subset: of its {kept.height:,} items, no blind scorer solves significantly more than chance"
    caption = (
        f"{as_many}. The shares of the parts differ from those of all items: compare scorers within the subset. "
        "--fair FILE writes it"
    )
    return _table(title, with_values(counts, *counts.columns), "fair", caption)


def figure(selection: Selection, rows: pl.DataFrame) -> Figure:
    """Draw the accuracies on all items."""
    whole = of_all_items(rows).drop_nulls("accuracy").select("scorer", "accuracy", "low", "high", "kind")
    part = rows["part"][0] if ALL not in rows["part"] else ALL
    title = f"Right choices: {selection.label if part == ALL else f'{selection.label}, {part}'}"
    drawn = Figure("choices", title, "bars", whole, "scorer", "accuracy", "kind", y_label="share of items")
    return replace(drawn, low="low", high="high")

"""Tables and a picture of `auditor choices`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import polars as pl

from auditor.model import Selection, pictured
from auditor.result import Figure, Table
from auditor.statistics.forced_choice import CHANCE, RESAMPLES, difference
from auditor.statistics.significance import holm
from auditor.studies.choices.fair import FairSubset
from auditor.studies.choices.rows import ALL, FAIR, in_part, of_all_items, parts_of
from auditor.studies.choices.scored import BLIND, CEILING, Scored, chance_in_words

#: The tasks of Hodosh & Hockenmaier 2016 of which each is the other's complement, for who only likes long texts.
_SCENE, _SCENE_PLUS = "just-scene", "just-scene-plus"

#: How far two accuracies may be from a sum of 1 that is called one, and from chance where they say nothing.
_COMPLEMENT, _SILENT = 0.1, 0.05

_SHARE = 3


def tables(
    selection: Selection,
    rows: pl.DataFrame,
    marked: pl.DataFrame,
    scored: Sequence[Scored],
    texts: pl.DataFrame,
    fair: FairSubset,
    kept: pl.DataFrame,
    errors: int,
) -> Iterator[Table]:
    """Arrange what was found for reading; `texts` are the rows of `sql/choices/choice_text.sql`."""
    yield _accuracies(selection, rows)
    whole = parts_of(marked)[-1]
    seeing = rows.filter(~pl.col("kind").is_in([BLIND, CEILING]), pl.col("gap").is_not_null())
    if seeing.height:
        yield _against_blind(seeing.filter(part=whole))
        if whole == ALL:
            yield _by_part(seeing.filter(~pl.col("part").is_in([ALL, FAIR])))
    apart = _between(marked, [scorer for scorer in scored if scorer.kind not in (BLIND, CEILING)])
    if apart.height:
        yield Table(
            "scorers against each other, on all items", apart, name="between-scorers", digits=(("difference", _SHARE),),
            caption="p of a paired test over images, corrected for all pairs by Holm",
        )  # fmt: skip
    yield from _complement(rows)
    wrong = _errors(marked, scored, texts, rows, errors)
    if wrong.height:
        images = wrong.select(item="image")
        yield Table(
            "where scorers err most: the wrong caption scores higher", wrong.drop("image"), name="errors",
            sections="scorer", beside=("right", "wrong"), pictured=pictured(images, selection.version.dataset, "item"),
            caption="scores of 0 and 1 may be answers, of which none is worse than another",
        )  # fmt: skip
    yield _fair(marked, kept, fair)


def lead(selection: Selection, rows: pl.DataFrame) -> tuple[str, ...]:
    """Return how far the best scorer without the image comes, and the best that sees anything."""
    whole = of_all_items(rows)
    blind = whole.filter(pl.col("scorer") == pl.col("best_blind"))
    if blind.is_empty():
        return (f"{selection.label} has no items that can be scored.",)
    best = blind.row(0, named=True)
    led = [
        f"Of the {best['n']:,} items of {selection.label}, {best['accuracy']:.1%} are told without the image, by"
        f" {best['scorer']}; chance is {100 * best['expected']:.0f} %."
    ]
    seeing = whole.filter(pl.col("accuracy").is_not_null(), kind="metric").sort("accuracy", descending=True)
    if seeing.height:
        name, accuracy = seeing.select("scorer", "accuracy").row(0)
        led.append(
            f"{name}, the best of the metrics, which know other captions of the image, is right in {accuracy:.1%}."
        )
    return tuple(led)


def _accuracies(selection: Selection, rows: pl.DataFrame) -> Table:
    shown = rows.pivot("part", index=["scorer", "kind"], values="accuracy", maintain_order=True)
    whole = ALL if ALL in shown.columns else shown.columns[2]
    has_two = rows["expected"].min() != rows["expected"].max() or rows["expected"].min() != CHANCE
    what = "all right captions score higher" if has_two else "the right caption is chosen"
    return Table(
        f"{selection.label}: share of items in which {what}",
        shown,
        bars=(whole,),
        sections="kind",
        caption=f"{chance_in_words(rows)}, and every item counts alike; bag-of-words: the most that a scorer of words "
        "without order can reach; metrics know the image's other captions",
        digits=tuple((name, _SHARE) for name in shown.columns[2:]),
        name="choices",
    )


def _against_blind(seeing: pl.DataFrame) -> Table:
    shown = seeing.select(
        "scorer", "accuracy", pl.col("chance").alias("against chance"),
        pl.col("best_blind").alias("best blind scorer"), pl.col("gap").alias("ahead of it by"), "gap_p",
        pl.col("blind").alias("against it"), pl.col("people_gap").alias("ahead of people by"),
        pl.col("people").alias("against people"),
    )  # fmt: skip
    shown = shown[[name for name in shown.columns if shown[name].null_count() < shown.height]]
    known = [name for name in ("accuracy", "ahead of it by", "ahead of people by") if name in shown.columns]
    return Table(
        "against chance and the best blind scorer, on all items",
        shown.rename({"gap_p": "p"}),
        caption=f"p: of a test against all blind scorers at once, by {RESAMPLES:,} resamples of images",
        digits=tuple((name, _SHARE) for name in known),
        name="against-blind",
    )


def _by_part(seeing: pl.DataFrame) -> Table:
    """Return how far each scorer is ahead of the best blind one of each part, which length may give away."""
    ahead = seeing.pivot("part", index="scorer", values="gap", maintain_order=True)
    best = dict(seeing.select("part", "best_blind").iter_rows())
    return Table(
        "ahead of the best blind scorer of each part by",
        ahead,
        caption="; ".join(f"{part}: {name}" for part, name in best.items()),
        digits=tuple((name, _SHARE) for name in ahead.columns[1:]),
        name="against-blind-by-part",
    )


def _between(marked: pl.DataFrame, scored: Sequence[Scored]) -> pl.DataFrame:
    """Test every pair of scorers that see anything, on the items of which both have a score."""
    told = []
    for first, other in itertools.combinations(scored, 2):
        known = marked.select("image", one=first.name, other=other.name).drop_nulls()
        if known.height:
            a, b = (known[side].to_numpy() for side in ("one", "other"))
            found = difference(a, b, known["image"].to_numpy())
            only = ((known["one"] > known["other"]).sum(), (known["one"] < known["other"]).sum())
            told.append((first.name, other.name, known.height, *only, found.value, found.p))
    names = ["scorer", "other", "n", "only the first", "only the other", "difference", "p"]
    apart = pl.DataFrame(told, schema=names, orient="row")
    return apart.with_columns(pl.Series("p", holm(apart["p"].to_list()), pl.Float64)) if told else apart


def _complement(rows: pl.DataFrame) -> Iterator[Table]:
    """Put just-scene beside just-scene-plus: who only likes long texts, or short ones, is right in one or the other."""
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
        "a scorer that only likes long texts is right on just-scene and wrong on just-scene-plus",
        wide.select("scorer", _SCENE, _SCENE_PLUS, sum=together, likes=pl.when(is_one).then(likes)),
        caption="where both add up to 1 within .1, length may be all that counts (Hodosh & Hockenmaier 2016)",
        digits=tuple((name, _SHARE) for name in (_SCENE, _SCENE_PLUS, "sum")),
        name="complement",
    )


def _errors(
    marked: pl.DataFrame, scored: Sequence[Scored], texts: pl.DataFrame, rows: pl.DataFrame, most: int
) -> pl.DataFrame:
    """Show, of each scorer that sees anything and of the best blind one, the items in which it errs by most."""
    best = rows.filter(part=parts_of(marked)[-1])["best_blind"][0]
    shown = []
    for scorer in scored:
        if scorer.kind in (BLIND, CEILING) and scorer.name != best:
            continue
        lower = pl.min_horizontal("right", "right2")
        wrong = scorer.scores.filter(pl.col("wrong") > lower).with_columns(by=pl.col("wrong") - lower, lower=lower)
        worst = wrong.sort(pl.col("by"), "item_no", descending=[True, False]).head(most)
        is_second = pl.col("right2") == pl.col("lower")
        shown.append(
            worst.join(texts, on="item_no", how="left", maintain_order="left").select(
                pl.lit(scorer.name).alias("scorer"), "item",
                pl.when(is_second).then("right2_text").otherwise("right_text").alias("right"),
                pl.col("wrong_text").alias("wrong"), pl.col("lower").alias("score of right"),
                pl.col("wrong").alias("score of wrong"), "image",
            )
        )  # fmt: skip
    return pl.concat(shown) if shown else pl.DataFrame()


def _fair(marked: pl.DataFrame, kept: pl.DataFrame, fair: FairSubset) -> Table:
    """Count the items of the blind-fair subset."""
    told = []
    for part in parts_of(marked):
        by = fair.balanced_by.get(part, ())
        told.append((part, in_part(marked, part).height, in_part(kept, part).height, " ".join(by) or None))
    frame = pl.DataFrame(told, schema=["part", "items", "kept", "balanced by"], orient="row")
    as_many = "as many items on which the scorers that it is balanced by are right as items on which they err"
    if marked["expected"].min() != CHANCE:
        as_many += "; with two right captions, one item on which they are right for two on which they err"
    return Table(
        "blind-fair subset: items that no blind scorer here decides beyond chance",
        frame if frame["balanced by"].null_count() < frame.height else frame.drop("balanced by"),
        caption=f"{as_many}. Parts "
        "have other shares of it than of all items: compare scorers within it. --fair FILE writes it",
        name="fair",
    )


def figure(selection: Selection, rows: pl.DataFrame) -> Figure:
    """Draw accuracies over all items."""
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

"""Findings on a benchmark: what solves it without the images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from auditor.model import Selection
from auditor.result import Finding, Severity, about
from auditor.statistics.forced_choice import CHANCE
from auditor.studies.choices import blind
from auditor.studies.choices.rows import ALL, BLIND, CEILING, FAIR, of_all_items

#: What a scorer uses, in words; each has a kind of finding.
_USED = {
    blind.LENGTH: "length alone, without the image, gets",
    blind.PUNCTUATION: "the final full stop alone, without the image, gets",
    blind.MODEL: "a language model alone, without the image, gets",
    blind.COPY: "copies of training captions, without the image, get",
    blind.WORDS: "words and word pairs alone, without the image, get",
    blind.ANSWERS: "the frequency of answers alone, without the image, gets",
    blind.POSITION: "the position of the right option alone, without the image, gets",
    blind.QUESTION: "the question alone, without the image, gets",
}

#: Distances from chance for a notice, a warning and an error. With few items, chance often gets close to the first.
_NOTICE, _WARNING, _ERROR = 0.05, 0.1, 0.25

_LEVEL = 0.05

#: Share of items whose captions have the same words: a smaller share hardly lowers a score.
_CEILING = 0.01


def findings(selection: Selection, rows: pl.DataFrame, examples: pl.DataFrame) -> Iterator[Finding]:
    """Yield what solves the items of any part significantly better than chance, by rows of `rows.rows`.

    The significance level is divided by the number of parts and blind scorers (Bonferroni): one sound benchmark in
    twenty gets a finding. `examples` are the rows of `sql/choices/choice_text.sql`, with image and part.
    """
    tested = rows.filter(pl.col("kind") == BLIND, pl.col("part") != FAIR, pl.col("p").is_not_null())
    # A rule below chance is right in the opposite direction; a scorer that learns is not.
    away, learns = pl.col("accuracy") - pl.col("expected"), pl.col("scorer").is_in(blind.LEARNING)
    beyond = tested.with_columns(away=pl.when(learns).then(away).otherwise(away.abs()).round(9)).filter(
        pl.col("p") * tested.height < _LEVEL, pl.col("away") >= _NOTICE
    )
    for by, subject in _USED.items():
        # Of equals the first: of `shorter` and `longer` the one that is more often right.
        significant = beyond.filter(by=by).sort("away", "accuracy", descending=True, maintain_order=True)
        if significant.height:
            yield _decided(selection, rows, significant, by, subject)
    yield from _ceiling(selection, rows, examples)


def _decided(selection: Selection, rows: pl.DataFrame, significant: pl.DataFrame, by: str, subject: str) -> Finding:
    worst = significant.row(0, named=True)
    every = rows.filter(part=ALL)
    same = every.filter(scorer=worst["scorer"])
    overall, items = same["accuracy"].to_list(), same["n"].to_list()
    away = float(worst["away"])
    severity: Severity = "error" if away >= _ERROR else "warning" if away >= _WARNING else "notice"
    chance = f"{worst['expected']:.0%} expected by chance"
    sentence = f"{selection.label}: {subject} {worst['accuracy']:.1%} of {worst['n']:,} items"
    if worst["part"] != ALL and overall:
        sentence += (
            f" of part {worst['part']} right ({worst['scorer']}). Of all {items[0]:,} items, {overall[0]:.1%} are"
        )
        sentence += f" right ({chance})"
    else:
        sentence += f" right ({worst['scorer']}; {chance})"
    values = {name: worst[name] for name in ("accuracy", "low", "high", "p")}
    values |= {"overall": overall[0] if overall else worst["accuracy"]}
    together = every.filter(scorer=blind.STOP_THEN_SHORTER)["accuracy"].to_list()
    if by == blind.LENGTH and together:
        sentence += f". The final full stop, then length, gets {together[0]:.1%} of all items right"
        values |= {"with_full_stop": together[0]}
    where = about(selection, part=worst["part"], scorer=worst["scorer"])
    headline = f"{worst['accuracy']:.1%} of {worst['n']:,} items"
    return Finding(f"benchmark-decided-by-{by}", sentence, where, values, worst["n"], severity, headline=headline)


def _ceiling(selection: Selection, rows: pl.DataFrame, examples: pl.DataFrame) -> Iterator[Finding]:
    """Yield how many items a scorer that ignores word order cannot decide."""
    bags = rows.filter(pl.col("kind") == CEILING, pl.col("part") != FAIR, pl.col("ties") > 0)
    if bags.is_empty():
        return
    whole = of_all_items(bags).row(0, named=True)
    by_part = {row["part"]: row["ties"] for row in bags.iter_rows(named=True) if row["part"] != ALL}
    named = ", ".join(f"{part} {ties:,}" for part, ties in by_part.items())
    parts = f" ({named})" if whole["part"] == ALL and named else ""
    count = f"{whole['ties']:,} of {whole['n']:,} items"
    same = f"the two captions of {count} have the same words{parts}"
    if whole["expected"] != CHANCE:
        same = f"a wrong caption of {count} has the same words as a right one{parts}"
    limit = f"A scorer that ignores word order gets at most {whole['accuracy']:.2%} right"
    sentence = f"{selection.label}: {same}. {limit}"
    share = whole["ties"] / whole["n"]
    values = {"items": whole["ties"], "share": share, "ceiling": whole["accuracy"]}
    severity: Severity = "notice" if share >= _CEILING else "info"
    yield Finding(
        "order-blind-ceiling", sentence, about(selection), values, whole["n"], severity, _shown(examples), count
    )


def _shown(examples: pl.DataFrame, most: int = 3) -> tuple[dict[str, str | int | None], ...]:
    shown: Sequence[dict[str, str | int | None]] = examples.head(most).select(
        "image", slot="slot_right", text="right_text", why="part", other_image="image", other_slot="slot_wrong",
        other_text="wrong_text",
    ).to_dicts()  # fmt: skip
    return tuple(shown)

"""What is found of a benchmark: by what it is decided without its images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from auditor.model import Selection
from auditor.result import Finding, Severity, about
from auditor.statistics.forced_choice import CHANCE
from auditor.studies.choices import blind
from auditor.studies.choices.rows import ALL, FAIR, of_all_items
from auditor.studies.choices.scored import BLIND, CEILING

#: What a scorer goes by, in words, for each of which there is a kind of finding.
_SAID = {
    blind.LENGTH: "by length alone",
    blind.PUNCTUATION: "by the final full stop alone",
    blind.MODEL: "by a language model alone",
    blind.COPY: "by whether a training caption is the same",
    blind.WORDS: "by words and pairs of words alone, learnt from items of other images",
}

#: How far from chance is worth a word, a look, and too far. Below the first, with few items, chance is often as far.
_NOTICE, _WARNING, _ERROR = 0.05, 0.1, 0.25

_LEVEL = 0.05

#: Shares of items whose captions have the same words: of fewer, a ceiling hardly lowers a score.
_CEILING = 0.01


def findings(selection: Selection, rows: pl.DataFrame, examples: pl.DataFrame) -> Iterator[Finding]:
    """Yield what decides the items of any part beyond chance, by rows of `rows.rows`.

    The level is shared among all parts and blind scorers (Bonferroni), so that one benchmark in twenty without any such
    thing brings a finding. `examples` are the rows of `sql/choices/choice_text.sql`, with image and part.
    """
    asked = rows.filter(pl.col("kind") == BLIND, pl.col("part") != FAIR, pl.col("p").is_not_null())
    beyond = asked.with_columns(away=(pl.col("accuracy") - pl.col("expected")).abs()).filter(
        pl.col("p") * asked.height < _LEVEL, pl.col("away") >= _NOTICE
    )
    for by, said in _SAID.items():
        # Of equals the first: of `shorter` and `longer` the one that is more often right.
        found = beyond.filter(by=by).sort("away", "accuracy", descending=True, maintain_order=True)
        if found.height:
            yield _decided(selection, rows, found, by, said)
    yield from _ceiling(selection, rows, examples)


def _decided(selection: Selection, rows: pl.DataFrame, found: pl.DataFrame, by: str, said: str) -> Finding:
    worst = found.row(0, named=True)
    every = rows.filter(part=ALL)
    asked = every.filter(scorer=worst["scorer"])
    overall, items = asked["accuracy"].to_list(), asked["n"].to_list()
    away = float(worst["away"])
    severity: Severity = "error" if away >= _ERROR else "warning" if away >= _WARNING else "notice"
    sentence = f"{selection.label}: {said}, without the image, {worst['accuracy']:.1%} of {worst['n']:,} items"
    if worst["part"] != ALL and overall:
        sentence += f" of part {worst['part']} are right, and {overall[0]:.1%} of all {items[0]:,}"
    else:
        sentence += " are right"
    sentence += f" ({worst['scorer']}; chance is {100 * worst['expected']:.0f} %)"
    values = {name: worst[name] for name in ("accuracy", "low", "high", "p")}
    values |= {"overall": overall[0] if overall else worst["accuracy"]}
    together = every.filter(scorer=blind.STOP_THEN_SHORTER)["accuracy"].to_list()
    if by == blind.LENGTH and together:
        sentence += f"; by no final full stop first, then by length, {together[0]:.1%} of all"
        values |= {"with_full_stop": together[0]}
    where = about(selection, part=worst["part"], scorer=worst["scorer"])
    headline = f"{worst['accuracy']:.1%} of {worst['n']:,} items"
    return Finding(f"benchmark-decided-by-{by}", sentence, where, values, worst["n"], severity, headline=headline)


def _ceiling(selection: Selection, rows: pl.DataFrame, examples: pl.DataFrame) -> Iterator[Finding]:
    """Yield how many items no scorer that is blind to order can decide."""
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
        same = f"the wrong caption of {count} has the same words as a right one{parts}"
    said = (
        f"{selection.label}: {same}: a scorer of words that is blind to their order is right in {whole['accuracy']:.2%}"
        " at most"
    )
    share = whole["ties"] / whole["n"]
    values = {"items": whole["ties"], "share": share, "ceiling": whole["accuracy"]}
    severity: Severity = "notice" if share >= _CEILING else "info"
    yield Finding("order-blind-ceiling", said, about(selection), values, whole["n"], severity, _shown(examples), count)


def _shown(examples: pl.DataFrame, most: int = 3) -> tuple[dict[str, str | int | None], ...]:
    shown: Sequence[dict[str, str | int | None]] = examples.head(most).select(
        "image", slot="slot_right", text="right_text", why="part", other_image="image", other_slot="slot_wrong",
        other_text="wrong_text",
    ).to_dicts()  # fmt: skip
    return tuple(shown)

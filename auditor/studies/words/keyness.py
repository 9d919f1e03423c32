"""List words that one set of captions uses more or less than another (Rayson & Garside 2000)."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.errors import MetricError, UsageError
from auditor.model import Progress, silent
from auditor.result import Finding, Result, Signature, Table, about
from auditor.statistics.significance import SMALLEST_P
from auditor.store.captions import Captions, select_all, selections_of, stamp
from auditor.store.connection import Store
from auditor.store.workspace import Workspace
from auditor.text import AUTO

_VERSION = 1

_SHOWN = 20


def keyness(
    store: Store,
    a: str,
    b: str,
    *,
    tokenizer: str = AUTO,
    split: str | None = None,
    minimum: int = 5,
    words: Sequence[str] = (),
    progress: Progress = silent,
) -> Result:
    """Compare the words of two datasets, for `auditor words`.

    Rows: dataset, against, word, occurrences, expected, log_likelihood, log_ratio, p, direction (over, under, even).
    They contain words that occur at least `minimum` times in both datasets together, and all of `words`. Raises
    `MetricError` for a dataset without a token.
    """
    if minimum < 1:
        raise UsageError(f"--minimum {minimum}: expected 1 or more")
    sides = select_all(store, [a, b], split, tokenizer, progress=progress)
    watched = list(dict.fromkeys(word.lower() for word in words))
    both = Workspace(store, minimum=1 if watched else minimum)
    for side, captions in zip("ab", sides, strict=True):
        both.append("token_of_side", "token_count", of=captions.workspace(), side=side)
        if both.query(f"select 1 from token_of_side where side = '{side}' limit 1").is_empty():
            raise MetricError(f"{captions.label}: no caption has a token, so its words cannot be compared")
    counted = both.rows("keyness")
    often = pl.col("occurrences") + pl.col("occurrences_b") >= minimum
    frame = _rows(sides, counted.filter(often | pl.col("word").is_in(watched)))
    unseen = [word for word in watched if word not in set(frame["word"])]
    chosen = sides[0].tokenizer
    settings: dict[str, str | int | float | bool] = {"tok": chosen, "minimum": minimum, "zero": 0.5}
    return Result(
        "keyness",
        frame,
        selections=selections_of(sides),
        signatures={"keyness": str(Signature("keyness", settings, _VERSION))},
        tables=tuple(_tables(sides, frame, watched)),
        notes=(
            *sides[0].notes,
            *([f"these words are in neither dataset (tokenizer {chosen}): {', '.join(unseen)}"] if unseen else []),
            f"p is for a single word, but {frame.height:,} were compared. To correct for this (Bonferroni), require p"
            f" below {0.05 / max(frame.height, 1):.1g}",
        ),
        findings=tuple(_images(sides)),
    )


def _rows(sides: Sequence[Captions], counted: pl.DataFrame) -> pl.DataFrame:
    from scipy.stats import chi2  # type: ignore[import-untyped]  # noqa: PLC0415  # slow to import

    a, b = sides
    likelihood = counted["log_likelihood"].abs().to_numpy()
    rows = counted.select(
        pl.lit(b.selection.version.dataset).alias("against"),
        "word", "occurrences", "expected", "log_likelihood", "log_ratio",
        pl.Series("p", chi2.sf(likelihood, 1), dtype=pl.Float64).clip(lower_bound=SMALLEST_P),
        pl.when(pl.col("log_likelihood") > 0).then(pl.lit("over"))
        .when(pl.col("log_likelihood") < 0).then(pl.lit("under"))
        .otherwise(pl.lit("even")).alias("direction"),
        "occurrences_b", "tokens", "tokens_b",
        ratio=(pl.col("occurrences") / pl.col("tokens")) / (pl.col("occurrences_b") / pl.col("tokens_b")),
    ).with_columns(pl.when(pl.col("ratio").is_finite()).then("ratio").alias("ratio"))  # fmt: skip
    versions = ("version", "split", "against_version", "against_split")
    named = a.stamp(stamp(b.selection, rows, ("against", *versions[2:])))
    return named.select("dataset", "against", pl.exclude("dataset", "against", *versions), *versions)


def _tables(sides: Sequence[Captions], frame: pl.DataFrame, watched: Sequence[str]) -> list[Table]:
    a, b = (side.label for side in sides)
    columns = pl.col("word", "occurrences", "expected", "log_likelihood", "log_ratio")
    chosen = {
        "over": (f"words that {a} uses more than {b}", pl.col("direction") == "over"),
        "under": (f"words that {a} uses less than {b}", pl.col("direction") == "under"),
        "watched": ("watched words", pl.col("word").is_in(watched)),
    }
    listed = ((name, title, frame.filter(which)) for name, (title, which) in chosen.items())
    return [
        Table(
            title,
            rows.head(_SHOWN).select(columns),
            caption=f"{rows.height - _SHOWN:,} more words: -o FILE writes all" if rows.height > _SHOWN else None,
            name=name,
        )
        for name, title, rows in listed
        if rows.height
    ]


def _images(sides: Sequence[Captions]) -> list[Finding]:
    """Return a finding if the two datasets describe different images, whose content also changes the words."""
    a, b = (side.images()["image"] for side in sides)
    shared = int(a.is_in(b.implode()).sum())
    if shared == len(a) == len(b):
        return []
    sentence = (
        f"{sides[0].label} describes {len(a):,} images, {sides[1].label} {len(b):,}, and both share {shared:,}. Part of"
        " the differences in words comes from the content of other images"
    )
    where = about(sides[0].selection, against=sides[1].label)
    return [Finding("images-not-shared", sentence, where, {"images": len(a) - shared}, len(a), "notice")]

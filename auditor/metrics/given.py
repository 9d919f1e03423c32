"""Scores that another program computed, read from a file: each of its columns of numbers is a metric.

A row belongs to a caption by its image and text, or by image and slot, or by the image alone if it has one caption.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from auditor.errors import MetricError
from auditor.files import printable
from auditor.files.rows import numbers_of, read_rows
from auditor.metrics.card import Metric
from auditor.metrics.own import Scorer, card
from auditor.result import counted, listed

#: The names of columns that identify a caption.
_KEYS: Mapping[str, tuple[str, ...]] = {
    "image": ("image", "image_id"), "slot": ("slot",), "text": ("caption", "text"), "candidate": ("candidate",),
}  # fmt: skip

_FORM = "columns image, caption (or slot), and one of numbers per metric"

#: The captions that studies draw: a score by image and slot is not theirs.
_DRAWN = ("intra", "inter", "brown", "gibberish")

_SHOWN = 40


@dataclass(frozen=True)
class GivenScores(Scorer):
    """Finds the scores of one column. `table` has the columns of the keys, and column score.

    Of a `partial` file, captions without a row have no score.
    """

    table: pl.DataFrame = field(default_factory=pl.DataFrame, repr=False)
    partial: bool = False

    def __call__(self, rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
        """Find the scores of the candidates of one bucket of images. Raises `MetricError` if one has none."""
        pairs = rows["candidate_texts"]
        keys = self.table.columns[:-1]
        drawn = [name for name in pairs["candidate"].unique().sort() if name.startswith(_DRAWN)]
        if drawn and "text" not in keys and "candidate" not in keys:
            raise MetricError(f"{self.home}: add column caption: without it, the scores cannot be those of {drawn[0]}")
        found = pairs.with_columns(slot=pl.col("slot").cast(pl.String)).join(
            self.table, on=keys, how="left", maintain_order="left"
        )
        lacking = found.filter(pl.col("score").is_null())
        if lacking.height and not self.partial:
            image, slot, text, candidate = lacking.select("image", "slot", "text", "candidate").row(0)
            which = f"{lacking.height:,} of {pairs.height:,} captions ({candidate})"
            raise MetricError(
                f"{self.home}: no score of {self.name} for {which}: image {image}, slot {slot}, {text[:_SHOWN]!r}; "
                "add a row for each, or import a dataset of only the images with scores and name that"
            )
        return pairs.select("candidate", "image", "slot", found["score"])


def in_part(metric: Metric) -> Metric:
    """Return a metric whose file may lack captions; other metrics stay as they are."""
    scorer = metric.kernel.run if metric.kernel else None
    if not isinstance(scorer, GivenScores) or metric.kernel is None:
        return metric
    return replace(metric, kernel=replace(metric.kernel, run=replace(scorer, partial=True)))


def cards_of_scores(path: Path) -> list[Metric]:
    """Make a metric of each column of scores. Raises `MetricError` for a file without captions, or without scores."""
    rows = read_rows(path, "scores", _FORM)
    named = {key: next((one for one in names if one in rows.columns), None) for key, names in _KEYS.items()}
    if named["text"] is not None:
        named["slot"] = None  # the text identifies drawn captions too
    keys = {key: name for key, name in named.items() if name is not None}
    if not {"image", "text"} & keys.keys():
        raise MetricError(f"{path}: no column identifies captions: it has {listed(rows.columns, 8)}; expected {_FORM}")
    known = rows.select(pl.col(name).cast(pl.String).alias(key) for key, name in keys.items())
    aliases = {name for names in _KEYS.values() for name in names}
    columns = [name for name in rows.columns if name not in aliases and _is_number(rows[name])]
    if not columns:
        raise MetricError(f"{path}: no column has numbers: it has {listed(rows.columns, 8)}; expected {_FORM}")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    cards, shown = [], Path(printable(path))
    for column in columns:
        table = known.with_columns(score=numbers_of(path, rows[column], error=MetricError)).unique(maintain_order=True)
        _refuse_two(path, column, table)
        cards.append(
            card(
                GivenScores(
                    shown.stem if column == "score" else column, len, columns=True, home=str(path), table=table
                ),
                summary=f"scores of {shown.name}, column {column}", kind="scores computed elsewhere",
                position=str(shown), digest=digest, caution=None,
            )
        )  # fmt: skip
    return cards


def _is_number(values: pl.Series) -> bool:
    """Return whether the first cell of a column with content is a number."""
    first = values.drop_nulls().head(1).cast(pl.Float64, strict=False)
    return len(first) > 0 and first.null_count() == 0


def _refuse_two(path: Path, column: str, table: pl.DataFrame) -> None:
    """Raise `MetricError` if a caption has two scores."""
    keys = table.columns[:-1]
    twice = table.filter(pl.struct(keys).is_duplicated())
    if twice.height:
        which = ", ".join(f"{key} {value!r}" for key, value in zip(keys, twice.row(0)[:-1], strict=True))
        what = counted(twice.height, "row", "rows")
        more = "" if "text" in keys else "; add column caption, which separates captions of an image"
        raise MetricError(f"{path}: different scores of {column} in {what} of the same caption: {which}{more}")


def asked_with(metrics: Sequence[Any] | None, files: Sequence[Path] | None) -> Sequence[Any] | None:
    """Add the scores of files to the requested metrics: without these, only the scores are compared."""
    return [*(metrics or ()), *(f"scores:{file}" for file in files)] if files else metrics

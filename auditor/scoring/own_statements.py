"""User-defined metrics in SQL: a file with one SELECT, which reads only the texts that are scored.

It reads `candidates` (id, text, reference_texts: a list) and returns a row per candidate: id, score. It cannot read the
store or files, and has the same restrictions as `auditor sql`.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from auditor.errors import AuditorError, MetricError
from auditor.files import printable, read_text
from auditor.metrics.card import Metric
from auditor.metrics.own import Scale, Scorer, card
from auditor.result import listed
from auditor.store.connection import MEMORY, Store
from auditor.store.readonly_sql import ask
from auditor.store.statements import relations_read

_READ, _GIVEN = "candidates", ("id", "score")

_NONE = pl.DataFrame(schema={"id": pl.Int64, "text": pl.String, "reference_texts": pl.List(pl.String)})

_SHOWN = 60  # characters of a text that has no score

#: The comments before a SELECT that describe the metric, each on a separate line.
_COMMENT = re.compile(r"^--\s*(name|lower_is_better|lowest|highest|summary):\s*(.*?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Statement:
    """A SELECT that scores whole columns at once, with the description in its file."""

    path: Path
    text: str
    name: str
    summary: str
    scale: Scale

    @property
    def digest(self) -> str:
        """Begin the sha256 of the file's text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    def __call__(self, candidates: pl.Series, references: pl.Series) -> pl.Series:
        """Score texts against lists of texts, in their order.

        Raises `MetricError` for wrong columns, and unless there is exactly one row per candidate.
        """
        numbers = pl.int_range(len(candidates), eager=True, dtype=pl.Int64)
        rows = pl.DataFrame({"id": numbers, "text": candidates, "reference_texts": references})
        scores = self.scores(rows)
        unknown = scores.join(rows, on="id", how="anti")["id"]
        if len(unknown):
            raise MetricError(f"{self.path}: returns a score for id {unknown[0]}, which no candidate has")
        if scores["id"].is_duplicated().any():
            raise MetricError(f"{self.path}: returns {scores.height:,} scores for {rows.height:,} candidates")
        lacking = rows.join(scores, on="id", how="anti")
        if lacking.height:
            example = f"id {lacking['id'][0]}, {lacking['text'][0][:_SHOWN]!r}; use 0 for a score of 0"
            raise MetricError(
                f"{self.path}: returns no row for {lacking.height:,} of {rows.height:,} candidates: {example}"
            )
        return rows.join(scores, on="id", how="left", maintain_order="left")["score"]

    def scores(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Run the SELECT on `candidates`. Columns: id, score."""
        with Store.open(MEMORY) as store, store.registered(_READ, rows):
            if others := sorted(relations_read(store.connection, self.text) - {_READ}):
                raise MetricError(f"{self.path}: reads {listed(others, 6)}; a metric can read only {_READ}")
            given = ask(store, self.text, {})
        missing = [name for name in _GIVEN if name not in given.columns]
        if missing:
            columns = f"{listed(given.columns, 6)}; write `select id, … as score from {_READ}`"
            raise MetricError(f"{self.path}: returns no column {' and no '.join(missing)}, but {columns}")
        for name, can in (("id", given["id"].dtype.is_integer()), ("score", given["score"].dtype.is_numeric())):
            if not can:
                raise MetricError(f"{self.path}: column {name} is {given[name].dtype}, not a number")
        return given.select(pl.col("id").cast(pl.Int64), pl.col("score").cast(pl.Float64))


def statement_of(path: Path) -> Statement:
    """Read a file, and test its SELECT on an empty table.

    It may have comments `-- name: …`, `-- summary: …`, `-- lower_is_better: true`, `-- lowest: 0` and `-- highest: 1`.
    The default name is that of the file. Raises `MetricError` with the file and the problem.
    """
    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise MetricError(f"{path}: {why}") from error
    described = dict(_COMMENT.findall(text))
    scale = Scale(lower_is_better=described.get("lower_is_better", "").lower() == "true")
    try:
        scale |= Scale(lowest=float(described.get("lowest", "-inf")), highest=float(described.get("highest", "inf")))
    except ValueError as error:
        raise MetricError(f"{path}: lowest and highest must be numbers: {error}") from error
    statement = Statement(
        path,
        text,
        described.get("name") or printable(path.stem),
        described.get("summary") or f"the SELECT of {printable(path.name)}",
        scale,
    )
    try:
        statement.scores(_NONE)
    except MetricError:
        raise
    except AuditorError as error:
        raise MetricError(f"{path}: {error}") from error
    return statement


def card_of_statement(statement: Statement) -> Metric:
    """Make a metric of a SELECT. Raises `MetricError` for a name that is invalid in requests and signatures."""
    return card(
        Scorer(statement.name, statement, columns=True, home=str(statement.path)),
        summary=statement.summary,
        kind="a SELECT of your own",
        position=str(statement.path),
        digest=statement.digest,
        caution=None,
        **statement.scale,
    )

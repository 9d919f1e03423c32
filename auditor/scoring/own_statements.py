"""Metrics of the user's own in SQL: a file of one SELECT, asked of the texts that are scored and of nothing else.

It reads `candidates` (id, text, reference_texts: a list) and gives a row a candidate: id, score. It sees no store and
no file, and is refused what `auditor sql` is.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from auditor.errors import AuditorError, MetricError
from auditor.metrics.card import Metric
from auditor.metrics.own import Scorer, card
from auditor.result import listed
from auditor.store.connection import MEMORY, Store
from auditor.store.readonly_sql import ask
from auditor.store.statements import relations_read

_READ, _GIVEN = "candidates", ("id", "score")

_NONE = pl.DataFrame(schema={"id": pl.Int64, "text": pl.String, "reference_texts": pl.List(pl.String)})

_SHOWN = 60  # characters of a text that has no score

#: What the comments before a SELECT may say of the metric, each on a line of its own.
_SAID = re.compile(r"^--\s*(name|lower_is_better|summary):\s*(.*?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Statement:
    """A SELECT that scores whole columns at once, and what its file says of it."""

    path: Path
    text: str
    name: str
    summary: str
    lower_is_better: bool

    @property
    def digest(self) -> str:
        """Begin the sha256 of the file's text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    def __call__(self, candidates: pl.Series, references: pl.Series) -> pl.Series:
        """Score texts against lists of texts, in their order.

        Raises `MetricError` for other columns than were promised, and where there is not one row for each candidate.
        """
        numbered = pl.int_range(len(candidates), eager=True, dtype=pl.Int64).alias("id")
        rows = pl.DataFrame([numbered, candidates.alias("text"), references.alias("reference_texts")])
        scores = self.scores(rows)
        strange = scores.join(rows, on="id", how="anti")["id"]
        if len(strange):
            raise MetricError(f"{self.path}: gives a score for id {strange[0]}, which no candidate has")
        if scores["id"].is_duplicated().any():
            raise MetricError(f"{self.path}: gives {scores.height:,} scores for {rows.height:,} candidates")
        lacking = rows.join(scores, on="id", how="anti")
        if lacking.height:
            such = f"id {lacking['id'][0]}, {lacking['text'][0][:_SHOWN]!r}; 0 is a score too"
            raise MetricError(f"{self.path}: gives no row for {lacking.height:,} of {rows.height:,} candidates: {such}")
        return rows.join(scores, on="id", how="left", maintain_order="left")["score"]

    def scores(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Ask of `candidates`. Columns: id, score."""
        with Store.open(MEMORY) as store, store.registered(_READ, rows):
            if others := sorted(relations_read(store.connection, self.text) - {_READ}):
                raise MetricError(f"{self.path}: reads {listed(others, 6)}; a metric sees {_READ} and nothing else")
            given = ask(store, self.text, {})
        missing = [name for name in _GIVEN if name not in given.columns]
        if missing:
            has = f"{listed(given.columns, 6)}; `select id, … as score from {_READ}`"
            raise MetricError(f"{self.path}: gives no column {' and no '.join(missing)}, but {has}")
        for name, can in (("id", given["id"].dtype.is_integer()), ("score", given["score"].dtype.is_numeric())):
            if not can:
                raise MetricError(f"{self.path}: column {name} is {given[name].dtype}, no number")
        return given.select(pl.col("id").cast(pl.Int64), pl.col("score").cast(pl.Float64))


def statement_of(path: Path) -> Statement:
    """Read a file, and try its SELECT on no candidates at all.

    Its comments may say `-- name: …`, `-- summary: …` and `-- lower_is_better: true`; its name is else the file's.
    Raises `MetricError` that names the file and says what is wrong with it.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "is no UTF-8 text"
        raise MetricError(f"{path}: {why}") from error
    said = dict(_SAID.findall(text))
    statement = Statement(
        path,
        text,
        said.get("name") or path.stem,
        said.get("summary") or f"the SELECT of {path.name}",
        said.get("lower_is_better", "").lower() == "true",
    )
    try:
        statement.scores(_NONE)
    except MetricError:
        raise
    except AuditorError as error:
        raise MetricError(f"{path}: {error}") from error
    return statement


def card_of_statement(statement: Statement) -> Metric:
    """Make a metric of a SELECT. Raises `MetricError` for a name that no request or signature can hold."""
    return card(
        Scorer(statement.name, statement, columns=True, home=str(statement.path)),
        summary=statement.summary,
        kind="a SELECT of your own",
        place=str(statement.path),
        digest=statement.digest,
        lower_is_better=statement.lower_is_better,
        caution=None,
    )

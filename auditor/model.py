"""Frozen records that travel between rooms.

They hold what was measured and never how to show it: a `Result` knows no reporter.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import polars as pl
import polars.selectors as cs

Kind = Literal["captions", "candidates", "judgements", "pairs", "triplets", "corpus", "wordlist"]

#: What a reader yields: one row per record of a file. `reason` is null for an accepted record; `raw` is the record as
#: it stands in the file and is only kept for a refused one.
CAPTION_SCHEMA: Mapping[str, pl.DataType] = {
    "source": pl.String(),
    "line": pl.UInt32(),
    "image": pl.String(),
    "slot": pl.UInt32(),
    "text": pl.String(),
    "reason": pl.String(),
    "raw": pl.String(),
}

_FLOATS = cs.float()

#: Batches of captions, each a frame of `CAPTION_SCHEMA`.
Batches = Iterator[pl.DataFrame]


class Progress(Protocol):
    """Told what is being done and how far it is; a front end may draw it."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """Say that `done` of `total` parts of `what` are finished."""


def silent(what: str, done: int, total: int) -> None:
    """Report no progress."""


@dataclass(frozen=True)
class Source:
    """A dataset as `datasets.toml` declares it: where its captions are and what they should be.

    `splits` maps a split's name to the file that lists its images; `images` and `captions` are the counts that the
    dataset should have, where known.
    """

    dataset: str
    kind: Kind
    format: str
    path: Path
    language: str = "en"
    related: tuple[str, ...] = ()
    splits: Mapping[str, Path] = field(default_factory=dict)
    images: int | None = None
    captions: int | None = None
    licence: str | None = None
    citation: str | None = None


@dataclass(frozen=True)
class Version:
    """One line of the append-only log: what a dataset held from `seq` on.

    `version` is the sha256 over the sorted (image, slot, split, text); nothing else enters it.
    """

    dataset: str
    seq: int
    version: str
    created_at: datetime.datetime
    source_sha256: str
    format: str
    text_profiles: tuple[str, ...]
    images: int
    captions: int
    note: str | None = None
    kind: Kind = "captions"

    @property
    def label(self) -> str:
        """The version as a user types it: `flickr8k@v3`."""
        return f"{self.dataset}@v{self.seq}"


@dataclass(frozen=True)
class Selection:
    """The captions that a reference such as `flickr8k@v3:test` names."""

    version: Version
    split: str | None = None

    @property
    def label(self) -> str:
        """Dataset and split, as they stand in the rows and tables of one result."""
        return self.version.dataset if self.split is None else f"{self.version.dataset}:{self.split}"

    def record(self) -> dict[str, Any]:
        """Give the selection as a JSON object."""
        version = {key: value for key, value in dataclasses.asdict(self.version).items() if value is not None}
        return version | {"created_at": self.version.created_at.isoformat(), "split": self.split}


@dataclass(frozen=True)
class Signature:
    """What a number is: the metric and exactly the parameters that matter, defaults printed, version last."""

    metric: str
    parameters: Mapping[str, str | int | float | bool]
    version: int

    def __str__(self) -> str:
        """Print it in the field's form, `cider-d|tok:bare|refs:loo|n:4|sigma:6|idf:dataset|scale:raw|v:1`."""
        shown = (f"{key}:{_plain(value)}" for key, value in self.parameters.items())
        return "|".join([self.metric, *shown, f"v:{self.version}"])


def _plain(value: str | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Table:
    """Rows as a person reads them.

    `bars` names the columns, shares of 1, that a reporter may draw as bars; where column `sections` changes, a new
    section of the table begins.
    """

    title: str
    frame: pl.DataFrame
    bars: tuple[str, ...] = ()
    sections: str | None = None
    caption: str | None = None


@dataclass(frozen=True)
class Result:
    """What a study found.

    `frame` holds flat rows in the public column vocabulary: what JSON, CSV and Parquet carry. `tables` are the same
    facts arranged for reading; `notes` say in plain words what a reader must know.
    """

    command: str
    frame: pl.DataFrame
    selections: tuple[Selection, ...] = ()
    signatures: Mapping[str, str] = field(default_factory=dict)
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Give the result as the documented JSON object, `{"auditor.<command>/v1": {...}}`."""
        body = {
            "versions": [selection.record() for selection in self.selections],
            "signatures": dict(self.signatures),
            "notes": list(self.notes),
            "rows": self.frame.with_columns(pl.when(_FLOATS.is_finite()).then(_FLOATS)).to_dicts(),
        }
        return json.dumps({f"auditor.{self.command}/v1": body}, ensure_ascii=False, indent=2, default=_json_value)

    def _repr_html_(self) -> str:
        return "".join(table.frame._repr_html_() for table in self.tables) or self.frame._repr_html_()


def _json_value(value: object) -> object:
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return int(value) if value == int(value) else float(value)
    return str(value)

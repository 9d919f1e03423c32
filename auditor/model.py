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
_FLOAT_LISTS = cs.list(cs.float())

#: Batches of captions, each a frame of `CAPTION_SCHEMA`.
Batches = Iterator[pl.DataFrame]


#: Formats in which a record is a line of the file.
_BY_LINE = {"flickr"}


def place(file_format: str, source: str | Path, line: int) -> str:
    """Say where a record stands: `file:line`, or the record's number in a file that has no lines of its own."""
    return f"{source}:{line}" if file_format in _BY_LINE else f"{source}, record {line}"


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
    """The captions that a reference such as `flickr8k@v3:test` names.

    `shows_version` is set where a result holds several versions of one dataset.
    """

    version: Version
    split: str | None = None
    shows_version: bool = False

    @property
    def label(self) -> str:
        """What tables and messages call it: dataset and split, with the version where that tells two apart."""
        name = self.version.label if self.shows_version else self.version.dataset
        return name if self.split is None else f"{name}:{self.split}"

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
        shown = (f"{key}:{plain(value)}" for key, value in self.parameters.items())
        return "|".join([self.metric, *shown, f"v:{self.version}"])


def plain(value: str | float | bool) -> str:
    """Write a setting as signatures and labels show it: `6` for 6.0, `true`, every digit of other numbers."""
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value).lower()


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
            "rows": self.frame.with_columns(_finite(_FLOATS), _FLOAT_LISTS.list.eval(_finite(pl.element()))).to_dicts(),
        }
        document = {f"auditor.{self.command}/v1": body}
        return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2, default=_json_value)

    def _repr_html_(self) -> str:
        return "".join(table.frame._repr_html_() for table in self.tables) or self.frame._repr_html_()


def _finite(value: pl.Expr) -> pl.Expr:
    """Make null of what JSON has no word for."""
    return pl.when(value.is_finite()).then(value)


def _json_value(value: object) -> object:
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return int(value) if value == int(value) else float(value)
    return str(value)

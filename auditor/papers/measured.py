"""The measurements of a paper's study. They are stored, and read again for the same data."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import polars as pl

from auditor import config
from auditor.model import Progress, Selection
from auditor.papers.figures import KEYS, Paper, Quantity
from auditor.result import Result, Said, Table
from auditor.store.connection import Store
from auditor.store.kept_results import kept_result
from auditor.store.versions import log_rows, resolve_all
from auditor.text.spacy import pipelines


@dataclass(frozen=True)
class Measured:
    """The measurements of a paper's study: quantities by name, and why some datasets or quantities are missing.

    `intervals` are those of quantities over resampled images, if known.
    """

    quantities: Mapping[Quantity, float]
    lacking: Mapping[str, str] = field(default_factory=dict)
    selections: tuple[Selection, ...] = ()
    signatures: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Said, ...] = ()
    absent: Mapping[Quantity, str] = field(default_factory=dict)
    tables: tuple[Table, ...] = ()
    intervals: Mapping[Quantity, tuple[float, float]] = field(default_factory=dict)


Study = Callable[[Store, Paper, int, Progress], Measured]

_ABSENT, _LACKING, _READ = "absent", "lacking", "read"

_NAMED: dict[str, type[pl.DataType]] = dict.fromkeys(KEYS, pl.String)


def kept(study: Study, store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Return what a study measures: the stored result, or a new one.

    A stored result is used if nothing that it may depend on has changed: the paper's checks, every version in the
    store, the declared files, the seed, the program and its optional parts. Raises what the study raises.
    """
    log = log_rows(store)
    there = [name for name in paper.datasets if name in log["dataset"]]
    if not there:
        return study(store, paper, seed, progress)
    settings = {
        "paper": hashlib.sha256(repr(paper).encode()).hexdigest(),
        "seed": seed,
        "store": log.sort("dataset", "seq").select("dataset", "seq", "version", "rejected", "tags").rows(),
        "files": list(_files(set(log["dataset"]), paper.beside)),
        "module": hashlib.sha256(Path(str(sys.modules[study.__module__].__file__)).read_bytes()).hexdigest(),
        "parts": {name: _installed(name) for name in _optional()} | {"pipeline": pipelines.installed()},
    }
    about = resolve_all(store, there)
    result = kept_result(
        store, f"reproduce {paper.name}", about, settings, lambda: _packed(study(store, paper, seed, progress))
    )
    return _unpacked(store, result)


def _files(datasets: set[str], beside: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Yield the declared files of datasets, and those named `beside` in their folders, with their sizes and times."""
    declared = [source for name, source in config.sources(None).items() if name in datasets]
    for path in dict.fromkeys(path for source in declared for part in source.parts for path in part.paths):
        for name in (path.name, *beside):
            with suppress(OSError, ValueError):
                for file in sorted(path.parent.glob(name)):
                    status = file.stat()
                    yield str(file), status.st_size, status.st_mtime_ns


def _optional() -> Iterator[str]:
    for required in requires("auditor") or ():
        if "extra ==" in required:
            yield re.split(r"[^\w.-]", required, maxsplit=1)[0]
    yield from pipelines.PIPELINES


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _packed(measured: Measured) -> Result:
    """Write measurements as a result: quantities as its rows, missing ones as further tables."""
    values = [
        (*named, value, *(measured.intervals.get(named) or (None, None)))
        for named, value in measured.quantities.items()
    ]
    ends: dict[str, type[pl.DataType]] = dict.fromkeys(("value", "low", "high"), pl.Float64)
    tables = (
        Table("", pl.DataFrame([(*named, why) for named, why in measured.absent.items()],
                               schema=_NAMED | {"why": pl.String}, orient="row"), name=_ABSENT),
        Table("", pl.DataFrame(list(measured.lacking.items()),
                               schema={"dataset": pl.String, "why": pl.String}, orient="row"), name=_LACKING),
        Table("", pl.DataFrame({"read": [selection.pinned_name for selection in measured.selections]},
                               schema={"read": pl.String}), name=_READ),
    )  # fmt: skip
    return Result(
        "reproduce",
        pl.DataFrame(values, schema=_NAMED | ends, orient="row"),
        signatures=measured.signatures,
        tables=(*measured.tables, *tables),
        said=measured.notes,
    )


def _unpacked(store: Store, result: Result) -> Measured:
    *tables, absent, lacking, read = result.tables
    rows = result.frame.rows()
    named = len(KEYS)
    return Measured(
        {row[:named]: row[named] for row in rows},
        dict(lacking.frame.rows()),
        resolve_all(store, read.frame["read"].to_list()),
        result.signatures,
        (*result.notes, *result.findings),
        {row[:named]: row[named] for row in absent.frame.rows()},
        tuple(tables),
        {row[:named]: row[named + 1 :] for row in rows if row[named + 1] is not None},
    )

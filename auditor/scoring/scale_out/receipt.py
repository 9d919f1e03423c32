"""Receipts: hashes of what was scored and how, to check a result without computing it again."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl

from auditor.called import call
from auditor.errors import SourceError, SqlError
from auditor.files import is_plain, read_json, written
from auditor.plugins import typed
from auditor.scoring.scale_out import plan as plans
from auditor.scoring.scale_out.plan import Plan
from auditor.scoring.scale_out.summary import sums_of_scores, totals
from auditor.scoring.scale_out.tasks import STAGES
from auditor.scoring.scale_out.work import SCORES, SUMS, Work
from auditor.store.connection import Store
from auditor.store.sqlfiles import catalogue, fingerprint
from auditor.store.versions import log
from auditor.version import VERSION

_NAME = "auditor.receipt/v1"

#: Files of other stages contain token numbers, which depend on the store.
_SAME_EVERYWHERE = (SCORES, SUMS)


@dataclass(frozen=True)
class Receipt:
    """The results of a plan: the sha256 of the files of its stages, by name, and of the file of scores, if any.

    `rows` are the rows of scores of each bucket, `sums` the sums of all scores, `software` the versions that made them.
    """

    plan: Plan
    files: Mapping[str, str]
    rows: tuple[int, ...]
    sums: tuple[Mapping[str, Any], ...]
    software: Mapping[str, str]
    scores_sha256: str | None = None


def path_of(scores: Path) -> Path:
    """Return the path of the receipt of a file of scores."""
    return scores.with_name(f"{scores.name}.receipt.json")


def made(plan: Plan, work: Work, sums: pl.DataFrame, scores: Path | None) -> Receipt:
    """Make the receipt of finished work, and of its file of scores."""
    parts = {
        (stage, number): part
        for stage in _SAME_EVERYWHERE
        for number in range(STAGES[stage].parts(plan))
        if (part := work.part(stage, number)) is not None
    }
    software = {"python": platform.python_version(), "auditor": VERSION} | {
        name: version(name) for name in ("duckdb", "polars")
    }
    return Receipt(
        plan,
        {f"{stage}/{number:06}": part.sha256 for (stage, number), part in parts.items()},
        tuple(part.rows for (stage, _), part in parts.items() if stage == SCORES),
        tuple(sums.to_dicts()),
        software,
        None if scores is None else sha256_of(scores),
    )


def write(receipt: Receipt, path: Path) -> None:
    """Write a receipt. Raises `UsageError` if the file cannot be written."""
    fields = dataclasses.asdict(receipt) | {"plan_sha256": receipt.plan.digest}
    with written(path) as file:
        file.write((json.dumps({_NAME: fields}, indent=1, sort_keys=True) + "\n").encode())


def read(path: Path) -> Receipt:
    """Read a receipt. Raises `SourceError` for any other file, and for a plan with another hash."""
    try:
        fields = read_json(path)[_NAME]
        named = fields.pop("plan_sha256")
        plan = plans.read(json.dumps(fields.pop("plan")))
        fields |= {"rows": tuple(fields["rows"]), "sums": tuple(fields["sums"])}
        receipt = typed(Receipt(plan, **fields))
        if not receipt.rows or min(receipt.rows) < 1 or sum(receipt.rows) > plan.captions:
            raise ValueError("other rows than captions")
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror or error}") from error
    except plans.FORGED as error:
        command = call("bounds", "DATASET", file="FILE")
        raise SourceError(f"{path}: not a receipt; `{command}` writes one next to FILE") from error
    if plan.digest != named:
        raise SourceError(f"{path}: was modified: its plan does not match its hash")
    return receipt


def checked(store: Store, receipt: Receipt, scores: Path) -> Iterator[tuple[str, str, bool | None]]:
    """Check a file of scores against its receipt: yield each check, its result, and whether it passed.

    Nothing is scored again: scores are hashed and added up. A check that this store or release cannot decide is null.
    """
    plan = receipt.plan
    known = [version for version in log(store, plan.dataset) if version.version == plan.version]
    captions = f"{plan.dataset}@{plan.version[:12]}"
    yield "captions", f"{captions} is {'' if known else 'not '}in this store", True if known else None
    same = all(name in catalogue() and fingerprint(name) == statement for name, statement in plan.sql.items())
    yield "statements", f"{len(plan.sql)} SELECTs are {'' if same else 'not '}those of this release", same or None
    is_unchanged = sha256_of(scores) == receipt.scores_sha256
    yield "scores", f"the file is {'' if is_unchanged else 'not '}what was written", is_unchanged
    sums = totals(pl.concat(_sums_of_buckets(receipt, scores)))
    added = sums.to_dicts() == [dict(digest) for digest in receipt.sums]
    yield "sums", f"scores add up to {'the same' if added else 'other'} sums of {sums.height:,} groups", added


def _sums_of_buckets(receipt: Receipt, scores: Path) -> Iterator[pl.DataFrame]:
    """Add up a file of scores bucket by bucket, in the order of writing."""
    try:
        if scores.suffix == ".parquet":
            rows = pl.scan_parquet(scores, glob=False)
        else:
            rows = pl.scan_csv(scores, glob=False, infer_schema=False)
        first = 0
        for captions in receipt.rows:
            height = captions * len(receipt.plan.metrics)
            bucket = rows.slice(first, height).select("metric", pl.col("image").cast(pl.String), "value")
            values = bucket.with_columns(pl.col("value").cast(pl.Float64)).collect()
            yield sums_of_scores(values)
            first += height
            if values.height < height:  # the sums differ, regardless of the rest
                return
    except (OSError, SqlError, pl.exceptions.PolarsError) as error:
        raise SourceError(f"{scores}: cannot be read as scores: {str(error).partition(chr(10))[0]}") from error


def sha256_of(path: Path) -> str:
    """Hash a file. Raises `SourceError` if it cannot be read."""
    if not is_plain(path):  # a pipe would wait for its writer
        raise SourceError(f"{path}: cannot be read: not a regular file")
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror or error}") from error

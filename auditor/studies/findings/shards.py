"""Parquet shards that are checked in stages, and the plan of the work on them."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from auditor.errors import SourceError, UsageError
from auditor.findings import declare
from auditor.model import Batches, Check, Option, Part, Source
from auditor.plugins import typed
from auditor.remote import Near, address_of
from auditor.scoring.scale_out.plan import Written
from auditor.scoring.scale_out.receipt import sha256_of
from auditor.store.connection import Store
from auditor.store.ingestion import checked
from auditor.store.sqlfiles import catalogue, fingerprint
from auditor.text import tokenizer_of
from auditor.version import VERSION

_FORMAT, _ENDING = "table", ".parquet"

#: The folders of the captions of buckets, and of the words of all.
RECORDS, VOCABULARY = "records", "vocabulary"

#: The columns of verdicts, beside those of the shards.
VERDICT = ("id", "keep", "severity", "twin", "kind", "slot", "certainty", "detail", "fix")

#: Rows of shards that are read together. It does not depend on the machine.
_ROWS_AT_ONCE = 60_000

#: The number of buckets whose images and texts fill one partition.
_BUCKETS_OF_A_PARTITION = 4


@dataclass(frozen=True)
class Shard:
    """A Parquet file: its path or address, its state when the work began, its rows (0 for an address)."""

    path: str
    state: str
    rows: int

    @property
    def name(self) -> str:
        """Its name without the folder."""
        return Path(self.path).name


@dataclass(frozen=True)
class Rows:
    """The columns of image and captions, those of verdicts too, what is not kept in words and as kinds, and checks."""

    image: str | None
    captions: tuple[str, ...]
    carried: tuple[str, ...]
    without: tuple[str, ...]
    gone: tuple[str, ...]
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class ShardPlan(Written):
    """All settings that determine the bytes of the verdicts. `buckets` are shards that are read together."""

    dataset: str
    shards: tuple[Shard, ...]
    buckets: tuple[tuple[int, ...], ...]
    columns: str
    rows: Rows
    kinds: tuple[str, ...]
    tokenizer: str
    words: tuple[str, ...]
    against: str
    sql: str
    auditor: str

    @property
    def captions(self) -> int:
        """The rows of all shards, as far as they are known."""
        return sum(shard.rows for shard in self.shards)

    @property
    def partitions(self) -> int:
        """The number of partitions in which equal images, texts or words of all buckets meet."""
        return -(-len(self.buckets) // _BUCKETS_OF_A_PARTITION)

    def bucket_of(self, shard: int) -> int:
        """Return the number of the bucket that a shard is in."""
        return next(number for number, bucket in enumerate(self.buckets) if shard in bucket)


def parse(text: str | Mapping[str, Any]) -> ShardPlan:
    """Parse the text of `ShardPlan.written`, or its JSON, and make its checks known. Raises one of `FORGED`."""
    fields = json.loads(text) if isinstance(text, str) else dict(text)
    fields |= {name: tuple(fields[name]) for name in ("kinds", "words")}
    fields["buckets"] = tuple(tuple(bucket) for bucket in fields["buckets"])
    fields["shards"] = tuple(typed(Shard(**shard)) for shard in fields["shards"])
    rows: dict[str, Any] = {name: tuple(of) if isinstance(of, list) else of for name, of in fields["rows"].items()}
    fields["rows"] = typed(Rows(**rows | {"checks": tuple(typed(Check(**check)) for check in rows["checks"])}))
    declare(fields["rows"].checks)
    return typed(ShardPlan(**fields))


def plan(
    name: str, places: Sequence[str], rows: Rows, kinds: Sequence[str], tokenizer: str, words: Sequence[str], other: str
) -> ShardPlan:
    """Plan the work on the shards of files, patterns and addresses.

    Raises `SourceError` for a place without files, and `UsageError` for files that are not Parquet, or of one name.
    """
    shards = tuple(shard for place in places for shard in _shards(Path(place)))
    for shard in shards:
        if not shard.path.endswith(_ENDING):
            raise UsageError(f"{shard.path}: in stages, only Parquet files are read; export the captions as Parquet")
    if not any(shard.rows or address_of(Path(shard.path)) for shard in shards):
        raise SourceError(f"{shards[0].path}: holds no captions, and neither does any other file; name other files")
    repeated, times = Counter(shard.name for shard in shards).most_common(1)[0]
    if times > 1:
        raise UsageError(f"{repeated}: {times} shards have this name, and so would their verdicts; rename them")
    return ShardPlan(
        name, shards, _buckets(shards), _columns(shards[0], rows.carried), rows, tuple(kinds), tokenizer,
        tuple(words), other, statements(), VERSION,
    )  # fmt: skip


def statements() -> str:
    """Hash all SELECTs of this release."""
    return hashlib.sha256("".join(fingerprint(each) for each in sorted(catalogue())).encode()).hexdigest()


def refuse_changed(now: ShardPlan, before: str) -> None:
    """Raise `SourceError` for the first shard that differs from the plan in a folder of work."""
    try:
        known = {shard.path: shard for shard in parse(before).shards}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return  # it is not a plan for shards: the folder is refused as that of other work
    for shard in now.shards:
        if shard.path in known and known[shard.path] != shard:
            raise SourceError(f"{shard.path}: changed since this work began; set another folder with --work")
    missing = sorted(known.keys() - {shard.path for shard in now.shards})
    if missing:
        raise SourceError(f"{missing[0]}: was there when this work began, and is missing now; bring it back")


def records(plan: ShardPlan, number: int, store: Store) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Read the shards of a bucket as an ingest reads them, with the tokens of each accepted caption.

    Columns: shard, line, image, slot, split, text, reason, tokens. Then the sha256 of what was read: shard, sha256.
    Then the columns of the shards that verdicts have, too: shard, line, and these.
    Raises `SourceError` for a shard that is missing, that changed, or that has other columns than the first one.
    """
    with Near() as near:
        local = {shard: near.files(Path(plan.shards[shard].path))[0] for shard in plan.buckets[number]}
        for shard, path in local.items():
            _check(plan, shard, path)
        source = Source(plan.dataset, "captions", _FORMAT, ())
        hashes = pl.DataFrame({"shard": [*local], "sha256": [*map(sha256_of, local.values())]})
        named = {"image_col": plan.rows.image, "caption_col": plan.rows.captions}
        rows = checked(store, source, _numbered(local, {name: column for name, column in named.items() if column}))
        carried = pl.concat(_carried(shard, path, plan.rows.carried) for shard, path in local.items())
        for shard, path in local.items():
            _check(plan, shard, path)
    texts = rows.select(pl.when(pl.col("reason").is_null()).then("text").otherwise(pl.lit("")))["text"]
    captions = rows.select(
        pl.col("source").cast(pl.UInt32).alias("shard"),
        pl.exclude("source"),
        tokens=tokenizer_of(plan.tokenizer)(texts),
    )
    return captions, hashes, carried


def _carried(shard: int, path: Path, names: Sequence[str]) -> pl.DataFrame:
    rows = pl.read_parquet(path, columns=[*names], glob=False, hive_partitioning=False) if names else pl.DataFrame()
    return rows.select(pl.lit(shard, pl.UInt32).alias("shard"), pl.int_range(1, pl.len() + 1).alias("line"), *names)


def _numbered(local: dict[int, Path], options: Mapping[str, Option]) -> Batches:
    """Yield the records of files, each with the number of its shard as its source."""
    from auditor.sources import read  # noqa: PLC0415  # all readers: a command without shards needs none

    for shard, path in local.items():
        for batch in read(Part((path,), None, options), _FORMAT) if _rows(path) or len(local) == 1 else ():
            yield batch.with_columns(source=pl.lit(str(shard)))


def _shards(place: Path) -> list[Shard]:
    from auditor.sources.reading import files  # noqa: PLC0415  # all readers, see above

    if address_of(place) is not None:
        return [Shard(address, state, 0) for address, state in Near().listed(place)]
    return [Shard(str(path), _state(path), _rows(path)) for path in files.expand(Part((place,)))]


def _state(path: Path) -> str:
    """Return the state of a file, the same on every machine that sees it. `touch` cannot set the time of its change."""
    status = path.stat()
    return f"{status.st_size} bytes, {status.st_mtime_ns} ns, changed {status.st_ctime_ns} ns"


def _rows(path: Path) -> int:
    if path.suffix != _ENDING:
        return 0
    try:
        return int(pl.scan_parquet(path, glob=False, hive_partitioning=False).select(pl.len()).collect().item())
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> SourceError:
    return SourceError(f"{path}: cannot be read as Parquet: {str(error).partition(chr(10))[0]}")


def _buckets(shards: Sequence[Shard]) -> tuple[tuple[int, ...], ...]:
    """Group successive shards of at most so many rows together; a shard of unknown size is alone.

    An empty file is in the group before it, or else in the first.
    """
    buckets: list[list[int]] = []
    held = _ROWS_AT_ONCE
    for number, shard in enumerate(shards):
        is_known = address_of(Path(shard.path)) is None
        if buckets and is_known and (held + shard.rows <= _ROWS_AT_ONCE or not held or not shard.rows):
            buckets[-1].append(number)
            held += shard.rows
        else:
            buckets.append([number])
            held = shard.rows if is_known else _ROWS_AT_ONCE
    return tuple(tuple(bucket) for bucket in buckets)


def _columns(shard: Shard, carried: Sequence[str]) -> str:
    """Describe the columns of a shard. Raises `UsageError` for one that it lacks, or that verdicts have."""
    with Near() as near:
        described, names = _schema(path := near.files(Path(shard.path))[0]), pl.read_parquet_schema(path)
    others = [name for name in names if name not in (*VERDICT, "line", "shard", "near")]
    for name in {*carried}.difference(others):
        raise UsageError(f"--columns {name}: verdicts can also have {', '.join(others)}")
    return described


def _schema(path: Path) -> str:
    try:
        kinds = pl.read_parquet_schema(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _unreadable(path, error) from error
    return ", ".join(f"{name} {kind}" for name, kind in kinds.items())


def _check(plan: ShardPlan, number: int, path: Path) -> None:
    shard = plan.shards[number]
    if not path.exists():
        raise SourceError(f"{shard.path}: is missing; it was there when this work began")
    is_remote = address_of(Path(shard.path)) is not None
    state = Near().listed(Path(shard.path))[0][1] if is_remote else _state(path)
    if state != shard.state:
        raise SourceError(f"{shard.path}: changed since this work began; start again with another --work")
    if (columns := _schema(path)) != plan.columns:
        raise SourceError(f"{shard.path}: has the columns {columns}, but {plan.shards[0].name} has {plan.columns}")

"""The summary of findings over shards: written next to the verdicts, and read again by a report."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from auditor.called import call
from auditor.errors import SourceError
from auditor.files import read_json
from auditor.findings import told
from auditor.findings.wording import wrong
from auditor.model import Selection, Version
from auditor.plugins import typed
from auditor.result import JSON_VERSION, Finding, Result, Sentence, Table, counted, listed
from auditor.result.portraits import Portrait
from auditor.scoring.scale_out.receipt import sha256_of
from auditor.statistics.published import usual
from auditor.statistics.sameness import SAMENESS
from auditor.studies import profile
from auditor.studies.findings import dimensions
from auditor.studies.findings.shards import parse, statements

SUMMARY, RECEIPT = "summary.json", "receipt.json"

#: The name of the record in a receipt.
NAME = "auditor.verdicts/v1"

_NAME = f"auditor.findings/v{JSON_VERSION}"

#: The rows of kinds, then those of the other commands: `number` of `n` captions or images.
MEASURED = {
    "kind": pl.String, "severity": pl.String, "number": pl.Int64, "not_checked_because": pl.String,
    "command": pl.String, "scope": pl.String, "match": pl.String, "statistic": pl.String, "position": pl.Int64,
    "value": pl.Float64, "n": pl.Int64,
}  # fmt: skip

#: The statistics with the number of captions of each length, and of images in each split.
LENGTHS, SPLITS = "captions-by-length", "images-by-split"


def summary(
    version: Version, rows: pl.DataFrame, found: Sequence[Finding], lead: Sequence[str], notes: Sequence[str]
) -> Result:
    """Return the findings and measures with their tables. Rows: `MEASURED`."""
    selection, is_measured = Selection(version), not rows.filter(command="profile").is_empty()
    what = pl.coalesce("kind", pl.format("{}: {}", "command", "statistic")).alias("kind or number")
    left_out = rows.filter(pl.col("not_checked_because").is_not_null()).select(what, because="not_checked_because")
    counts = Counter[str](dict(rows.filter(command="findings").select("statistic", "number").iter_rows()))
    lines = dimensions.ordered(selection, found, counts, version.captions)
    return Result(
        "findings",
        rows,
        selections=(selection,),
        portraits=(_portrait(selection, rows),) if is_measured else (),
        tables=(
            *([dimensions.table(lines, found)] if is_measured else []),
            dimensions.by_severity(told(found)),
            *_measures(version, rows),
            *([Table("not checked in stages", left_out, name="not-checked")] if left_out.height else []),
        ),
        lead=tuple(lead),
        notes=tuple(notes),
        findings=tuple(found),
    )


def lead(label: str, rows: pl.DataFrame, found: Sequence[Finding], size: str) -> Iterator[str]:
    """Answer in sentences: what is wrong with the captions of shards, how many, how similar, how many repeated."""
    yield wrong(label, found)
    yield size
    for value in rows.filter(statistic=SAMENESS)["value"].drop_nulls():
        yield f"Captions of different images share {value:.2f} of their words (sameness). {usual()}"
    repeated = rows.filter(pl.col("n") > 0, command="duplicates", statistic="captions", match="exact")
    for scope, number, n in repeated.select("scope", "number", "n").rows():
        yield f"{number:,} of {n:,} captions ({number / n:.2%}) repeat another {_SCOPES[scope]}."


_SCOPES = {"within-image": "of their image", "across-images": "at another image"}


def _portrait(selection: Selection, rows: pl.DataFrame) -> Portrait:
    """Return an overview of the captions of shards from the rows of their summary."""
    value = dict(rows.filter(command="profile").select("statistic", "value").drop_nulls().iter_rows())
    splits = rows.filter(statistic=SPLITS).select("scope", "number")
    return Portrait(
        selection.label, selection.version.images, selection.version.captions,
        (round(value["captions-per-image-min"]), round(value["captions-per-image-max"])),
        round(value["captions"] - value["captions-repeated-within-image"]), value["asl"],
        tuple((name or "in none", images) for name, images in splits.iter_rows() if splits["scope"].count()),
        tuple(rows.filter(statistic=LENGTHS).select("position", "number").iter_rows()),
    )  # fmt: skip


def _measures(version: Version, rows: pl.DataFrame) -> Iterator[Table]:
    """Yield the tables of the other commands."""
    counts = rows.filter(pl.col("value").is_not_null(), command="profile").select("statistic", "value")
    if counts.height:
        of_captions = pl.col("statistic").is_in(profile.HYGIENE)
        named = counts.rename({"value": version.dataset})
        yield from profile.tables(named.filter(~of_captions), named.filter(of_captions), version.tokenizers[0])
    for command, title in (("duplicates", "duplicates"), ("diversity", "diversity")):
        own = rows.filter(pl.col("value").is_not_null(), command=command)
        if own.height:
            columns = [name for name in ("scope", "match", "statistic", "number", "n", "value") if own[name].count()]
            yield Table(title, own.select(columns), name=command)


#: The parts of a report with the numbers of other commands, and the names of their tables.
MEASURES = {
    "size": ("Size and words", ("sizes", "lengths", "hygiene")),
    "duplicates": ("Duplicates", ("duplicates",)),
    "diversity": ("Diversity", ("diversity",)),
}  # fmt: skip


def version_of(dataset: str, digest: str, tokenizer: str, images: int, captions: int) -> Version:
    """Describe the captions of shards as a version; its hash is that of the plan, which names the shards."""
    epoch = datetime.datetime.fromtimestamp(0, datetime.UTC)
    return Version(dataset, 1, digest, epoch, digest, "table", (tokenizer,), images, captions)


def read_summary(folder: Path) -> Result:
    """Read the summary in a folder of verdicts. Raises `SourceError` if it is not one."""
    path = folder / SUMMARY
    try:
        body = read_json(path)[_NAME]
        (made,) = body["versions"]
        (tokenizer,) = made["tokenizers"]
        version = version_of(made["dataset"], made["version"], tokenizer, made["images"], made["captions"])
        found = [
            typed(Finding(**{**record, "examples": tuple(record.get("examples", ()))})) for record in body["findings"]
        ]
        rows = pl.DataFrame(
            [tuple({"match": None, **row}[name] for name in MEASURED) for row in body["rows"]], MEASURED, orient="row"
        )
        lead, notes = ([Sentence(**sentence) for sentence in body[name]] for name in ("lead", "notes"))
        return summary(typed(version), rows, found, lead, notes)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        RecursionError,
        pl.exceptions.PolarsError,
    ) as error:
        raise SourceError(f"{path}: not a summary of verdicts; `{_verdicts()}` writes one") from error


def _verdicts() -> str:
    return call("findings", "SHARDS", verdicts="FOLDER")


def checked_verdicts(folder: Path) -> Iterator[tuple[str, str, bool | None]]:
    """Check a folder of verdicts against its receipt: yield each check, its result, and whether it passed.

    Raises `SourceError` if it has no receipt. A check that this release cannot decide is null.
    """
    path = folder / RECEIPT
    try:
        body = read_json(path)[NAME]
        hashes, plan = {str(name): str(digest) for name, digest in body["sha256"].items()}, parse(body["plan"])
        if hashes.keys() != {SUMMARY, *(shard.name for shard in plan.shards)}:
            raise ValueError("not the files of its plan")
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror or error}; name a folder of verdicts") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SourceError(f"{path}: not a receipt; `{_verdicts()}` writes one") from error
    same = plan.sql == statements()
    yield "statements", f"the SELECTs are {'' if same else 'not '}those of this release", same or None
    here = {file.name for file in folder.iterdir()} - {RECEIPT}
    changed = [name for name in sorted(here & hashes.keys()) if sha256_of(folder / name) != hashes[name]]
    for state, names in (("changed", changed), ("missing", hashes.keys() - here), ("added", here - hashes.keys())):
        what = f"{counted(len(names), 'file was', 'files were')} {state}"
        yield state, f"{what}: {listed(sorted(names), 5)}" if names else what, not names
    if SUMMARY in here and SUMMARY not in changed:
        is_planned = read_summary(folder).selections[0].version.version == plan.digest
        yield "plan", f"the summary is {'' if is_planned else 'not '}that of the plan", is_planned
